//! What a journal promises. Give it conversations that exist and are empty.

use std::collections::BTreeSet;

use domain::approval::{Answer, Approval, Decision, Kind};
use domain::call::{Clearance, Rejection, ToolCall};
use domain::compact::{Compacted, Demotion, Fold, Unchanged, Why};
use domain::delegate::{Mode, Opened};
use domain::digest::Digest;
use domain::entry::{Body, Draft, Entry, Held, HookNote, Screened, VERSION};
use domain::facts::{CommandFact, Content, Facts, PathFact, Preview, Root};
use domain::footer::{EffectState, SideEffect};
use domain::id::{ApprovalId, CallId, ConversationId, EntryNumber, FrameId, MessageId, ReplyId, RuleId, TurnId};
use domain::line::LineId;
use domain::message::{Message, Wanted};
use domain::model::{Faltered, Reply, SampleFault, Sampled, Signed, StopReason, Usage};
use domain::outcome::Outcome;
use domain::plan::{Counted, Measure};
use domain::result::{Status, ToolResult};
use domain::time::Timestamp;
use domain::tool::{EffectClass, ToolName};
use harness::ports::{Journal, JournalError};
use serde_json::json;

/// Checks all promises that one open journal can show. The three conversations exist and are empty.
pub async fn check(journal: &dyn Journal, [first, second, raced]: &[ConversationId; 3]) {
    counts_without_gap(journal, first).await;
    appends_all_or_none(journal, first).await;
    keeps_conversations_apart(journal, first, second).await;
    gives_each_number_once(journal, raced).await;
    knows_what_is_unfinished(journal, second).await;
    knows_no_other_conversation(journal).await;
}

/// 1 and 5.
async fn counts_without_gap(journal: &dyn Journal, id: &ConversationId) {
    assert_eq!(journal.load(id, EntryNumber(0)).await.expect("it loads"), [], "give the contract empty conversations");
    let entries = fill(journal, id).await;
    let numbers: Vec<u64> = entries.iter().map(|entry| entry.number.0).collect();
    assert_eq!(numbers, (1..=entries.len() as u64).collect::<Vec<_>>(), "1: entries are numbered from 1 without gap");
    assert!(entries.iter().all(|entry| entry.version == VERSION), "entries carry the version that wrote them");
    let loaded = journal.load(id, EntryNumber(0)).await.expect("it loads");
    assert_eq!(loaded, entries, "5: load returns what append returned, every kind of fact, in order");
    for since in 0..=entries.len() {
        let later = journal.load(id, EntryNumber(since as u64)).await.expect("it loads");
        assert_eq!(later, entries[since..], "5: load returns all entries after {since}");
    }
    let beyond = journal.load(id, EntryNumber(entries.len() as u64 + 5)).await.expect("it loads");
    assert_eq!(beyond, [], "5: there is nothing after the head");
}

/// 2.
async fn appends_all_or_none(journal: &dyn Journal, id: &ConversationId) {
    let before = journal.load(id, EntryNumber(0)).await.expect("it loads");
    let head = EntryNumber(before.len() as u64);
    let two = || vec![draft(Body::Stopped), draft(Body::Resumed)];
    for expected in [EntryNumber(0), EntryNumber(head.0 - 1), head.next()] {
        let refused = journal.append(id, expected, two()).await;
        assert!(matches!(refused, Err(JournalError::Moved { head: at }) if at == head), "2: {expected:?}: {refused:?}");
    }
    assert_eq!(journal.load(id, EntryNumber(0)).await.expect("it loads"), before, "2: a refused append adds nothing");
    let added = journal.append(id, head, two()).await.expect("2: the head is as expected");
    assert_eq!(added.len(), 2, "2: append adds all drafts");
    assert_eq!(journal.load(id, head).await.expect("it loads"), added, "2: append adds all drafts");
}

