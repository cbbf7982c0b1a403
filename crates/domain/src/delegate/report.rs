//! What a caller reads of a frame that is over: one answer, or why there is none.

use super::{ANSWER_TOKENS, Opened};
use crate::context::view;
use crate::footer::SideEffect;
use crate::message::{Message, Wanted};
use crate::outcome::Outcome;
use crate::result::{Status, ToolResult};

/// The result of the call that opened a frame. `said` is the last text of its model, `effects` what was done in it.
/// `window` is that of the model which reads it.
pub fn report(opened: &Opened, outcome: &Outcome, said: &str, effects: &[SideEffect], window: u32) -> ToolResult {
    let said = said.trim();
    let (status, text) = match failure(outcome, said) {
        None => (Status::Done, said.to_owned()),
        Some((status, kind)) => (status, failed(opened, kind, outcome, said)),
    };
    let made: Vec<&str> = effects.iter().flat_map(|effect| &effect.made).map(String::as_str).collect();
    let text = if made.is_empty() { text } else { format!("{text}\n[made: {}]", made.join(", ")) };
    let result = ToolResult::new(opened.call.clone(), status, &text);
    let most = ANSWER_TOKENS.min(view::most_tokens(window));
    let view = view::view(&result.text, most, opened.call.as_str());
    ToolResult { view, ..result }
}

/// The message that brings the answer of a delegate in the background. Its words are the host's, so they stand beside an
/// empty text.
pub(crate) fn delivery(opened: &Opened, result: &ToolResult) -> Message {
    let shown = result.view.as_ref().unwrap_or(&result.text);
    let status = match result.status {
        Status::Done => "is done",
        Status::Failed | Status::Refused | Status::Cancelled | Status::Interrupted => "has failed",
    };
    let told =
        format!("[The delegate {} that works as {} in the background {status}.]\n{shown}", opened.profile, opened.call);
    let (id, text, aside) = (opened.delivered_as(), String::new(), Some(told.clone()));
    // People read it where what was typed stands otherwise.
    Message { id, text, aside, short: Some(told), wanted: Wanted::default() }
}

/// Why there is no answer: how it counts, and in one word.
fn failure(outcome: &Outcome, said: &str) -> Option<(Status, &'static str)> {
    Some(match outcome {
        Outcome::Answered if !said.is_empty() => return None,
        Outcome::Answered | Outcome::Mute => (Status::Failed, "silence"),
        Outcome::RoundLimit
        | Outcome::TimeLimit
        | Outcome::BudgetSpent
        | Outcome::LoopBroken
        | Outcome::Overflow { .. } => (Status::Failed, "limit"),
        Outcome::Stopped => (Status::Cancelled, "stop"),
        Outcome::ModelUnavailable(_) | Outcome::Failed(_) => (Status::Failed, "crash"),
    })
}

fn failed(opened: &Opened, kind: &str, outcome: &Outcome, said: &str) -> String {
    let why = if *outcome == Outcome::Stopped {
        "The person stopped it.".to_owned()
    } else if *outcome == Outcome::Answered {
        "Its model gave no answer.".to_owned()
    } else {
        outcome.sentence()
    };
    let so_far = if said.is_empty() { String::new() } else { format!(" It said last: {said}") };
    format!("The delegate {} gave no answer ({kind}). {why}{so_far}", opened.profile)
}
