//! The gold corpus: calls that every dialect must give back. Hand-written ones stand in `corpus/calls.jsonl`, one a line;
//! the others are made from texts that are known to trip parsers (`corpus/texts.jsonl`, and each marker of
//! `corpus/markers.txt`), in every place that a text can have.

use inference::protocol::message::{Call, Tool};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// One reply of a model.
#[derive(Debug, Clone)]
pub(crate) struct Gold {
    /// The answer's text before its calls.
    pub(crate) text: &'static str,
    /// The reasoning before the text.
    pub(crate) reasoning: &'static str,
    /// The calls in order.
    pub(crate) calls: Vec<Call>,
}

/// The tools of the corpus: each kind of schema is there.
pub(crate) fn tools() -> Vec<Tool> {
    serde_json::from_str(include_str!("corpus/tools.json")).unwrap()
}

/// Every marker and control token that a dialect or a template of one has, written down apart from the code.
pub(crate) fn markers() -> Vec<&'static str> {
    include_str!("corpus/markers.txt").lines().collect()
}

/// A call; its arguments are canonical.
pub(crate) fn call(name: &str, arguments: &str) -> Call {
    Call { id: String::new(), name: name.to_owned(), arguments: arguments.to_owned() }
}

/// All gold calls.
pub(crate) fn calls() -> Vec<Call> {
    let written = include_str!("corpus/calls.jsonl").lines().map(|line| {
        let (name, arguments) = line.split_once(' ').unwrap();
        call(name, &canonical(arguments))
    });
    written.chain(texts().iter().flat_map(|text| holders(text))).collect()
}

/// All gold replies: each call alone, with and without text and reasoning around it, and 1 to 16 calls in one reply.
pub(crate) fn replies() -> Vec<Gold> {
    let all = calls();
    let around =
        [("", ""), ("Let me look.", ""), ("", "It must be read first."), ("One moment: 1 < 2.\n", "So be it.")];
    let alone = all.iter().zip(around.iter().cycle());
    let mut replies: Vec<Gold> =
        alone.map(|(call, (text, reasoning))| Gold { text, reasoning, calls: vec![call.clone()] }).collect();
    for count in 1..=16 {
        let calls: Vec<Call> = all.iter().cycle().skip(count * 31).step_by(7).take(count).cloned().collect();
        let (text, reasoning) = around[count % around.len()];
        replies.push(Gold { text, reasoning, calls });
    }
    replies
}

/// Texts that trip parsers.
pub(crate) fn texts() -> Vec<String> {
    let fixed = include_str!("corpus/texts.jsonl").lines().map(|line| serde_json::from_str(line).unwrap());
    let halves = markers().into_iter().flat_map(|marker| {
        let middle = marker.floor_char_boundary(marker.len() / 2);
        [marker.to_owned(), marker[..middle].to_owned(), format!("a\n{marker}{marker}\nb")]
    });
    fixed.chain(halves).chain([long_text()]).collect()
}

fn long_text() -> String {
    (0..40).map(|line| format!("line {line}: \"<b>\" & 'c' \\ 😀\n")).collect()
}

/// The places that a text can have in a call; which of them depends on the text, so that the corpus stays small.
fn holders(text: &str) -> Vec<Call> {
    let rows = [
        ("write_file", json!({ "path": "a.txt", "text": text })),
        ("pick", json!({ "names": ["a", text, ""] })),
        ("place", json!({ "at": { "label": text, "x": 1 } })),
        ("either", json!({ "value": text })),
        ("anything", json!({ "value": text })),
        ("plan", json!({ "root": { "steps": [{ "title": text }] }, "title": text })),
        ("anything", json!({ "value": { text: [text] } })),
    ];
    let chosen = text.len() % (rows.len() - 1) + 1;
    let pairs = rows.into_iter().enumerate().filter(|(at, _)| *at == 0 || *at == chosen);
    pairs.map(|(_, (name, arguments))| call(name, &canonical(&arguments.to_string()))).collect()
}

/// JSON in one spelling: blanks as Python writes them, texts with no needless escape, members and digits as they are.
/// What is no JSON stays.
pub(crate) fn canonical(json: &str) -> String {
    if serde_json::from_str::<&RawValue>(json).is_err() {
        return json.to_owned();
    }
    if let Ok(text) = serde_json::from_str::<String>(json) {
        return Value::from(text).to_string();
    }
    if json.trim_start().starts_with('{') {
        let members: Vec<String> = members(json).iter().map(|(key, value)| format!("{key}: {value}")).collect();
        return format!("{{{}}}", members.join(", "));
    }
    match serde_json::from_str::<Vec<Box<RawValue>>>(json) {
        Ok(items) => {
            let items: Vec<String> = items.iter().map(|item| canonical(item.get())).collect();
            format!("[{}]", items.join(", "))
        }
        Err(_) => json.trim().to_owned(),
    }
}

/// The members of an object in their order, keys and values canonical. Read apart from the code under test: each member
/// is found as the shortest text up to a comma that is JSON.
fn members(json: &str) -> Vec<(String, String)> {
    let inside = json.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let mut rest = inside.unwrap_or_else(|| panic!("no object: {json}")).trim();
    let mut members = Vec::new();
    while !rest.is_empty() {
        let (key, after) = first_json(rest, ':');
        let (value, after) = first_json(after, ',');
        members.push((canonical(key), canonical(value)));
        rest = after.trim();
    }
    members
}

/// The JSON at the start of a text up to this sign, and what stands behind the sign.
fn first_json(text: &str, sign: char) -> (&str, &str) {
    let ends = text.match_indices(sign).map(|(at, _)| at).chain([text.len()]);
    let mut ends = ends.filter(|end| serde_json::from_str::<&RawValue>(&text[..*end]).is_ok());
    let end = ends.next().unwrap_or_else(|| panic!("no JSON in {text}"));
    (&text[..end], text.get(end + 1..).unwrap_or_default())
}

#[test]
fn the_corpus_is_large_enough_and_every_call_fits_its_tool() {
    let (tools, calls) = (tools(), calls());
    assert!(calls.len() >= 200, "{} calls", calls.len());
    for call in &calls {
        let tool = tools.iter().find(|tool| tool.name == call.name).unwrap();
        let schema = domain::tool::Schema::new(tool.schema.clone()).unwrap();
        let arguments = serde_json::from_str(&call.arguments).unwrap();
        assert_eq!(schema.misfit(&arguments), None, "{call:?}");
        assert_eq!(canonical(&call.arguments), call.arguments);
    }
}
