//! A remote engine as a `Model`: what is known of it, and one sample from request to reply. What it speaks lives in the
//! file of its wire. It retries nothing and adds up no prices.

use std::fmt;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use domain::context::Prompt;
use domain::model::{ModelDescription, SampleFault, Sampled, StopReason, Tier};
use egress::{Client, Limits, Method, Request};
use harness::ports::{DeltaSink, Model};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::exchange::{Patience, exchange};
use super::reply::Reply;
use super::wire::{Framing, Wire};
use super::{anthropic, ollama, openai_chat, openai_responses};

/// Which wire an engine speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WireKind {
    /// The chat-completions form that most engines speak.
    OpenAiChat,
    /// The `responses` form.
    OpenAiResponses,
    /// The messages form.
    Anthropic,
    /// Ollama's own chat.
    Ollama,
}

impl WireKind {
    /// Its name in configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            WireKind::OpenAiChat => "openai-chat",
            WireKind::OpenAiResponses => "openai-responses",
            WireKind::Anthropic => "anthropic",
            WireKind::Ollama => "ollama",
        }
    }

    fn wire(self) -> &'static dyn Wire {
        match self {
            WireKind::OpenAiChat => &openai_chat::OpenAiChat,
            WireKind::OpenAiResponses => &openai_responses::OpenAiResponses,
            WireKind::Anthropic => &anthropic::Anthropic,
            WireKind::Ollama => &ollama::Ollama,
        }
    }
}

/// How an engine keeps the beginning of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PromptCache {
    /// Not at all.
    None,
    /// By itself.
    Automatic,
    /// Where the request marks it.
    Marked,
}

/// What a request says of reasoning: a field of its body, and the value.
#[derive(Debug, Clone, PartialEq)]
pub struct ReasoningRequest {
    /// The field; dots stand between nested names.
    pub field: String,
    /// The value.
    pub value: Value,
    /// Tokens that the reasoning may take beside the answer, since engines count both as output.
    pub tokens: u32,
}

/// Where an engine is and what is known of it.
#[derive(Clone)]
pub struct RemoteOptions {
    /// What it speaks.
    pub wire: WireKind,
    /// The address that the wire's path is put behind, for example `https://host/v1`.
    pub base: String,
    /// The name by which Riad and its people know it.
    pub name: String,
    /// The model's name on the wire.
    pub model: String,
    /// Models of one lineage read each other's signed reasoning.
    pub lineage: String,
    /// The key, if it wants one.
    pub key: Option<ApiKey>,
    /// The header of the key; the wire's own where it is none.
    pub key_header: Option<String>,
    /// Tokens that prompt and reply share.
    pub window: u32,
    /// The most tokens of one reply, if it is known.
    pub output_cap: Option<u32>,
    /// How far what is said to it travels.
    pub tier: Tier,
    /// Temperature; the engine's own where it is none.
    pub temperature: Option<f32>,
    /// What is asked of its reasoning; nothing is said where it is none.
    pub reasoning: Option<ReasoningRequest>,
    /// How it keeps the beginning of a prompt.
    pub prompt_cache: PromptCache,
    /// Without anything said for so long there is no reply (LOOP-16: 120 s).
    pub first_token: Duration,
    /// Without anything further said for so long the stream has stalled (LOOP-16: 60 s).
    pub stall: Duration,
}

impl RemoteOptions {
    /// An engine of which no more is known than this; everything else is as usual.
    #[must_use]
    pub fn new(wire: WireKind, base: &str, model: &str, window: u32, tier: Tier) -> RemoteOptions {
        RemoteOptions {
            wire,
            base: base.to_owned(),
            name: model.to_owned(),
            model: model.to_owned(),
            lineage: format!("{} {model} at {base}", wire.name()),
            key: None,
            key_header: None,
            window,
            output_cap: None,
            tier,
            temperature: None,
            reasoning: None,
            prompt_cache: if wire == WireKind::Anthropic { PromptCache::Marked } else { PromptCache::Automatic },
            first_token: Duration::from_secs(120),
            stall: Duration::from_secs(60),
        }
    }
}

impl fmt::Debug for RemoteOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteOptions").field("base", &self.base).field("model", &self.model).finish_non_exhaustive()
    }
}

