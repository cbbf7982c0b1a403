//! What a model reads of a turn: opening, then each reply with its results, then what was said meanwhile.

use std::sync::Arc;

use super::call::CallState;
use super::{Round, Turn};
use crate::context::{Item, MadeCall, replayable, view};
use crate::message::Message;

impl Turn {
    /// The items of this turn, oldest first. Each call stands before its one result, in the order of the reply.
    pub(crate) fn items(&self) -> Vec<Arc<Item>> {
        let mut items: Vec<_> = self.opening.iter().map(person).collect();
        for round in &self.rounds {
            items.extend(round.joined.iter().map(person));
            add_reply(&mut items, round);
            items.extend(round.calls.iter().map(result));
        }
        items.extend(self.waiting.iter().map(|waiting| person(&waiting.message)));
        items.into_iter().map(Arc::new).collect()
    }
}

fn person(message: &Message) -> Item {
    Item::Person { text: message.text.clone(), aside: message.aside.clone() }
}

/// A reply that went on with the one before it is one with it, since its model wrote both as one.
fn add_reply(items: &mut Vec<Item>, round: &Round) {
    let Some(reply) = model(round) else { return };
    if round.reply.continues
        && let Some(Item::Model { text, calls, .. }) = items.last_mut()
        && calls.is_empty()
        && let Item::Model { text: more, calls: made, .. } = reply
    {
        text.push_str(&more);
        calls.extend(made);
        return;
    }
    items.push(reply);
}

/// A reply that said nothing is left out: some servers refuse an empty one.
fn model(round: &Round) -> Option<Item> {
    let sampled = &round.reply.sampled;
    let calls = sampled.calls.iter().map(|call| MadeCall {
        id: call.id.clone(),
        tool: call.tool.clone(),
        arguments: replayable(&call.arguments),
    });
    let (text, signed) = (sampled.text.clone(), sampled.signed.clone());
    (!sampled.is_mute()).then(|| Item::Model { text, calls: calls.collect(), signed })
}

/// The result of a call; one that has none yet reads as interrupted or cancelled, so that no prompt holds an orphan.
fn result(state: &CallState) -> Item {
    let text = match (&state.rejected, &state.result) {
        (Some(reason), _) => reason.text(),
        (None, Some((result, _))) => format!("{}{}", what_ran(state).unwrap_or_default(), view(result)),
        (None, None) if state.started.is_some() => "Interrupted: it may have happened.".to_owned(),
        (None, None) => "Cancelled: it did not run.".to_owned(),
    };
    Item::Result { call: state.call.id.clone(), tool: state.call.tool.clone(), text }
}

/// A line that says what ran, where a hook left other arguments than the model wrote.
fn what_ran(state: &CallState) -> Option<String> {
    let screened = state.screened.as_ref().filter(|screened| !screened.hooks.is_empty() && state.started.is_some())?;
    let hooks: Vec<_> = screened.hooks.iter().map(|note| note.hook.as_str()).collect();
    let written = serde_json::from_str::<serde_json::Value>(&state.call.arguments).ok();
    let differs = written.as_ref() != Some(&screened.arguments);
    differs.then(|| format!("Ran with {}, as {} changed it.\n", screened.arguments, hooks.join(", ")))
}
