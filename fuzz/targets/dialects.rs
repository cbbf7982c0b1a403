//! Streams of models in every dialect: any text, cut anywhere, is heard as in one piece. That no marker is shown is
//! tested on made replies, since a bare opener such as `{` is also text.
#![no_main]

use std::sync::LazyLock;

use inference::dialect::{Dialect, Ending, Parsed, Parser, Piece};
use inference::protocol::message::Tool;
use libfuzzer_sys::fuzz_target;
use serde_json::json;

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let schema = json!({
        "type": "object",
        "properties": { "path": { "type": "string" }, "limit": { "type": "integer" }, "tags": { "type": "array" } }
    });
    let (name, description) = ("read".to_owned(), "Reads.".to_owned());
    vec![Tool { name, description, schema }]
});

fuzz_target!(|input: (u8, bool, u8, &str)| {
    let (dialect, thinking, step, text) = input;
    let dialect = Dialect::ALL[usize::from(dialect) % Dialect::ALL.len()];
    let (whole, shown) = hear(dialect, thinking, std::iter::once(text));
    let pieces = pieces(text, usize::from(step).max(1));
    assert_eq!(hear(dialect, thinking, pieces.into_iter()), (whole, shown), "{dialect:?} depends on how the stream is cut");
});

fn hear<'a>(dialect: Dialect, thinking: bool, pieces: impl Iterator<Item = &'a str>) -> (Parsed, String) {
    let mut parser = Parser::new(dialect, &TOOLS, thinking);
    let mut shown = String::new();
    for piece in pieces {
        show(&mut shown, parser.push(piece));
    }
    let (last, parsed) = parser.finish(Ending::Natural);
    show(&mut shown, last);
    (parsed, shown)
}

fn show(shown: &mut String, pieces: Vec<Piece>) {
    for piece in pieces {
        if let Piece::Text(text) = piece {
            shown.push_str(&text);
        }
    }
}

/// The text in pieces of about so many bytes, cut between letters.
fn pieces(text: &str, step: usize) -> Vec<&str> {
    let (mut pieces, mut from) = (Vec::new(), 0);
    while from < text.len() {
        let to = text.ceil_char_boundary((from + step).min(text.len()));
        pieces.push(&text[from..to]);
        from = to;
    }
    pieces
}