async fn keeps_conversations_apart(journal: &dyn Journal, first: &ConversationId, second: &ConversationId) {
    let before = journal.load(first, EntryNumber(0)).await.expect("it loads");
    let said = Draft { turn: TurnId::new("m-other"), ..draft(said("m-other")) };
    let said = journal.append(second, EntryNumber(0), vec![said]).await.expect("it appends");
    assert_eq!(said[0].number, EntryNumber(1), "1: each conversation has numbers of its own");
    assert_eq!(journal.load(first, EntryNumber(0)).await.expect("it loads"), before, "the other one has not changed");
}

/// 2, with several who append at once.
async fn gives_each_number_once(journal: &dyn Journal, id: &ConversationId) {
    let opening = |name: String| Draft { turn: TurnId::new(name.as_str()), ..draft(said(&name)) };
    let tries = (0..8).map(|n| journal.append(id, EntryNumber(0), vec![opening(format!("race-{n}"))]));
    let ended = join_all(tries).await;
    let won = ended.iter().filter(|end| end.is_ok()).count();
    let moved = ended.iter().filter(|end| matches!(end, Err(JournalError::Moved { .. }))).count();
    assert_eq!((won, moved), (1, 7), "2: of several who expect the same head one wins: {ended:?}");
    assert_eq!(journal.load(id, EntryNumber(0)).await.expect("it loads").len(), 1, "2: and one entry is there");
}

async fn knows_what_is_unfinished(journal: &dyn Journal, id: &ConversationId) {
    let unfinished = journal.unfinished().await.expect("it answers");
    assert!(unfinished.contains(id), "a conversation with an open turn is unfinished");
    let (call, digest) = (CallId::new("c-asked"), Digest::of_bytes(b"asked"));
    let asked = approval("a-asked", &call, digest);
    let nowhere = journal.asked_in(&asked.id).await.expect("it answers");
    assert_eq!(nowhere, None, "a question that was never asked is in no conversation");
    let bodies = vec![draft(Body::Asked(Box::new(asked.clone())))];
    let turn = TurnId::new("m-other");
    let bodies = bodies.into_iter().map(|draft| Draft { turn: turn.clone(), ..draft }).collect();
    let head = journal.load(id, EntryNumber(0)).await.expect("it loads").len() as u64;
    journal.append(id, EntryNumber(head), bodies).await.expect("it appends");
    assert_eq!(journal.asked_in(&asked.id).await.expect("it answers").as_ref(), Some(id), "it was asked here");

    let ended = Body::Ended { outcome: Outcome::Answered, footer: Vec::new() };
    let ended = Draft { turn: turn.clone(), ..draft(ended) };
    let of_delegate = Draft { frame: FrameId::opened_by(&call), ..ended.clone() };
    journal.append(id, EntryNumber(head + 1), vec![of_delegate]).await.expect("it appends");
    let unfinished = journal.unfinished().await.expect("it answers");
    assert!(unfinished.contains(id), "the end of a delegate is not the end of its turn");
    journal.append(id, EntryNumber(head + 2), vec![ended]).await.expect("it appends");
    let unfinished = journal.unfinished().await.expect("it answers");
    assert!(!unfinished.contains(id), "a conversation whose turn has ended is not unfinished");
    assert_eq!(journal.asked_in(&asked.id).await.expect("it answers").as_ref(), Some(id), "an old question is known");
}

async fn knows_no_other_conversation(journal: &dyn Journal) {
    let absent = ConversationId::new("there-is-no-such-conversation");
    let loaded = journal.load(&absent, EntryNumber(0)).await;
    assert!(matches!(&loaded, Err(JournalError::Absent(id)) if *id == absent), "{loaded:?}");
    let appended = journal.append(&absent, EntryNumber(0), vec![draft(said("m-absent"))]).await;
    assert!(matches!(&appended, Err(JournalError::Absent(id)) if *id == absent), "{appended:?}");
}

