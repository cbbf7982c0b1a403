//! A turn: what is asked of the world at each place. What a whole turn looks like is shown by the transcripts.

mod breakers;
mod choice;
mod limits;
mod replies;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::json;

use super::{Around, Others, Turn};
use crate::call::{Clearance, Rejection, ToolCall};
use crate::context::{CallPolicy, Prefix};
use crate::digest::Digest;
use crate::effect::{Effect, Request};
use crate::entry::{Body, Draft, Screened};
use crate::facts::Facts;
use crate::id::{CallId, ConversationId, EntryNumber, FrameId, MessageId, ReplyId};
use crate::limits::Limits;
use crate::message::{Message, Wanted};
use crate::model::{Faltered, ModelDescription, Reply, SampleFault, Sampled, StopReason, Tier, Usage};
use crate::outcome::Outcome;
use crate::result::{Status, ToolResult};
use crate::rule::RuleSet;
use crate::scratchpad::Scratchpad;
use crate::setting::Setting;
use crate::time::Timestamp;
use crate::tool::{EffectClass, Replay, Schema, ToolName, ToolSet, ToolSpec};

/// Two tools, `read` and `act`, no rules and the default limits.
pub(crate) fn setting() -> Setting {
    let tool = |name: &str, replay, parallel| ToolSpec {
        name: ToolName::new(name),
        description: String::new(),
        schema: Schema::new(json!({ "type": "object" })).expect("it is a schema"),
        replay,
        parallel,
        asks_person: false,
        uses: None,
        deadline_ms: 1000,
    };
    let tools = ToolSet::new([tool("read", Replay::Again, true), tool("act", Replay::Never, false)]);
    let (name, fingerprint, dialect) = ("m".to_owned(), "m".to_owned(), "native".to_owned());
    let (window, output_cap, constrained, continues, tier) = (8192, Some(700), false, true, Tier::Device);
    let model = ModelDescription { name, fingerprint, window, output_cap, dialect, constrained, continues, tier };
    Setting {
        prefix: Arc::new(Prefix::new(String::new(), &tools)),
        tools: Arc::new(tools),
        rules: Arc::new(RuleSet::default()),
        limits: Limits::default(),
        model: Arc::new(model),
        fallbacks: Vec::new(),
        tier: Tier::Device,
        resting: BTreeSet::new(),
        delegation: crate::delegate::Delegation::default(),
    }
}

/// A call of a tool with an argument.
fn call(id: &str, tool: &str, of: &str) -> ToolCall {
    let (id, tool, arguments) = (CallId::new(id), ToolName::new(tool), json!({ "of": of }).to_string());
    ToolCall { id, tool, arguments, fault: None, wire_id: None, recovered: false }
}

/// A reply of the model that says nothing yet.
fn sampled() -> Sampled {
    Sampled {
        text: String::new(),
        reasoning: String::new(),
        calls: Vec::new(),
        stop: StopReason::Natural,
        usage: Usage::default(),
        model: "m".to_owned(),
        signed: None,
    }
}

struct Log {
    turn: Turn,
    head: u64,
    now: i64,
    setting: Setting,
}

impl Log {
    fn new() -> Self {
        Self::named("m1")
    }

    fn named(message: &str) -> Self {
        let message = Message {
            id: MessageId::new(message),
            text: "go".to_owned(),
            aside: None,
            short: None,
            wanted: Wanted::default(),
        };
        let turn = Turn::open(ConversationId::new("c"), vec![message], Timestamp(1));
        Self { turn, head: 1, now: 1, setting: setting() }
    }

    fn add(&mut self, body: Body) -> &mut Self {
        self.head += 1;
        let (at, turn, frame) = (Timestamp(self.now), self.turn.id().clone(), FrameId::outer());
        self.turn.apply(&Draft { at, turn, frame, body }.at_number(EntryNumber(self.head)));
        self
    }

    fn add_all(&mut self, bodies: impl IntoIterator<Item = Body>) {
        for body in bodies {
            self.add(body);
        }
    }

    /// A reply with calls, each an id and a tool; no two calls are alike.
    fn reply(&mut self, text: &str, calls: &[(&str, &str)]) -> &mut Self {
        let calls: Vec<_> = calls.iter().map(|(id, tool)| call(id, tool, id)).collect();
        self.say(Sampled { text: text.to_owned(), calls, ..sampled() })
    }

    /// A reply of that model with one call.
    fn say_as(&mut self, model: &str, id: &str) -> &mut Self {
        self.say(Sampled { model: model.to_owned(), calls: vec![call(id, "read", id)], ..sampled() })
    }

    fn say(&mut self, sampled: Sampled) -> &mut Self {
        let request = self.sample();
        let (forbidden, continues) = (request.prompt.calls == CallPolicy::Forbidden, request.prompt.open);
        let (id, seen, prefix) = (ReplyId::new("r"), EntryNumber(self.head), Digest::of_bytes(b""));
        self.add(Body::Replied(Box::new(Reply { id, seen, prefix, forbidden, continues, counted: None, sampled })))
    }

