//! Asks the model for one reply.

use std::collections::{HashMap, HashSet};
use std::pin::pin;
use std::sync::Mutex;
use std::time::Duration;

use domain::context::{CallPolicy, Prompt};
use domain::effect::Request;
use domain::entry::Body;
use domain::id::{CallId, ConversationId, ReplyId};
use domain::model::{Faltered, Reply, SampleFault, Sampled, StopReason};
use domain::plan::Counted;
use domain::setting::Setting;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::compact::{Fitting, fit};
use super::ledger::{Taken, Taking};
use super::{deadline, guarded};
use crate::live::{Live, Recorded};
use crate::ports::{Channel, DeltaSink, DeltaSource, Event, Observer, Ports};
use crate::run::RunError;

/// How long a model may take to end after a cancel; its promise is 500 ms.
const DEAF: Duration = Duration::from_millis(800);

/// What a sample waited for when the time of its turn was over.
const THE_TURN: &str = "the time of the turn";

/// A sample that is on its way.
struct Asked {
    id: ReplyId,
    model: String,
    prompt: Prompt,
    counted: Counted,
    /// What it may use of a purse that others draw on too.
    taken: Option<Taken>,
}

pub(crate) async fn sample(live: &mut Live<'_>, request: Request, setting: &Setting) -> Result<(), RunError> {
    let Request { model, mut prompt, wait_ms } = request;
    let late = deadline::until(live, setting);
    if wait_ms > 0 && live.stop.run_until_cancelled(wait(wait_ms, late)).await.is_none() {
        return Ok(());
    }
    let fitting = tokio::time::timeout_at(late, fit(live, &model, &prompt, setting)).await;
    let counted = match fitting {
        Ok(fitting) => match fitting? {
            Fitting::Fits { counted, left } => {
                prompt.max_tokens = prompt.max_tokens.min(left);
                counted
            }
            Fitting::Cannot(fault) => {
                note_failure(live.ports, &model, &fault);
                return falter(live, &model, fault).await;
            }
            Fitting::Folded | Fitting::Stopped => return Ok(()),
        },
        Err(_) => return falter(live, &model, SampleFault::Timeout(THE_TURN.to_owned())).await,
    };
    let Some(taken) = take(live, &mut prompt, setting).await? else { return Ok(()) };
    let id = ReplyId::new(live.ports.clock.new_id());
    ask(live, late, Asked { id, model, prompt, counted, taken }).await
}

/// Takes what the sample may use of a purse on which others draw at the same time; nothing where nobody does. `None`: it
/// cannot be had now, and the loop comes round again.
async fn take(live: &mut Live<'_>, prompt: &mut Prompt, setting: &Setting) -> Result<Option<Option<Taken>>, RunError> {
    let Some(ledger) = live.ledger.clone() else { return Ok(Some(None)) };
    let given_back = ledger.given_back();
    let mut given_back = pin!(given_back);
    given_back.as_mut().enable();
    let changes = ledger.changes();
    match ledger.take(setting.purse(), prompt.max_tokens) {
        Taking::Taken(taken) => {
            prompt.max_tokens = taken.tokens();
            return Ok(Some(Some(taken)));
        }
        Taking::Later => drop(live.stop.run_until_cancelled(given_back).await),
        Taking::Spent => {
            live.catch_up().await?;
            ledger.correct(live.conversation.used(&live.frame), changes);
        }
    }
    live.catch_up().await?;
    Ok(None)
}

