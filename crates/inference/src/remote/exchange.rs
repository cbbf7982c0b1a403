//! One exchange with an engine: the request, its deadlines, the events of the answer. It knows no provider's JSON.

use std::time::Duration;

use domain::model::SampleFault;
use egress::{Body, Client, EgressError, Phase, Request, Response};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::frames::Frames;
use super::refusal::{Refused, fault_of_status, retry_after};
use super::reply::Reply;
use super::wire::{Heard, Wire};

/// How long a stream may say nothing (LOOP-16).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Patience {
    /// Until the first thing said.
    pub(super) first: Duration,
    /// Between two things said.
    pub(super) stall: Duration,
}

/// Bytes of a refusal that are read.
const REFUSAL_BYTES: usize = 64 << 10;

/// Asks, and hears the answer into the reply. An end without trouble says nothing of whether the reply is whole.
pub(super) async fn exchange(
    client: &Client,
    request: Request,
    wire: &dyn Wire,
    window: u32,
    patience: Patience,
    reply: &mut Reply<'_>,
    cancel: &CancellationToken,
) -> Result<(), SampleFault> {
    let first = Instant::now() + patience.first;
    // Where the engine states no size, ours is the only one: about four bytes a token.
    let estimate = u32::try_from(request.body.len() / 4).unwrap_or(u32::MAX);
    let response = timeout_at(first, client.send(request, cancel)).await;
    let mut response = response.map_err(|_| SampleFault::Timeout("first token".to_owned()))?.map_err(fault_of)?;
    if response.status != 200 {
        return Err(refusal(&mut response, wire, estimate, window).await);
    }
    listen(&mut response.body, wire, first, patience.stall, reply).await
}

async fn refusal(response: &mut Response, wire: &dyn Wire, estimate: u32, window: u32) -> SampleFault {
    let bytes = response.body.up_to(REFUSAL_BYTES).await.unwrap_or_default();
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let retry_ms = retry_after(|name| response.header(name));
    let refused = Refused { status: response.status, body, retry_ms, estimate, window };
    wire.fault(&refused).unwrap_or_else(|| fault_of_status(&refused))
}

/// Hears events until the end. Only what is said counts as a sign of life: comments, pings and empty events do not.
async fn listen(
    body: &mut Body,
    wire: &dyn Wire,
    first: Instant,
    stall: Duration,
    reply: &mut Reply<'_>,
) -> Result<(), SampleFault> {
    let (mut frames, mut listener) = (Frames::new(wire.framing()), wire.listener());
    let (mut due, mut phase) = (first, "first token");
    loop {
        let next = timeout_at(due, body.next()).await.map_err(|_| SampleFault::Timeout(phase.to_owned()))?;
        let Some(bytes) = next.map_err(fault_of)? else { break };
        let before = reply.said();
        let (events, sound) = frames.push(&bytes);
        for event in events {
            match listener.hear(&event, reply) {
                Heard::More if !reply.is_full() && !reply.repeats() => {}
                Heard::More | Heard::Over => return Ok(()),
                Heard::Broken => return broken(reply),
                Heard::Failed(fault) => return Err(fault),
            }
        }
        if sound.is_err() {
            return broken(reply);
        }
        if reply.said() > before {
            (due, phase) = (Instant::now() + stall, "stall");
        }
    }
    match frames.finish().map(|event| listener.hear(&event, reply)) {
        None | Some(Heard::More | Heard::Over) => Ok(()),
        Some(Heard::Broken) => broken(reply),
        Some(Heard::Failed(fault)) => Err(fault),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "it ends the exchange, whose reply is then cut")]
fn broken(reply: &mut Reply<'_>) -> Result<(), SampleFault> {
    reply.cut_off();
    Ok(())
}

fn fault_of(error: EgressError) -> SampleFault {
    match error {
        EgressError::BadUrl(_) | EgressError::Blocked(_) | EgressError::Redirected => {
            SampleFault::BadRequest(error.to_string())
        }
        EgressError::Timeout(Phase::Resolving | Phase::Connecting) => SampleFault::Timeout("connect".to_owned()),
        EgressError::Timeout(Phase::Waiting) => SampleFault::Timeout("first token".to_owned()),
        EgressError::Timeout(Phase::Reading) => SampleFault::Timeout("stall".to_owned()),
        EgressError::Dns | EgressError::Connect(_) | EgressError::Tls(_) | EgressError::Broken(_) => {
            SampleFault::Network(error.to_string())
        }
        EgressError::TooLarge(_) | EgressError::Cancelled => SampleFault::Unknown(error.to_string()),
    }
}
