//! Runs cleared calls: looks once more that each is still what was cleared, records that it starts, runs it, records
//! what came back.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::call::ClearedCall;
use domain::entry::Body;
use domain::id::{CallId, ConversationId};
use domain::result::{Status, ToolResult};
use domain::setting::Setting;
use domain::tool::Replay;
use domain::turn::CallState;
use futures::future::join_all;
use tokio_util::sync::CancellationToken;

use super::screen::{APPRAISE_TIME, appraise, pass, refused};
use super::{deadline, guarded};
use crate::live::{Live, Recorded};
use crate::ports::{Channel, DeltaSink, DeltaSource, Event, Observer, Ports, Ran, Scope, Tool};
use crate::run::RunError;

/// How long a run may take to end after it was cancelled.
const GRACE: Duration = Duration::from_secs(3);

/// The most bytes that a tool may return (16 MiB).
const MOST_BYTES: usize = 16 * 1024 * 1024;

pub(crate) async fn run(live: &mut Live<'_>, calls: Vec<ClearedCall>, setting: &Setting) -> Result<(), RunError> {
    // That of the model which reads the results; what it is shown of a long one is fixed when it returns.
    let window = setting.model.window;
    let Some(landed) = live.stop.run_until_cancelled(landed(live, &calls)).await else { return Ok(()) };
    if let Some(landed) = landed {
        return live.record(vec![viewed(landed, window)]).await;
    }
    let Some(changed) = live.stop.run_until_cancelled(changed(live, &calls)).await else { return Ok(()) };
    if !changed.is_empty() {
        return live.record(changed).await;
    }
    if live.decide(calls.iter().map(started).collect()).await? == Recorded::Overtaken {
        return Ok(());
    }
    let returned = run_all(live, &calls, deadline::left(live, setting)).await;
    live.record(returned.into_iter().map(|body| viewed(body, window)).collect()).await
}

fn viewed(body: Body, window: u32) -> Body {
    if let Body::Returned(result) = body { Body::Returned(result.viewed(window)) } else { body }
}

/// The result of an earlier run that was cut, if its tool finds that it landed or cannot tell.
async fn landed(live: &Live<'_>, calls: &[ClearedCall]) -> Option<Body> {
    let [call] = calls else { return None };
    if !call.probe() {
        return None;
    }
    let Some(tool) = live.ports.tool(&call.call().spec().name) else { return Some(cannot_tell(call)) };
    let scope = scope(live, call, live.stop.child_token());
    match guarded(tokio::time::timeout(APPRAISE_TIME, tool.landed(call, &scope))).await {
        Some(Ok(landed)) => landed.map(|ran| returned(call, ran)),
        Some(Err(_)) | None => Some(cannot_tell(call)),
    }
}

/// A tool that cannot say whether a cut run landed has not said that it did not.
fn cannot_tell(call: &ClearedCall) -> Body {
    let text = "Riad was restarted while this ran, and the tool cannot tell whether it happened. \
                Check before doing it again.";
    Body::Returned(ToolResult::new(call.call().id().clone(), Status::Interrupted, text))
}

/// New screenings of the calls whose target has changed since they were cleared: they are judged and asked anew.
async fn changed(live: &Live<'_>, calls: &[ClearedCall]) -> Vec<Body> {
    let mut changed = Vec::new();
    for cleared in calls.iter().filter(|call| !repeats(live, call)) {
        let call = cleared.call();
        let hooks = || live.turn().and_then(|turn| turn.screened(call.id())).map(|seen| seen.hooks.clone());
        let screened = match appraise(live, call).await {
            Ok(appraisal) if call.digest(&appraisal.facts) == cleared.digest() => continue,
            Ok(appraisal) => pass(call, hooks().unwrap_or_default(), appraisal),
            Err(reason) => refused(call, hooks().unwrap_or_default(), reason),
        };
        changed.push(Body::Screened(Box::new(screened)));
    }
    changed
}

/// Whether a cut run is repeated with its key. That run may itself have changed the target, so what it was cleared for
/// stays, and with it the key by which the target knows it.
fn repeats(live: &Live<'_>, call: &ClearedCall) -> bool {
    let started = |state: &CallState| state.call.id == *call.call().id() && state.started.is_some();
    call.call().spec().replay == Replay::Keyed && live.turn().is_some_and(|turn| turn.calls().any(started))
}

