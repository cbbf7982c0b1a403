//! A prompt as the worker is asked it. Nothing is left out or added here: what a prompt holds is decided in `domain`.

use domain::context::{CallPolicy, Item, Prompt};

use crate::protocol::message::Prompt as WirePrompt;
use crate::protocol::message::{Call, Choice, Tool, Turn};

/// The messages and tools of a prompt.
pub(super) fn wire_prompt(prompt: &Prompt) -> WirePrompt {
    WirePrompt {
        system: prompt.prefix.system.clone(),
        summary: prompt.summary().unwrap_or_default().to_owned(),
        tools: prompt
            .prefix
            .tools
            .iter()
            .map(|tool| Tool {
                name: tool.name.as_str().to_owned(),
                description: tool.description.clone(),
                schema: tool.schema.json().clone(),
            })
            .collect(),
        turns: prompt.turns().iter().map(|item| wire_turn(item)).collect(),
    }
}

fn wire_turn(item: &Item) -> Turn {
    match item {
        // It comes first and is no turn; see `Prompt::turns`.
        Item::Summary { text } | Item::Person { text, aside: None } => Turn::Person { text: text.clone() },
        Item::Person { text, aside: Some(aside) } => Turn::Person { text: format!("{text}\n\n{aside}") },
        Item::Model { text, calls, .. } => Turn::Model {
            text: text.clone(),
            calls: calls
                .iter()
                .map(|call| Call {
                    id: call.id.as_str().to_owned(),
                    name: call.tool.as_str().to_owned(),
                    arguments: call.arguments.clone(),
                })
                .collect(),
        },
        Item::Result { call, tool, text } => {
            Turn::Result { call: call.as_str().to_owned(), tool: tool.as_str().to_owned(), text: text.clone() }
        }
    }
}

/// Whether the reply may or must begin with a call.
pub(super) fn choice(prompt: &Prompt, first_call: &Choice) -> Choice {
    let answers_a_person = matches!(prompt.items.last().map(AsRef::as_ref), Some(Item::Person { .. }));
    let tools = &prompt.prefix.tools;
    let can_be_made = match first_call {
        Choice::Free | Choice::Forbidden => false,
        Choice::Forced => !tools.is_empty(),
        Choice::ForcedTool(name) => tools.iter().any(|tool| tool.name.as_str() == name),
    };
    match prompt.calls {
        CallPolicy::Forbidden => Choice::Forbidden,
        CallPolicy::Forced => Choice::Forced,
        CallPolicy::Free if answers_a_person && can_be_made => first_call.clone(),
        CallPolicy::Free => Choice::Free,
    }
}

/// One seed for one place in a conversation, another for another try.
pub(super) fn seed(seen: u64, variation: u32) -> u64 {
    seen.wrapping_mul(0x9E37_79B9).wrapping_add(u64::from(variation))
}
