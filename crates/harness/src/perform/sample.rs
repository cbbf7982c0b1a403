//! Asks the model for one reply.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::time::Duration;

use domain::context::{CallPolicy, Prompt};
use domain::effect::Request;
use domain::entry::Body;
use domain::id::{CallId, ConversationId, ReplyId};
use domain::model::{Faltered, Reply, SampleFault, Sampled, StopReason};
use domain::plan::Counted;
use domain::setting::Setting;

use super::compact::{Fitting, fit};
use super::guarded;
use crate::live::Live;
use crate::ports::{Channel, DeltaSink, DeltaSource, Event, Observer};
use crate::run::RunError;

/// How long a model may take to end after a cancel; its promise is 500 ms.
const DEAF: Duration = Duration::from_millis(800);

pub(crate) async fn sample(live: &mut Live<'_>, request: Request, setting: &Setting) -> Result<(), RunError> {
    let Request { model, mut prompt, wait_ms } = request;
    if wait_ms > 0 && live.stop.run_until_cancelled(tokio::time::sleep(Duration::from_millis(wait_ms))).await.is_none()
    {
        return Ok(());
    }
    let counted = match fit(live, &model, &prompt, setting).await? {
        Fitting::Fits { counted, left } => {
            prompt.max_tokens = prompt.max_tokens.min(left);
            counted
        }
        Fitting::Cannot(fault) => return falter(live, &model, fault).await,
        Fitting::Folded | Fitting::Stopped => return Ok(()),
    };
    let id = ReplyId::new(live.ports.clock.new_id());
    let draft = DraftReply::new(live.ports.observer.as_ref(), live.conversation.id(), &id);
    let outcome = unless_deaf(live, ask_model(live, &model, &prompt, &draft)).await;
    let shown = draft.has_shown();
    drop(draft);
    let Some(outcome) = outcome else { return Ok(()) };
    match outcome {
        Ok(sampled) if sampled.stop == StopReason::Cancelled => {
            cancelled(live, &model, id, &prompt, counted, sampled, shown).await
        }
        Ok(sampled) => record(live, id, &prompt, counted, sampled).await,
        Err(fault) => {
            withdraw(live, &id, shown, &fault);
            falter(live, &model, fault).await
        }
    }
}

/// Leaves a model that does not end soon after a cancel, as it promises to.
async fn unless_deaf<T>(live: &Live<'_>, asking: impl Future<Output = T>) -> Option<T> {
    let deaf = async {
        live.stop.cancelled().await;
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
    name: &str,
    prompt: &Prompt,
    draft: &DraftReply<'_>,
) -> Result<Sampled, SampleFault> {
    let model = live.ports.model(name).ok_or_else(|| SampleFault::Gone(name.to_owned()))?;
    let broke = || SampleFault::Unknown("the adapter of the model broke off".to_owned());
    guarded(model.sample(prompt, draft, &live.stop)).await.ok_or_else(broke)?
}

async fn record(
    live: &mut Live<'_>,
    id: ReplyId,
    prompt: &Prompt,
    counted: Counted,
    mut sampled: Sampled,
) -> Result<(), RunError> {
    name_calls(live, &mut sampled);
    let reply = Reply {
        id,
        seen: prompt.seen,
        prefix: prompt.prefix.hash,
        forbidden: prompt.calls == CallPolicy::Forbidden,
        continues: prompt.open,
        counted: Some(counted),
        sampled,
    };
    live.record(vec![Body::Replied(Box::new(reply))]).await
}

/// A cancelled reply stands if the person stopped the turn. If the desk is being shut it is asked for again later; if
/// nobody cancelled it, the adapter is at fault.
async fn cancelled(
    live: &mut Live<'_>,
    model: &str,
    id: ReplyId,
    prompt: &Prompt,
    counted: Counted,
    sampled: Sampled,
    shown: bool,
) -> Result<(), RunError> {
    live.catch_up().await?;
    if live.is_stopped() {
        return keep_cut(live, id, prompt, counted, sampled).await;
    }
    let fault = SampleFault::Unknown("it ended its reply as cancelled, though nobody did that".to_owned());
    withdraw(live, &id, shown, &fault);
    falter(live, model, fault).await
}

/// A fault that the stop itself brought about is none of the model's.
async fn falter(live: &mut Live<'_>, model: &str, fault: SampleFault) -> Result<(), RunError> {
    if live.stop.is_cancelled() { Ok(()) } else { live.record(vec![Body::Faltered(Faltered::new(model, fault))]).await }
}

/// What was shown before a stop stands as a cut reply; its calls never ran and are left out.
async fn keep_cut(
    live: &mut Live<'_>,
    id: ReplyId,
    prompt: &Prompt,
    counted: Counted,
    sampled: Sampled,
) -> Result<(), RunError> {
    let cut = Sampled { calls: Vec::new(), ..sampled };
    if cut.is_mute() { Ok(()) } else { record(live, id, prompt, counted, cut).await }
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
    observer: &'a dyn Observer,
    conversation: &'a ConversationId,
    reply: &'a ReplyId,
    offsets: Mutex<HashMap<Channel, u64>>,
}

impl<'a> DraftReply<'a> {
    fn new(observer: &'a dyn Observer, conversation: &'a ConversationId, reply: &'a ReplyId) -> Self {
        Self { observer, conversation, reply, offsets: Mutex::default() }
    }

    fn has_shown(&self) -> bool {
        self.offsets.lock().is_ok_and(|offsets| !offsets.is_empty())
    }
}

impl DeltaSink for DraftReply<'_> {
    fn delta(&self, channel: Channel, text: &str) {
        let Ok(mut offsets) = self.offsets.lock() else { return };
        let next = offsets.entry(channel).or_default();
        let offset = *next;
        *next += text.len() as u64;
        drop(offsets);
        let source = DeltaSource::Reply(self.reply);
        self.observer.notify(self.conversation, Event::Delta { source, channel, offset, text });
    }
}
