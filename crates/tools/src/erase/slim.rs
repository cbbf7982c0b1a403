//! Takes out of a generated schema what a model pays for in tokens and learns nothing from. It allows nothing that the
//! type does not take; an absent member stays the one way to leave something out.

use serde_json::{Map, Value};

/// Slims a schema and all within it.
pub(super) fn slim(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            names_alone(members);
            without_null(members);
            members.remove("format");
            if matches!(members.get("minimum"), Some(least) if least == &Value::from(0)) {
                members.remove("minimum");
            }
            one_line(members);
            members.values_mut().for_each(slim);
        }
        Value::Array(items) => items.iter_mut().for_each(slim),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A choice of names is a list of them; what each means stands in the description of the member.
fn names_alone(members: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = members.get("oneOf") else { return };
    let names: Option<Vec<Value>> = choices.iter().map(|choice| choice.get("const").cloned()).collect();
    if let Some(names) = names {
        members.remove("oneOf");
        members.insert("type".to_owned(), Value::from("string"));
        members.insert("enum".to_owned(), Value::Array(names));
    }
}

fn without_null(members: &mut Map<String, Value>) {
    if members.get("default").is_some_and(Value::is_null) {
        members.remove("default");
    }
    let Some(Value::Array(types)) = members.get_mut("type") else { return };
    types.retain(|name| name != "null");
    if let [only] = &types[..] {
        let only = only.clone();
        members.insert("type".to_owned(), only);
    }
}

fn one_line(members: &mut Map<String, Value>) {
    if let Some(Value::String(text)) = members.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::slim;

    #[test]
    fn what_teaches_nothing_is_gone() {
        let mut schema = json!({
            "type": "object",
            "properties": {
                "mode": {"description": "a\nb", "oneOf": [{"const": "x", "type": "string"}, {"const": "y", "type": "string"}]},
                "hash": {"default": null, "type": ["string", "null"]},
                "count": {"format": "uint", "minimum": 0, "type": "integer"},
                "seconds": {"minimum": 1, "maximum": 9, "type": "integer", "default": 3},
            },
        });
        slim(&mut schema);
        let expected = json!({
            "type": "object",
            "properties": {
                "mode": {"description": "a b", "type": "string", "enum": ["x", "y"]},
                "hash": {"type": "string"},
                "count": {"type": "integer"},
                "seconds": {"minimum": 1, "maximum": 9, "type": "integer", "default": 3},
            },
        });
        assert_eq!(schema, expected);
    }
}
