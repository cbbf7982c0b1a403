//! A7: no beginning of the text of a call is a call, however the reply ended.

use std::sync::LazyLock;

use domain::call::{ToolCall, ValidCall};
use domain::id::CallId;
use domain::model::StopReason;
use domain::tool::{Replay, Schema, ToolName, ToolSet, ToolSpec};

use crate::json_text::{CUTS, Sample};
use crate::random::{Random, times};

static NAME: LazyLock<ToolName> = LazyLock::new(|| ToolName::new("read"));

fn tools(sample: &Sample) -> ToolSet {
    ToolSet::new([ToolSpec {
        name: NAME.clone(),
        description: String::new(),
        schema: Schema::new(sample.schema()).expect("the schema is one"),
        replay: Replay::Again,
        parallel: false,
        asks_person: false,
        uses: None,
        deadline_ms: 1000,
    }])
}

fn runs(text: &str, tools: &ToolSet, stop: StopReason) -> bool {
    let (id, arguments) = (CallId::new("c1"), text.to_owned());
    let call = ToolCall { id, tool: NAME.clone(), arguments, fault: None, wire_id: None, recovered: false };
    ValidCall::check_in(&call, tools, stop).is_ok()
}

#[test]
fn no_beginning_of_a_call_can_run() {
    let mut random = Random(40);
    let (mut texts, mut beginnings) = (0, 0);
    while texts < times(100, 1_000) {
        let sample = Sample::draw(&mut random);
        let tools = tools(&sample);
        for _ in 0..10 {
            let (text, _) = sample.text(&mut random);
            assert!(runs(&text, &tools, StopReason::Natural), "{text}");
            texts += 1;
            for (end, _) in text.char_indices() {
                let stop = CUTS[end % CUTS.len()];
                beginnings += 1;
                assert!(!runs(&text[..end], &tools, StopReason::Natural), "{}", &text[..end]);
                assert!(!runs(&text[..end], &tools, stop), "{} after {stop:?}", &text[..end]);
            }
        }
    }
    println!("{texts} texts, {beginnings} beginnings, none runs");
    assert!(beginnings > texts * 20, "texts are long enough to be cut");
}

/// With slips the end of the object is still what counts: nothing in brackets is closed.
#[test]
fn no_beginning_of_a_mended_object_can_run() {
    let mut random = Random(41);
    for _ in 0..times(40, 400) {
        let sample = Sample::draw(&mut random);
        let tools = tools(&sample);
        let (text, _) = sample.slipped(&mut random);
        let whole = text.trim_end().trim_end_matches(|letter: char| !matches!(letter, '}' | ']' | '"'));
        let inside = whole.trim_end_matches(['}', ']', '"', ' ', ',']).len();
        for (end, _) in text.char_indices().take_while(|(end, _)| *end <= inside) {
            assert!(!runs(&text[..end], &tools, StopReason::Natural), "{}", &text[..end]);
        }
        for (end, _) in text.char_indices() {
            assert!(!runs(&text[..end], &tools, StopReason::Length), "{} after its limit", &text[..end]);
        }
    }
}
