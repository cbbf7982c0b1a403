//! What a conversation looks like in a terminal. Lines of Riad begin at the left edge; text of people, models and tools
//! is moved in, and whatever in it would steer the terminal is shown instead of obeyed.

use std::collections::HashMap;

use super::card::quoted;
use super::follow::News;
use crate::terminal;
use crate::wire::entry::{EntryView, Fact, FooterRow, ScreenedView};
use crate::wire::word::{Outcome, Status};

/// Lines of a result that are shown.
const RESULT_LINES: usize = 12;

/// The page so far.
pub(super) struct View {
    /// What is to be written out.
    out: String,
    at_start: bool,
    draft: Option<Draft>,
    /// Labels of calls.
    labels: HashMap<String, String>,
    /// Whether the person's own words are repeated: they stand on a terminal already.
    echo: bool,
}

/// A reply that is being written.
struct Draft {
    reply: String,
    /// What of it was shown, as it came.
    shown: String,
}

impl View {
    /// An empty page.
    pub(super) fn new(echo: bool) -> Self {
        Self { out: String::new(), at_start: true, draft: None, labels: HashMap::new(), echo }
    }

    /// Whether the person's words are repeated from here on.
    pub(super) fn echo(&mut self, echo: bool) {
        self.echo = echo;
    }

    /// What is new on the page, to be written out.
    pub(super) fn drain(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// A line of Riad's own.
    pub(super) fn host(&mut self, line: &str) {
        self.new_line();
        self.out.push_str(&terminal::line(line));
        self.out.push('\n');
    }

    /// Takes in what happened.
    pub(super) fn take(&mut self, news: &News) {
        match news {
            News::Entry(entry) => self.entry(entry),
            News::Piece { reply, offset, text } => self.piece(reply, *offset, text),
            News::SoFar { reply, text } => self.so_far(reply, text),
            News::Withdrawn { reply, reason } => {
                if self.draft.take_if(|draft| draft.reply == *reply && !draft.shown.is_empty()).is_some() {
                    self.host(&format!("(what stands above is withdrawn: {reason})"));
                }
            }
            News::Live | News::Cut | News::Locked | News::SignedOut => {}
        }
    }

    fn entry(&mut self, entry: &EntryView) {
        if entry.frame.is_some() {
            // What a delegate does is told by what its call returns; what it wants to do, by its cards.
            return;
        }
        match &entry.fact {
            Fact::Said { text, short, .. } => self.said(short.as_deref().unwrap_or(text)),
            Fact::Replied(reply) => self.replied(&reply.reply_id, &reply.text),
            Fact::Faltered { reason, .. } => self.host(reason),
            Fact::Rejected { reason, .. } => self.host(&format!("refused: {reason}")),
            Fact::Screened(screened) => self.screened(screened),
            Fact::Answered(answer) => self.host(&format!("answered: {}", answer.decision)),
            Fact::Returned { call, status, text, .. } => self.returned(call, *status, text),
            Fact::Stopped {} => self.host("stopped"),
            Fact::Ended { outcome, sentence, next_step, footer } => {
                self.ended(*outcome, &format!("{sentence} {next_step}"), footer);
            }
            Fact::Newer {} => self.host("(an entry of a newer Riad; update to see it)"),
            Fact::Withdrawn { .. }
            | Fact::Held { .. }
            | Fact::Asked { .. }
            | Fact::AskedQuestion { .. }
            | Fact::Started { .. }
            | Fact::Resumed {}
            | Fact::Compacted(_)
            | Fact::CompactionAsked {}
            | Fact::Forked { .. }
            | Fact::Switched { .. }
            | Fact::Opened { .. } => {}
        }
    }

    fn said(&mut self, text: &str) {
        if self.echo {
            self.host("you:");
            self.foreign(text);
            self.new_line();
        }
    }

    fn screened(&mut self, screened: &ScreenedView) {
        let ScreenedView { call, label, classes, blocked, .. } = screened;
        let classes: Vec<String> = classes.iter().map(ToString::to_string).collect();
        let blocked = blocked.as_ref().map(|why| format!(", blocked: {why}")).unwrap_or_default();
        self.labels.insert(call.clone(), label.clone());
        self.host(&format!("* {label} [{}]{blocked}", classes.join(", ")));
    }

    fn piece(&mut self, reply: &str, offset: usize, text: &str) {
        let draft = self.draft_of(reply);
        // A hole is not joined over: the entry brings the whole text in the end.
        if draft.shown.len() == offset {
            draft.shown.push_str(text);
            self.foreign(text);
        }
    }

    fn so_far(&mut self, reply: &str, text: &str) {
        let draft = self.draft_of(reply);
        if let Some(rest) = text.strip_prefix(draft.shown.as_str()).map(str::to_owned) {
            draft.shown.push_str(&rest);
            self.foreign(&rest);
        }
    }

    fn draft_of(&mut self, reply: &str) -> &mut Draft {
        if self.draft.as_ref().is_none_or(|draft| draft.reply != reply) {
            self.new_line();
            self.draft = None;
        }
        self.draft.get_or_insert_with(|| Draft { reply: reply.to_owned(), shown: String::new() })
    }

    /// The whole reply stands for what was streamed of it.
    fn replied(&mut self, reply: &str, text: &str) {
        let shown = self.draft.take_if(|draft| draft.reply == reply).map(|draft| draft.shown).unwrap_or_default();
        match text.strip_prefix(shown.as_str()) {
            Some(rest) => self.foreign(rest),
            None => {
                self.host("(the reply in full:)");
                self.foreign(text);
            }
        }
        self.new_line();
    }

    fn returned(&mut self, call: &str, status: Status, text: &str) {
        let label = self.labels.get(call).cloned().unwrap_or_default();
        self.host(&format!("* {label}: {status}"));
        let lines: Vec<&str> = text.lines().collect();
        let shown = lines[..lines.len().min(RESULT_LINES)].join("\n");
        if !shown.is_empty() {
            quoted(&mut self.out, &shown);
        }
        if lines.len() > RESULT_LINES {
            self.host(&format!("  ({} more lines)", lines.len() - RESULT_LINES));
        }
    }

    fn ended(&mut self, outcome: Outcome, says: &str, footer: &[FooterRow]) {
        self.draft = None;
        if outcome != Outcome::Answered {
            self.host(says.trim());
        }
        for row in footer {
            self.host(&format!("- {}: {} ({})", row.tool, row.target, row.state));
        }
    }

    /// Text that is not Riad's: moved in by two blanks, on every line of it.
    fn foreign(&mut self, text: &str) {
        for letter in terminal::plain(text).chars() {
            if self.at_start && letter != '\n' {
                self.out.push_str("  ");
                self.at_start = false;
            }
            self.out.push(letter);
            self.at_start = letter == '\n';
        }
    }

    fn new_line(&mut self) {
        if !self.at_start {
            self.out.push('\n');
            self.at_start = true;
        }
    }
}

#[cfg(test)]
mod tests;