    fn next(&self) -> Effect {
        let (others, frames) = (Others::default(), BTreeMap::new());
        let (scratchpad, head) = (&Scratchpad::default(), EntryNumber(self.head));
        let around = Around { history: &[], head, others: &others, frames: &frames, scratchpad };
        self.turn.next(around, &self.setting)
    }

    fn sample(&self) -> Request {
        match self.next() {
            Effect::Sample(request) => request,
            other => panic!("a sample was expected: {other:?}"),
        }
    }

    /// Screens all open calls as calls of that class.
    fn screen(&mut self, class: EffectClass) -> &mut Self {
        self.screen_each(&[class])
    }

    /// Screens the open calls as calls of these classes, of the last one when there are more.
    fn screen_each(&mut self, classes: &[EffectClass]) -> &mut Self {
        self.screen_as(|index| {
            let class = classes[index.min(classes.len() - 1)];
            // What is new can be taken away again, so nobody is asked about it.
            Facts { undo: class == EffectClass::Create, ..Facts::of(class) }
        })
    }

    /// Screens the open calls with the facts of each.
    fn screen_as(&mut self, facts: impl Fn(usize) -> Facts) -> &mut Self {
        let Effect::Screen(calls) = self.next() else { panic!("calls are to be screened: {:?}", self.next()) };
        for (index, call) in calls.into_iter().enumerate() {
            let facts = facts(index);
            let (digest, label, arguments) = (call.digest(&facts), "label".to_owned(), call.arguments().clone());
            let (preview, hooks, blocked) = (None, Vec::new(), None);
            let repairs = call.repairs().to_vec();
            let call = call.id().clone();
            let screened = Screened { call, arguments, facts, digest, label, preview, repairs, hooks, blocked };
            self.add(Body::Screened(Box::new(screened)));
        }
        self
    }

    /// Records what a host records when it runs what is to be run: that it starts and, with a status, its result.
    fn run(&mut self, status: Option<Status>) -> Vec<String> {
        let Effect::Run(calls) = self.next() else { panic!("calls are to be run: {:?}", self.next()) };
        for call in &calls {
            let (id, clearance) = (call.call().id().clone(), call.clearance().clone());
            self.add(Body::Started { call: id, digest: call.digest(), clearance, key: call.key().to_owned() });
        }
        for call in calls.iter().filter(|_| status.is_some()) {
            let status = status.expect("it was looked at");
            self.add(Body::Returned(ToolResult::new(call.call().id().clone(), status, "text")));
        }
        calls.iter().map(|call| call.call().id().to_string()).collect()
    }

    /// Lets so many milliseconds pass.
    fn wait(&mut self, ms: i64) -> &mut Self {
        self.now += ms;
        self
    }

    fn fail(&mut self, model: &str, fault: SampleFault) -> &mut Self {
        self.add(Body::Faltered(Faltered::new(model, fault)))
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.next() {
            Effect::End { outcome, .. } => Some(outcome),
            _ => None,
        }
    }
}

#[test]
fn a_sample_that_failed_is_tried_again_after_about_1_2_4_and_8_seconds() {
    let mut log = Log::new();
    let mut waits = Vec::new();
    while log.outcome().is_none() {
        waits.push(log.sample().wait_ms);
        log.add(Body::Faltered(Faltered::new("m", SampleFault::Busy)));
    }
    assert_eq!(waits.len(), 5);
    for (wait, about) in waits.iter().zip([0, 1000, 2000, 4000, 8000]) {
        assert!(wait.abs_diff(about) * 4 <= about, "{waits:?}");
    }
    assert_eq!(log.outcome(), Some(Outcome::ModelUnavailable(vec![Faltered::new("m", SampleFault::Busy)])));
}

#[test]
fn a_reply_begins_the_count_of_tries_anew() {
    let mut log = Log::new();
    log.add(Body::Faltered(Faltered::new("m", SampleFault::Busy)))
        .reply("", &[("c1", "read")])
        .screen(EffectClass::Read);
    log.run(Some(Status::Done));
    assert_eq!(log.sample().wait_ms, 0);
}

#[test]
fn a_reply_is_as_long_as_the_model_allows() {
    assert_eq!(Log::new().sample().prompt.max_tokens, 700);
}

#[test]
fn mute_replies_are_varied_then_forbidden_calls_then_given_up() {
    let mut log = Log::new();
    let mut asked = Vec::new();
    while log.outcome().is_none() {
        let prompt = log.sample().prompt;
        asked.push((prompt.variation, prompt.calls));
        log.reply("", &[]);
    }
    assert_eq!(asked, [(0, CallPolicy::Free), (1, CallPolicy::Free), (2, CallPolicy::Forbidden)]);
    assert_eq!(log.outcome(), Some(Outcome::Mute));
}

