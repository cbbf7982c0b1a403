//! The view of a JSON text: still JSON, with counts of what is left out at the place where it was. Only objects and
//! lists are viewed so; a lone long string is text.

use serde_json::{Map, Value, json};

use crate::context::estimate;

/// How much of each value is kept, from plenty to little: items or members at each end, letters of a text.
const STEPS: [(usize, usize); 9] =
    [(64, 2_000), (32, 1_000), (16, 600), (8, 400), (6, 200), (4, 120), (2, 80), (1, 40), (1, 16)];

/// Levels below which a value is only counted.
const LEVELS: usize = 32;

/// A shorter JSON text with the same outline; `None` if the text is none, or cannot be made short enough.
pub(super) fn view(text: &str, room: u32, id: &str) -> Option<String> {
    let whole: Value = serde_json::from_str(text).ok().filter(|value: &Value| value.is_object() || value.is_array())?;
    STEPS.iter().find_map(|(ends, letters)| {
        let shorter = with_note(shorten(&whole, *ends, *letters, LEVELS), id).to_string();
        (estimate::tokens(&shorter) <= room).then_some(shorter)
    })
}

fn with_note(value: Value, id: &str) -> Value {
    let note = format!("parts are left out; recall {id} reads them");
    match value {
        Value::Object(mut members) => {
            members.insert("[left out]".to_owned(), Value::from(note));
            Value::Object(members)
        }
        Value::Array(mut items) => {
            items.push(Value::from(format!("[{note}]")));
            Value::Array(items)
        }
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => other,
    }
}

fn shorten(value: &Value, ends: usize, letters: usize, levels: usize) -> Value {
    match value {
        Value::Array(items) if levels == 0 => json!(format!("[{} items left out]", items.len())),
        Value::Object(members) if levels == 0 => json!(format!("[{} members left out]", members.len())),
        Value::Array(items) => list(items, ends, letters, levels - 1),
        Value::Object(members) => object(members, ends, letters, levels - 1),
        Value::String(text) => Value::from(short_text(text, letters)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn list(items: &[Value], ends: usize, letters: usize, levels: usize) -> Value {
    let keep = |item: &Value| shorten(item, ends, letters, levels);
    if items.len() <= 2 * ends + 1 {
        return items.iter().map(keep).collect();
    }
    let out = json!(format!("[{} items left out]", items.len() - 2 * ends));
    let tail = items[items.len() - ends..].iter().map(keep);
    items[..ends].iter().map(keep).chain([out]).chain(tail).collect()
}

fn object(members: &Map<String, Value>, ends: usize, letters: usize, levels: usize) -> Value {
    let most = 2 * ends + 1;
    let kept = members.iter().take(most).map(|(key, value)| (key.clone(), shorten(value, ends, letters, levels)));
    let mut kept: Map<String, Value> = kept.collect();
    if members.len() > most {
        kept.insert("[members left out]".to_owned(), Value::from(members.len() - most));
    }
    Value::Object(kept)
}

fn short_text(text: &str, letters: usize) -> String {
    let count = text.chars().count();
    if count <= letters + 24 {
        return text.to_owned();
    }
    let head: String = text.chars().take(letters).collect();
    format!("{head}[{} letters left out]", count - letters)
}
