//! Types of arguments for dialects that write none (LOOP-35): which kinds of value the schema of a tool allows for an
//! argument, what JSON a text between tags means, and how a value is written so that it comes back. It does not check
//! arguments; a value of a wrong kind is passed on for that.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::protocol::message::Tool;

/// How deep references and alternatives of a schema are followed.
const DEEPEST: usize = 16;

/// A set of kinds of JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const TEXT: Kinds = Kinds(1);
    const NUMBER: Kinds = Kinds(2);
    const BOOLEAN: Kinds = Kinds(4);
    const NULL: Kinds = Kinds(8);
    const LIST: Kinds = Kinds(16);
    const OBJECT: Kinds = Kinds(32);
    /// Nothing is known.
    pub(super) const ANY: Kinds = Kinds(63);

    /// What the schema of this tool allows for this argument.
    pub(super) fn of_argument(tools: &[Tool], tool: &str, argument: &str) -> Kinds {
        let Some(tool) = tools.iter().find(|offered| offered.name == tool) else { return Kinds::ANY };
        let root = &tool.schema;
        let named = root.get("properties").and_then(|properties| properties.get(argument));
        let schema = named.or_else(|| root.get("additionalProperties"));
        schema.map_or(Kinds::ANY, |schema| Kinds::of(schema, root, 0))
    }

    fn of(schema: &Value, root: &Value, depth: usize) -> Kinds {
        let Value::Object(members) = schema else { return Kinds::ANY };
        if depth > DEEPEST {
            return Kinds::ANY;
        }
        let below = |schema: &Value| Kinds::of(schema, root, depth + 1);
        let mut kinds = Kinds::ANY;
        for (key, value) in members {
            kinds = kinds.both(match key.as_str() {
                "$ref" => referred(value, root).map_or(Kinds::ANY, below),
                "type" => Kinds::of_type(value),
                "enum" => Kinds::any_of(value, Kinds::of_value),
                "const" => Kinds::of_value(value),
                "anyOf" | "oneOf" => Kinds::any_of(value, below),
                "allOf" => value.as_array().into_iter().flatten().fold(Kinds::ANY, |all, each| all.both(below(each))),
                _ => Kinds::ANY,
            });
        }
        kinds
    }

    fn of_type(value: &Value) -> Kinds {
        match value {
            Value::String(name) => match name.as_str() {
                "string" => Kinds::TEXT,
                "integer" | "number" => Kinds::NUMBER,
                "boolean" => Kinds::BOOLEAN,
                "null" => Kinds::NULL,
                "array" => Kinds::LIST,
                "object" => Kinds::OBJECT,
                _ => Kinds::ANY,
            },
            Value::Array(_) => Kinds::any_of(value, Kinds::of_type),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Kinds::ANY,
        }
    }

    fn of_value(value: &Value) -> Kinds {
        match value {
            Value::String(_) => Kinds::TEXT,
            Value::Number(_) => Kinds::NUMBER,
            Value::Bool(_) => Kinds::BOOLEAN,
            Value::Null => Kinds::NULL,
            Value::Array(_) => Kinds::LIST,
            Value::Object(_) => Kinds::OBJECT,
        }
    }

    fn of_json(json: &str) -> Kinds {
        match json.as_bytes().first() {
            Some(b'"') => Kinds::TEXT,
            Some(b'{') => Kinds::OBJECT,
            Some(b'[') => Kinds::LIST,
            Some(b't' | b'f') => Kinds::BOOLEAN,
            Some(b'n') => Kinds::NULL,
            _ => Kinds::NUMBER,
        }
    }

    fn any_of(list: &Value, kinds: impl Fn(&Value) -> Kinds) -> Kinds {
        let each = list.as_array().into_iter().flatten();
        each.map(kinds).reduce(|all, one| Kinds(all.0 | one.0)).unwrap_or(Kinds::ANY)
    }

    /// What both allow; a schema that allows nothing says nothing.
    fn both(self, other: Kinds) -> Kinds {
        if self.meets(other) { Kinds(self.0 & other.0) } else { Kinds::ANY }
    }

    /// A text may stand there.
    pub(super) fn allow_text(self) -> bool {
        self.meets(Kinds::TEXT)
    }

    fn meets(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }
}

fn referred<'a>(reference: &Value, root: &'a Value) -> Option<&'a Value> {
    root.pointer(reference.as_str()?.strip_prefix('#')?)
}

/// The JSON text of what was written for an argument of these kinds.
///
/// A text stays byte for byte. Where other kinds are allowed too, a written JSON value of an allowed kind is that value.
/// What is no JSON stays a text, whose wrong kind is reported by the check against the schema: passed on as it stands it
/// could open or close something.
pub(super) fn json_of(kinds: Kinds, written: &str) -> String {
    if kinds == Kinds::TEXT {
        return json_text(written);
    }
    let Some(json) = json_value(written) else { return json_text(written) };
    if kinds.meets(Kinds::of_json(json)) || !kinds.meets(Kinds::TEXT) { json.to_owned() } else { json_text(written) }
}

/// The one JSON value that a text is. Some templates write booleans and nothing in the words of Python.
pub(super) fn json_value(written: &str) -> Option<&str> {
    match written.trim_matches([' ', '\t', '\r', '\n']) {
        "True" => Some("true"),
        "False" => Some("false"),
        "None" => Some("null"),
        json => serde_json::from_str::<&RawValue>(json).is_ok().then_some(json),
    }
}

/// A text as JSON.
pub(super) fn json_text(text: &str) -> String {
    Value::from(text).to_string()
}

/// How a JSON value is written for an argument of these kinds, so that [`json_of`] gives it back from a place that holds
/// what `fits`; none if no way does.
pub(super) fn written(kinds: Kinds, json: &str, fits: impl Fn(&str) -> bool) -> Option<String> {
    let text: Option<String> = serde_json::from_str(json).ok();
    let meant = text.as_deref().map_or_else(|| json.to_owned(), json_text);
    let spelled = meant.replace('<', "\\u003c");
    let ways = text.into_iter().chain([meant.clone(), spelled.clone()]);
    let comes_back = |way: &String| fits(way) && [&meant, &spelled].contains(&&json_of(kinds, way));
    ways.into_iter().find(comes_back)
}

/// The members of a JSON object in their order, values as they are written; none if it is no object.
pub(super) fn members(json: &str) -> Option<Vec<(String, Box<RawValue>)>> {
    serde_json::from_str::<Members>(json).ok().map(|members| members.0)
}

struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> serde::Deserialize<'de> for Members {
    fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Members, D::Error> {
        reader.deserialize_map(ReadMembers)
    }
}

struct ReadMembers;

impl<'de> serde::de::Visitor<'de> for ReadMembers {
    type Value = Members;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests;
