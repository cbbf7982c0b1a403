//! The grammar of calls, made from the tools' schemas, on llguidance: which tokens may come next inside a call. Text
//! outside a call is never constrained.

use inference::dialect::hermes;
use inference::protocol::message::Tool;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::SimpleVob;
use llguidance::{Matcher, ParserFactory};
use serde_json::{Map, Value, json};

/// Makes grammars for one model's vocabulary.
pub(crate) struct Grammars {
    factory: ParserFactory,
}

/// Where one call stands in its grammar.
pub(crate) struct CallGrammar {
    matcher: Matcher,
}

impl Grammars {
    /// Reads the vocabulary once.
    pub(crate) fn new(model: &LlamaModel) -> Result<Grammars, String> {
        let tokens = LlamaSampler::llguidance_tok_env(model);
        let mut factory = ParserFactory::new_simple(&tokens).map_err(|error| error.to_string())?;
        factory.quiet();
        Ok(Grammars { factory })
    }

    /// The grammar of one call, from right after the opener to its closer. `body` is what has already come of it; none
    /// if that fits no call.
    pub(crate) fn call(&self, tools: &[Tool], only: Option<&str>, body: &str) -> Result<Option<CallGrammar>, String> {
        let grammar = TopLevelGrammar::from_lark(call_lark(tools, only));
        let mut matcher = Matcher::new(self.factory.create_parser(grammar));
        if let Some(error) = matcher.get_error() {
            return Err(error);
        }
        let given = self.factory.tok_env().tokenize(body);
        let taken = matcher.try_consume_tokens(&given).map_err(|error| error.to_string())?;
        Ok((taken == given.len()).then_some(CallGrammar { matcher }))
    }

    /// Why a tool cannot be expressed, if it cannot; the others stay (LOOP-18).
    pub(crate) fn refusal(&self, tool: &Tool) -> Option<String> {
        self.call(std::slice::from_ref(tool), None, "").err()
    }
}

impl CallGrammar {
    /// The tokens that may come next.
    pub(crate) fn allowed(&mut self) -> Result<SimpleVob, String> {
        self.matcher.compute_mask().map_err(|error| error.to_string())
    }

    /// Goes on over a token that was drawn among the allowed ones.
    pub(crate) fn take(&mut self, token: usize) -> Result<(), String> {
        let token = u32::try_from(token).map_err(|error| error.to_string())?;
        self.matcher.consume_token(token).map_err(|error| error.to_string())
    }

    /// The call is whole.
    pub(crate) fn is_done(&self) -> bool {
        self.matcher.is_stopped()
    }
}

fn call_lark(tools: &[Tool], only: Option<&str>) -> String {
    let offered: Vec<&Tool> = tools.iter().filter(|tool| only.is_none_or(|name| name == tool.name)).collect();
    let names: Vec<String> = (0..offered.len()).map(|index| format!("call_{index}")).collect();
    let mut lark = format!("start: {}\n", names.join(" | "));
    for (index, tool) in offered.into_iter().enumerate() {
        let name = Value::from(tool.name.as_str()).to_string();
        let head = lark_text(&hermes::frame_head(name.trim_matches('"')));
        let tail = lark_text(hermes::FRAME_TAIL);
        let schema = arguments_schema(&tool.schema);
        lark.push_str(&format!("call_{index}: {head} arguments_{index} {tail}\narguments_{index}: %json {schema}\n"));
    }
    lark
}

/// Lark writes texts as JSON does.
fn lark_text(text: &str) -> String {
    Value::from(text).to_string()
}

/// The schema as the grammar needs it: objects closed unless they say otherwise, blanks as templates write them, so that
/// a call replayed by a template is the text the model wrote.
fn arguments_schema(schema: &Value) -> Value {
    let mut schema = closed(schema.clone(), 0);
    if !schema.is_object() {
        schema = json!({ "type": "object", "additionalProperties": false });
    }
    schema["x-guidance"] = json!({ "whitespace_flexible": false, "item_separator": ", ", "key_separator": ": " });
    schema
}

/// Keys whose values are schemas by name, not schemas.
const NAMED: [&str; 4] = ["properties", "$defs", "definitions", "patternProperties"];
/// Keys whose values are data.
const DATA: [&str; 4] = ["enum", "const", "default", "examples"];
const DEEPEST: usize = 64;

fn closed(schema: Value, depth: usize) -> Value {
    let Value::Object(members) = schema else { return schema };
    if depth > DEEPEST {
        return Value::Object(members);
    }
    let describes_object =
        members.get("type").is_some_and(|kind| kind == "object") || members.contains_key("properties");
    let mut closed: Map<String, Value> =
        members.into_iter().map(|(key, value)| closed_member(key, value, depth)).collect();
    if describes_object && !closed.contains_key("additionalProperties") {
        closed.insert("additionalProperties".to_owned(), Value::from(false));
    }
    Value::Object(closed)
}

fn closed_member(key: String, value: Value, depth: usize) -> (String, Value) {
    if DATA.contains(&key.as_str()) {
        return (key, value);
    }
    let value = match value {
        Value::Object(named) if NAMED.contains(&key.as_str()) => {
            named.into_iter().map(|(name, schema)| (name, closed(schema, depth + 1))).collect()
        }
        Value::Object(_) => closed(value, depth + 1),
        Value::Array(items) => items.into_iter().map(|item| closed(item, depth + 1)).collect(),
        other => other,
    };
    (key, value)
}
