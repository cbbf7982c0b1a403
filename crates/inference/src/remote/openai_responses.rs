//! The `responses` wire of OpenAI, without anything kept at the provider: each request holds the whole conversation,
//! reasoning included as it was encrypted. Its JSON lives and dies in this file's modules.

mod request;
mod stream;

use domain::context::Prompt;
use domain::model::SampleFault;

use super::engine::RemoteOptions;
use super::openai_chat::fault_of_code;
use super::refusal::Refused;
use super::wire::{Listener, Wire};

/// The wire.
#[derive(Debug)]
pub(super) struct OpenAiResponses;

impl Wire for OpenAiResponses {
    fn path(&self) -> &'static str {
        "/responses"
    }

    fn body(&self, options: &RemoteOptions, prompt: &Prompt, most: u32) -> serde_json::Result<Vec<u8>> {
        request::body(options, prompt, most)
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(stream::ResponsesListener::default())
    }

    fn fault(&self, refused: &Refused) -> Option<SampleFault> {
        fault_of_code(refused)
    }
}
