//! Makes cleared calls the only way there is: a turn with the call is folded, and what comes next is taken.

use domain::approval::{Answer, Decision};
use domain::call::{ClearedCall, ToolCall, ValidCall};
use domain::conversation::Conversation;
use domain::effect::Effect;
use domain::entry::{Body, Screened};
use domain::facts::Appraisal;
use domain::id::{CallId, ConversationId, MessageId, ReplyId};
use domain::message::{Message, Wanted};
use domain::model::{Reply, Sampled, StopReason, Usage};
use domain::setting::Setting;
use domain::time::Timestamp;

/// A call that the gate let through, or that the person approved.
pub(crate) fn clear(id: &ConversationId, call: &ValidCall, appraisal: &Appraisal, setting: &Setting) -> ClearedCall {
    let mut conversation = Conversation::new(id.clone());
    let message = Message {
        id: MessageId::new("m1"),
        text: "Do it.".to_owned(),
        aside: None,
        short: None,
        wanted: Wanted::default(),
    };
    note(&mut conversation, Body::Said(message));
    note(&mut conversation, Body::Replied(Box::new(reply(call, setting))));
    note(&mut conversation, Body::Screened(Box::new(screened(call, appraisal))));
    if let Effect::Ask(approvals) = conversation.next(setting) {
        let approval = approvals.into_iter().next().unwrap();
        let answer = Answer {
            approval: approval.id.clone(),
            digest: approval.digest,
            decision: Decision::Approve,
            surface: "test".to_owned(),
            key: None,
        };
        note(&mut conversation, Body::Asked(Box::new(approval)));
        note(&mut conversation, Body::Answered(answer));
    }
    match conversation.next(setting) {
        Effect::Run(calls) => calls.into_iter().next().unwrap(),
        other => panic!("the call does not run: {other:?}"),
    }
}

fn note(conversation: &mut Conversation, body: Body) {
    let draft = conversation.draft(Timestamp(0), body);
    let entry = draft.at_number(conversation.head().next());
    conversation.apply(&entry);
}

fn reply(call: &ValidCall, setting: &Setting) -> Reply {
    let made = ToolCall {
        id: CallId::new(call.id().as_str()),
        tool: call.spec().name.clone(),
        arguments: call.arguments().to_string(),
        fault: None,
        wire_id: None,
        recovered: false,
    };
    let sampled = Sampled {
        text: String::new(),
        reasoning: String::new(),
        calls: vec![made],
        stop: StopReason::Calls,
        usage: Usage::default(),
        model: "scripted".to_owned(),
        signed: None,
    };
    let seen = domain::id::EntryNumber(1);
    Reply {
        id: ReplyId::new("r1"),
        seen,
        prefix: setting.prefix.hash,
        forbidden: false,
        continues: false,
        counted: None,
        sampled,
    }
}

fn screened(call: &ValidCall, appraisal: &Appraisal) -> Screened {
    Screened {
        call: call.id().clone(),
        arguments: call.arguments().clone(),
        facts: appraisal.facts.clone(),
        digest: call.digest(&appraisal.facts),
        label: appraisal.label.clone(),
        preview: appraisal.preview.clone(),
        hooks: Vec::new(),
        blocked: None,
        repairs: call.repairs().to_vec(),
    }
}
