//! From a prompt's parts to the spans that its model's template makes of them. Which shapes a template can take is found
//! by rendering samples when the model is loaded; what it cannot is given in another form, never dropped.

use inference::dialect::{Dialect, Source};
use inference::protocol::message::{Prompt, Tool, Turn};
use serde_json::{Map, Value, json};

use crate::native::{Span, Template, TemplateError};

/// How a model's template takes conversations.
#[derive(Debug)]
pub(crate) struct Chat {
    template: Template,
    dialect: Dialect,
    shape: Shape,
    /// Spellings of the control tokens: content must not be read as one of them.
    controls: Vec<String>,
}

/// What the samples showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// It writes system texts; else they go before the first message.
    pub(crate) system: bool,
    /// It writes tools, calls and results itself, in the dialect.
    pub(crate) tools: bool,
    /// It has a role for results; else they are messages.
    pub(crate) results: bool,
    /// It opens the reasoning channel itself.
    pub(crate) thinking: bool,
}

/// Why a template cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ChatError {
    /// The template does not compile, or throws.
    #[error("its chat template failed: {0}")]
    Template(#[from] TemplateError),
    /// Not even a plain message survives it.
    #[error("its chat template drops the message")]
    DropsMessage,
}

impl Chat {
    /// Compiles a template and finds its shape.
    pub(crate) fn new(
        source: &str,
        bos: &str,
        eos: &str,
        controls: Vec<String>,
        (dialect, from): (Dialect, Source),
    ) -> Result<Chat, ChatError> {
        let template = Template::new(source, bos, eos)?;
        // A template that writes calls in a dialect that is not known here could not be read back.
        let may_write_calls = matches!(from, Source::Template | Source::Architecture | Source::Pinned);
        let shape = find_shape(&template, dialect, may_write_calls)?;
        Ok(Chat { template, dialect, shape, controls })
    }

    /// What the samples showed.
    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// The spans of a prompt, up to where the reply begins. Neighbours are never of one kind.
    pub(crate) fn render(&self, prompt: &Prompt) -> Result<Vec<Span>, ChatError> {
        let broken = |text: &str| break_controls(text, &self.controls);
        let unmarked = |text: &str| break_ends(broken(text), &self.controls);
        let spans =
            self.template.render(&variables(prompt, self.dialect, self.shape, &|text| text.to_owned(), &unmarked))?;
        if !self.holds_control(prompt) {
            return Ok(joined(spans));
        }
        // A template that loses the mark of a content would let it speak as control. Both renderings must agree in
        // what is the template's own; if they do not, the broken spelling is what the model reads.
        let safe = self.template.render(&variables(prompt, self.dialect, self.shape, &broken, &unmarked))?;
        let agree = own(&spans) == own(&safe);
        Ok(joined(if agree { spans } else { safe }))
    }

    fn holds_control(&self, prompt: &Prompt) -> bool {
        let holds = |text: &str| self.controls.iter().any(|control| text.contains(control.as_str()));
        holds(&prompt.system)
            || prompt.turns.iter().any(|turn| match turn {
                Turn::Person { text } | Turn::Result { text, .. } => holds(text),
                Turn::Model { text, calls } => holds(text) || calls.iter().any(|call| holds(&call.arguments)),
            })
            || prompt.tools.iter().any(|tool| holds(&tool.description))
    }
}

fn own(spans: &[Span]) -> String {
    spans.iter().filter(|span| !span.content).map(|span| span.text.as_str()).collect()
}

fn joined(spans: Vec<Span>) -> Vec<Span> {
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans.into_iter().filter(|span| !span.text.is_empty()) {
        match joined.last_mut() {
            Some(last) if last.content == span.content => last.text.push_str(&span.text),
            _ => joined.push(span),
        }
    }
    joined
}

/// Puts a zero-width blank behind the first letter of each control spelling.
fn break_controls(text: &str, controls: &[String]) -> String {
    let mut text = text.to_owned();
    for control in controls {
        let Some(first) = control.chars().next() else { continue };
        if control.len() > first.len_utf8() && text.contains(control.as_str()) {
            let broken = format!("{first}\u{200B}{}", &control[first.len_utf8()..]);
            text = text.replace(control.as_str(), &broken);
        }
    }
    text
}

