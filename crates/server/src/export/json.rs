//! JSON lines: each entry as pages get it, one a line. Reasoning and results that are not wanted are left empty, so that
//! every line keeps its shape.

use domain::entry::{Body, Entry};
use serde_json::Value;

use super::{Source, Wanted};
use crate::wire::entry::EntryView;

pub(super) fn write(source: &Source<'_>, wanted: Wanted) -> String {
    let mut text = String::new();
    for entry in source.entries {
        text.push_str(&line(source, entry, wanted));
        text.push('\n');
    }
    text
}

fn line(source: &Source<'_>, entry: &Entry, wanted: Wanted) -> String {
    let view = EntryView::new(source.conversation, None, entry);
    let mut line = serde_json::to_value(view).expect("a view is plain data with text keys");
    if matches!(entry.body, Body::Replied(_)) && !wanted.reasoning {
        line["reasoning"] = Value::from("");
    }
    if matches!(entry.body, Body::Returned(_)) && !wanted.results {
        line["text"] = Value::from("");
    }
    line.to_string()
}
