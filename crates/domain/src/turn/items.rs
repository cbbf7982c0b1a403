//! What a model reads of a turn: opening, then each reply with its results, then what was said meanwhile.

use std::sync::Arc;

use super::call::CallState;
use super::{Round, Turn};
use crate::call::ToolCall;
use crate::compact::{Cut, Demotion};
use crate::context::{Item, MadeCall, Part, Place, Thread, replayable, view};
use crate::id::TurnId;
use crate::message::Message;
use crate::repair::{Did, Step};

impl Turn {
    /// The items of this turn, oldest first. Each call stands before its one result, in the order of the reply.
    pub(crate) fn items(&self) -> Vec<Arc<Item>> {
        self.thread().items().to_vec()
    }

    /// The same with their places.
    pub(crate) fn thread(&self) -> Thread {
        let mut thread = self.told.clone();
        for (index, round) in self.rounds.iter().enumerate().skip(self.told_rounds) {
            tell_round(&mut thread, &self.id, index + 1, round);
        }
        for waiting in &self.waiting {
            thread.push(message_place(&self.id, self.rounds.len() + 1, &waiting.message), person(&waiting.message));
        }
        self.demotions.iter().for_each(|demotion| thread.demote(demotion));
        thread
    }

    /// Takes into the thread what cannot change any more: rounds with all their results.
    pub(super) fn tell(&mut self) {
        let settled = |round: &Round| round.calls.iter().all(CallState::is_settled);
        let before = self.told_rounds;
        while let Some(round) = self.rounds.get(self.told_rounds).filter(|round| settled(round)) {
            self.told_rounds += 1;
            tell_round(&mut self.told, &self.id, self.told_rounds, round);
        }
        if before < self.told_rounds {
            self.demotions.iter().for_each(|demotion| self.told.demote(demotion));
        }
    }

    /// The messages that opened it, as a thread.
    pub(super) fn opening_thread(id: &TurnId, opening: &[Message]) -> Thread {
        let mut thread = Thread::default();
        opening.iter().for_each(|message| thread.push(message_place(id, 0, message), person(message)));
        thread
    }

    pub(crate) fn demote(&mut self, demotion: &Demotion) {
        self.told.demote(demotion);
        self.demotions.push(demotion.clone());
    }

    pub(crate) fn cut(&mut self, cut: &Cut) {
        self.told.cut(cut);
    }
}

fn tell_round(thread: &mut Thread, turn: &TurnId, number: usize, round: &Round) {
    let place = |part| Place::new(turn.clone(), number, part);
    for message in &round.joined {
        thread.push(message_place(turn, number, message), person(message));
    }
    match model(round) {
        Some(reply) if round.reply.continues => thread.go_on(place(Part::Reply), reply),
        Some(reply) => thread.push(place(Part::Reply), reply),
        None => {}
    }
    for state in &round.calls {
        thread.push(place(Part::Result(state.call.id.clone())), result(state));
    }
}

fn message_place(turn: &TurnId, round: usize, message: &Message) -> Place {
    Place::new(turn.clone(), round, Part::Message(message.id.clone()))
}

fn person(message: &Message) -> Item {
    Item::Person { text: message.text.clone(), aside: message.aside.clone() }
}

/// A reply that said nothing is left out: some servers refuse an empty one.
fn model(round: &Round) -> Option<Item> {
    let sampled = &round.reply.sampled;
    let calls = sampled.calls.iter().map(|call| MadeCall {
        id: call.id.clone(),
        tool: call.tool.clone(),
        arguments: replayed(round, call),
    });
    let (text, signed) = (sampled.text.clone(), sampled.signed.clone());
    (!sampled.is_mute()).then(|| Item::Model { text, calls: calls.collect(), signed })
}

/// The arguments as they are replayed: as written, or in their final form where what was written is no JSON object.
fn replayed(round: &Round, call: &ToolCall) -> String {
    let written = replayable(&call.arguments);
    let state = round.calls.iter().find(|state| state.call.id == call.id);
    let mended = state.and_then(|state| state.screened.as_ref()).filter(|screened| !screened.repairs.is_empty());
    match mended {
        Some(screened) if written == "{}" => replayable(&screened.arguments.to_string()),
        Some(_) | None => written,
    }
}

/// The result of a call; one that has none yet reads as interrupted or cancelled, so that no prompt holds an orphan.
fn result(state: &CallState) -> Item {
    let text = match (&state.rejected, &state.result) {
        (Some(reason), _) => reason.text(),
        (None, Some((result, _))) => format!("{}{}", what_ran(state).unwrap_or_default(), view::of_result(result)),
        (None, None) if state.started.is_some() => "Interrupted: it may have happened.".to_owned(),
        (None, None) => "Cancelled: it did not run.".to_owned(),
    };
    Item::Result { call: state.call.id.clone(), tool: state.call.tool.clone(), text }
}

/// Characters of the arguments that are repeated before a result.
const RAN_CHARS: usize = 2_000;

/// A line that says what ran, where that is not what the model wrote: it was mended, or a hook changed it.
fn what_ran(state: &CallState) -> Option<String> {
    let screened = state.screened.as_ref().filter(|_| state.started.is_some())?;
    if screened.hooks.is_empty() && screened.repairs.is_empty() {
        return None;
    }
    let (unknown, mended): (Vec<&Step>, Vec<&Step>) =
        screened.repairs.iter().partition(|step| step.did == Did::UnknownKey);
    let written = serde_json::from_str::<serde_json::Value>(&state.call.arguments).ok();
    let mut line = String::new();
    if written.as_ref() != Some(&screened.arguments) {
        let hooks: Vec<_> = screened.hooks.iter().map(|note| note.hook.as_str()).collect();
        let hooks = if hooks.is_empty() { String::new() } else { format!(", as {} changed it", hooks.join(", ")) };
        let steps: Vec<_> = mended.iter().map(ToString::to_string).collect();
        let steps = if steps.is_empty() { String::new() } else { format!(" ({})", steps.join("; ")) };
        line = format!("Ran with {}{steps}{hooks}.", shortened(&screened.arguments.to_string()));
    }
    if !unknown.is_empty() {
        let paths: Vec<_> = unknown.iter().map(|step| step.path.as_str()).collect();
        let blank = if line.is_empty() { "" } else { " " };
        line =
            format!("{line}{blank}Keys that {} does not know were passed on: {}.", state.call.tool, paths.join(", "));
    }
    (!line.is_empty()).then(|| line + "\n")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(RAN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