async fn ask(live: &mut Live<'_>, late: Instant, mut asked: Asked) -> Result<(), RunError> {
    let (ports, cancel) = (live.ports, live.stop.child_token());
    // What a delegate writes is its caller's to read; people see it once it is said.
    let observer = live.frame.is_outer().then_some(ports.observer.as_ref());
    let draft = DraftReply::new(observer, live.conversation.id(), &asked.id);
    let model = asked.model.clone();
    let asking = ports.rests.ask(&model, ports.clock.now());
    let answer = unless_deaf(live, late, &cancel, ask_model(live, &asked, &draft, &cancel)).await;
    let shown = draft.has_shown();
    drop(draft);
    let overran = cancel.is_cancelled() && !live.stop.is_cancelled();
    match answer.map(sound) {
        None | Some(Ok(Sampled { stop: StopReason::Cancelled, .. }) | Err(_)) if overran => {
            let fault = SampleFault::Timeout(THE_TURN.to_owned());
            withdraw(live, &asked.id, shown, &fault);
            falter(live, &asked.model, fault).await
        }
        None => Ok(()),
        Some(Ok(sampled)) if sampled.stop == StopReason::Cancelled => cancelled(live, &mut asked, sampled, shown).await,
        Some(Ok(sampled)) => {
            asking.answered();
            record(live, &mut asked, sampled).await
        }
        Some(Err(fault)) => {
            // What the stop itself brought about says nothing of the model.
            if !live.stop.is_cancelled() {
                asking.failed(&fault, ports.clock.now());
            }
            withdraw(live, &asked.id, shown, &fault);
            falter(live, &asked.model, fault).await
        }
    }
}

fn note_failure(ports: &Ports, model: &str, fault: &SampleFault) {
    let now = ports.clock.now();
    ports.rests.ask(model, now).failed(fault, now);
}

/// Waits before a sample is tried again, but no longer than the turn has.
async fn wait(wait_ms: u64, late: Instant) {
    tokio::time::sleep_until(late.min(Instant::now() + Duration::from_millis(wait_ms))).await;
}

/// A reply that broke off, or of which nothing was let through, is none; one with calls keeps what is complete of them.
fn sound(outcome: Result<Sampled, SampleFault>) -> Result<Sampled, SampleFault> {
    let sampled = outcome?;
    match sampled.stop {
        StopReason::Cut if sampled.calls.is_empty() => Err(SampleFault::Cut),
        StopReason::Filtered if sampled.is_mute() => Err(SampleFault::Filtered),
        StopReason::Natural
        | StopReason::Calls
        | StopReason::Length
        | StopReason::StopMarker
        | StopReason::ContextFull
        | StopReason::Filtered
        | StopReason::Cancelled
        | StopReason::Cut => Ok(sampled),
    }
}

/// Cancels a model when the time of the turn is over, and leaves one that does not end soon after a cancel, as it
/// promises to.
async fn unless_deaf<T>(
    live: &Live<'_>,
    late: Instant,
    cancel: &CancellationToken,
    asking: impl Future<Output = T>,
) -> Option<T> {
    let deaf = async {
        if tokio::time::timeout_at(late, live.stop.cancelled()).await.is_err() {
            cancel.cancel();
        }
        tokio::time::sleep(DEAF).await;
    };
    tokio::select! {
        biased;
        answer = asking => Some(answer),
        () = deaf => None,
    }
}

async fn ask_model(
    live: &Live<'_>,
    asked: &Asked,
    draft: &DraftReply<'_>,
    cancel: &CancellationToken,
) -> Result<Sampled, SampleFault> {
    let model = live.ports.model(&asked.model).ok_or_else(|| SampleFault::Gone(asked.model.clone()))?;
    let broke = || SampleFault::Unknown("the adapter of the model broke off".to_owned());
    guarded(model.sample(&asked.prompt, draft, cancel)).await.ok_or_else(broke)?
}

/// It stands whatever others have recorded meanwhile; only the ids of its calls may have been used by then.
async fn record(live: &mut Live<'_>, asked: &mut Asked, mut sampled: Sampled) -> Result<(), RunError> {
    // The name by which it is asked, whatever a wire calls it.
    asked.model.clone_into(&mut sampled.model);
    loop {
        name_calls(live, &mut sampled);
        let reply = Body::Replied(Box::new(reply(asked, sampled.clone())));
        if live.decide(vec![reply]).await? == Recorded::Yes {
            break;
        }
    }
    if let Some(taken) = asked.taken.take() {
        let last = live.turn().and_then(|turn| turn.rounds().last()).filter(|round| round.reply.id == asked.id);
        let tokens = last.and_then(|round| round.reply.sampled.usage.decoded).map_or(0, u64::from);
        taken.used(usize::from(last.is_some()), tokens);
    }
    Ok(())
}

