//! Requests to engines that render a template themselves: no control token is spelled in them (LOOP-20). What the engine
//! does with a prompt beyond that is not known here.

use std::borrow::Cow;
use std::sync::Arc;

use domain::context::{Item, MadeCall, Prompt};
use serde_json::Value;

use crate::content;

/// The prompt without arguments that spell a control token in escapes: an engine that reads them as JSON would undo those.
pub(super) fn spelled_out(prompt: &Prompt) -> Cow<'_, Prompt> {
    if !prompt.items.iter().any(|item| is_escaped(item)) {
        return Cow::Borrowed(prompt);
    }
    let items = prompt.items.iter().map(|item| if is_escaped(item) { Arc::new(plain(item)) } else { Arc::clone(item) });
    Cow::Owned(Prompt { items: items.collect(), ..prompt.clone() })
}

/// The body with each control token in it broken. Only texts within it can spell one.
pub(super) fn broken(body: Vec<u8>) -> Vec<u8> {
    match std::str::from_utf8(&body).map(content::defused) {
        Ok(Cow::Owned(safe)) => safe.into_bytes(),
        Ok(Cow::Borrowed(_)) | Err(_) => body,
    }
}

fn is_escaped(item: &Item) -> bool {
    match item {
        Item::Model { calls, .. } => calls.iter().any(|call| read(&call.arguments).is_some()),
        Item::Person { .. } | Item::Result { .. } | Item::Summary { .. } => false,
    }
}

fn plain(item: &Item) -> Item {
    let mut plain = item.clone();
    if let Item::Model { calls, .. } = &mut plain {
        for MadeCall { arguments, .. } in calls {
            if let Some(read) = read(arguments) {
                *arguments = read;
            }
        }
    }
    plain
}

/// The arguments without needless escapes, if they spell a control token then.
fn read(arguments: &str) -> Option<String> {
    if !arguments.contains("\\u") {
        return None;
    }
    let read = serde_json::from_str::<Value>(arguments).ok()?.to_string();
    matches!(content::defused(&read), Cow::Owned(_)).then_some(read)
}
