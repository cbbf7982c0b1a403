//! Joins the pieces of streamed calls (LOOP-37): on one index a new id, or a name after whole arguments, begins a new
//! call; a name followed by parts is one call, however it is cut. It does not judge arguments.

use serde_json::value::RawValue;

/// A piece of a call, as it came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CallPiece {
    pub(super) index: Option<u64>,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    /// Whether the wire says that the call has no further piece.
    pub(super) closes: bool,
}

/// A call so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JoinedCall {
    index: Option<u64>,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) closed: bool,
}

/// Joins pieces in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct CallJoiner(Vec<JoinedCall>);

impl CallJoiner {
    /// Adds a piece, and says how many bytes that took beside its arguments.
    pub(super) fn push(&mut self, piece: CallPiece) -> usize {
        let open = self.0.iter_mut().rev().find(|call| piece.index.is_none() || call.index == piece.index);
        match open.filter(|call| !begins_another(call, &piece)) {
            Some(call) => go_on(call, piece),
            None => {
                let CallPiece { index, id, name, arguments, closes } = piece;
                if id.trim().is_empty() && name.is_empty() && arguments.is_empty() {
                    return 0;
                }
                let took = size_of::<JoinedCall>() + id.len() + name.len();
                self.0.push(JoinedCall { index, id, name, arguments, closed: closes });
                took
            }
        }
    }

    /// True if there is no call.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The calls, in order.
    pub(super) fn finish(self) -> Vec<JoinedCall> {
        self.0
    }
}

fn begins_another(call: &JoinedCall, piece: &CallPiece) -> bool {
    let has_id = !piece.id.trim().is_empty();
    let new_id = has_id && !call.id.trim().is_empty() && piece.id != call.id;
    let new_name = !piece.name.is_empty() && (call.closed || is_whole(&call.arguments));
    // Some servers end a call by a piece that repeats its id and name and adds nothing.
    let repeats = has_id && piece.id == call.id && piece.name == call.name && piece.arguments.trim().is_empty();
    new_id || (new_name && !repeats)
}

fn go_on(call: &mut JoinedCall, piece: CallPiece) -> usize {
    let before = call.id.len() + call.name.len();
    if call.id.trim().is_empty() {
        call.id = piece.id;
    }
    // Some servers repeat the whole name with each piece, others send it in parts.
    if call.name != piece.name {
        call.name.push_str(&piece.name);
    }
    call.arguments.push_str(&piece.arguments);
    call.closed |= piece.closes;
    (call.id.len() + call.name.len()).saturating_sub(before)
}

/// True if the text is one JSON value and no more.
pub(super) fn is_whole(arguments: &str) -> bool {
    serde_json::from_str::<&RawValue>(arguments).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(index: Option<u64>, id: &str, name: &str, arguments: &str) -> CallPiece {
        CallPiece { index, id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned(), closes: false }
    }

    fn check(pieces: &[CallPiece], expected: &[(&str, &str, &str)]) {
        let mut joiner = CallJoiner::default();
        for piece in pieces.iter().cloned() {
            joiner.push(piece);
        }
        let calls = joiner.finish();
        let calls: Vec<_> =
            calls.iter().map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str())).collect();
        assert_eq!(calls, expected);
    }

    #[test]
    fn pieces_of_one_call_join_however_they_are_cut() {
        check(
            &[piece(Some(0), "a", "read", ""), piece(Some(0), "", "", "{\"p\""), piece(Some(0), "", "", ": 1}")],
            &[("a", "read", "{\"p\": 1}")],
        );
        check(&[piece(Some(0), "a", "re", ""), piece(Some(0), "a", "ad", "{}")], &[("a", "read", "{}")]);
        check(&[piece(Some(0), "a", "read", "{"), piece(Some(0), "a", "read", "}")], &[("a", "read", "{}")]);
        check(&[piece(None, "", "read", "{"), piece(None, "", "", "}")], &[("", "read", "{}")]);
    }

    #[test]
    fn calls_on_several_indexes_keep_their_order_and_parts() {
        check(
            &[
                piece(Some(0), "a", "one", "{"),
                piece(Some(1), "b", "two", "{"),
                piece(Some(0), "", "", "}"),
                piece(Some(1), "", "", "}"),
            ],
            &[("a", "one", "{}"), ("b", "two", "{}")],
        );
    }

    #[test]
    fn a_new_id_or_a_name_after_whole_arguments_is_another_call() {
        check(
            &[piece(Some(0), "a", "one", "{}"), piece(Some(0), "b", "two", "{}")],
            &[("a", "one", "{}"), ("b", "two", "{}")],
        );
        check(&[piece(None, "", "one", "{}"), piece(None, "", "two", "{}")], &[("", "one", "{}"), ("", "two", "{}")]);
    }

    #[test]
    fn calls_that_differ_in_nothing_but_their_arguments_are_not_merged() {
        let three = [piece(Some(0), "", "one", "{}"), piece(Some(0), "", "one", "{}"), piece(Some(0), "", "one", "{}")];
        check(&three, &[("", "one", "{}"), ("", "one", "{}"), ("", "one", "{}")]);
        let same_id = [piece(Some(0), "a", "one", "{}"), piece(Some(0), "a", "one", "{}")];
        check(&same_id, &[("a", "one", "{}"), ("a", "one", "{}")]);
    }

    #[test]
    fn a_last_piece_that_adds_nothing_is_no_call() {
        check(&[piece(Some(0), "a", "one", "{}"), piece(Some(0), "a", "one", "")], &[("a", "one", "{}")]);
        check(&[piece(Some(0), "a", "one", "{}"), piece(Some(0), "", "", "")], &[("a", "one", "{}")]);
        check(&[piece(Some(0), " ", "", "")], &[]);
    }
}