/// Appends one fact of every kind to an empty conversation, some alone and some together, and returns the entries.
/// For promise 3, fill a conversation, lose the process, open the journal again and compare with [`Journal::load`].
pub async fn fill(journal: &dyn Journal, id: &ConversationId) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let bodies = every_body();
    for together in bodies.chunks(3) {
        let drafts = together.iter().cloned().map(draft).collect();
        let head = EntryNumber(entries.len() as u64);
        entries.extend(journal.append(id, head, drafts).await.expect("it appends behind the head"));
    }
    entries
}

/// One fact of every kind that this version writes, each with all its members in use.
pub fn every_body() -> Vec<Body> {
    let (call, digest) = (CallId::new("c1"), Digest::of_bytes(b"content"));
    vec![
        said("m1"),
        Body::Withdrawn(MessageId::new("m2")),
        Body::Replied(Box::new(reply(&call))),
        Body::Faltered(Faltered::new("scripted", SampleFault::RateLimited(Some(1500)))),
        Body::Faltered(Faltered::new("", SampleFault::TooLong { needed: 9000, window: 8192 })),
        Body::Held(Held { failed: vec![Faltered::new("scripted", SampleFault::Cut)], barred: vec!["far".to_owned()] }),
        Body::Rejected { call: call.clone(), reason: Rejection::UnknownTool(vec![ToolName::new("read")]) },
        Body::Screened(Box::new(screened(&call, digest))),
        Body::Asked(Box::new(approval("a1", &call, digest))),
        Body::Answered(Answer {
            approval: ApprovalId::new("a1"),
            digest,
            decision: Decision::Refuse(Some("not \"now\"\n😀".to_owned())),
            surface: "web".to_owned(),
            key: Some("answer-01".to_owned()),
        }),
        Body::Started { call: call.clone(), digest, clearance: Clearance::Rule(RuleId::new("r1")), key: digest.hex() },
        Body::Returned(ToolResult {
            made: vec!["~/a".to_owned()],
            ..ToolResult::new(call.clone(), Status::Done, "ok")
        }),
        Body::Resumed,
        folded(Fold::Demoted(Demotion { calls: vec![CallId::new("c1")], messages: Vec::new(), message_tokens: 64 })),
        folded(Fold::Unchanged(Unchanged::NotSmaller)),
        Body::CompactionAsked,
        Body::Forked { after: EntryNumber(2) },
        Body::Switched { line: LineId(EntryNumber(3)) },
        Body::Opened(Box::new(Opened {
            call: call.clone(),
            caller: FrameId::outer(),
            path: vec!["assistant".to_owned(), "helper".to_owned()],
            profile: "helper".to_owned(),
            model: "scripted".to_owned(),
            task: "look".to_owned(),
            mode: Mode::Background,
        })),
        Body::Stopped,
        Body::Ended {
            outcome: Outcome::ModelUnavailable(vec![Faltered::new("scripted", SampleFault::Busy)]),
            footer: vec![side_effect(&call)],
        },
    ]
}

fn draft(body: Body) -> Draft {
    Draft { at: Timestamp(1_796_061_600_123), turn: TurnId::new("m1"), frame: FrameId::outer(), body }
}

fn said(id: &str) -> Body {
    let (id, aside) = (MessageId::new(id), Some("Monday, 30 November 2026".to_owned()));
    Body::Said(Message {
        id,
        text: "Ciao, come stai? 😀\r\n\ttab \u{202e}rtl".to_owned(),
        aside,
        short: None,
        wanted: Wanted::default(),
    })
}

