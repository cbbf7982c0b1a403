//! A22: whatever the journal holds, each prompt is well-formed: each call is followed by exactly one result, in the
//! order of the reply, no result stands without its call, and no call id stands twice. And a prompt grows only at its
//! end.

use std::collections::HashSet;
use std::sync::Arc;

use domain::context::Item;
use domain::conversation::Conversation;
use domain::effect::Effect;
use domain::entry::{Body, Entry};
use domain::setting::Setting;

use crate::fold::journal;
use crate::random::{self, times};

/// What a model would be sent after each entry, and what it has read when nothing is to be sent.
fn each_prompt(entries: &[Entry], setting: &Setting, mut check: impl FnMut(usize, &[Arc<Item>])) -> usize {
    let mut conversation = Conversation::new(random::conversation());
    let mut prompts = 0;
    for (index, entry) in entries.iter().enumerate() {
        conversation.apply(entry);
        match conversation.next(setting) {
            Effect::Sample(request) => {
                prompts += 1;
                assert_eq!(request.prompt.seen, conversation.head(), "a prompt knows all that was recorded");
                check(index, &request.prompt.items);
            }
            _ => check(index, conversation.history()),
        }
    }
    prompts
}

fn well_formed(items: &[Arc<Item>]) -> Result<(), String> {
    let mut ids = HashSet::new();
    let mut expected = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match &**item {
            Item::Result { call, tool, text } => {
                if expected.is_empty() {
                    return Err(format!("a result of {call} stands without its call"));
                }
                let (id, name) = expected.remove(0);
                if (call, tool) != (&id, &name) {
                    return Err(format!("the result of {call} stands where that of {id} belongs"));
                }
                if text.is_empty() {
                    return Err(format!("the result of {call} is empty"));
                }
            }
            Item::Summary { .. } | Item::Person { .. } | Item::Model { .. } if !expected.is_empty() => {
                return Err(format!("{expected:?} have no result"));
            }
            Item::Summary { .. } if index > 0 => return Err("a summary stands inside".to_owned()),
            Item::Summary { .. } | Item::Person { .. } => {}
            Item::Model { text, calls, .. } => {
                if calls.is_empty() && text.trim().is_empty() {
                    return Err("a reply of the model is empty".to_owned());
                }
                for call in calls {
                    if !ids.insert(call.id.clone()) {
                        return Err(format!("{} stands twice", call.id));
                    }
                    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&call.arguments)
                        .map_err(|fault| format!("the arguments of {} are no object: {fault}", call.id))?;
                    expected.push((call.id.clone(), call.tool.clone()));
                }
            }
        }
    }
    if expected.is_empty() { Ok(()) } else { Err(format!("{expected:?} have no result")) }
}

#[test]
fn each_call_of_a_prompt_has_one_result_in_its_order() {
    let setting = random::setting();
    let mut prompts = 0;
    for seed in 0..times(1_000, 20_000) as u64 {
        let entries = journal(seed, 50, true);
        prompts += each_prompt(&entries, &setting, |index, items| {
            if let Err(reason) = well_formed(items) {
                panic!("seed {seed}, entry {}: {reason}\n{items:#?}", index + 1);
            }
        });
    }
    assert!(prompts > 1_000, "{prompts} prompts show little");
}

#[test]
fn a_call_that_started_and_never_returned_does_not_read_as_unrun() {
    let setting = random::setting();
    let mut shown = 0;
    for seed in 0..times(50, 3_000) as u64 {
        let entries = journal(seed, 60, false);
        let mut conversation = Conversation::new(random::conversation());
        for one in &entries {
            let started = conversation
                .live()
                .map_or(0, |turn| turn.calls().filter(|call| call.started.is_some() && call.result.is_none()).count());
            // The turn ends at once, as a journal from elsewhere might have it.
            if started > 0 {
                let turn = conversation.live().expect("it has a call").id().clone();
                let outcome = domain::outcome::Outcome::Failed("why".to_owned());
                let ended = Body::Ended { outcome, footer: Vec::new() };
                let mut ended_here = conversation.clone();
                ended_here.apply(&random::entry(conversation.head().next().0, turn, ended));
                let unknown = |item: &&Arc<Item>| matches!(&***item, Item::Result { text, .. } if text.starts_with("Interrupted: it may have happened"));
                assert_eq!(ended_here.history().iter().filter(unknown).count(), started, "seed {seed}");
                shown += 1;
            }
            conversation.apply(one);
            conversation.next(&setting);
        }
    }
    assert!(shown > 10, "{shown} such journals show little");
}

/// Whether a prompt grew at its end. A reply that was left open grows as well, and stays the last that was there.
fn begins_with(items: &[Arc<Item>], before: &[Arc<Item>], open: bool) -> bool {
    let Some((last, rest)) = before.split_last().filter(|_| open) else { return items.starts_with(before) };
    let grown = match (items.get(rest.len()).map(AsRef::as_ref), &**last) {
        (Some(Item::Model { text, .. }), Item::Model { text: before, .. }) => text.starts_with(before.as_str()),
        _ => false,
    };
    items.starts_with(rest) && grown
}

#[test]
fn a_prompt_begins_with_the_one_before() {
    let setting = random::setting();
    let mut grown = 0;
    for seed in 0..times(60, 5_000) as u64 {
        let entries = journal(seed, 60, false);
        let (mut before, mut open): (Vec<Arc<Item>>, bool) = (Vec::new(), false);
        let mut conversation = Conversation::new(random::conversation());
        for (index, entry) in entries.iter().enumerate() {
            conversation.apply(entry);
            if matches!(entry.body, Body::Compacted(_)) {
                before.clear();
            }
            let Effect::Sample(request) = conversation.next(&setting) else { continue };
            let items = request.prompt.items;
            assert!(begins_with(&items, &before, open), "seed {seed}, entry {}: {before:#?}\n{items:#?}", index + 1);
            grown += usize::from(items.len() > before.len());
            (before, open) = (items, request.prompt.open);
        }
    }
    assert!(grown > 100, "{grown} prompts that grew show little");
}
