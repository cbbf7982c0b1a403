//! Random entries and random turns, the same for the same seed. Ids come from small sets, so that entries often meet.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use domain::approval::{Answer, Approval, Decision, Kind};
use domain::call::{Clearance, FrameFault, Rejection, ToolCall, ValidCall};
use domain::compact::{Compacted, Cut, Demotion, Fold, Summary, Unchanged, Why, Words};
use domain::context::{Part, Place, Prefix, Prompt};
use domain::conversation::Conversation;
use domain::digest::Digest;
use domain::effect::Effect;
use domain::entry::{Body, Draft, Entry, Held, HookNote, Screened};
use domain::facts::{CommandFact, Content, Facts, PathFact, Preview, Root};
use domain::footer::{EffectState, SideEffect};
use domain::id::{ApprovalId, CallId, ConversationId, EntryNumber, FrameId, MessageId, ReplyId, RuleId, TurnId};
use domain::limits::Limits;
use domain::line::LineId;
use domain::message::{Message, Wanted};
use domain::model::{Faltered, ModelDescription, Reply, SampleFault, Sampled, Signed, StopReason, Tier, Usage};
use domain::outcome::Outcome;
use domain::plan::Measure;
use domain::repair::{Did, Step};
use domain::result::{Status, ToolResult};
use domain::rule::RuleSet;
use domain::setting::Setting;
use domain::time::Timestamp;
use domain::tool::{EffectClass, Replay, Schema, ToolName, ToolSet, ToolSpec};
use serde_json::{Value, json};

/// How often a long test repeats: the full number with `RIAD_SLOW=1`.
#[expect(clippy::disallowed_methods, reason = "tests are asked by the environment how long they may take")]
pub(crate) fn times(small: usize, full: usize) -> usize {
    if std::env::var_os("RIAD_SLOW").is_some_and(|value| value == "1") { full } else { small }
}

/// Numbers that are the same for the same seed (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number() % end as u64).expect("it is below a usize")
    }

    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    pub(crate) fn id(&mut self, letter: char, count: usize) -> String {
        format!("{letter}{}", self.below(count))
    }
}

/// A conversation that no entry names.
pub(crate) fn conversation() -> ConversationId {
    ConversationId::new("c")
}

/// The setting of all random turns; its schemas are compiled once.
pub(crate) fn setting() -> Setting {
    static SETTING: LazyLock<Setting> = LazyLock::new(three_tools);
    SETTING.clone()
}

/// Three tools: one that reads, one that asks the person, one that changes things.
fn three_tools() -> Setting {
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] });
    let tool = |name: &str, replay, parallel, asks_person| ToolSpec {
        name: ToolName::new(name),
        description: name.to_owned(),
        schema: Schema::new(schema.clone()).expect("it is a schema"),
        replay,
        parallel,
        asks_person,
        uses: None,
        deadline_ms: 1000,
    };
    let tools = ToolSet::new([
        tool("read", Replay::Again, true, false),
        tool("ask", Replay::Again, false, true),
        tool("write", Replay::Never, false, false),
    ]);
    let model = ModelDescription {
        name: "m".to_owned(),
        fingerprint: "m".to_owned(),
        window: 8192,
        output_cap: None,
        dialect: "native".to_owned(),
        constrained: false,
        continues: true,
        tier: Tier::Device,
    };
    Setting {
        prefix: Arc::new(Prefix::new("You work for one person.".to_owned(), &tools)),
        tools: Arc::new(tools),
        rules: Arc::new(RuleSet::default()),
        limits: Limits { rounds: 6, ..Limits::default() },
        model: Arc::new(model),
        fallbacks: Vec::new(),
        tier: Tier::Device,
        resting: BTreeSet::new(),
        delegation: domain::delegate::Delegation::default(),
    }
}

/// An entry at a place.
pub(crate) fn entry(number: u64, turn: TurnId, body: Body) -> Entry {
    Draft { at: Timestamp(number.cast_signed()), turn, frame: FrameId::outer(), body }.at_number(EntryNumber(number))
}

