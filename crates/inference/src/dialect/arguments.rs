//! What the dialects with an argument in each pair of tags share in writing: names that fit into a tag, the parts of a
//! grammar, the fallback for a call that tags cannot hold.

use serde_json::{Value, json};

use super::form::Part;
use super::typed::Kinds;
use crate::protocol::message::{Call, Tool};

/// A name that can stand in a tag and comes back.
pub(super) fn tag_name(name: &str) -> Option<&str> {
    let fits = !name.is_empty() && !name.contains(['<', '>', '\n', '"', '\'']) && name.trim() == name;
    (fits && name.len() <= 128).then_some(name)
}

/// A call as one JSON object between these tags. No `<` stands in it, so nothing in it looks like a tag.
pub(super) fn object_in(opener: &str, closer: &str, call: &Call) -> String {
    let arguments = if serde_json::from_str::<Value>(&call.arguments).is_ok() { &call.arguments } else { "{}" };
    let object = format!("{{\"name\": {}, \"arguments\": {arguments}}}", Value::from(call.name.as_str()));
    format!("{opener}\n{}\n{closer}", object.replace('<', "\\u003c"))
}

/// A reply whose calls are written in tags, and as objects where tags cannot hold them.
pub(super) fn reply_in_tags(
    text: &str,
    calls: &[Call],
    (opener, closer): (&str, &str),
    in_tags: impl Fn(&Call) -> Option<String>,
) -> String {
    let written = |call: &Call| in_tags(call).unwrap_or_else(|| object_in(opener, closer, call));
    text.to_owned() + &calls.iter().map(written).collect::<Vec<_>>().join("\n")
}

/// A result, for models whose own form needs a role that a plain message has not.
pub(super) fn plain_result(_: &str, text: &str) -> String {
    format!("Result of the call:\n{text}")
}

/// The tools as a part of the system text, with how to call them.
pub(super) fn tool_block(tools: &[Tool], how: &str, example: &str) -> String {
    let mut block = String::from("# Tools\n\nYou may call these functions:\n<tools>\n");
    for tool in tools {
        let line = json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema });
        block.push_str(&line.to_string());
        block.push('\n');
    }
    block + "</tools>\n\n" + how + "\n" + example
}

/// The arguments of a tool for a grammar: each in its tags, in the order of the schema, optional ones or nothing.
/// `tags` gives what stands before and behind a value, told whether the value is a text.
pub(super) fn parts(tool: &Tool, tags: impl Fn(&str, bool) -> (String, String)) -> Vec<Part> {
    let required = |key: &str| {
        let list = tool.schema.get("required").and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|name| name == key))
    };
    let properties = tool.schema.get("properties").and_then(Value::as_object);
    let mut parts = Vec::new();
    for (key, schema) in properties.into_iter().flatten().filter(|(key, _)| tag_name(key).is_some()) {
        let argument = argument(tool, key, schema, &tags);
        if required(key) { parts.extend(argument) } else { parts.push(Part::Optional(argument)) }
    }
    parts
}

fn argument(tool: &Tool, key: &str, schema: &Value, tags: impl Fn(&str, bool) -> (String, String)) -> Vec<Part> {
    let is_text = Kinds::of_argument(std::slice::from_ref(tool), &tool.name, key).allow_text();
    let (before, behind) = tags(key, is_text);
    let mut parts = vec![Part::text(before)];
    match (is_text, texts_of(schema)) {
        (false, _) => parts.extend([Part::Json(with_definitions(schema, &tool.schema)), Part::text(behind)]),
        (true, Some(texts)) => {
            let row = |text: String| vec![Part::text(text + &behind)];
            parts.push(Part::OneOf(texts.into_iter().map(row).collect()));
        }
        (true, None) => parts.push(Part::Until(behind)),
    }
    parts
}

/// The texts that a schema lists.
fn texts_of(schema: &Value) -> Option<Vec<String>> {
    let listed = schema.get("enum")?.as_array()?;
    listed.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

/// A part of a schema can refer to what the whole defines.
fn with_definitions(schema: &Value, root: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(members) = &mut schema {
        for key in ["$defs", "definitions"] {
            if let Some(definitions) = root.get(key) {
                members.entry(key).or_insert_with(|| definitions.clone());
            }
        }
    }
    schema
}
