//! The summary is the host's: it follows the system text and is none of the turns.

use std::sync::Arc;

use super::{CallPolicy, Item, Prefix, Prompt};
use crate::id::EntryNumber;
use crate::tool::ToolSet;

fn prompt(system: &str, items: Vec<Item>) -> Prompt {
    let prefix = Arc::new(Prefix::new(system.to_owned(), &ToolSet::default()));
    let (items, seen) = (items.into_iter().map(Arc::new).collect(), EntryNumber(1));
    Prompt { prefix, items, seen, calls: CallPolicy::Free, max_tokens: 10, variation: 0, open: false }
}

#[test]
fn a_summary_follows_the_system_text() {
    let person = Item::Person { text: "go".to_owned(), aside: None };
    let summary = Item::Summary { text: "record".to_owned() };
    let plain = prompt("You work.", vec![person.clone()]);
    assert_eq!((plain.system().as_ref(), plain.turns().len()), ("You work.", 1));
    let folded = prompt("You work.", vec![summary.clone(), person]);
    assert_eq!((folded.system().as_ref(), folded.turns().len()), ("You work.\n\nrecord", 1));
    assert_eq!(prompt("", vec![summary]).system(), "record");
}