/// Any entry at a place, of any turn.
pub(crate) fn any_entry(random: &mut Random, number: u64) -> Entry {
    let turn = TurnId::new(random.id('m', 4));
    let body = any_body(random);
    entry(number, turn, body)
}

/// What a working host could record next; now and then several facts, of which the last may be missing after a crash.
pub(crate) fn plausible(random: &mut Random, conversation: &Conversation, setting: &Setting) -> Vec<Body> {
    if random.once_in(12) {
        return vec![said(random)];
    }
    if random.once_in(25) {
        return vec![folded(random, conversation)];
    }
    if random.once_in(20) {
        return vec![random.pick(&[Body::Stopped, Body::Resumed])];
    }
    let number = conversation.head().0;
    match conversation.next(setting) {
        Effect::Note(bodies) => bodies,
        Effect::Sample(_) if random.once_in(8) => vec![Body::Faltered(faltered(random))],
        Effect::Sample(request) => vec![Body::Replied(Box::new(fresh_reply(random, number, &request.prompt)))],
        Effect::Screen(calls) => calls.iter().map(|call| screen(random, call)).collect(),
        Effect::Ask(approvals) => approvals.into_iter().map(|approval| Body::Asked(Box::new(approval))).collect(),
        Effect::Run(calls) => {
            let started = calls.iter().map(|call| Body::Started {
                call: call.call().id().clone(),
                digest: call.digest(),
                clearance: call.clearance().clone(),
                key: call.key().to_owned(),
            });
            let mut bodies: Vec<Body> = started.collect();
            bodies.extend(calls.iter().map(|call| Body::Returned(result(random, call.call().id().clone()))));
            let cut = if random.once_in(5) { random.below(bodies.len()) } else { bodies.len() };
            bodies.truncate(cut.max(1));
            bodies
        }
        Effect::Delegate(_) => panic!("no setting of these tests has delegates"),
        Effect::Compact(_) => vec![folded(random, conversation)],
        Effect::End { outcome, footer } => vec![Body::Ended { outcome, footer }],
        Effect::Rest => match conversation.pending().first() {
            Some(question) => vec![Body::Answered(answer_to(random, question))],
            None => vec![said(random)],
        },
    }
}

/// A fold that a working host could record: of a cut or of results that are there.
pub(crate) fn folded(random: &mut Random, conversation: &Conversation) -> Body {
    let thread = conversation.thread();
    let place = (!thread.places().is_empty()).then(|| random.pick(thread.places()));
    let fold = match (random.below(3), place) {
        (0, Some(place)) => {
            let cut = Cut { turn: place.turn.clone(), rounds: place.round.saturating_sub(1) };
            let summary = Box::new(conversation.summary(
                &cut,
                Words::read(
                    "Facts:
It was so.",
                ),
            ));
            Fold::Summarised { cut, summary, prefix: digest(random), pieces: 1 }
        }
        (1, Some(Place { part: Part::Result(call), .. })) => {
            Fold::Demoted(Demotion { calls: vec![call], messages: Vec::new(), message_tokens: 64 })
        }
        _ => Fold::Unchanged(Unchanged::Nothing),
    };
    compacted(random, fold)
}

fn compacted(random: &mut Random, fold: Fold) -> Body {
    let (before, after, why) = (random.below(9_000), random.below(9_000), [Why::Needed, Why::Large, Why::Asked]);
    Body::Compacted(Box::new(Compacted {
        why: random.pick(&why),
        fold,
        before: u32::try_from(before).expect("it is small"),
        after: u32::try_from(after).expect("it is small"),
        measure: Measure::Exact,
        model: "m".to_owned(),
        correction: None,
    }))
}

/// Any fold at all: of turns, calls and messages that may be there or not.
fn any_fold(random: &mut Random) -> Fold {
    match random.below(3) {
        0 => {
            let cut = Cut { turn: TurnId::new(random.id('m', 40)), rounds: random.below(3) };
            let words = Words { facts: "so".to_owned(), ..Words::default() };
            let summary = Box::new(Summary { words, ..Summary::default() });
            Fold::Summarised { cut, summary, prefix: digest(random), pieces: 2 }
        }
        1 => Fold::Demoted(Demotion {
            calls: vec![CallId::new(random.id('c', 4))],
            messages: vec![MessageId::new(random.id('m', 40))],
            message_tokens: 64,
        }),
        _ => Fold::Unchanged(random.pick(&[
            Unchanged::Nothing,
            Unchanged::NotSmaller,
            Unchanged::Failed("why".to_owned()),
        ])),
    }
}

