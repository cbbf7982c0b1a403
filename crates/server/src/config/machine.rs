//! The one place that reads the configuration file and the environment. Everything else gets values.
#![expect(clippy::disallowed_methods, reason = "the configuration is read here, once, and nowhere else")]

use std::path::{Path, PathBuf};

use super::parse::{Fault, Given, Origin, parse};
use super::resolve::{Config, Folders, resolve};
use crate::exit::{Ended, Exit};

/// Reads file and environment, judges them together with `sets`, and resolves them. A wrong configuration is exit 78
/// with all faults, one a line.
pub fn read(file: Option<&Path>, sets: &[String]) -> Result<Config, Ended> {
    let folders = folders()?;
    let variables = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let ours = variables.filter(|(name, _)| name.starts_with("RIAD_"));
    let given = Given {
        file: read_file(file, &folders)?,
        variables: ours.map(|(name, value)| (name, value.to_string_lossy().into_owned())).collect(),
        sets: sets.to_vec(),
    };
    let values = parse(&given).map_err(|faults| wrong(&faults))?;
    resolve(&values, &folders).map_err(|fault| wrong(&[fault]))
}

/// The configuration folder of the platform.
pub fn folder() -> Result<PathBuf, Ended> {
    Ok(folders()?.config)
}

fn wrong(faults: &[Fault]) -> Ended {
    let lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
    Ended::new(Exit::Config, lines.join("\n"))
}

/// A file that was named must be there; the usual one may be absent.
fn read_file(named: Option<&Path>, folders: &Folders) -> Result<Option<(String, String)>, Ended> {
    let usual = folders.config.join("riad.toml");
    let path = named.unwrap_or(&usual);
    let name = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some((name, text))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && named.is_none() => Ok(None),
        Err(error) => Err(Ended::new(Exit::Config, format!("{name}: the configuration cannot be read: {error}"))),
    }
}

fn folders() -> Result<Folders, Ended> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = absolute("HOME");
    let beneath = |part: &str| home.as_ref().map(|home| home.join(part));
    let nowhere = || {
        let says =
            "There is no home folder. Set HOME, or name the folders with --set data.dir=… and --set models.dir=….";
        Ended::new(Exit::Config, says)
    };
    Ok(Folders {
        config: absolute("XDG_CONFIG_HOME").or(beneath(".config")).map(|path| path.join("riad")).ok_or_else(nowhere)?,
        data: absolute("XDG_DATA_HOME").or(beneath(".local/share")).ok_or_else(nowhere)?,
        program: std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_path_buf)),
    })
}

/// The key of the remote model, from a file that is closed to others.
pub(super) fn read_key(path: &Path) -> Result<String, String> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = std::fs::metadata(path).map_err(|error| format!("the key file cannot be read: {error}"))?;
    if metadata.mode() & 0o077 != 0 {
        return Err("the key file is open to others; run chmod 600 on it".to_owned());
    }
    let text = std::fs::read_to_string(path).map_err(|error| format!("the key file cannot be read: {error}"))?;
    Ok(text.trim().to_owned())
}

/// A file that may be absent.
pub(super) fn read_if_there(path: &Path) -> std::io::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A variable that a provider's entry names.
pub(super) fn read_variable(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|value| value.trim().to_owned())
}

/// The GGUF files of a folder, by name.
pub(super) fn models_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_model(path)).collect();
    files.sort();
    files
}

fn is_model(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gguf"))
}

/// An origin for faults that only show when the machine is looked at.
pub(super) fn origin_of(values: &super::parse::Values, key: &str) -> Origin {
    values.origin(key).cloned().unwrap_or(Origin::Argument)
}