/// A secret that is never written out.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes the key.
    pub fn new(key: impl Into<String>) -> ApiKey {
        ApiKey(key.into())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// Deadlines and caps for the client of a remote engine: those of streams are kept here, not there.
#[must_use]
pub fn limits() -> Limits {
    Limits { idle: Duration::from_secs(180), ..Limits::default() }
}

/// A remote engine.
#[derive(Debug, Clone)]
pub struct RemoteModel {
    options: RemoteOptions,
    client: Client,
}

impl RemoteModel {
    /// An engine that is reached through this client.
    #[must_use]
    pub fn new(options: RemoteOptions, client: Client) -> RemoteModel {
        RemoteModel { options, client }
    }

    /// The most tokens of one reply, reasoning included.
    fn most_tokens(&self, prompt: &Prompt) -> u32 {
        let thought = self.options.reasoning.as_ref().map_or(0, |asked| asked.tokens);
        let wanted = prompt.max_tokens.saturating_add(thought);
        self.options.output_cap.map_or(wanted, |cap| cap.min(wanted))
    }

    fn request(&self, prompt: &Prompt) -> Result<Request, SampleFault> {
        let wire = self.options.wire.wire();
        let body = wire.body(&self.options, prompt, self.most_tokens(prompt));
        let body = body.map_err(|error| SampleFault::Unknown(format!("the request cannot be written: {error}")))?;
        let url = format!("{}{}", self.options.base.trim_end_matches('/'), wire.path());
        Ok(Request { method: Method::Post, url, headers: self.headers(wire), body })
    }

    fn headers(&self, wire: &dyn Wire) -> Vec<(String, String)> {
        let accept = match wire.framing() {
            Framing::Events => "text/event-stream",
            Framing::Lines => "application/x-ndjson",
        };
        let own = [("content-type", "application/json"), ("accept", accept)];
        let own = own.iter().chain(wire.headers()).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        own.chain(self.key(wire)).collect()
    }

    fn key(&self, wire: &dyn Wire) -> Option<(String, String)> {
        let ApiKey(key) = self.options.key.as_ref()?;
        let header = self.options.key_header.as_deref().unwrap_or(wire.key_header());
        let value = if header.eq_ignore_ascii_case("authorization") { format!("Bearer {key}") } else { key.clone() };
        Some((header.to_owned(), value))
    }

    async fn answer(
        &self,
        prompt: &Prompt,
        reply: &mut Reply<'_>,
        cancel: &CancellationToken,
    ) -> Result<(), SampleFault> {
        let patience = Patience { first: self.options.first_token, stall: self.options.stall };
        let wire = self.options.wire.wire();
        let request = self.request(prompt)?;
        exchange(&self.client, request, wire, self.options.window, patience, reply, cancel).await
    }
}

#[async_trait]
impl Model for RemoteModel {
    fn describe(&self) -> ModelDescription {
        ModelDescription {
            name: self.options.name.clone(),
            fingerprint: format!("{} at {}", self.options.model, self.options.base),
            window: self.options.window,
            output_cap: self.options.output_cap,
            dialect: "native".to_owned(),
            constrained: false,
            continues: false,
            tier: self.options.tier,
        }
    }

    async fn count(&self, _: &Prompt) -> Result<Option<u32>, SampleFault> {
        Ok(None)
    }

    async fn sample(
        &self,
        prompt: &Prompt,
        deltas: &dyn DeltaSink,
        cancel: &CancellationToken,
    ) -> Result<Sampled, SampleFault> {
        let mut reply = Reply::new(deltas, Instant::now(), room(self.most_tokens(prompt)));
        let answered = if cancel.is_cancelled() {
            Err(SampleFault::Unknown(String::new()))
        } else {
            self.answer(prompt, &mut reply, cancel).await
        };
        let cut = match answered {
            _ if cancel.is_cancelled() => Some(StopReason::Cancelled),
            _ if reply.is_full() => Some(StopReason::Length),
            _ if reply.repeats() => Some(StopReason::Cut),
            Ok(()) => None,
            // What is whole is kept; only a stream that said nothing is a fault.
            Err(_) if reply.has_something() => Some(StopReason::Cut),
            Err(fault) => return Err(fault),
        };
        Ok(reply.finish(cut, prompt.seen.0, &self.options.model, &self.options.lineage))
    }
}

/// Bytes that a reply of so many tokens may have: an engine that keeps no limit fills no journal. Few tokens are over
/// eight bytes long, and a short reply is never cut for that.
fn room(tokens: u32) -> usize {
    usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(8).max(64 << 10)
}