fn answer_to(random: &mut Random, question: &Approval) -> Answer {
    let decision = match question.kind {
        Kind::Permission => random.pick(&[Decision::Approve, Decision::Refuse(None), Decision::RefuseAndStop]),
        Kind::Question => Decision::Told("as you like".to_owned()),
    };
    Answer { approval: question.id.clone(), digest: question.digest, decision, surface: "test".to_owned(), key: None }
}

fn fresh_reply(random: &mut Random, number: u64, prompt: &Prompt) -> Reply {
    let mut reply = reply(random);
    (reply.seen, reply.continues) = (prompt.seen, prompt.open);
    for (index, call) in reply.sampled.calls.iter_mut().enumerate() {
        call.id = CallId::new(format!("c{number}_{index}"));
    }
    reply
}

fn screen(random: &mut Random, call: &ValidCall) -> Body {
    let facts = match call.spec().name.as_str() {
        "write" => facts(random),
        _ => Facts::of(EffectClass::Read),
    };
    let blocked = random.once_in(10).then(|| "no".to_owned());
    screened_as(call, facts, blocked)
}

/// A read that nothing blocks.
pub(crate) fn screened_read(call: &ValidCall) -> Body {
    screened_as(call, Facts::of(EffectClass::Read), None)
}

fn screened_as(call: &ValidCall, facts: Facts, blocked: Option<String>) -> Body {
    Body::Screened(Box::new(Screened {
        call: call.id().clone(),
        arguments: call.arguments().clone(),
        digest: call.digest(&facts),
        facts,
        label: "label".to_owned(),
        preview: None,
        repairs: call.repairs().to_vec(),
        hooks: Vec::new(),
        blocked,
    }))
}

/// Any fact at all.
pub(crate) fn any_body(random: &mut Random) -> Body {
    let call = CallId::new(random.id('c', 4));
    match random.below(19) {
        16 => Body::Held(Held { failed: vec![faltered(random)], barred: vec!["far".to_owned()] }),
        0 | 1 => said(random),
        2 => Body::Withdrawn(MessageId::new(random.id('m', 4))),
        3 | 4 => Body::Replied(Box::new(reply(random))),
        5 => Body::Faltered(faltered(random)),
        6 => Body::Rejected { call, reason: rejection(random) },
        7 => Body::Screened(Box::new(screened(random, call))),
        8 => Body::Asked(Box::new(approval(random, call))),
        9 => Body::Answered(answer(random)),
        10 => {
            let clearance = random.pick(&[
                Clearance::Class,
                Clearance::Rule(RuleId::new("r")),
                Clearance::Approval(ApprovalId::new("a1")),
            ]);
            Body::Started { call, digest: digest(random), clearance, key: "k".to_owned() }
        }
        11 => Body::Returned(result(random, call)),
        12 => random.pick(&[Body::Resumed, Body::Stopped]),
        13 => {
            let fold = any_fold(random);
            compacted(random, fold)
        }
        14 => Body::CompactionAsked,
        15 => Body::Forked { after: EntryNumber(random.below(20) as u64) },
        17 => Body::Switched { line: LineId(EntryNumber(random.below(20) as u64)) },
        _ => Body::Ended { outcome: outcome(random), footer: vec![side_effect(random, call)] },
    }
}

fn said(random: &mut Random) -> Body {
    let text = random.pick(&["hello", "Ciao 😀\r\n", "\u{202e}rtl \"quoted\" \\n", " "]).to_owned();
    let aside = random.once_in(2).then(|| "Monday".to_owned());
    Body::Said(Message { id: MessageId::new(random.id('m', 40)), text, aside, short: None, wanted: Wanted::default() })
}