pub(super) fn started(call: &ClearedCall) -> Body {
    Body::Started {
        call: call.call().id().clone(),
        digest: call.digest(),
        clearance: call.clearance().clone(),
        key: call.key().to_owned(),
    }
}

async fn run_all(live: &Live<'_>, calls: &[ClearedCall], left: Duration) -> Vec<Body> {
    let runs = calls.iter().map(|call| async move {
        let ran = run_one(live, call, left).await;
        returned(call, ran)
    });
    join_all(runs).await
}

/// Runs a call until it ends, at most as long as its tool and its turn allow.
async fn run_one(live: &Live<'_>, call: &ClearedCall, left: Duration) -> Ran {
    let Some(tool) = live.ports.tool(&call.call().spec().name) else {
        return Ran::failed("The tool is not there any more; nothing was changed.");
    };
    let cancel = live.stop.child_token();
    let scope = scope(live, call, cancel.clone());
    let deadline = Duration::from_millis(call.call().spec().deadline_ms).min(left);
    match guarded(until(deadline, &cancel, tool.as_ref(), call, &scope)).await {
        Some(ran) if ran.text.len() > MOST_BYTES => {
            Ran::failed("It returned more than 16 MiB, which was thrown away. What it was to do may have happened.")
        }
        Some(ran) => ran,
        None => Ran::failed("The tool broke off; what it had done until then is not known."),
    }
}

/// Lets a run go on until it ends, its deadline passes or it is stopped; then it has a short time to end by itself.
async fn until(
    deadline: Duration,
    cancel: &CancellationToken,
    tool: &dyn Tool,
    call: &ClearedCall,
    scope: &Scope,
) -> Ran {
    let mut run = tool.run(call, scope);
    let late = tokio::select! {
        ran = &mut run => return ran,
        () = tokio::time::sleep(deadline) => true,
        () = cancel.cancelled() => false,
    };
    cancel.cancel();
    let ended = tokio::time::timeout(GRACE, run).await.ok();
    match (late, ended) {
        (true, Some(ran)) => timed_out(deadline, &ran.text),
        (true, None) => timed_out(deadline, "What it had done until then is not known."),
        (false, Some(ran)) => ran,
        (false, None) => Ran::cancelled("Stopped; the tool did not say in time what it had done."),
    }
}

fn timed_out(deadline: Duration, so_far: &str) -> Ran {
    Ran::failed(format!("It took longer than {} s and was ended. {so_far}", deadline.as_secs()))
}

fn returned(call: &ClearedCall, ran: Ran) -> Body {
    let status = match ran.status {
        Status::Done | Status::Failed | Status::Cancelled => ran.status,
        // A tool cannot claim that the gate or a crash kept it from running.
        Status::Refused | Status::Interrupted => Status::Failed,
    };
    Body::Returned(ToolResult { made: ran.made, ..ToolResult::new(call.call().id().clone(), status, &ran.text) })
}

fn scope(live: &Live<'_>, call: &ClearedCall, cancel: CancellationToken) -> Scope {
    let Ports { observer, .. } = live.ports;
    let (conversation, id) = (live.conversation.id().clone(), call.call().id().clone());
    let output = LiveOutput {
        observer: Arc::clone(observer),
        conversation: conversation.clone(),
        call: id.clone(),
        sent: AtomicU64::new(0),
        order: Mutex::new(()),
    };
    Scope { conversation, call: id, cancel, output: Arc::new(output) }
}

/// Hands live output of a run to the observer, with its place.
struct LiveOutput {
    observer: Arc<dyn Observer>,
    conversation: ConversationId,
    call: CallId,
    sent: AtomicU64,
    order: Mutex<()>,
}

impl DeltaSink for LiveOutput {
    fn delta(&self, channel: Channel, text: &str) {
        let Ok(_order) = self.order.lock() else { return };
        let offset = self.sent.fetch_add(text.len() as u64, Ordering::Relaxed);
        let source = DeltaSource::Call(&self.call);
        self.observer.notify(&self.conversation, Event::Delta { source, channel, offset, text });
    }
}
