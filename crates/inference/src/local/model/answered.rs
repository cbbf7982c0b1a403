//! What a worker answers, in the words of the port: pieces while it writes, the reply, and failures.

use domain::call::{FrameFault, ToolCall};
use domain::id::CallId;
use domain::model::{SampleFault, Sampled, StopReason, Usage};
use domain::tool::ToolName;
use harness::ports::Channel;
use tokio::sync::mpsc;

use crate::dialect::{self, ParsedCall};
use crate::protocol::message::{Failure, Sampled as WireSampled, Stop, text};
use crate::protocol::{Fault, Kind, Message};

/// What a sample is asked with and its reply does not say.
#[derive(Debug)]
pub(super) struct Circumstances {
    /// The number of the last entry that the prompt was made of.
    pub(super) seen: u64,
    /// Milliseconds since it was asked.
    pub(super) total_ms: Option<u64>,
    /// What computed it, if the model is still loaded.
    pub(super) backend: Option<String>,
    /// The model's name.
    pub(super) model: String,
}

/// A reply of a worker as the port gives it.
pub(super) fn reply(sampled: WireSampled, around: Circumstances) -> Sampled {
    let calls = sampled.calls.into_iter().enumerate();
    Sampled {
        text: sampled.text,
        reasoning: sampled.reasoning,
        calls: calls.map(|(index, call)| tool_call(call, around.seen, index)).collect(),
        stop: stop_reason(sampled.stop),
        usage: Usage {
            prompt: Some(sampled.usage.prompt),
            reused: Some(sampled.usage.reused),
            prefilled: Some(sampled.usage.prefilled),
            decoded: Some(sampled.usage.decoded),
            reasoning: Some(sampled.usage.reasoning),
            queue_ms: None,
            first_token_ms: (sampled.times.first_token > 0).then_some(sampled.times.first_token / 1000),
            total_ms: around.total_ms,
            backend: around.backend,
            opener: None,
        },
        model: around.model,
        signed: None,
    }
}

/// The reply to a sample that was cancelled before the worker was asked.
pub(super) fn cancelled_before() -> WireSampled {
    WireSampled {
        stop: Stop::Cancelled,
        text: String::new(),
        reasoning: String::new(),
        calls: Vec::new(),
        foreign: None,
        usage: crate::protocol::message::Usage::default(),
        times: crate::protocol::message::Times::default(),
    }
}

/// Hands a piece on to whoever listens; any other message than a piece is out of order here.
pub(super) fn pass_on(message: Message, send: &mpsc::UnboundedSender<(Channel, String)>) -> Result<(), Fault> {
    let channel = match message.kind {
        Kind::Text => Channel::Text,
        Kind::Reasoning => Channel::Reasoning,
        Kind::Arguments => Channel::Arguments,
        Kind::Call => return Ok(()),
        kind @ (Kind::Load
        | Kind::Count
        | Kind::Sample
        | Kind::Cancel
        | Kind::Probe
        | Kind::Hello
        | Kind::Progress
        | Kind::Beat
        | Kind::Done
        | Kind::Failed
        | Kind::Cancelled) => return Err(Fault::OutOfOrder(kind)),
    };
    // Nobody listening any more is no fault: the cancel is on its way.
    let _ = send.send((channel, text(message)?));
    Ok(())
}

/// A call's id is made of the place in the conversation that its prompt ended at: one reply stands behind each.
fn tool_call(call: ParsedCall, seen: u64, index: usize) -> ToolCall {
    let wire_id = Some(call.id).filter(|id| !id.is_empty());
    ToolCall {
        id: CallId::new(format!("call_{seen}_{index}")),
        tool: ToolName::new(call.name),
        arguments: call.arguments,
        fault: call.fault.map(frame_fault),
        wire_id,
        recovered: call.recovered,
    }
}

fn frame_fault(fault: dialect::Fault) -> FrameFault {
    match fault {
        dialect::Fault::Incomplete(missing) => FrameFault::Incomplete(missing.to_string()),
        dialect::Fault::TooLarge => FrameFault::TooLarge,
        dialect::Fault::NoCall => FrameFault::NoCall,
    }
}

fn stop_reason(stop: Stop) -> StopReason {
    match stop {
        Stop::Natural => StopReason::Natural,
        Stop::Calls => StopReason::Calls,
        Stop::Length => StopReason::Length,
        Stop::Marker => StopReason::StopMarker,
        Stop::ContextFull => StopReason::ContextFull,
        Stop::Cancelled => StopReason::Cancelled,
        Stop::Cut => StopReason::Cut,
    }
}

/// What a failure means to whoever asked.
pub(super) fn fault_of(failure: Failure) -> SampleFault {
    match failure {
        Failure::BadModel { reason } => SampleFault::Gone(reason),
        Failure::TooLong { needed, window } => SampleFault::TooLong { needed, window },
        Failure::BadRequest { reason } => SampleFault::BadRequest(reason),
        Failure::Engine { reason } => SampleFault::Unknown(reason),
    }
}
