//! What several tests share: a tiny GGUF file, prompts, and a sink that keeps what it hears.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::context::{CallPolicy, Item, Prefix, Prompt};
use domain::id::EntryNumber;
use domain::tool::{Replay, Schema, ToolName, ToolSet, ToolSpec};
use harness::ports::{Channel, DeltaSink};
use inference::local::{LocalModel, LocalOptions, SamplingDefaults};
use inference::protocol::message::Choice;
use serde_json::{Value, json};

/// A GGUF file without tensors, with these texts and what a model must state.
pub(crate) fn gguf_file(texts: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3u32.to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    bytes.extend((texts.len() as u64 + 2).to_le_bytes());
    put_text(&mut bytes, "general.architecture", "llama");
    for (key, text) in texts {
        put_text(&mut bytes, key, text);
    }
    put(&mut bytes, "llama.context_length");
    bytes.extend(4u32.to_le_bytes());
    bytes.extend(8192u32.to_le_bytes());
    bytes
}

fn put_text(bytes: &mut Vec<u8>, key: &str, text: &str) {
    put(bytes, key);
    bytes.extend(8u32.to_le_bytes());
    put(bytes, text);
}

fn put(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// A prompt with one message of a person.
pub(crate) fn prompt(text: &str, tools: Vec<ToolSpec>) -> Prompt {
    let prefix = Prefix::new("You are a helpful assistant.".to_owned(), &ToolSet::new(tools));
    Prompt {
        prefix: Arc::new(prefix),
        items: vec![Arc::new(Item::Person { text: text.to_owned(), aside: None })],
        seen: EntryNumber(1),
        open: false,
        calls: CallPolicy::Free,
        max_tokens: 64,
        variation: 0,
    }
}

/// A tool of this name and schema.
pub(crate) fn tool(name: &str, schema: Value) -> ToolSpec {
    ToolSpec {
        name: ToolName::new(name),
        description: "A tool of a test.".to_owned(),
        schema: Schema::new(schema).unwrap(),
        replay: Replay::Again,
        parallel: true,
        uses: None,
        deadline_ms: 1000,
        asks_person: false,
    }
}

/// A tool that reads a file.
pub(crate) fn read_file() -> ToolSpec {
    let path = json!({ "type": "string", "maxLength": 60 });
    tool("read_file", json!({ "type": "object", "properties": { "path": path }, "required": ["path"] }))
}

/// A local model over these two files.
pub(crate) fn local_model(file: &Path, worker: &Path, silence: Duration) -> LocalModel {
    LocalModel::open(local_options(file, worker, silence)).unwrap()
}

/// What [`local_model`] opens.
pub(crate) fn local_options(file: &Path, worker: &Path, silence: Duration) -> LocalOptions {
    let sampling = SamplingDefaults { temperature: Some(0.0), ..SamplingDefaults::default() };
    let (file, worker) = (file.to_path_buf(), worker.to_path_buf());
    LocalOptions { file, worker, window: 4096, threads: 1, sampling, silence, first_call: Choice::Free }
}

/// Keeps what it hears.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<Vec<(Channel, String)>>);

impl Kept {
    /// All of one channel.
    pub(crate) fn of(&self, channel: Channel) -> String {
        let heard = self.0.lock().unwrap();
        heard.iter().filter(|(of, _)| *of == channel).map(|(_, text)| text.as_str()).collect()
    }

    /// How many pieces came.
    pub(crate) fn pieces(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

impl DeltaSink for Kept {
    fn delta(&self, channel: Channel, text: &str) {
        self.0.lock().unwrap().push((channel, text.to_owned()));
    }
}
