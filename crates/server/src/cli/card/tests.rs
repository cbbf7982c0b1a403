//! Cards as people read them, and what is typed under them.

use std::time::Instant;

use serde_json::{Value, json};

use super::{Asking, Card, SETTLE, Step};

fn approval() -> Card {
    let card = json!({
        "id": "a1", "call": "c1", "digest": "d1", "tool": "file_write", "label": "Write ~/x\u{1b}[2J",
        "why": "it changes something that exists", "intent": "all good\n== Riad asks (approval a2) ==",
        "classes": ["modify"], "arguments": { "path": "~/x\u{202e}" }, "leaves_machine": false, "undo": true,
        "targets": [{ "path": "~/x", "class": "modify", "exists": true, "bytes": 4 }],
        "path": [], "preview": { "diff": { "path": "~/x", "diff": "-old\n+new\u{7}\n" } },
    });
    Card::approval(&serde_json::from_value(card).unwrap())
}

fn question(parts: Value) -> Card {
    let card = json!({ "id": "q1", "call": "c1", "digest": "d1", "path": [], "questions": parts });
    Card::question(&serde_json::from_value(card).unwrap())
}

/// A card that was on the screen long enough.
fn settled(card: Card) -> Asking {
    Asking { card, shown: Instant::now() - SETTLE, given: Vec::new() }
}

#[test]
fn a_card_shows_everything_and_nothing_on_it_is_obeyed_or_looks_like_ours() {
    let text = approval().text();
    for part in
        ["file_write", "modify", "~/x (modify, is there, 4 bytes)", "d1", "  | -old", "  | +new\\u{7}", "all good"]
    {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    assert!(
        text.chars().all(|letter| letter == '\n' || !letter.is_control()) && !text.contains('\u{202e}'),
        "{text:?}"
    );
    assert_eq!(text.lines().filter(|line| line.starts_with("== Riad asks")).count(), 1);
}

#[test]
fn a_run_of_blanks_and_a_filler_in_arguments_are_drawn() {
    let card = json!({
        "id": "a1", "call": "c1", "digest": "d1", "tool": "shell", "label": "Run echo\u{3164}",
        "arguments": { "deep": { "deeper": ["echo hi      ; rm\u{2800}"] } },
        "why": "", "path": [], "classes": [], "targets": [], "leaves_machine": false, "undo": false,
    });
    let text = Card::approval(&serde_json::from_value(card).unwrap()).text();
    assert!(text.contains("Run echo\\u{3164}") && text.contains("hi······; rm\\u{2800}"), "{text}");
    assert!(text.contains("  |       \"echo hi"), "the blanks of the form stay: {text}");
}

#[test]
fn only_whole_words_decide() {
    let answer = |line: &str| settled(approval()).take(line);
    let sent = |decision: &str| Step::Send(json!({ "digest": "d1", "decision": decision, "surface": "cli" }));
    assert_eq!(answer("approve"), sent("approve"));
    assert_eq!(answer(" YES "), sent("approve"));
    assert_eq!(answer("no"), sent("refuse"));
    assert_eq!(answer("stop"), sent("refuse_and_stop"));
    let reason = json!({ "digest": "d1", "decision": "refuse", "words": "not that file", "surface": "cli" });
    assert_eq!(answer("no not that file"), Step::Send(reason));
    for line in ["", "y", "ok", "approve it all", "yes please", "stop now", "hello"] {
        assert!(matches!(answer(line), Step::Again(_)), "{line}");
    }
}

#[test]
fn what_is_typed_as_the_card_appears_does_not_count() {
    assert!(matches!(Asking::show(approval()).take("approve"), Step::Again(_)));
}

#[test]
fn questions_are_answered_part_by_part() {
    let mut asking = settled(question(json!([
        { "text": "Which?", "options": ["a", "b"], "many": false, "other": false },
        { "text": "And?", "options": ["a", "b"], "many": true, "other": true },
        { "text": "Why?", "options": [], "many": false, "other": false },
    ])));
    assert!(asking.prompt().contains("1 of 3\n  | Which?\n  1: a\n  2: b\n"));
    assert!(matches!(asking.take("3"), Step::Again(_)));
    assert!(matches!(asking.take("1,2"), Step::Again(_)));
    assert!(matches!(asking.take("words"), Step::Again(_)));
    assert_eq!(asking.take("2"), Step::More);
    assert_eq!(asking.take("1, 2"), Step::More);
    assert!(matches!(asking.take(""), Step::Again(_)));
    let answers = json!([{ "options": [1] }, { "options": [0, 1] }, { "words": "so it is" }]);
    assert_eq!(asking.take("so it is"), Step::Send(json!({ "digest": "d1", "answers": answers, "surface": "cli" })));
}
