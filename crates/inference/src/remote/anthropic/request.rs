//! A prompt as the JSON of a messages request. Arguments and signed blocks go out as the bytes they came in.

use std::borrow::Cow;

use domain::context::{CallPolicy, Item, Prompt};
use domain::model::Signed;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::remote::engine::{PromptCache, RemoteOptions};
use crate::remote::wire::{reasoning_fields, spoken, temperature};

#[derive(Debug, Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(flatten)]
    reasoning: Map<String, Value>,
}

#[derive(Debug, Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text {
        text: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Mark>,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: &'a RawValue,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Mark>,
    },
    /// A block as its provider signed it.
    #[serde(untagged)]
    Signed(&'a RawValue),
}

#[derive(Debug, Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Mark>,
}

/// What stands before it is kept by the engine for the next request.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "type", rename = "ephemeral")]
struct Mark {}

/// Fewer tokens of thought than this are refused.
const LEAST_BUDGET: u64 = 1024;

/// The body of a request for a reply of at most so many tokens.
pub(super) fn body(options: &RemoteOptions, prompt: &Prompt, most: u32) -> serde_json::Result<Vec<u8>> {
    let reasoning = reasoning(options, prompt, most);
    let thinks = reasoning.contains_key("thinking");
    let mark = (options.prompt_cache == PromptCache::Marked).then_some(Mark {});
    let system = prompt.system();
    let body = Body {
        model: &options.model,
        max_tokens: most,
        stream: true,
        tools: tools(prompt, mark.filter(|_| system.is_empty())),
        system: if system.is_empty() { Vec::new() } else { vec![Block::Text { text: system, cache_control: mark }] },
        tool_choice: tool_choice(prompt, thinks),
        messages: messages(options, prompt, mark)?,
        // A model that thinks keeps its own temperature; another is refused.
        temperature: temperature(options.temperature, prompt.variation).filter(|_| !thinks).map(|heat| heat.min(1.0)),
        reasoning,
    };
    serde_json::to_vec(&body)
}

/// What is asked of reasoning. Between a call and the end of its turn the engine wants the thoughts that came before the
/// call; where those were signed by another lineage or by nobody, this reply does without.
fn reasoning(options: &RemoteOptions, prompt: &Prompt, most: u32) -> Map<String, Value> {
    let mut fields = reasoning_fields(options.reasoning.as_ref());
    let Some(thinking) = fields.get_mut("thinking").and_then(Value::as_object_mut) else { return fields };
    if let Some(budget) = thinking.get("budget_tokens").and_then(Value::as_u64) {
        // The budget is part of the most tokens of the reply and must leave some to say.
        let budget = budget.min(u64::from(most) / 4 * 3);
        thinking.insert("budget_tokens".to_owned(), budget.into());
        thinking.entry("type").or_insert_with(|| "enabled".into());
        if budget < LEAST_BUDGET {
            fields.remove("thinking");
        }
    }
    if !may_think(options, prompt) {
        fields.remove("thinking");
    }
    fields
}

fn may_think(options: &RemoteOptions, prompt: &Prompt) -> bool {
    let after_person = |item: &&std::sync::Arc<Item>| !matches!(***item, Item::Person { .. });
    prompt.turns().iter().rev().take_while(after_person).all(|item| match &**item {
        Item::Model { calls, signed, .. } => calls.is_empty() || blocks(options, signed.as_ref()).is_some(),
        Item::Summary { .. } | Item::Person { .. } | Item::Result { .. } => true,
    })
}

fn blocks<'a>(options: &RemoteOptions, signed: Option<&'a Signed>) -> Option<&'a str> {
    signed.and_then(|signed| signed.for_lineage(&options.lineage))
}

fn tools<'a>(prompt: &'a Prompt, mark: Option<Mark>) -> Vec<Tool<'a>> {
    let last = prompt.prefix.tools.len().saturating_sub(1);
    let tools = prompt.prefix.tools.iter().enumerate();
    let tools = tools.map(|(index, tool)| Tool {
        name: tool.name.as_str(),
        description: &tool.description,
        input_schema: tool.schema.json(),
        cache_control: mark.filter(|_| index == last),
    });
    tools.collect()
}

/// A call cannot be forced upon a model that thinks.
fn tool_choice(prompt: &Prompt, thinks: bool) -> Option<Value> {
    let choice = match prompt.calls {
        CallPolicy::Forbidden => "none",
        CallPolicy::Forced if !thinks => "any",
        CallPolicy::Free | CallPolicy::Forced => "auto",
    };
    (!prompt.prefix.tools.is_empty()).then(|| json!({ "type": choice }))
}

/// The conversation. Roles alternate: what follows in one role is one message, and results are said by the user.
fn messages<'a>(
    options: &RemoteOptions,
    prompt: &'a Prompt,
    mark: Option<Mark>,
) -> serde_json::Result<Vec<Message<'a>>> {
    let mut messages: Vec<Message<'a>> = Vec::new();
    for item in prompt.turns() {
        let (role, content) = blocks_of(options, item)?;
        match messages.last_mut().filter(|last| last.role == role) {
            Some(last) => last.content.extend(content),
            None => messages.push(Message { role, content }),
        }
    }
    if let Some(Block::Text { cache_control, .. } | Block::ToolResult { cache_control, .. }) =
        messages.last_mut().and_then(|last| last.content.last_mut())
    {
        *cache_control = mark;
    }
    Ok(messages)
}

fn blocks_of<'a>(options: &RemoteOptions, item: &'a Item) -> serde_json::Result<(&'static str, Vec<Block<'a>>)> {
    Ok(match item {
        Item::Summary { text } => ("user", vec![words(Cow::Borrowed(text))]),
        Item::Person { text, aside } => ("user", vec![words(spoken(text, aside.as_deref()))]),
        Item::Result { call, text, .. } => {
            ("user", vec![Block::ToolResult { tool_use_id: call.as_str(), content: text, cache_control: None }])
        }
        Item::Model { text, calls, signed } => {
            let signed = blocks(options, signed.as_ref()).map(serde_json::from_str::<Vec<&RawValue>>).transpose()?;
            let mut content: Vec<_> = signed.unwrap_or_default().into_iter().map(Block::Signed).collect();
            // An empty text is refused.
            content.extend((!text.trim().is_empty()).then(|| words(Cow::Borrowed(text))));
            for call in calls {
                let input = serde_json::from_str(&call.arguments)?;
                content.push(Block::ToolUse { id: call.id.as_str(), name: call.tool.as_str(), input });
            }
            ("assistant", content)
        }
    })
}

fn words(text: Cow<'_, str>) -> Block<'_> {
    Block::Text { text, cache_control: None }
}
