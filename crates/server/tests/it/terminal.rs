//! Whatever models, tools, files and names hold, nothing that a command prints steers the terminal (UI-32).

use serde_json::{Value, json};
use testkit::model::Line;

use crate::cli::{Desk, Ran};

/// Titles, colours, moves, the bell, a window report, C1 controls, directions, tags, a line that looks like ours.
const HOSTILE: &[&str] = &[
    "\u{1b}]0;owned\u{7}",
    "\u{1b}[2J\u{1b}[H\u{1b}[31mred",
    "\u{1b}P$q\"p\u{1b}\\",
    "\u{9b}2J\u{9d}0;t\u{9c}",
    "a\rb\u{8}\u{8}c\u{7f}\u{0}",
    "\u{202e}txt.exe\u{2066}x\u{2069}\u{200b}\u{feff}\u{61c}",
    "tag\u{e0041}\u{e007f}",
    "\u{2028}== Riad asks (approval 1) ==\u{85}",
];

fn hostile() -> String {
    HOSTILE.concat()
}

/// Nothing but letters, blanks and line ends.
fn is_plain(text: &str) -> bool {
    let steers = |letter: char| {
        (letter.is_control() && letter != '\n' && letter != '\t')
            || matches!(letter, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
            || ('\u{e0000}'..='\u{e007f}').contains(&letter)
    };
    !text.chars().any(steers)
}

fn check(what: &str, ran: &Ran) {
    assert!(is_plain(&ran.out) && is_plain(&ran.err), "{what}: {:?} {:?}", ran.out, ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_of_a_model_is_shown_and_not_obeyed() {
    let desk = Desk::with_anna([Line::text(&hostile()), Line::text(&hostile())]).await;
    let ran = desk.run(&["ask", "hello"], "").await;
    check("ask", &ran);
    assert!(
        ran.code == 0 && ran.out.contains("\\u{1b}]0;owned\\u{7}") && ran.out.contains("\\u{202e}txt.exe"),
        "{}",
        ran.out
    );
    let ran = desk.run(&["ask", "--json", "hello"], "").await;
    check("ask --json", &ran);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(ran.out.is_ascii() && document["answer"] == hostile(), "the value is whole: {}", ran.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn results_labels_arguments_and_reasons_of_tools_too() {
    let read = json!({ "files": [{ "path": "~/hostile.txt" }] }).to_string();
    let nowhere = json!({ "files": [{ "path": format!("~/{}", hostile()) }] }).to_string();
    let lines = [
        Line::calls(&hostile(), &[("file_read", &read), ("file_read", &nowhere), (&hostile(), "{}")]),
        Line::text("Read."),
    ];
    let desk = Desk::with_anna(lines).await;
    std::fs::write(desk.files().join("hostile.txt"), HOSTILE.join("\n")).unwrap();
    let ran = desk.run(&["chat"], &format!("read {}\n", hostile().replace(['\0', '\r'], ""))).await;
    check("chat", &ran);
    assert!(
        ran.code == 0 && ran.out.contains("Read ~/hostile.txt") && ran.out.contains("  Read."),
        "{} {}",
        ran.out,
        ran.err
    );
    // What is not Riad's own never begins at the left edge.
    assert!(ran.out.lines().all(|line| !line.starts_with("==") && !line.starts_with("red")), "{}", ran.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_shows_every_hostile_argument_as_escapes() {
    let write = json!({ "path": "~/plan.md", "content": hostile() }).to_string();
    let desk = Desk::with_anna([Line::calls(&hostile(), &[("file_write", &write)])]).await;
    let mut pty = desk.at_terminal(&["ask", "write"]);
    let card = pty.until("approve, refuse [why], or stop? ").await.replace("\r\n", "\n");
    assert!(is_plain(&card), "{card:?}");
    assert!(card.contains("\\u{1b}]0;owned\\u{7}") && card.contains("digest"), "{card}");
    assert_eq!(card.lines().filter(|line| line.starts_with("== Riad asks")).count(), 1, "{card}");
}

#[tokio::test(flavor = "multi_thread")]
async fn explanations_findings_and_errors_too() {
    let desk = Desk::with_anna([]).await;
    let hostile: String = hostile().replace('\0', "");
    let asked: String = HOSTILE.iter().map(|text| format!("{}\n", json!(text))).collect();
    let call = json!({ "tool": hostile, "arguments": { "path": hostile } }).to_string();
    for (arguments, input) in [
        (vec!["explain", "path", &hostile], ""),
        (vec!["explain", "path", "--json", &hostile], ""),
        (vec!["explain", "argv", &hostile], ""),
        (vec!["explain", "argv", "ls", &hostile, "--json"], ""),
        (vec!["explain", "call", &call], ""),
        (vec!["explain", "path", "--batch", "--json"], asked.as_str()),
        (vec!["explain", "argv", "--batch"], asked.as_str()),
        (vec!["explain", "call", "--batch", "--json"], asked.as_str()),
        (vec!["explain", "path", "x", "--root", &hostile], ""),
        (vec!["ask", "--conversation", &hostile, "x"], ""),
        (vec!["login", &hostile, "--password-stdin"], "no password of anybody\n"),
        (vec![&hostile], ""),
        (vec!["--set", &hostile, "doctor"], ""),
        (vec!["--config", &hostile, "chat"], ""),
    ] {
        let ran = desk.run(&arguments, input).await;
        check(&format!("{arguments:?}"), &ran);
        assert!(!ran.out.is_empty() || !ran.err.is_empty(), "{arguments:?} says something");
    }
}
