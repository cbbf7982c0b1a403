//! The chat-completions wire that many engines speak, as a `Model`: requests, streamed answers, calls, usage, faults.
//! Its JSON lives and dies in this file's modules. It retries nothing and adds up no prices.

mod request;
mod stream;

use std::fmt;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use domain::context::Prompt;
use domain::model::{ModelDescription, SampleFault, Sampled, StopReason, Tier};
use egress::{Body, Client, EgressError, Method, Request, Response};
use harness::ports::{DeltaSink, Model};
use serde_json::Value;
use tokio::time::{Instant as Deadline, timeout_at};
use tokio_util::sync::CancellationToken;

use self::stream::{Reading, StreamState};
use super::sse::EventReader;

/// Where an engine is and what is known of it.
#[derive(Clone)]
pub struct OpenAiOptions {
    /// The address before `/chat/completions`, for example `https://host/v1`.
    pub base: String,
    /// The model's name on the wire.
    pub model: String,
    /// The key, if it wants one.
    pub key: Option<ApiKey>,
    /// Tokens that prompt and reply share.
    pub window: u32,
    /// The most tokens of one reply, if it is known.
    pub output_cap: Option<u32>,
    /// How far what is said to it travels.
    pub tier: Tier,
    /// Temperature; the engine's own where it is none.
    pub temperature: Option<f32>,
    /// Without a delta for this long the stream has stalled (LOOP-16: 60 s).
    pub stall: Duration,
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

impl fmt::Debug for OpenAiOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiOptions").field("base", &self.base).field("model", &self.model).finish_non_exhaustive()
    }
}

/// A remote engine.
#[derive(Debug, Clone)]
pub struct OpenAiModel {
    options: OpenAiOptions,
    client: Client,
}

impl OpenAiModel {
    /// An engine that is reached through this client.
    #[must_use]
    pub fn new(options: OpenAiOptions, client: Client) -> OpenAiModel {
        OpenAiModel { options, client }
    }

    /// The most tokens of one reply.
    fn most_tokens(&self, prompt: &Prompt) -> u32 {
        self.options.output_cap.map_or(prompt.max_tokens, |cap| cap.min(prompt.max_tokens))
    }

    fn request(&self, prompt: &Prompt) -> Request {
        let body = request::body(&self.options, prompt, self.most_tokens(prompt));
        let mut headers = vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("accept".to_owned(), "text/event-stream".to_owned()),
        ];
        if let Some(ApiKey(key)) = &self.options.key {
            headers.push(("authorization".to_owned(), format!("Bearer {key}")));
        }
        let url = format!("{}/chat/completions", self.options.base.trim_end_matches('/'));
        Request { method: Method::Post, url, headers, body: body.to_string().into_bytes() }
    }

    async fn answer(
        &self,
        prompt: &Prompt,
        state: &mut StreamState<'_>,
        cancel: &CancellationToken,
    ) -> Result<(), SampleFault> {
        let request = self.request(prompt);
        let bytes = request.body.len();
        let mut response = self.client.send(request, cancel).await.map_err(fault_of)?;
        if response.status != 200 {
            return Err(self.refusal(&mut response, bytes).await);
        }
        read_stream(&mut response.body, state, self.options.stall).await
    }

    async fn refusal(&self, response: &mut Response, request_bytes: usize) -> SampleFault {
        let body = response.body.up_to(64 << 10).await.unwrap_or_default();
        let error: Value = serde_json::from_slice(&body).unwrap_or_default();
        let retry_after = response.header("retry-after").and_then(|text| text.trim().parse::<u64>().ok());
        // Where the engine states no size, ours is the only one: about four bytes a token.
        let estimate = u32::try_from(request_bytes / 4).unwrap_or(u32::MAX);
        stream::fault_of_status(response.status, &error, retry_after, self.options.window, estimate)
    }
}

#[async_trait]
impl Model for OpenAiModel {
    fn describe(&self) -> ModelDescription {
        ModelDescription {
            name: self.options.model.clone(),
            fingerprint: format!("{} at {}", self.options.model, self.options.base),
            window: self.options.window,
            output_cap: self.options.output_cap,
            dialect: "native".to_owned(),
            continues: false,
            constrained: false,
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
        let started = Instant::now();
        let mut state = StreamState::new(deltas, started, room(self.most_tokens(prompt)));
        let answered = if cancel.is_cancelled() {
            Err(SampleFault::Unknown(String::new()))
        } else {
            self.answer(prompt, &mut state, cancel).await
        };
        let cut = match answered {
            _ if cancel.is_cancelled() => Some(StopReason::Cancelled),
            _ if state.is_full() => Some(StopReason::Length),
            Ok(()) => None,
            // What is whole is kept; only a stream that said nothing is a fault.
            Err(_) if state.said_something() => Some(StopReason::Cut),
            Err(fault) => return Err(fault),
        };
        Ok(state.finish(cut, prompt.seen.0, &self.options.model))
    }
}

/// Bytes that a reply of so many tokens may have: an engine that keeps no limit fills no journal. Few tokens are over
/// eight bytes long, and a short reply is never cut for that.
fn room(tokens: u32) -> usize {
    usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(8).max(64 << 10)
}

/// Reads events until the end; a stream without a delta for too long has stalled, whatever else it sends.
async fn read_stream(body: &mut Body, state: &mut StreamState<'_>, stall: Duration) -> Result<(), SampleFault> {
    let mut reader = EventReader::new();
    let mut last_delta = Deadline::now();
    loop {
        let next = timeout_at(last_delta + stall, body.next()).await;
        let next = next.map_err(|_| SampleFault::Timeout("stall".to_owned()))?.map_err(fault_of)?;
        let Some(bytes) = next else { break };
        let (events, sound) = reader.push(&bytes);
        for event in events {
            match state.hear(&event)? {
                Reading::Delta => last_delta = Deadline::now(),
                Reading::Nothing => {}
                Reading::End | Reading::Full => return Ok(()),
            }
        }
        sound.map_err(|error| SampleFault::Unknown(error.to_string()))?;
    }
    if let Some(event) = reader.finish() {
        state.hear(&event)?;
    }
    Ok(())
}

fn fault_of(error: EgressError) -> SampleFault {
    match error {
        EgressError::BadUrl(_) | EgressError::Blocked(_) | EgressError::Redirected => {
            SampleFault::BadRequest(error.to_string())
        }
        EgressError::Timeout(phase) => SampleFault::Timeout(phase.to_string()),
        EgressError::Dns | EgressError::Connect(_) | EgressError::Tls(_) | EgressError::Broken(_) => {
            SampleFault::Network(error.to_string())
        }
        EgressError::TooLarge(_) | EgressError::Cancelled => SampleFault::Unknown(error.to_string()),
    }
}
