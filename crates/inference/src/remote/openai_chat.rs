//! The chat-completions wire that many engines speak. Its JSON lives and dies in this file's modules.

mod request;
mod stream;

use domain::context::Prompt;
use domain::model::SampleFault;

use super::engine::RemoteOptions;
use super::refusal::{Refused, fault_of_status};
use super::rendered;
use super::wire::{Listener, Wire};

/// The wire.
#[derive(Debug)]
pub(super) struct OpenAiChat;

impl Wire for OpenAiChat {
    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn body(&self, options: &RemoteOptions, prompt: &Prompt, most: u32) -> serde_json::Result<Vec<u8>> {
        let body = request::body(options, &rendered::spelled_out(prompt), most);
        Ok(rendered::broken(serde_json::to_vec(&body)?))
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(stream::ChatListener)
    }

    fn fault(&self, refused: &Refused) -> Option<SampleFault> {
        fault_of_code(refused)
    }
}

/// What the fields `code` and `type` of an error mean, in this wire and in that of responses.
pub(super) fn fault_of_code(refused: &Refused) -> Option<SampleFault> {
    let codes = [refused.field("code"), refused.field("type")];
    let is = |known: &str| codes.contains(&known);
    if is("context_length_exceeded") || is("exceed_context_size_error") {
        return Some(refused.too_long());
    }
    if is("insufficient_quota") || is("billing_hard_limit_reached") {
        return Some(SampleFault::NoCredit);
    }
    if is("content_filter") || is("content_policy_violation") {
        return Some(SampleFault::Filtered);
    }
    if is("model_not_found") {
        return Some(SampleFault::Gone("of this name at the engine".to_owned()));
    }
    None
}

/// An error inside a stream: by its fields, else by the status that some engines put there, else as of a busy engine.
pub(super) fn fault_in_stream(error: serde_json::Value) -> SampleFault {
    let status = ["code", "status"].iter().find_map(|key| error.get(key).and_then(serde_json::Value::as_u64));
    let named = match error.get("code").and_then(serde_json::Value::as_str) {
        Some("rate_limit_exceeded") => Some(429),
        _ => None,
    };
    let status = status.and_then(|status| u16::try_from(status).ok()).or(named).unwrap_or(500);
    let refused = Refused::in_stream(status, error);
    fault_of_code(&refused).unwrap_or_else(|| fault_of_status(&refused))
}
