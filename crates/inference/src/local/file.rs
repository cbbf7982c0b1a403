//! Looks at a model file before a worker gets it: is it there, is it GGUF, can it chat. Reads the header, no weights.
#![expect(clippy::disallowed_methods, reason = "the supervisor opens model files")]

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::gguf::{Header, HeaderError, read_header};

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be opened.
    #[error("{} cannot be opened: {error}. Name a GGUF file that this program may read.", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// It is no GGUF file.
    #[error("{}: {error}. Download it again, or name another file.", path.display())]
    NotGguf {
        /// The file.
        path: PathBuf,
        /// Where and why.
        error: HeaderError,
    },
    /// It cannot chat.
    #[error("{}: no chat template: it cannot chat. Choose an instruct model.", .0.display())]
    NoTemplate(PathBuf),
    /// The worker's executable is missing.
    #[error("the worker {} is missing; build it with ./scripts/up", .0.display())]
    NoWorker(PathBuf),
}

/// What a look at the file shows.
#[derive(Debug, Clone)]
pub(crate) struct Looked {
    /// The header.
    pub(crate) header: Header,
    /// A name for exactly this header and length. The weights themselves are not hashed here.
    pub(crate) fingerprint: String,
}

/// Looks at a model file.
pub(crate) fn look(path: &Path) -> Result<Looked, OpenError> {
    let unreadable = |error| OpenError::Unreadable { path: path.to_path_buf(), error };
    let file = File::open(path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    let header = read_header(&mut BufReader::new(file), length)
        .map_err(|error| OpenError::NotGguf { path: path.to_path_buf(), error })?;
    if header.text("tokenizer.chat_template").is_none_or(str::is_empty) {
        return Err(OpenError::NoTemplate(path.to_path_buf()));
    }
    let fingerprint = fingerprint(&header, length);
    Ok(Looked { header, fingerprint })
}

fn fingerprint(header: &Header, length: u64) -> String {
    let facts = format!("{length} {} {} {:?}", header.length, header.tensors, header.values);
    let digest = Sha256::digest(facts.as_bytes());
    let hex: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    format!("gguf-header:{hex}")
}
