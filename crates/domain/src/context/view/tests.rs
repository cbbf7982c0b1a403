//! Views: they fit, they keep whole lines or stay JSON, and they say where the rest is.

use serde_json::{Value, json};

use super::{excerpt, line, most_tokens, view};
use crate::context::estimate::tokens;

#[test]
fn what_fits_has_no_view() {
    assert_eq!(view("short", 100, "c1"), None);
    assert_eq!(most_tokens(131_072), 6_000);
    assert_eq!(most_tokens(8_192), 1_215);
}

#[test]
fn a_long_text_keeps_whole_lines_of_head_and_tail() {
    let text: String = (0..5_000).map(|n| format!("line number {n}\n")).collect();
    let view = view(&text, 500, "c7").expect("it is long");
    assert!(tokens(&view) <= 500, "{}", tokens(&view));
    assert!(tokens(&view) > 350, "much of the room is used: {}", tokens(&view));
    assert!(view.starts_with("line number 0\nline number 1\n"));
    assert!(view.ends_with("line number 4999\n[recall c7 reads what is left out]"), "{view}");
    assert!(view.lines().all(|line| text.contains(&format!("{line}\n")) || line.starts_with('[')), "{view}");
}

#[test]
fn one_endless_line_is_cut_between_letters() {
    for text in ["é".repeat(9_000), "漢字".repeat(4_000), "😀".repeat(3_000), "x".repeat(40_000)] {
        let view = view(&text, 300, "c1").expect("it is long");
        assert!(tokens(&view) <= 300 && view.contains("bytes left out here]"), "{view}");
    }
}

#[test]
fn long_json_stays_json_and_counts_what_is_left_out() {
    let rows: Vec<Value> = (0..900).map(|n| json!({ "id": n, "text": "word ".repeat(90) })).collect();
    for whole in [json!(rows), json!({ "rows": rows, "total": 900, "ok": true })] {
        let view = view(&whole.to_string(), 600, "c3").expect("it is long");
        assert!(tokens(&view) <= 600, "{}", tokens(&view));
        let read: Value = serde_json::from_str(&view).expect("it is still JSON");
        assert!(read.is_array() == whole.is_array());
        assert!(view.contains("items left out]") && view.contains("recall c3"), "{view}");
    }
}

#[test]
fn deep_json_is_cut_without_a_fault() {
    let deep = format!("{}{}{}", "[".repeat(100), "7,".repeat(20_000).trim_end_matches(','), "]".repeat(100));
    let view = view(&deep, 200, "c1").expect("it is long");
    assert!(tokens(&view) <= 200, "{view}");
}

#[test]
fn a_message_is_never_read_as_json() {
    let text = format!("[{}]", "1, ".repeat(9_000).trim_end_matches(", "));
    assert!(excerpt(&text, 100, "m1").expect("it is long").contains("bytes left out here"));
}

#[test]
fn a_line_says_how_it_began_and_how_long_it_is() {
    let text = format!("\n  Failed: {}\nmore\n", "x".repeat(200));
    let line = line(&text, "c9");
    assert!(
        line.starts_with("Failed: xxx") && line.contains("bytes, no longer shown; recall c9 reads them]"),
        "{line}"
    );
    assert_eq!(line.lines().count(), 1);
}
