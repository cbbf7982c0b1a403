//! Lets hooks and tools look at calls before the gate. Whatever errs, hangs or panics here means no.

use std::sync::Arc;
use std::time::Duration;

use domain::call::ValidCall;
use domain::entry::{Body, HookNote, Screened};
use domain::facts::{Appraisal, Facts};
use domain::setting::Setting;

use tokio::time::Instant;

use super::{deadline, guarded};
use crate::live::Live;
use crate::ports::{Channel, DeltaSink, Hook, HookOutcome, Scope};
use crate::run::RunError;

/// The longest that one hook may take.
const HOOK_TIME: Duration = Duration::from_secs(5);
/// The longest that a tool may take to say what a call would do.
pub(super) const APPRAISE_TIME: Duration = Duration::from_secs(30);

pub(crate) async fn screen(live: &mut Live<'_>, calls: Vec<ValidCall>, setting: &Setting) -> Result<(), RunError> {
    let late = deadline::until(live, setting);
    let mut screened = Vec::with_capacity(calls.len());
    for call in calls {
        // After a stop nothing of the round runs, so nobody has to say what it would do.
        let looking = screen_in_time(live, call, late);
        let Some(one) = live.stop.run_until_cancelled(looking).await else { return Ok(()) };
        screened.push(Body::Screened(Box::new(one)));
    }
    live.hold(screened).await
}

async fn screen_in_time(live: &Live<'_>, call: ValidCall, late: Instant) -> Screened {
    let late = tokio::time::timeout_at(late, screen_one(live, call.clone())).await;
    late.unwrap_or_else(|_| {
        let reason = "The time of the turn was over before anybody could look at this call; it did not run.";
        refused(&call, Vec::new(), reason.to_owned())
    })
}

async fn screen_one(live: &Live<'_>, call: ValidCall) -> Screened {
    let mut notes = Vec::new();
    let mut call = call;
    for hook in live.ports.hooks.iter() {
        match ask_hook(hook.as_ref(), &call).await {
            HookOutcome::Continue => {}
            HookOutcome::Rewrite(arguments) => {
                let Ok(rewritten) = call.rewritten(arguments) else {
                    let reason = format!("The hook {} left arguments that do not fit the tool.", hook.name());
                    return blocked(&call, notes, hook.name(), reason);
                };
                notes.push(HookNote { hook: hook.name().to_owned(), did: "rewrote the arguments".to_owned() });
                call = rewritten;
            }
            HookOutcome::Block(reason) => {
                let reason = format!("The hook {} refused it: {reason}", hook.name());
                return blocked(&call, notes, hook.name(), reason);
            }
        }
    }
    match appraise(live, &call).await {
        Ok(appraisal) => pass(&call, notes, appraisal),
        Err(reason) => refused(&call, notes, reason),
    }
}

async fn ask_hook(hook: &dyn Hook, call: &ValidCall) -> HookOutcome {
    match guarded(tokio::time::timeout(HOOK_TIME, hook.before_call(call))).await {
        Some(Ok(Ok(outcome))) => outcome,
        Some(Ok(Err(reason))) => HookOutcome::Block(format!("it failed ({reason})")),
        Some(Err(_)) => HookOutcome::Block("it gave no answer in time".to_owned()),
        None => HookOutcome::Block("it broke off".to_owned()),
    }
}

/// What the call would do, as its tool says now.
pub(super) async fn appraise(live: &Live<'_>, call: &ValidCall) -> Result<Appraisal, String> {
    let tool = live.ports.tool(&call.spec().name).ok_or("The tool is not there any more.")?;
    let scope = Scope {
        conversation: live.conversation.id().clone(),
        call: call.id().clone(),
        cancel: live.stop.child_token(),
        output: Arc::new(Silence),
    };
    match guarded(tokio::time::timeout(APPRAISE_TIME, tool.appraise(call, &scope))).await {
        Some(Ok(appraisal)) => appraisal,
        Some(Err(_)) => Err("The tool could not say in time what it would do.".to_owned()),
        None => Err("The tool broke off while saying what it would do.".to_owned()),
    }
}

/// An appraisal has no output.
struct Silence;

impl DeltaSink for Silence {
    fn delta(&self, _: Channel, _: &str) {}
}

pub(super) fn pass(call: &ValidCall, hooks: Vec<HookNote>, appraisal: Appraisal) -> Screened {
    let Appraisal { facts, label, preview } = appraisal;
    Screened {
        call: call.id().clone(),
        arguments: call.arguments().clone(),
        digest: call.digest(&facts),
        facts,
        label,
        preview,
        repairs: call.repairs().to_vec(),
        hooks,
        blocked: None,
    }
}

pub(super) fn refused(call: &ValidCall, hooks: Vec<HookNote>, reason: String) -> Screened {
    let appraisal = Appraisal { facts: Facts::unknown(), label: call.spec().name.to_string(), preview: None };
    Screened { blocked: Some(reason), ..pass(call, hooks, appraisal) }
}

fn blocked(call: &ValidCall, mut hooks: Vec<HookNote>, hook: &str, reason: String) -> Screened {
    hooks.push(HookNote { hook: hook.to_owned(), did: format!("blocked: {reason}") });
    refused(call, hooks, reason)
}
