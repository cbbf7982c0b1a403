//! The chat wire of Ollama: lines of JSON, native tools, and a window that is stated with each request, since the engine
//! would otherwise cut prompts to a small one without a word. Its JSON lives and dies in this file's modules.

mod request;
mod stream;

use domain::context::Prompt;
use domain::model::SampleFault;

use super::engine::RemoteOptions;
use super::refusal::Refused;
use super::rendered;
use super::wire::{Framing, Listener, Wire};

/// The wire.
#[derive(Debug)]
pub(super) struct Ollama;

impl Wire for Ollama {
    fn path(&self) -> &'static str {
        "/api/chat"
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn body(&self, options: &RemoteOptions, prompt: &Prompt, most: u32) -> serde_json::Result<Vec<u8>> {
        Ok(rendered::broken(request::body(options, &rendered::spelled_out(prompt), most)?))
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(stream::ChatListener)
    }

    /// Its errors are words without a code, so the status alone counts.
    fn fault(&self, _: &Refused) -> Option<SampleFault> {
        None
    }
}
