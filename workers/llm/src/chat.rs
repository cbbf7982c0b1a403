//! From a prompt's parts to the spans that its model's template makes of them. Which shapes a template can take is found
//! by rendering samples when the model is loaded; what it cannot is given in another form, never dropped.

mod writing;

use inference::dialect::{Dialect, Source};
use inference::protocol::message::{Prompt, Tool, Turn};
use inference::segments::{Borders, Marks, Part, inserted};
use serde_json::{Map, Value, json};

use crate::native::{Span, Template, TemplateError};
use writing::{Writing, break_controls, break_ends};

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
        let spans = self.written(prompt, Form::AsIs, None)?;
        if !self.holds_control(prompt) {
            return Ok(joined(spans));
        }
        // A template that loses the mark of a content would let it speak as control. Both renderings must agree in
        // what is the template's own; if they do not, the broken spelling is what the model reads.
        let safe = self.written(prompt, Form::Broken, None)?;
        let agree = own(&spans) == own(&safe);
        Ok(joined(if agree { spans } else { safe }))
    }

    /// Where the parts of a prompt end in its spans; `None` if this template does not let them be told apart.
    pub(crate) fn borders(&self, prompt: &Prompt, spans: &[Span]) -> Option<Borders> {
        let (turns, texts, plain) = (prompt.turns.len(), serde_json::to_string(prompt).ok()?, text(spans));
        let marks = Marks::unused_in(&texts, turns)?;
        [Form::AsIs, Form::Broken].into_iter().find_map(|form| {
            let marked = self.written(prompt, form, Some(marks)).ok()?;
            let borders = marks.borders(&text(&marked), &plain)?;
            self.with_tools(borders, prompt, form, &plain)
        })
    }

    /// Tools that the template writes itself are what it writes more than without tools.
    fn with_tools(&self, borders: Borders, prompt: &Prompt, form: Form, plain: &str) -> Option<Borders> {
        if !self.shape.tools || prompt.tools.is_empty() {
            return Some(borders);
        }
        let without = Prompt { tools: Vec::new(), ..prompt.clone() };
        let without = self.written(&without, form, None).ok()?;
        Some(borders.with(inserted(plain, &text(&without))?, Part::Tools))
    }

    fn written(&self, prompt: &Prompt, form: Form, marks: Option<Marks>) -> Result<Vec<Span>, TemplateError> {
        let broken = |text: &str| break_controls(text, &self.controls);
        let unmarked = |text: &str| break_ends(broken(text), &self.controls);
        let as_is = |text: &str| text.to_owned();
        let content: &dyn Fn(&str) -> String = match form {
            Form::AsIs => &as_is,
            Form::Broken => &broken,
        };
        let writing = Writing { content, unmarked: &unmarked, marks };
        self.template.render(&variables(prompt, self.dialect, self.shape, writing))
    }

    fn holds_control(&self, prompt: &Prompt) -> bool {
        let holds = |text: &str| self.controls.iter().any(|control| text.contains(control.as_str()));
        holds(&prompt.system)
            || holds(&prompt.summary)
            || prompt.turns.iter().any(|turn| match turn {
                Turn::Person { text } | Turn::Result { text, .. } => holds(text),
                Turn::Model { text, calls } => holds(text) || calls.iter().any(|call| holds(&call.arguments)),
            })
            || prompt.tools.iter().any(|tool| holds(&tool.description))
    }
}

/// How content is written.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// As it is: the engine knows it from the template's own.
    AsIs,
    /// With every spelling of a control token broken.
    Broken,
}

fn text(spans: &[Span]) -> String {
    spans.iter().map(|span| span.text.as_str()).collect()
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

/// The variables of one rendering.
fn variables(prompt: &Prompt, dialect: Dialect, shape: Shape, writing: Writing<'_>) -> String {
    let mut messages = Vec::with_capacity(prompt.turns.len() + 1);
    let system = system_text(prompt, dialect, shape, writing);
    if !system.is_empty() && shape.system {
        messages.push(json!({ "role": "system", "content": system }));
    }
    let own = Own { dialect, tools: &prompt.tools };
    messages.extend(prompt.turns.iter().enumerate().map(|(index, turn)| {
        let pen = Pen { writing, part: Part::Turn(index) };
        turn_message(turn, own, shape, pen)
    }));
    if !system.is_empty() && !shape.system {
        put_before_first(&mut messages, &system);
    }
    let mut variables = Map::new();
    variables.insert("messages".to_owned(), Value::from(messages));
    variables.insert("add_generation_prompt".to_owned(), Value::from(true));
    if shape.tools && !prompt.tools.is_empty() {
        let tools: Vec<Value> = prompt.tools.iter().map(|tool| tool_value(tool, writing.unmarked)).collect();
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

/// Writes the texts of one part.
#[derive(Clone, Copy)]
struct Pen<'a> {
    writing: Writing<'a>,
    part: Part,
}

impl Pen<'_> {
    fn content(&self, text: &str) -> String {
        self.writing.content(self.part, text)
    }

    fn unmarked(&self, text: &str) -> String {
        self.writing.unmarked(self.part, text)
    }
}

/// The system text, the tools where the template writes none itself, and what stands for the beginning: what stays
/// comes first, so that a new summary costs nothing of it.
fn system_text(prompt: &Prompt, dialect: Dialect, shape: Shape, writing: Writing<'_>) -> String {
    let writes_tools = shape.tools || prompt.tools.is_empty();
    let block = if writes_tools { String::new() } else { dialect.tool_block(&prompt.tools) };
    let parts = [(Part::System, &prompt.system), (Part::Tools, &block), (Part::Summary, &prompt.summary)];
    let written = parts.into_iter().filter(|(_, text)| !text.is_empty());
    written.map(|(part, text)| writing.content(part, text)).collect::<Vec<_>>().join("\n\n")
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

fn turn_message(turn: &Turn, own: Own<'_>, shape: Shape, pen: Pen<'_>) -> Value {
    match turn {
        Turn::Person { text } => json!({ "role": "user", "content": pen.content(text) }),
        Turn::Model { text, calls } if shape.tools && !calls.is_empty() => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| {
                    let arguments = map_texts(parsed_object(&call.arguments), &|text| pen.unmarked(text));
                    let function = json!({ "name": pen.unmarked(&call.name), "arguments": arguments });
                    json!({ "id": call.id, "type": "function", "function": function })
                })
                .collect();
            json!({ "role": "assistant", "content": pen.content(text), "tool_calls": calls })
        }
        Turn::Model { text, calls } => {
            json!({ "role": "assistant", "content": pen.content(&own.dialect.reply(text, calls, own.tools)) })
        }
        Turn::Result { call, tool, text } if shape.results => {
            json!({ "role": "tool", "name": tool, "tool_call_id": call, "content": pen.content(text) })
        }
        Turn::Result { tool, text, .. } => {
            json!({ "role": "user", "content": pen.content(&own.dialect.result(tool, text)) })
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
        let spans = template.render(&variables(prompt, dialect, shape, Writing::PLAIN))?;
        let rendered = text(&spans);
        Ok(words.iter().all(|word| rendered.contains(word)))
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
    let spans = template.render(&variables(&plain, dialect, shape, Writing::PLAIN))?;
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
    Prompt { tools: vec![tool], turns: vec![person, reply, result], ..base.clone() }
}

#[cfg(test)]
mod tests;
