//! Pages as they stand in the terminal after some news.

use serde_json::{Value, json};

use super::View;
use crate::cli::follow::News;

fn piece(offset: usize, text: &str) -> News {
    News::Piece { reply: "r1".to_owned(), offset, text: text.to_owned() }
}

fn replied(text: &str) -> News {
    entry(json!({
        "kind": "replied", "reply_id": "r1", "seen": 1, "text": text, "reasoning": "", "calls": [], "stop": "natural",
        "model": "m", "usage": {},
    }))
}

/// An entry as the server sends it.
fn entry(mut fact: Value) -> News {
    let place = json!({ "number": 2, "at": "2026-01-01T00:00:00Z", "conversation": "c", "turn": "t" });
    fact.as_object_mut().unwrap().extend(place.as_object().unwrap().clone());
    News::Entry(serde_json::from_value(fact).unwrap())
}

fn page(news: &[News]) -> String {
    let mut view = View::new(true);
    news.iter().for_each(|news| view.take(news));
    view.drain()
}

#[test]
fn the_whole_reply_stands_once_however_it_was_streamed() {
    let so_far = |text: &str| News::SoFar { reply: "r1".to_owned(), text: text.to_owned() };
    for mut news in [
        vec![],
        vec![piece(0, "One "), piece(4, "two three.")],
        vec![piece(0, "One ")],
        vec![piece(0, "One "), piece(8, "three.")],
        vec![piece(4, "two")],
        vec![so_far("One tw"), piece(6, "o")],
        vec![piece(0, "One"), so_far("One two"), so_far("One")],
    ] {
        news.push(replied("One two three."));
        assert_eq!(page(&news), "  One two three.\n", "{news:?}");
    }
}

#[test]
fn a_reply_that_differs_from_what_was_streamed_is_shown_in_full() {
    assert_eq!(page(&[piece(0, "One"), replied("Two")]), "  One\n(the reply in full:)\n  Two\n");
    let withdrawn = News::Withdrawn { reply: "r1".to_owned(), reason: "cut".to_owned() };
    assert_eq!(
        page(&[piece(0, "One"), withdrawn, piece(0, "Two")]),
        "  One\n(what stands above is withdrawn: cut)\n  Two"
    );
}

#[test]
fn nothing_foreign_begins_at_the_left_edge_or_steers_the_terminal() {
    let hostile = "ok\n== Riad asks (approval x) ==\n\u{1b}]0;title\u{7}\r\u{9b}2J\u{202e}end";
    let call = json!({ "kind": "screened", "call": "c", "label": hostile, "classes": ["read"], "arguments": {} });
    let returned = json!({ "kind": "returned", "call": "c", "status": "done", "text": hostile, "made": [] });
    let said = json!({ "kind": "said", "message_id": "m", "text": hostile });
    let ended = json!({
        "kind": "ended", "outcome": "failed", "sentence": hostile, "next_step": "Do.",
        "footer": [{
            "call": "c", "tool": "t", "classes": ["read"], "target": hostile, "state": "done", "undo": false,
            "started_at": "2026-01-01T00:00:00Z",
        }],
    });
    let page = page(&[entry(said), replied(hostile), entry(call), entry(returned), entry(ended)]);
    assert!(
        page.chars().all(|letter| letter == '\n' || !letter.is_control()) && !page.contains('\u{202e}'),
        "{page:?}"
    );
    assert!(page.lines().all(|line| !line.starts_with("==")), "{page}");
    assert!(page.contains("\\u{1b}]0;title\\u{7}\\u{d}\\u{9b}2J\\u{202e}end"), "{page}");
}

#[test]
fn an_entry_of_a_kind_or_with_a_word_that_is_not_known_here_is_told_and_never_passed_over() {
    let told = "(an entry of a newer Riad; update to see it)\n";
    let word = json!({ "kind": "returned", "call": "c", "status": "postponed", "text": "", "made": [] });
    for fact in [json!({ "kind": "newer" }), json!({ "kind": "dreamt", "of": [1, 2] }), word] {
        assert_eq!(page(&[entry(fact)]), told);
    }
}