/// Puts a zero-width blank before a text that begins with the end of a control spelling, and behind one that ends with a
/// beginning: what a template writes next to a text whose mark it loses must not complete it.
fn break_ends(text: String, controls: &[String]) -> String {
    const BLANK: char = '\u{200B}';
    let longest = controls.iter().map(String::len).max().unwrap_or(0);
    let is_sign = |letter: char| !letter.is_alphanumeric() && !letter.is_whitespace();
    let begins = |part: &str| controls.iter().any(|control| control.len() > part.len() && control.starts_with(part));
    let ends = |part: &str| controls.iter().any(|control| control.len() > part.len() && control.ends_with(part));
    let (head, tail) =
        (text.floor_char_boundary(longest), text.floor_char_boundary(text.len().saturating_sub(longest)));
    let behind = |(at, letter): (usize, char)| is_sign(letter) && begins(&text[tail + at..]);
    let before = |(at, letter): (usize, char)| is_sign(letter) && ends(&text[..at + letter.len_utf8()]);
    let (before, behind) = (text[..head].char_indices().any(before), text[tail..].char_indices().any(behind));
    match (before, behind) {
        (false, false) => text,
        (true, false) => format!("{BLANK}{text}"),
        (false, true) => format!("{text}{BLANK}"),
        (true, true) => format!("{BLANK}{text}{BLANK}"),
    }
}

/// The variables of one rendering. `content` is applied where the engine keeps its mark, `unmarked` where a template
/// turns values into JSON and the mark is lost.
fn variables(
    prompt: &Prompt,
    dialect: Dialect,
    shape: Shape,
    content: &dyn Fn(&str) -> String,
    unmarked: &dyn Fn(&str) -> String,
) -> String {
    let mut messages = Vec::with_capacity(prompt.turns.len() + 1);
    let system = system_text(prompt, dialect, shape, content);
    if !system.is_empty() && shape.system {
        messages.push(json!({ "role": "system", "content": system }));
    }
    let own = Own { dialect, tools: &prompt.tools };
    messages.extend(prompt.turns.iter().map(|turn| turn_message(turn, own, shape, content, unmarked)));
    if !system.is_empty() && !shape.system {
        put_before_first(&mut messages, &system);
    }
    let mut variables = Map::new();
    variables.insert("messages".to_owned(), Value::from(messages));
    variables.insert("add_generation_prompt".to_owned(), Value::from(true));
    if shape.tools && !prompt.tools.is_empty() {
        let tools: Vec<Value> = prompt.tools.iter().map(|tool| tool_value(tool, unmarked)).collect();
        variables.insert("tools".to_owned(), Value::from(tools));
    }
    Value::from(variables).to_string()
}

/// What Riad's own rendering of a call or a result depends on.
#[derive(Debug, Clone, Copy)]
struct Own<'a> {
    dialect: Dialect,
    tools: &'a [Tool],
}

fn system_text(prompt: &Prompt, dialect: Dialect, shape: Shape, content: &dyn Fn(&str) -> String) -> String {
    let system = content(&prompt.system);
    if shape.tools || prompt.tools.is_empty() {
        return system;
    }
    let block = content(&dialect.tool_block(&prompt.tools));
    if system.is_empty() { block } else { format!("{system}\n\n{block}") }
}

fn put_before_first(messages: &mut Vec<Value>, system: &str) {
    match messages.first_mut().filter(|message| message["role"] == "user") {
        Some(first) => {
            let text = format!("{system}\n\n{}", first["content"].as_str().unwrap_or_default());
            first["content"] = Value::from(text);
        }
        None => messages.insert(0, json!({ "role": "user", "content": system })),
    }
}

