//! A reply while it grows: text, reasoning and calls joined from pieces, held to its room, told to whoever watches. It
//! knows no wire.

use std::time::Instant;

use domain::call::{FrameFault, ToolCall};
use domain::id::CallId;
use domain::model::{Sampled, Signed, StopReason, Usage};
use domain::tool::ToolName;
use harness::ports::{Channel, DeltaSink};
use serde_json::Value;

use super::call_joiner::{CallJoiner, CallPiece, JoinedCall, is_whole};
use super::wide_text::{WideJoiner, WideText};
use crate::repetition::{Watch, repeats_until};

/// Bytes of a piece of a call's id or name that are kept.
const LONGEST_NAME: usize = 256;

/// Bytes of signed blocks of one reply that are kept: they are opaque, and stand in every later prompt.
const SIGNED_BYTES: usize = 256 << 10;

/// A reply while it streams.
pub(super) struct Reply<'a> {
    deltas: &'a dyn DeltaSink,
    started: Instant,
    first_token: Option<Instant>,
    text: String,
    reasoning: String,
    text_joiner: WideJoiner,
    reasoning_joiner: WideJoiner,
    arguments_joiner: WideJoiner,
    calls: CallJoiner,
    blocks: Vec<String>,
    signed_bytes: usize,
    stop: Option<StopReason>,
    cut: bool,
    /// What the engine says of its tokens.
    pub(super) usage: Usage,
    /// Pieces that were said.
    said: u64,
    /// Bytes that may still be said.
    room: usize,
    full: bool,
    watch: Watch,
}

/// A piece of a call as a wire reads it.
#[derive(Debug, Default)]
pub(super) struct Piece {
    /// Its place among the calls, if it says one.
    pub(super) index: Option<u64>,
    /// Its id or a part of it.
    pub(super) id: String,
    /// Its name or a part of it.
    pub(super) name: String,
    /// A part of its arguments.
    pub(super) arguments: WideText,
    /// Whether the wire says that this call has no further piece.
    pub(super) closes: bool,
}

