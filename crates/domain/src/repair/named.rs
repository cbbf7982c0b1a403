//! The keys that a schema names, through references and alternatives; and the keys of a value that it does not.

use std::collections::BTreeSet;

use serde_json::Value;

use super::fit::{Keywords, parts, target};
use super::pointer::Pointer;
use super::step::{Did, Step};
use super::tree::quoted;
use crate::tool::Schema;

/// Schemas within schemas that are looked at for names.
const MOST_DEPTH: usize = 16;

/// What a schema says of the keys of one object.
#[derive(Debug, Default)]
struct Names<'s> {
    /// The keys it names.
    known: BTreeSet<&'s str>,
    /// Whether it speaks of others, too.
    others: bool,
    /// The schemas of each key.
    of_key: Vec<(&'s str, &'s Value)>,
}

/// Steps that say which keys were passed on though the schema does not name them. A schema that speaks of further keys
/// knows them all.
pub fn unknown_keys(value: &Value, schema: &Schema) -> Vec<Step> {
    let mut steps = Vec::new();
    walk(schema.json(), &[schema.json()], value, &Pointer::Root, &mut steps);
    steps
}

/// Whether a key has no meaning for the arguments of a tool.
pub(super) fn lacks(schema: &Schema, key: &str) -> bool {
    let names = names(schema.json(), &[schema.json()]);
    !names.others && !names.known.contains(key)
}

/// Keys for a sentence.
pub(super) fn listed<'k>(keys: impl Iterator<Item = &'k String>) -> String {
    const MOST: usize = 20;
    let mut words: Vec<_> = keys.take(MOST + 1).map(|key| quoted(key)).collect();
    if words.len() > MOST {
        words[MOST] = "…".to_owned();
    }
    words.join(", ")
}

fn walk(root: &Value, schemas: &[&Value], value: &Value, at: &Pointer<'_>, steps: &mut Vec<Step>) {
    // Enough for a person to see what is meant.
    const MOST_STEPS: usize = 8;
    if steps.len() >= MOST_STEPS {
        return;
    }
    match value {
        Value::Object(members) => {
            let names = names(root, schemas);
            for (key, value) in members {
                let at = Pointer::Key(at, key);
                if !names.others && !names.known.is_empty() && !names.known.contains(key.as_str()) {
                    steps.push(Step::new(at, Did::UnknownKey));
                    continue;
                }
                let below: Vec<_> = names.of_key.iter().filter(|(name, _)| name == key).map(|(_, s)| *s).collect();
                walk(root, &below, value, &at, steps);
            }
        }
        Value::Array(items) => {
            let below: Vec<_> = each_part(root, schemas).into_iter().filter_map(|keys| keys.get("items")).collect();
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| walk(root, &below, item, &Pointer::Index(at, index), steps));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn names<'s>(root: &'s Value, schemas: &[&'s Value]) -> Names<'s> {
    let mut names = Names::default();
    for keywords in each_part(root, schemas) {
        if let Some(Value::Object(properties)) = keywords.get("properties") {
            names.known.extend(properties.keys().map(String::as_str));
            names.of_key.extend(properties.iter().map(|(key, schema)| (key.as_str(), schema)));
        }
        let closed = keywords.get("additionalProperties") == Some(&Value::Bool(false));
        let speaks = ["additionalProperties", "patternProperties", "unevaluatedProperties"];
        names.others |= !closed && speaks.iter().any(|keyword| keywords.contains_key(*keyword));
    }
    names
}

/// The schemas and all that are part of them.
fn each_part<'s>(root: &'s Value, schemas: &[&'s Value]) -> Vec<&'s Keywords> {
    let (mut found, mut next) = (Vec::new(), schemas.to_vec());
    for _ in 0..MOST_DEPTH {
        let now: Vec<&Keywords> = next.iter().filter_map(|schema| schema.as_object()).collect();
        next = now.iter().flat_map(|keywords| below(root, keywords)).collect();
        next.truncate(256);
        found.extend(now);
    }
    found
}

fn below<'s>(root: &'s Value, keywords: &'s Keywords) -> Vec<&'s Value> {
    let listed = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|keyword| parts(keywords, keyword));
    target(root, keywords).into_iter().chain(listed).collect()
}