fn turn_message(
    turn: &Turn,
    own: Own<'_>,
    shape: Shape,
    content: &dyn Fn(&str) -> String,
    unmarked: &dyn Fn(&str) -> String,
) -> Value {
    match turn {
        Turn::Person { text } => json!({ "role": "user", "content": content(text) }),
        Turn::Model { text, calls } if shape.tools && !calls.is_empty() => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| {
                    let arguments = map_texts(parsed_object(&call.arguments), unmarked);
                    let function = json!({ "name": unmarked(&call.name), "arguments": arguments });
                    json!({ "id": call.id, "type": "function", "function": function })
                })
                .collect();
            json!({ "role": "assistant", "content": content(text), "tool_calls": calls })
        }
        Turn::Model { text, calls } => {
            json!({ "role": "assistant", "content": content(&own.dialect.reply(text, calls, own.tools)) })
        }
        Turn::Result { call, tool, text } if shape.results => {
            json!({ "role": "tool", "name": tool, "tool_call_id": call, "content": content(text) })
        }
        Turn::Result { tool, text, .. } => {
            json!({ "role": "user", "content": content(&own.dialect.result(tool, text)) })
        }
    }
}

fn tool_value(tool: &Tool, unmarked: &dyn Fn(&str) -> String) -> Value {
    let schema = map_texts(tool.schema.clone(), unmarked);
    let function = json!({ "name": tool.name, "description": unmarked(&tool.description), "parameters": schema });
    json!({ "type": "function", "function": function })
}

fn parsed_object(arguments: &str) -> Value {
    serde_json::from_str::<Map<String, Value>>(arguments).map_or_else(|_| json!({}), Value::from)
}

fn map_texts(value: Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::from(change(&text)),
        Value::Array(items) => items.into_iter().map(|item| map_texts(item, change)).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(key, member)| (change(&key), map_texts(member, change))).collect()
        }
        other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => other,
    }
}

/// Words that no template writes by itself.
const MARK: [&str; 5] = ["qzsystemqz", "qzpersonqz", "qztoolqz", "qzargumentqz", "qzresultqz"];

fn find_shape(template: &Template, dialect: Dialect, may_write_calls: bool) -> Result<Shape, ChatError> {
    let full = Shape { system: true, tools: true, results: true, thinking: false };
    let shows = |prompt: &Prompt, shape: Shape, words: &[&str]| -> Result<bool, TemplateError> {
        let spans = template.render(&variables(prompt, dialect, shape, &str::to_owned, &str::to_owned))?;
        let text: String = spans.iter().map(|span| span.text.as_str()).collect();
        Ok(words.iter().all(|word| text.contains(word)))
    };
    let person = Turn::Person { text: MARK[1].to_owned() };
    let plain = Prompt { turns: vec![person.clone()], ..Prompt::default() };
    if !shows(&plain, full, &MARK[1..2])? {
        return Err(ChatError::DropsMessage);
    }
    let with_system = Prompt { system: MARK[0].to_owned(), ..plain.clone() };
    let system = shows(&with_system, full, &MARK[..2]).unwrap_or(false);
    let with_calls = sample_with_calls(&with_system, person);
    let shape = Shape { system, ..full };
    let tools = may_write_calls && shows(&with_calls, shape, &MARK[2..]).unwrap_or(false);
    let shape = Shape { tools, ..shape };
    let results = tools || shows(&with_calls, shape, &MARK[1..]).unwrap_or(false);
    let spans = template.render(&variables(&plain, dialect, shape, &str::to_owned, &str::to_owned))?;
    let thinking = spans.last().is_some_and(|span| !span.content && dialect.opens_reasoning(&span.text));
    Ok(Shape { results, thinking, ..shape })
}

fn sample_with_calls(base: &Prompt, person: Turn) -> Prompt {
    use inference::protocol::message::Call;
    let tool = Tool {
        name: MARK[2].to_owned(),
        description: "sample".to_owned(),
        schema: json!({ "type": "object", "properties": { "a": { "type": "string" } } }),
    };
    let arguments = json!({ "a": MARK[3] }).to_string();
    let call = Call { id: "sample_1".to_owned(), name: MARK[2].to_owned(), arguments };
    let reply = Turn::Model { text: String::new(), calls: vec![call] };
    let result = Turn::Result { call: "sample_1".to_owned(), tool: MARK[2].to_owned(), text: MARK[4].to_owned() };
    Prompt { system: base.system.clone(), tools: vec![tool], turns: vec![person, reply, result] }
}

#[cfg(test)]
mod tests;
