//! Allowed values: `enum`, `const`, and alternatives that are nothing but those.

use serde_json::Value;

use super::super::decimal::{self, boolean_in, number_in, trimmed};
use super::super::step::{Did, Step};
use super::super::tree::{Node, What};
use super::{At, Change, Fit, Keywords, found_here, parts};

/// The allowed values, if the schema names them.
pub(super) fn values(keywords: &Keywords) -> Option<Vec<&Value>> {
    if let Some(Value::Array(values)) = keywords.get("enum") {
        return Some(values.iter().collect());
    }
    if let Some(value) = keywords.get("const") {
        return Some(vec![value]);
    }
    let branches =
        ["anyOf", "oneOf"].into_iter().map(|keyword| parts(keywords, keyword)).find(|all| !all.is_empty())?;
    let each = branches.iter().map(|branch| branch.as_object().and_then(of_branch));
    Some(each.collect::<Option<Vec<_>>>()?.concat())
}

fn of_branch(branch: &Keywords) -> Option<Vec<&Value>> {
    if branch.get("type").and_then(Value::as_str) == Some("null") {
        return Some(vec![&Value::Null]);
    }
    let nests = branch.contains_key("anyOf") || branch.contains_key("oneOf");
    if nests { None } else { values(branch) }
}

/// The value, or the one allowed value that it is but for case and outer blanks.
pub(super) fn one_value(node: &Node, keywords: &Keywords, at: &At<'_>) -> Fit {
    let Some(values) = values(keywords) else { return Ok(Change::default()) };
    if values.iter().any(|value| equal(node, value)) {
        return Ok(Change::default());
    }
    let closest = |near: fn(&Node, &Value) -> bool| values.iter().filter(|value| near(node, value)).collect::<Vec<_>>();
    let exact = closest(is_exact);
    let near = if exact.is_empty() { closest(is_but_for_case) } else { exact };
    match near.as_slice() {
        [value] => Ok(Change::to(node.with(what(value)), Step::new(at.pointer, Did::Respelled))),
        [] => Err(at.misfit(format!("found {}, allowed: {}", found_here(node), list(&values)))),
        [..] => Err(at.misfit(format!("{} is more than one of {}", found_here(node), list(&values)))),
    }
}

/// The same value in text: blanks aside, or the text of a number or boolean.
fn is_exact(node: &Node, value: &Value) -> bool {
    match (&node.what, value) {
        (What::Text(text), Value::String(value)) => trimmed(text) == value,
        (What::Text(text), Value::Number(value)) => {
            number_in(text).is_some_and(|number| decimal::same(number, &value.to_string()))
        }
        (What::Text(text), Value::Bool(value)) => boolean_in(text) == Some(*value),
        (What::Bool(_) | What::Number(_), Value::String(value)) => node.slice() == value,
        _ => false,
    }
}

fn is_but_for_case(node: &Node, value: &Value) -> bool {
    match (&node.what, value) {
        (What::Text(text), Value::String(value)) => is_spelled_like(text, value),
        _ => false,
    }
}

/// Whether both are one word but for case and outer blanks.
pub(super) fn is_spelled_like(one: &str, other: &str) -> bool {
    trimmed(one).to_lowercase() == trimmed(other).to_lowercase()
}

fn equal(node: &Node, value: &Value) -> bool {
    match (&node.what, value) {
        (What::Null, Value::Null) => true,
        (What::Bool(one), Value::Bool(other)) => one == other,
        (What::Number(one), Value::Number(other)) => decimal::same(one, &other.to_string()),
        (What::Text(one), Value::String(other)) => one == other,
        (What::List(items), Value::Array(others)) => {
            items.len() == others.len() && items.iter().zip(others).all(|(item, other)| equal(item, other))
        }
        (What::Object(object), Value::Object(others)) => {
            let same = |(key, value): &(String, Node)| others.get(key).is_some_and(|other| equal(value, other));
            object.members.len() == others.len() && object.members.iter().all(same)
        }
        _ => false,
    }
}

/// An allowed scalar; lists and objects are never put for something else.
fn what(value: &Value) -> What {
    match value {
        Value::Bool(value) => What::Bool(*value),
        Value::Number(number) => What::Number(number.to_string()),
        Value::String(text) => What::Text(text.clone()),
        Value::Null | Value::Array(_) | Value::Object(_) => What::Null,
    }
}

fn list(values: &[&Value]) -> String {
    const MOST: usize = 20;
    let mut words: Vec<_> = values.iter().take(MOST).map(ToString::to_string).collect();
    if values.len() > MOST {
        words.push("…".to_owned());
    }
    words.join(", ")
}
