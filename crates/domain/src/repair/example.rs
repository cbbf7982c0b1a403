//! A complete example of arguments, made from their schema: for a model that failed three times.

use serde_json::{Map, Value, json};

use super::fit::{Keywords, parts, target};
use crate::tool::Schema;

/// Schemas within schemas that are entered.
const MOST_DEPTH: usize = 16;

/// Arguments that fit, if they can be made up: required ones, or all where none is required.
pub fn example(schema: &Schema) -> Option<Value> {
    let fits = |value: &Value| schema.misfit(value).is_none();
    let whole = make(schema.json(), schema.json(), 0);
    [whole].into_iter().flatten().find(fits)
}

fn make(root: &Value, schema: &Value, depth: usize) -> Option<Value> {
    let Value::Object(keywords) = schema else { return Some(json!("text")) };
    if depth > MOST_DEPTH {
        return None;
    }
    if let Some(given) = given(keywords) {
        return Some(given);
    }
    if let Some(target) = target(root, keywords) {
        return make(root, target, depth + 1);
    }
    let branches = ["oneOf", "anyOf"].into_iter().flat_map(|keyword| parts(keywords, keyword));
    if let Some(made) = branches.filter(|branch| !is_null(branch)).find_map(|branch| make(root, branch, depth + 1))
        && !keywords.contains_key("properties")
    {
        return Some(made);
    }
    of_kind(root, keywords, depth)
}

/// What the schema itself gives: an example, a default, an allowed value.
fn given(keywords: &Keywords) -> Option<Value> {
    let allowed = parts(keywords, "enum").first().or_else(|| keywords.get("const"));
    let shown =
        parts(keywords, "examples").first().or_else(|| keywords.get("default").filter(|value| !value.is_null()));
    shown.or(allowed).cloned()
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

fn of_kind(root: &Value, keywords: &Keywords, depth: usize) -> Option<Value> {
    let kind = match keywords.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        Some(Value::String(kind)) => Some(kind.as_str()),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => None,
    };
    match kind {
        Some("integer") => Some(integer(keywords)),
        Some("number") => Some(keywords.get("minimum").cloned().unwrap_or_else(|| json!(1))),
        Some("boolean") => Some(json!(true)),
        Some("null") => Some(Value::Null),
        Some("array") => list(root, keywords, depth),
        Some("object") => object(root, keywords, depth),
        Some(_) => Some(text(keywords)),
        None if keywords.contains_key("properties") => object(root, keywords, depth),
        None => Some(text(keywords)),
    }
}

fn integer(keywords: &Keywords) -> Value {
    let least = keywords.get("minimum").and_then(Value::as_i64);
    let above = keywords.get("exclusiveMinimum").and_then(Value::as_i64).map(|bound| bound.saturating_add(1));
    let most = keywords.get("maximum").and_then(Value::as_i64).unwrap_or(i64::MAX);
    json!(least.or(above).unwrap_or(1).min(most))
}

fn text(keywords: &Keywords) -> Value {
    let word = match keywords.get("format").and_then(Value::as_str) {
        Some("date") => "2026-01-31",
        Some("time") => "12:00:00Z",
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("email") => "name@example.org",
        Some("uri" | "url" | "uri-reference" | "iri") => "https://example.org/",
        Some("uuid") => "123e4567-e89b-12d3-a456-426614174000",
        Some(_) | None => "text",
    };
    let least = bound(keywords, "minLength").unwrap_or(0);
    let most = bound(keywords, "maxLength").unwrap_or(usize::MAX);
    let letters = word.chars().chain(std::iter::repeat('x'));
    Value::String(letters.take(word.len().max(least).min(most)).collect())
}

/// A bound that an example can be made for.
fn bound(keywords: &Keywords, keyword: &str) -> Option<usize> {
    keywords.get(keyword).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok()).filter(|n| *n <= 1000)
}

fn list(root: &Value, keywords: &Keywords, depth: usize) -> Option<Value> {
    let Some(items) = keywords.get("items") else { return Some(json!([])) };
    let count = bound(keywords, "minItems").unwrap_or(1).max(1);
    let item = make(root, items, depth + 1)?;
    Some(Value::Array(vec![item; count.min(20)]))
}

fn object(root: &Value, keywords: &Keywords, depth: usize) -> Option<Value> {
    let none = Map::new();
    let properties = keywords.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required: Vec<&str> = parts(keywords, "required").iter().filter_map(Value::as_str).collect();
    let wanted = |key: &&String| required.is_empty() || required.contains(&key.as_str());
    let made = properties.keys().filter(wanted).map(|key| {
        let value = make(root, &properties[key.as_str()], depth + 1)?;
        Some((key.clone(), value))
    });
    Some(Value::Object(made.collect::<Option<Map<_, _>>>()?))
}
