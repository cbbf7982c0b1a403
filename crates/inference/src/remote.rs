//! Remote engines behind the `Model` port. Four wires are spoken, one file each; what they share (the exchange, its
//! deadlines, the reply that grows, what refusals mean) stands once. The way out is `egress`. Retrying and choosing
//! another model are not done here.

pub mod engine;

mod anthropic;
mod call_joiner;
mod exchange;
mod frames;
mod ollama;
mod openai_chat;
mod openai_responses;
mod refusal;
mod rendered;
mod reply;
mod wide_text;
mod wire;

pub use engine::{ApiKey, PromptCache, ReasoningRequest, RemoteModel, RemoteOptions, WireKind, limits};