fn reply(random: &mut Random) -> Reply {
    let count = random.below(4);
    let calls = (0..count).map(|_| tool_call(random)).collect();
    let sampled = Sampled {
        text: random.pick(&["", "", "Well.", " \n"]).to_owned(),
        reasoning: random.pick(&["", "Hm."]).to_owned(),
        calls,
        stop: random.pick(&[StopReason::Natural, StopReason::Calls, StopReason::Length, StopReason::Cancelled]),
        usage: Usage { prompt: random.once_in(2).then_some(7), ..Usage::default() },
        model: "m".to_owned(),
        signed: random.once_in(4).then(|| Signed { lineage: "f".to_owned(), blocks: "[]".to_owned() }),
    };
    Reply {
        id: ReplyId::new("r"),
        seen: EntryNumber(random.below(30) as u64),
        prefix: digest(random),
        forbidden: random.once_in(6),
        continues: random.once_in(6),
        counted: None,
        sampled,
    }
}

fn tool_call(random: &mut Random) -> ToolCall {
    let incomplete = || FrameFault::Incomplete("it was cut".to_owned());
    ToolCall {
        id: CallId::new(random.id('c', 4)),
        tool: ToolName::new(random.pick(&["read", "read", "ask", "write", "write", "ghost"])),
        arguments: random.pick(&[r#"{"path":"a"}"#, r#"{"path":"b"}"#, r#"{"path":"#, "{}", "", "7"]).to_owned(),
        fault: if random.once_in(10) { Some(incomplete()) } else { None },
        wire_id: random.once_in(5).then(|| "w1".to_owned()),
        recovered: random.once_in(5),
    }
}

fn faltered(random: &mut Random) -> Faltered {
    Faltered::new(random.pick(&["", "m", "n"]), fault(random))
}

fn fault(random: &mut Random) -> SampleFault {
    let why = || "why".to_owned();
    random.pick(&[
        SampleFault::Busy,
        SampleFault::BusyFor(7),
        SampleFault::RateLimited(None),
        SampleFault::RateLimited(Some(5)),
        SampleFault::Unauthorised,
        SampleFault::NoCredit,
        SampleFault::BadRequest(why()),
        SampleFault::TooLong { needed: 9, window: 8 },
        SampleFault::Gone(why()),
        SampleFault::Crashed(why()),
        SampleFault::Timeout(why()),
        SampleFault::Network(why()),
        SampleFault::Cut,
        SampleFault::Filtered,
        SampleFault::Unknown(why()),
    ])
}

fn rejection(random: &mut Random) -> Rejection {
    let text = || "text".to_owned();
    random.pick(&[
        Rejection::UnknownTool(vec![ToolName::new("read")]),
        Rejection::UnknownTool(Vec::new()),
        Rejection::BadArguments { path: "/a".to_owned(), reason: text(), schema: text(), example: None },
        Rejection::BadArguments { path: String::new(), reason: text(), schema: text(), example: Some(text()) },
        Rejection::Incomplete(text()),
        Rejection::TooLarge,
        Rejection::TooMany(16),
        Rejection::Forbidden,
    ])
}

fn digest(random: &mut Random) -> Digest {
    Digest::of_bytes(&[u8::try_from(random.below(3)).expect("it is small")])
}

/// Facts of any kind.
pub(crate) fn facts(random: &mut Random) -> Facts {
    let all = [
        EffectClass::Read,
        EffectClass::Create,
        EffectClass::Modify,
        EffectClass::Delete,
        EffectClass::Send,
        EffectClass::Spend,
        EffectClass::Execute,
    ];
    let count = random.below(3);
    let classes: BTreeSet<EffectClass> = (0..=count).map(|_| random.pick(&all)).collect();
    let places = random.below(3);
    let paths = (0..places).map(|_| PathFact {
        path: random.pick(&["~/a", "~/notes/b", "~/c d/é.md"]).to_owned(),
        root: random.pick(&[Root::Home, Root::Work, Root::Notes]),
        class: random.pick(&all),
        now: random.pick(&[
            Content::Absent,
            Content::Unread,
            Content::Hash(Digest::of_bytes(b"a")),
            Content::Folder(Digest::of_bytes(b"b")),
            Content::Large { size: u64::MAX, changed: i64::MIN },
        ]),
        bytes: random.below(1000) as u64,
    });
    let paths = paths.collect();
    let command = random.once_in(2).then(|| CommandFact {
        argv: vec!["ls".to_owned(), "-l".to_owned()],
        program: random.once_in(2).then(|| "/bin/ls".to_owned()),
        quiet: random.once_in(2),
    });
    let hosts = BTreeSet::new();
    Facts { classes, paths, command, hosts, known: !random.once_in(5), undo: random.once_in(2) }
}

fn screened(random: &mut Random, call: CallId) -> Screened {
    Screened {
        call,
        arguments: random.pick(&[json!({ "path": "a" }), json!({}), Value::Null, json!([1, 2.5, "x", null])]),
        facts: facts(random),
        digest: digest(random),
        label: "label".to_owned(),
        preview: random.pick(&[
            None,
            Some(Preview::Diff { path: "~/a".to_owned(), diff: "-a\n+b\n".to_owned() }),
            Some(Preview::Command { argv: vec!["ls".to_owned()] }),
        ]),
        hooks: random.pick(&[vec![], vec![HookNote { hook: "h".to_owned(), did: "rewrote".to_owned() }]]),
        repairs: if random.once_in(4) {
            vec![Step { path: "/text".to_owned(), did: Did::Quotes, times: 2 }]
        } else {
            Vec::new()
        },
        blocked: random.once_in(4).then(|| "no".to_owned()),
    }
}

fn approval(random: &mut Random, call: CallId) -> Approval {
    Approval {
        id: ApprovalId::new(random.id('a', 3)),
        call,
        digest: digest(random),
        kind: random.pick(&[Kind::Permission, Kind::Question]),
        tool: ToolName::new("write"),
        label: "label".to_owned(),
        facts: facts(random),
        arguments: json!({ "path": "a" }),
        preview: None,
        why: "why".to_owned(),
        intent: random.once_in(2).then(|| "intent".to_owned()),
        path: Vec::new(),
    }
}

fn answer(random: &mut Random) -> Answer {
    let decision = random.pick(&[
        Decision::Approve,
        Decision::Told("words".to_owned()),
        Decision::Refuse(None),
        Decision::Refuse(Some("words".to_owned())),
        Decision::RefuseAndStop,
    ]);
    let (approval, digest) = (ApprovalId::new(random.id('a', 3)), digest(random));
    Answer { approval, digest, decision, surface: "test".to_owned(), key: None }
}

fn result(random: &mut Random, call: CallId) -> ToolResult {
    let status = random.pick(&[
        Status::Done,
        Status::Done,
        Status::Failed,
        Status::Refused,
        Status::Cancelled,
        Status::Interrupted,
    ]);
    let made = random.pick(&[vec![], vec!["~/a".to_owned()]]);
    ToolResult { made, ..ToolResult::new(call, status, "text") }
}

fn outcome(random: &mut Random) -> Outcome {
    random.pick(&[
        Outcome::Answered,
        Outcome::Mute,
        Outcome::RoundLimit,
        Outcome::Overflow { needed: 9, window: 8 },
        Outcome::Stopped,
        Outcome::TimeLimit,
        Outcome::BudgetSpent,
        Outcome::LoopBroken,
        Outcome::ModelUnavailable(vec![Faltered::new("m", SampleFault::Busy), Faltered::new("n", SampleFault::Cut)]),
        Outcome::Failed("why".to_owned()),
    ])
}

fn side_effect(random: &mut Random, call: CallId) -> SideEffect {
    SideEffect {
        call,
        tool: ToolName::new("write"),
        classes: BTreeSet::from([EffectClass::Modify]),
        target: "target".to_owned(),
        key: "k".to_owned(),
        started: Timestamp(1),
        ended: random.once_in(2).then_some(Timestamp(2)),
        state: random.pick(&[EffectState::Done, EffectState::Failed, EffectState::Unknown]),
        made: Vec::new(),
        undo: random.once_in(2),
    }
}