#[test]
fn the_last_reply_of_a_spent_turn_is_short_and_makes_no_calls() {
    let mut log = Log::new();
    log.setting.limits = Limits { rounds: 1, closing_tokens: 50, ..Limits::default() };
    log.reply("", &[("c1", "read")]).screen(EffectClass::Read);
    log.run(Some(Status::Done));
    let prompt = log.sample().prompt;
    assert_eq!((prompt.calls, prompt.max_tokens), (CallPolicy::Forbidden, 50));
    log.reply("That is all.", &[]);
    assert_eq!(log.outcome(), Some(Outcome::RoundLimit));
}

#[test]
fn reads_run_side_by_side_up_to_the_limit_and_all_else_alone() {
    let mut log = Log::new();
    log.setting.limits.parallel = 2;
    log.reply("", &[("c1", "read"), ("c2", "read"), ("c3", "read"), ("c4", "act"), ("c5", "read")]);
    log.screen(EffectClass::Read);
    let mut batches = Vec::new();
    while matches!(log.next(), Effect::Run(_)) {
        batches.push(log.run(Some(Status::Done)));
    }
    let batches: Vec<_> = batches.iter().map(|batch| batch.join(" ")).collect();
    assert_eq!(batches, ["c1 c2", "c3", "c4", "c5"]);
}

#[test]
fn of_reads_side_by_side_two_ask_one_host() {
    let mut log = Log::new();
    let calls: Vec<String> = (1..=6).map(|n| format!("c{n}")).collect();
    log.reply("", &calls.iter().map(|id| (id.as_str(), "read")).collect::<Vec<_>>());
    let hosts = [&["a"][..], &["a"], &["b"], &["a", "b"], &[], &["b"]];
    log.screen_as(|index| {
        let hosts = hosts[index].iter().map(|&host| host.to_owned()).collect();
        Facts { hosts, ..Facts::of(EffectClass::Read) }
    });
    let mut batches = Vec::new();
    while matches!(log.next(), Effect::Run(_)) {
        batches.push(log.run(Some(Status::Done)).join(" "));
    }
    assert_eq!(batches, ["c1 c2 c3", "c4 c5 c6"], "in the order of the reply, each once");
}

#[test]
fn a_cut_run_carries_the_key_it_had() {
    let mut log = Log::new();
    log.reply("", &[("c1", "read")]).screen(EffectClass::Read);
    let Effect::Run(first) = log.next() else { panic!("it is to be run") };
    log.run(None);
    log.add(Body::Resumed);
    let Effect::Run(second) = log.next() else { panic!("it is to be run again") };
    assert_eq!(first[0].key(), second[0].key());
    assert_eq!(first[0].clearance(), &Clearance::Class);
}

#[test]
fn a_cut_run_of_a_tool_that_is_never_repeated_may_have_happened() {
    let mut log = Log::new();
    log.reply("", &[("c1", "act")]).screen(EffectClass::Read);
    log.run(None);
    log.add(Body::Resumed);
    let Effect::Note(bodies) = log.next() else { panic!("it is settled: {:?}", log.next()) };
    assert!(matches!(&bodies[..], [Body::Returned(result)] if result.status == Status::Interrupted), "{bodies:?}");
}

#[test]
fn another_form_of_the_tool_does_not_run_what_was_screened() {
    let mut log = Log::new();
    log.reply("", &[("c1", "act")]).screen(EffectClass::Read);
    let mut other = (**log.setting.tools.get(&ToolName::new("act")).expect("it is there")).clone();
    other.description = "does something else by now".to_owned();
    log.setting.tools = Arc::new(ToolSet::new([other]));
    let Effect::Note(bodies) = log.next() else { panic!("it is refused: {:?}", log.next()) };
    assert!(matches!(&bodies[..], [Body::Returned(result)] if result.status == Status::Refused), "{bodies:?}");
}

#[test]
fn a_stop_settles_what_is_open_and_then_ends() {
    let mut log = Log::new();
    log.reply("", &[("c1", "act"), ("c2", "read")]).add(Body::Stopped);
    let Effect::Note(bodies) = log.next() else { panic!("calls are settled: {:?}", log.next()) };
    assert_eq!(bodies.len(), 2);
    for body in bodies {
        log.add(body);
    }
    assert_eq!(log.outcome(), Some(Outcome::Stopped));
}

#[test]
fn a_call_cut_at_the_limit_of_a_reply_is_told_the_limit() {
    let mut log = Log::new();
    let whole = call("c1", "read", "x").arguments;
    let cut = ToolCall { arguments: whole[..whole.len() - 1].to_owned(), ..call("c1", "read", "x") };
    log.say(Sampled { calls: vec![cut], stop: StopReason::Length, ..sampled() });
    let Effect::Note(bodies) = log.next() else { panic!("it is rejected: {:?}", log.next()) };
    let [Body::Rejected { reason: Rejection::Incomplete(what), .. }] = bodies.as_slice() else { panic!("{bodies:?}") };
    assert!(what.contains("700 tokens") && what.contains("split the work"), "{what}");
}