fn reply(call: &CallId) -> Reply {
    let call = ToolCall {
        id: call.clone(),
        tool: ToolName::new("write"),
        arguments: "{ \"path\": \"a\\u0041\", \"n\": 9007199254740993 }".to_owned(),
        fault: None,
        wire_id: Some("call_0".to_owned()),
        recovered: true,
    };
    let usage = Usage { prompt: Some(10), decoded: Some(3), backend: Some("cpu".to_owned()), ..Usage::default() };
    let (text, reasoning, model) = ("Now.".to_owned(), "Hm.".to_owned(), "scripted".to_owned());
    let signed = Some(Signed { lineage: "scripted".to_owned(), blocks: "[{\"kind\": 1}]".to_owned() });
    let sampled = Sampled { text, reasoning, calls: vec![call], stop: StopReason::Calls, usage, model, signed };
    let (id, prefix) = (ReplyId::new("r1"), Digest::of_bytes(b"prefix"));
    let counted = Some(Counted::new(9, Measure::Estimated));
    Reply { id, seen: EntryNumber(1), prefix, forbidden: false, continues: true, counted, sampled }
}

fn facts() -> Facts {
    let place = |path: &str, now| PathFact {
        path: path.to_owned(),
        root: Root::Home,
        class: EffectClass::Modify,
        now,
        bytes: 7,
    };
    let large = Content::Large { size: 1 << 40, changed: -5 };
    let paths = vec![place("~/a b.md", Content::Hash(Digest::of_bytes(b"a"))), place("~/c", large)];
    let argv = vec!["ls".to_owned(), "-l".to_owned()];
    let command = Some(CommandFact { argv, program: Some("/usr/bin/ls".to_owned()), quiet: true });
    let classes = BTreeSet::from([EffectClass::Modify, EffectClass::Execute]);
    Facts { classes, paths, command, hosts: BTreeSet::from(["example.org".to_owned()]), known: true, undo: true }
}

fn screened(call: &CallId, digest: Digest) -> Screened {
    Screened {
        call: call.clone(),
        arguments: json!({ "path": "a", "list": [1, null, true, "x"] }),
        facts: facts(),
        digest,
        label: "write a".to_owned(),
        preview: Some(Preview::Diff { path: "~/a".to_owned(), diff: "-a\n+b\n".to_owned() }),
        hooks: vec![HookNote { hook: "tidy".to_owned(), did: "rewrote the arguments".to_owned() }],
        blocked: Some("no".to_owned()),
        repairs: Vec::new(),
    }
}

fn approval(id: &str, call: &CallId, digest: Digest) -> Approval {
    Approval {
        id: ApprovalId::new(id),
        call: call.clone(),
        digest,
        kind: Kind::Permission,
        tool: ToolName::new("write"),
        label: "write a".to_owned(),
        facts: facts(),
        arguments: json!({ "path": "a" }),
        preview: Some(Preview::Command { argv: vec!["ls".to_owned()] }),
        why: "it changes something that exists".to_owned(),
        intent: Some("I tidy up.".to_owned()),
        path: vec!["assistant".to_owned(), "helper".to_owned()],
    }
}

fn side_effect(call: &CallId) -> SideEffect {
    SideEffect {
        call: call.clone(),
        tool: ToolName::new("write"),
        classes: BTreeSet::from([EffectClass::Modify]),
        target: "write a".to_owned(),
        key: "k".to_owned(),
        started: Timestamp(1),
        ended: Some(Timestamp(2)),
        state: EffectState::Done,
        made: vec!["~/a".to_owned()],
        undo: false,
    }
}

/// Waits for all, side by side. The real journal takes them on several threads, the fake in turn.
async fn join_all<T>(futures: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut waiting: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        for (future, done) in waiting.iter_mut().filter(|(_, done)| done.is_none()) {
            if let std::task::Poll::Ready(value) = future.as_mut().poll(context) {
                *done = Some(value);
            }
        }
        let all = waiting.iter().all(|(_, done)| done.is_some());
        if all { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    waiting.into_iter().filter_map(|(_, done)| done).collect()
}

fn folded(fold: Fold) -> Body {
    let (model, measure) = ("m".to_owned(), Measure::Exact);
    Body::Compacted(Box::new(Compacted {
        why: Why::Asked,
        fold,
        before: 9,
        after: 5,
        measure,
        model,
        correction: None,
    }))
}
