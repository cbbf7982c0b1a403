//! What was heard of a reply so far: its text, reasoning and calls, and the pieces that were not taken yet. It keeps the
//! white space around frames out of the text; it reads nothing itself.

use super::{Fault, Missing, Parsed, ParsedCall, Piece};

/// The reply as it grows.
#[derive(Debug, Clone, Default)]
pub(super) struct Heard {
    pub(super) parsed: Parsed,
    pieces: Vec<Piece>,
    /// The call that is being written.
    open: Option<ParsedCall>,
    /// White space after a call, shown only if text follows.
    gap: String,
    after_call: bool,
    /// White space right after the reasoning channel belongs to its frame.
    skip_blank: bool,
}

impl Heard {
    /// Takes the pieces since the last time.
    pub(super) fn take(&mut self) -> Vec<Piece> {
        std::mem::take(&mut self.pieces)
    }

    /// Nothing but white space came since a call.
    pub(super) fn is_after_call(&self) -> bool {
        self.after_call
    }

    /// A call is being written, and its name is known.
    pub(super) fn in_call(&self) -> bool {
        self.open.is_some()
    }

    /// A copy that knows where it stands and nothing of what was said, for looking ahead.
    pub(super) fn ahead(&self) -> Heard {
        Heard { open: self.open.clone(), after_call: self.after_call, ..Heard::default() }
    }

    pub(super) fn say(&mut self, text: &str) {
        let text = if self.skip_blank { text.trim_start() } else { text };
        if text.is_empty() {
            return;
        }
        self.skip_blank = false;
        if self.after_call && text.chars().all(char::is_whitespace) {
            self.gap.push_str(text);
            return;
        }
        self.after_call = false;
        let text = std::mem::take(&mut self.gap) + text;
        self.parsed.text.push_str(&text);
        self.pieces.push(Piece::Text(text));
    }

    pub(super) fn think(&mut self, thought: String) {
        if thought.is_empty() {
            return;
        }
        self.parsed.reasoning.push_str(&thought);
        self.pieces.push(Piece::Reasoning(thought));
    }

    /// White space that follows belongs to a frame of some kind, the reasoning channel's for one.
    pub(super) fn skip_blank(&mut self) {
        self.skip_blank = true;
    }

    /// What follows is a text of its own: it stands apart from the text before.
    pub(super) fn paragraph(&mut self) {
        if !self.parsed.text.is_empty() {
            "\n\n".clone_into(&mut self.gap);
        }
    }

    /// A frame was opened.
    pub(super) fn frame(&mut self) {
        self.gap.clear();
        self.after_call = false;
    }

    /// A call began. Its wire's id, where the dialect has one.
    pub(super) fn began(&mut self, name: &str, id: &str) {
        self.frame();
        self.pieces.push(Piece::CallBegan(name.to_owned()));
        self.open = Some(ParsedCall { id: id.to_owned(), name: name.to_owned(), ..ParsedCall::default() });
    }

    /// Its wire's id came later.
    pub(super) fn identified(&mut self, id: &str) {
        if let Some(open) = self.open.as_mut() {
            id.clone_into(&mut open.id);
        }
    }

    /// More of its arguments, byte for byte.
    pub(super) fn arguments(&mut self, text: &str) {
        let Some(open) = self.open.as_mut().filter(|_| !text.is_empty()) else { return };
        open.arguments.push_str(text);
        self.pieces.push(Piece::Arguments(text.to_owned()));
    }

    /// It ended and is whole.
    pub(super) fn ended(&mut self) {
        if let Some(call) = self.open.take() {
            self.keep(call);
        }
    }

    /// The frame that is open is no call; without a name its body stands for the arguments.
    pub(super) fn no_call(&mut self, body: &str) {
        self.faulty(Fault::NoCall, body);
    }

    /// The stream ended in the frame that is open.
    pub(super) fn incomplete(&mut self, missing: Missing, body: &str) {
        self.faulty(Fault::Incomplete(missing), body);
    }

    /// The frame that is open is too large: nothing of it is kept but its name.
    pub(super) fn too_large(&mut self) {
        let open = self.open.take().unwrap_or_default();
        self.keep(ParsedCall { arguments: String::new(), fault: Some(Fault::TooLarge), ..open });
    }

    /// Takes over calls that were read elsewhere, and their pieces.
    pub(super) fn adopt(&mut self, pieces: Vec<Piece>, calls: Vec<ParsedCall>) {
        let of_calls = |piece: &Piece| matches!(piece, Piece::CallBegan(_) | Piece::Arguments(_));
        self.pieces.extend(pieces.into_iter().filter(of_calls));
        self.parsed.calls.extend(calls);
    }

    fn faulty(&mut self, fault: Fault, body: &str) {
        let nameless = || ParsedCall { arguments: body.to_owned(), ..ParsedCall::default() };
        let open = self.open.take().unwrap_or_else(nameless);
        let arguments = if open.arguments.is_empty() { body.to_owned() } else { open.arguments };
        self.keep(ParsedCall { fault: Some(fault), arguments, ..open });
    }

    fn keep(&mut self, call: ParsedCall) {
        self.parsed.calls.push(call);
        self.after_call = true;
    }
}
