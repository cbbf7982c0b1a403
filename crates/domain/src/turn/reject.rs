//! The calls of a round that never come before the gate, and what the model is told about them.

use std::collections::HashMap;

use super::call::CallState;
use super::{Round, Turn};
use crate::call::{Rejection, ValidCall};
use crate::delegate::{Wish, is_delegate};
use crate::entry::Body;
use crate::model::StopReason;
use crate::repair::example;
use crate::setting::Setting;
use crate::tool::{ToolName, ToolSpec};

/// Failed calls of one tool in a turn from which on the model is shown how it is done.
const FAILURES_BEFORE_EXAMPLE: usize = 3;

impl Turn {
    pub(super) fn rejections(&self, round: &Round, setting: &Setting) -> Vec<Body> {
        let fresh = |state: &&CallState| !state.is_settled() && state.screened.is_none();
        let (mut failures, mut rejected) = (self.failures(), Vec::new());
        for (index, state) in round.calls.iter().enumerate().filter(|(_, state)| fresh(state)) {
            let Some(mut reason) = rejection(round, index, state, setting) else { continue };
            if let Rejection::BadArguments { example, .. } = &mut reason {
                let failed = failures.entry(&state.call.tool).or_insert(0);
                *failed += 1;
                *example = setting.tools.get(&state.call.tool).and_then(|spec| shown(*failed, spec));
            }
            rejected.push(Body::Rejected { call: state.call.id.clone(), reason });
        }
        rejected
    }

    /// How often each tool was called wrongly in this turn.
    fn failures(&self) -> HashMap<&ToolName, usize> {
        let mut failures = HashMap::new();
        let failed = |state: &&CallState| matches!(state.rejected, Some(Rejection::BadArguments { .. }));
        self.calls().filter(failed).for_each(|state| *failures.entry(&state.call.tool).or_insert(0) += 1);
        failures
    }
}

fn shown(failed: usize, spec: &ToolSpec) -> Option<String> {
    let example = example(&spec.schema).filter(|_| failed >= FAILURES_BEFORE_EXAMPLE)?;
    Some(example.to_string())
}

fn rejection(round: &Round, index: usize, state: &CallState, setting: &Setting) -> Option<Rejection> {
    if round.reply.forbidden {
        return Some(Rejection::Forbidden);
    }
    if index >= setting.limits.calls_a_reply {
        return Some(Rejection::TooMany(setting.limits.calls_a_reply));
    }
    if round.before + index >= setting.purse().calls {
        return Some(Rejection::Spent(setting.purse().calls));
    }
    let stop = round.reply.sampled.stop;
    let reason = match ValidCall::check_in(&state.call, &setting.tools, stop) {
        Ok(call) if is_delegate(&call.spec().name) => return no_delegate(&call, setting),
        Ok(_) => return None,
        Err(reason) => reason,
    };
    Some(if stop == StopReason::Length { at_limit(reason, setting) } else { reason })
}

/// A profile that cannot be run as a delegate from here.
fn no_delegate(call: &ValidCall, setting: &Setting) -> Option<Rejection> {
    let legal = Wish::read(call.arguments()).is_some_and(|wish| setting.delegate(&wish.profile).is_some());
    let there = || setting.delegates().iter().map(|profile| profile.id.clone()).collect();
    (!legal).then(|| Rejection::NoDelegate(there()))
}

/// A reply that reached its limit would reach it again.
fn at_limit(reason: Rejection, setting: &Setting) -> Rejection {
    let Rejection::Incomplete(what) = reason else { return reason };
    let tokens = setting.limits.reply_tokens;
    let tokens = setting.model.output_cap.map_or(tokens, |own| own.min(tokens));
    Rejection::Incomplete(format!("{what}; a reply may have {tokens} tokens, so split the work over several calls"))
}
