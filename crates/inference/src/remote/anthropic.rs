//! The messages wire of Anthropic. Its JSON lives and dies in this file's modules.

mod request;
mod stream;

use domain::context::Prompt;
use domain::model::SampleFault;

use super::engine::RemoteOptions;
use super::refusal::{Refused, fault_of_status};
use super::wire::{Listener, Wire};

/// The wire.
#[derive(Debug)]
pub(super) struct Anthropic;

impl Wire for Anthropic {
    fn path(&self) -> &'static str {
        "/messages"
    }

    fn key_header(&self) -> &'static str {
        "x-api-key"
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
    }

    fn body(&self, options: &RemoteOptions, prompt: &Prompt, most: u32) -> serde_json::Result<Vec<u8>> {
        request::body(options, prompt, most)
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(stream::MessagesListener::default())
    }

    fn fault(&self, refused: &Refused) -> Option<SampleFault> {
        let status = status_of(refused.field("type")).filter(|status| *status != refused.status)?;
        Some(fault_of_status(&Refused { status, ..refused.clone() }))
    }
}

/// The status that the documentation states for a type of error; inside a stream there is no other.
fn status_of(kind: &str) -> Option<u16> {
    Some(match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "api_error" => 500,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}
