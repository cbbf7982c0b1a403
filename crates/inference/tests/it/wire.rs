//! Remote engines: each wire from its recorded bytes, cut everywhere; the slips of real servers; requests; refusals;
//! streams that stall, never end or are given up.

mod cuts;
mod faults;
mod quirks;
mod requests;
pub(crate) mod server;
mod time;

use inference::remote::WireKind;

/// Every wire with an answer as its provider documents it.
pub(crate) const RECORDED: [(WireKind, &[u8]); 4] = [
    (WireKind::OpenAiChat, include_bytes!("wire/openai_chat.sse")),
    (WireKind::OpenAiResponses, include_bytes!("wire/openai_responses.sse")),
    (WireKind::Anthropic, include_bytes!("wire/anthropic.sse")),
    (WireKind::Ollama, include_bytes!("wire/ollama.ndjson")),
];