fn reply(asked: &Asked, sampled: Sampled) -> Reply {
    Reply {
        id: asked.id.clone(),
        seen: asked.prompt.seen,
        prefix: asked.prompt.prefix.hash,
        forbidden: asked.prompt.calls == CallPolicy::Forbidden,
        continues: asked.prompt.open,
        counted: Some(asked.counted),
        sampled,
    }
}

/// A cancelled reply stands if the person stopped the turn. If the desk is being shut it is asked for again later; if
/// nobody cancelled it, the adapter is at fault.
async fn cancelled(live: &mut Live<'_>, asked: &mut Asked, sampled: Sampled, shown: bool) -> Result<(), RunError> {
    live.catch_up().await?;
    if live.is_stopped() {
        return keep_cut(live, asked, sampled).await;
    }
    let fault = SampleFault::Unknown("it ended its reply as cancelled, though nobody did that".to_owned());
    withdraw(live, &asked.id, shown, &fault);
    falter(live, &asked.model, fault).await
}

/// A fault that the stop itself brought about is none of the model's.
async fn falter(live: &mut Live<'_>, model: &str, fault: SampleFault) -> Result<(), RunError> {
    if live.stop.is_cancelled() { Ok(()) } else { live.record(vec![Body::Faltered(Faltered::new(model, fault))]).await }
}

/// What was shown before a stop stands as a cut reply; its calls never ran and are left out.
async fn keep_cut(live: &mut Live<'_>, asked: &mut Asked, sampled: Sampled) -> Result<(), RunError> {
    let cut = Sampled { calls: Vec::new(), ..sampled };
    if cut.is_mute() { Ok(()) } else { record(live, asked, cut).await }
}

/// Gives every call an id of its own in the conversation; what the wire used is kept beside it.
fn name_calls(live: &Live<'_>, sampled: &mut Sampled) {
    let mut used = HashSet::new();
    for call in &mut sampled.calls {
        let fresh = !call.id.as_str().trim().is_empty() && !live.conversation.knows_call(&call.id);
        if !fresh || !used.insert(call.id.clone()) {
            let wire = std::mem::replace(&mut call.id, CallId::new(format!("call_{}", live.ports.clock.new_id())));
            call.wire_id = Some(wire.as_str().to_owned());
            used.insert(call.id.clone());
        }
    }
}

fn withdraw(live: &Live<'_>, id: &ReplyId, shown: bool, fault: &SampleFault) {
    if shown {
        let reason = if fault.is_passing() { "The model is asked again." } else { "The model broke off." };
        live.ports.observer.notify(live.conversation.id(), Event::DraftWithdrawn { reply: id, reason });
    }
}

/// Hands pieces of a reply to the observer, with their places.
struct DraftReply<'a> {
    observer: Option<&'a dyn Observer>,
    conversation: &'a ConversationId,
    reply: &'a ReplyId,
    offsets: Mutex<HashMap<Channel, u64>>,
}

impl<'a> DraftReply<'a> {
    fn new(observer: Option<&'a dyn Observer>, conversation: &'a ConversationId, reply: &'a ReplyId) -> Self {
        Self { observer, conversation, reply, offsets: Mutex::default() }
    }

    fn has_shown(&self) -> bool {
        self.offsets.lock().is_ok_and(|offsets| !offsets.is_empty())
    }
}

impl DeltaSink for DraftReply<'_> {
    fn delta(&self, channel: Channel, text: &str) {
        let (Some(observer), Ok(mut offsets)) = (self.observer, self.offsets.lock()) else { return };
        let next = offsets.entry(channel).or_default();
        let offset = *next;
        *next += text.len() as u64;
        drop(offsets);
        let source = DeltaSource::Reply(self.reply);
        observer.notify(self.conversation, Event::Delta { source, channel, offset, text });
    }
}
