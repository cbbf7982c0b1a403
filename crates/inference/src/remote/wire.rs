//! What a wire is: how a prompt becomes a request, and how the events of an answer become a reply. A provider's JSON
//! lives and dies in the file of its wire.

use std::borrow::Cow;

use domain::context::Prompt;
use domain::model::SampleFault;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::engine::{ReasoningRequest, RemoteOptions};
use super::refusal::Refused;
use super::reply::Reply;

/// One wire.
pub(super) trait Wire: Send + Sync {
    /// Where prompts are posted, below the base address.
    fn path(&self) -> &'static str;

    /// The header that carries a key where nothing else is said.
    fn key_header(&self) -> &'static str {
        "authorization"
    }

    /// Headers that belong to every request.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// How answers are cut into events.
    fn framing(&self) -> Framing {
        Framing::Events
    }

    /// A prompt as JSON, for a reply of at most so many tokens.
    fn body(&self, options: &RemoteOptions, prompt: &Prompt, most: u32) -> serde_json::Result<Vec<u8>>;

    /// Hears one answer.
    fn listener(&self) -> Box<dyn Listener>;

    /// What a refusal means by the fields of this wire; none where only the status tells.
    fn fault(&self, refused: &Refused) -> Option<SampleFault>;
}

/// How an answer is cut into events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// An event stream.
    Events,
    /// One JSON value a line.
    Lines,
}

/// Hears the events of one answer.
pub(super) trait Listener: Send {
    /// Takes one event.
    fn hear(&mut self, event: &[u8], reply: &mut Reply<'_>) -> Heard;
}

/// What an event means for the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Heard {
    /// More may come.
    More,
    /// The stream says that it is over.
    Over,
    /// The event cannot be read: what was whole before it stands, and the reply is cut.
    Broken,
    /// The engine gave up.
    Failed(SampleFault),
}

/// What a person said, with what the host added beside it.
pub(super) fn spoken<'a>(text: &'a str, aside: Option<&str>) -> Cow<'a, str> {
    match aside {
        None => Cow::Borrowed(text),
        Some(aside) => Cow::Owned(format!("{text}\n\n{aside}")),
    }
}

/// The fields that ask for reasoning, nested as the dots of their name say.
pub(super) fn reasoning_fields(asked: Option<&ReasoningRequest>) -> Map<String, Value> {
    let mut fields = Map::new();
    if let Some(asked) = asked {
        put(&mut fields, &asked.field, asked.value.clone());
    }
    fields
}

fn put(fields: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            fields.insert(path.to_owned(), value);
        }
        Some((first, rest)) => {
            let inner = fields.entry(first).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

/// The temperature of a try. The first leaves the engine its own unless a person set one; another must differ.
pub(super) fn temperature(set: Option<f32>, variation: u32) -> Option<f64> {
    let heat = 0.3 * f64::from(variation);
    match set {
        Some(temperature) if variation > 0 => Some((f64::from(temperature) + heat).max(0.7)),
        Some(temperature) => Some(f64::from(temperature)),
        None if variation > 0 => Some((0.8 + heat).min(1.6)),
        None => None,
    }
}

/// A count of tokens as engines write it; what is no count is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count(Option<u32>);

impl Count {
    /// The count, if it is known.
    pub(super) fn known(self) -> Option<u32> {
        self.0
    }

    /// The count of something there must be some of: 0 says that the engine does not know.
    pub(super) fn positive(self) -> Option<u32> {
        self.0.filter(|count| *count > 0)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Count, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Ok(Count(value.as_u64().and_then(|count| u32::try_from(count).ok())))
    }
}