impl<'a> Reply<'a> {
    /// A reply that has not begun, of at most `room` bytes in text, reasoning and calls together.
    pub(super) fn new(deltas: &'a dyn DeltaSink, started: Instant, room: usize) -> Reply<'a> {
        Reply {
            deltas,
            started,
            first_token: None,
            text: String::new(),
            reasoning: String::new(),
            text_joiner: WideJoiner::default(),
            reasoning_joiner: WideJoiner::default(),
            arguments_joiner: WideJoiner::default(),
            calls: CallJoiner::default(),
            blocks: Vec::new(),
            signed_bytes: 0,
            stop: None,
            cut: false,
            usage: Usage::default(),
            said: 0,
            room,
            full: false,
            watch: Watch::default(),
        }
    }

    /// Adds to the answer.
    pub(super) fn text(&mut self, wide: &WideText) {
        let text = self.text_joiner.push(wide);
        self.say(Channel::Text, &text);
    }

    /// Adds to the reasoning.
    pub(super) fn reason(&mut self, wide: &WideText) {
        let text = self.reasoning_joiner.push(wide);
        self.say(Channel::Reasoning, &text);
    }

    /// Adds to the calls.
    pub(super) fn call(&mut self, piece: Piece) {
        let arguments = self.arguments_joiner.push(&piece.arguments);
        let arguments = self.fitting(&arguments).to_owned();
        self.tell(Channel::Arguments, &arguments);
        let (id, name) = (short(piece.id), short(piece.name));
        // Names count when they are kept: some engines repeat them with every piece.
        let named = self.calls.push(CallPiece { index: piece.index, id, name, arguments, closes: piece.closes });
        self.full |= named > self.room;
        self.room = self.room.saturating_sub(named);
        if named > 0 {
            self.mark();
        }
    }

    /// Keeps a block that the provider signed, as the text of its wire. Blocks are read together or not at all, so where
    /// one is beyond what is kept, none is: the next reply then does without them.
    pub(super) fn sign(&mut self, block: String) {
        self.signed_bytes = self.signed_bytes.saturating_add(block.len());
        self.blocks.push(block);
        if self.signed_bytes > SIGNED_BYTES {
            self.blocks.clear();
        }
    }

    /// The engine's reason for its end; one that is none of ours changes nothing (LOOP-14).
    pub(super) fn stop(&mut self, reason: Option<StopReason>) {
        self.stop = reason.or(self.stop);
    }

    /// The stream broke: a reply that has no end by now is cut.
    pub(super) fn cut_off(&mut self) {
        self.cut = true;
    }

    /// How many pieces were said.
    pub(super) fn said(&self) -> u64 {
        self.said
    }

    /// Whether more was said than fits.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// Whether it says one thing over and over (LOOP-27).
    pub(super) fn repeats(&self) -> bool {
        self.watch.repeats()
    }

    /// Whether there is anything to keep.
    pub(super) fn has_something(&self) -> bool {
        !self.text.is_empty() || !self.reasoning.is_empty() || !self.calls.is_empty()
    }

    /// The part of a text for which there is room.
    fn fitting<'t>(&mut self, text: &'t str) -> &'t str {
        let end = text.floor_char_boundary(self.room);
        self.full |= end < text.len();
        self.room = if self.full { 0 } else { self.room - end };
        &text[..end]
    }

    fn say(&mut self, channel: Channel, text: &str) {
        let text = self.fitting(text);
        match channel {
            Channel::Text => self.text.push_str(text),
            Channel::Reasoning => self.reasoning.push_str(text),
            Channel::Arguments | Channel::Output => {}
        }
        self.tell(channel, text);
    }

    fn tell(&mut self, channel: Channel, text: &str) {
        if !text.is_empty() {
            self.mark();
            self.watch.push(text);
            self.deltas.delta(channel, text);
        }
    }

    fn mark(&mut self) {
        self.said += 1;
        self.first_token.get_or_insert_with(Instant::now);
    }

    /// The whole. `cut`: what broke it off, if anything did. `seen`: the last entry its prompt knew of.
    pub(super) fn finish(mut self, cut: Option<StopReason>, seen: u64, model: &str, lineage: &str) -> Sampled {
        let rest = self.reasoning_joiner.finish();
        self.say(Channel::Reasoning, &rest);
        let rest = self.text_joiner.finish();
        self.say(Channel::Text, &rest);
        let stop = self.reason_of(cut.or(self.cut.then_some(StopReason::Cut)));
        let calls = self.calls.finish();
        let last = calls.len().saturating_sub(1);
        let calls = calls.into_iter().enumerate();
        let calls = calls.map(|(index, call)| {
            let cut = index == last && may_have_lost(stop, &call);
            tool_call(call, seen, index, cut)
        });
        let blocks = (!self.blocks.is_empty()).then(|| format!("[{}]", self.blocks.join(",")));
        let millis = |until: Instant| u64::try_from((until - self.started).as_millis()).ok();
        let usage = Usage {
            first_token_ms: self.first_token.and_then(millis),
            total_ms: millis(Instant::now()),
            backend: Some("remote".to_owned()),
            ..self.usage
        };
        Sampled {
            text: trimmed(self.text),
            reasoning: trimmed(self.reasoning),
            calls: calls.collect(),
            stop,
            usage,
            model: model.to_owned(),
            signed: blocks.map(|blocks| Signed { lineage: lineage.to_owned(), blocks }),
        }
    }

    /// A stream that ends without a reason was cut, whatever it said. One that breaks behind its reason had said all of
    /// its reply. Calls and a natural end are told apart by the calls.
    fn reason_of(&self, cut: Option<StopReason>) -> StopReason {
        match (cut.filter(|cut| *cut != StopReason::Cut || self.stop.is_none()), self.stop) {
            (Some(cut), _) => cut,
            (None, None) => StopReason::Cut,
            (None, Some(StopReason::Natural | StopReason::Calls)) if self.calls.is_empty() => StopReason::Natural,
            (None, Some(StopReason::Natural)) => StopReason::Calls,
            (None, Some(stop)) => stop,
        }
    }
}

/// A text that repeats itself is cut to one of the blocks.
fn trimmed(mut text: String) -> String {
    if let Some(end) = repeats_until(&text) {
        text.truncate(end);
    }
    text
}

/// Whether the end of a reply may have taken part of its last call. Where a stream broke, a call that the wire had closed
/// is whole; where a limit ended the reply, wires close what they cut.
fn may_have_lost(stop: StopReason, call: &JoinedCall) -> bool {
    match stop {
        StopReason::Natural | StopReason::Calls => false,
        StopReason::Cut | StopReason::Cancelled => !call.closed,
        StopReason::Length | StopReason::StopMarker | StopReason::ContextFull | StopReason::Filtered => true,
    }
}

/// The id is ours, so that it is unique; the engine's own is kept beside it.
fn tool_call(call: JoinedCall, seen: u64, index: usize, cut: bool) -> ToolCall {
    let missing = match (cut, ends_early(&call.arguments)) {
        (true, _) => Some("the reply was cut before its end was certain"),
        (false, true) => Some("the JSON of its arguments has no end"),
        (false, false) => None,
    };
    ToolCall {
        id: CallId::new(format!("call_{seen}_{index}")),
        tool: ToolName::new(call.name),
        arguments: call.arguments,
        fault: missing.map(|missing| FrameFault::Incomplete(missing.to_owned())),
        wire_id: (!call.id.trim().is_empty()).then_some(call.id),
        recovered: false,
    }
}

/// Broken JSON that did not just end is a matter of repair, not of the frame.
fn ends_early(arguments: &str) -> bool {
    let is_open = !arguments.trim().is_empty() && !is_whole(arguments);
    is_open && serde_json::from_str::<Value>(arguments).is_err_and(|error| error.is_eof())
}

fn short(mut name: String) -> String {
    name.truncate(name.floor_char_boundary(LONGEST_NAME));
    name
}
