//! The fold is total and the choice is pure: entries in any order fold without panic, one that cannot follow changes
//! nothing, equal entries give an equal effect.

use std::sync::Arc;

use domain::approval::{Answer, Decision};
use domain::context::Item;
use domain::conversation::Conversation;
use domain::delegate::{Mode, Opened};
use domain::digest::Digest;
use domain::effect::Effect;
use domain::entry::{Body, Entry};
use domain::id::{ApprovalId, CallId, EntryNumber, FrameId, TurnId};
use domain::result::{Status, ToolResult};
use domain::setting::Setting;
use domain::time::Timestamp;
use domain::tool::ToolName;
use domain::turn::Turn;

use crate::random::{self, Random, any_entry, entry, plausible, times};

/// All that can be seen of a conversation.
#[derive(Debug, PartialEq)]
struct Seen {
    head: EntryNumber,
    live: Option<Turn>,
    history: Vec<Arc<Item>>,
    next: Effect,
    pending: Vec<ApprovalId>,
    read_only: bool,
}

fn see(conversation: &Conversation, setting: &Setting) -> Seen {
    Seen {
        head: conversation.head(),
        live: conversation.live().cloned(),
        history: conversation.history().to_vec(),
        next: conversation.next(setting),
        pending: conversation.pending().iter().map(|approval| approval.id.clone()).collect(),
        read_only: conversation.is_read_only(),
    }
}

/// Entries as a working host records them, with any entries among them if `wild`.
pub(crate) fn journal(seed: u64, length: usize, wild: bool) -> Vec<Entry> {
    let (mut random, setting) = (Random(seed), random::setting());
    let mut conversation = Conversation::new(random::conversation());
    let mut entries: Vec<Entry> = Vec::new();
    while entries.len() < length {
        let number = entries.len() as u64 + 1;
        if wild && random.once_in(3) {
            entries.push(any_entry(&mut random, number));
            conversation.apply(&entries[entries.len() - 1]);
            continue;
        }
        for body in plausible(&mut random, &conversation, &setting) {
            let draft = conversation.draft(Timestamp(0), body);
            let one = entry(entries.len() as u64 + 1, draft.turn, draft.body);
            conversation.apply(&one);
            entries.push(one);
        }
    }
    entries
}

/// Any entry of any frame, and now and then the beginning of one; often of a turn and a call that are there.
fn any_entry_of_a_frame(random: &mut Random, number: u64, conversation: &Conversation) -> Entry {
    let mut entry = any_entry(random, number);
    let live = conversation.live().filter(|_| !random.once_in(8));
    let made: Vec<CallId> = live.iter().flat_map(|turn| turn.calls()).map(|state| state.call.id.clone()).collect();
    let any = CallId::new(random.id('c', 4));
    let call = made.last().cloned().filter(|_| !random.once_in(4)).unwrap_or(any);
    if let Some(turn) = live {
        entry.turn = turn.id().clone();
    }
    if random.once_in(2) {
        entry.frame = FrameId::opened_by(&call);
    }
    if random.once_in(4) {
        let other = FrameId::opened_by(&CallId::new(random.id('c', 4)));
        let caller = random.pick(&[FrameId::outer(), FrameId::outer(), other]);
        entry.frame = FrameId::opened_by(&call);
        entry.body = Body::Opened(Box::new(Opened {
            call,
            caller,
            path: vec!["outer".to_owned(), "helper".to_owned()],
            profile: "helper".to_owned(),
            model: "m".to_owned(),
            task: "look".to_owned(),
            mode: random.pick(&[Mode::Wait, Mode::Background]),
        }));
    }
    if let Body::Replied(reply) = &mut entry.body {
        for call in &mut reply.sampled.calls {
            call.tool = ToolName::new(random.pick(&["delegate", "delegate", "scratchpad_write", "read"]));
        }
    }
    entry
}

#[test]
fn entries_of_frames_in_any_order_fold_without_panic() {
    let setting = random::setting();
    let (mut opened, mut ended) = (0, 0);
    for seed in 0..times(1_000, 20_000) as u64 {
        let mut random = Random(seed);
        let mut conversation = Conversation::new(random::conversation());
        for number in 1..90 {
            let entry = any_entry_of_a_frame(&mut random, number, &conversation);
            let before = conversation.turn_in(&entry.frame).is_some();
            conversation.apply(&entry);
            let after = conversation.turn_in(&entry.frame).is_some();
            if !entry.frame.is_outer() {
                opened += usize::from(!before && after);
                ended += usize::from(before && !after);
            }
            conversation.activity(&setting);
            conversation.next_in(&entry.frame, &setting);
            conversation.give_up_in(&entry.frame, "why");
            conversation.open_below(&FrameId::outer());
            conversation.deadline_in(&entry.frame, &setting);
            see(&conversation, &setting);
        }
    }
    assert!(opened > 100 && ended > 20, "{opened} frames began and {ended} ended");
}

#[test]
fn entries_in_any_order_fold_without_panic() {
    let setting = random::setting();
    for seed in 0..times(200, 20_000) as u64 {
        let mut random = Random(seed);
        let mut conversation = Conversation::new(random::conversation());
        for number in 1..60 {
            // Numbers repeat, go back and leave gaps.
            let number = if random.once_in(5) { random.below(70) as u64 } else { number };
            conversation.apply(&any_entry(&mut random, number));
            conversation.activity(&setting);
            conversation.give_up("why");
            conversation.question(&ApprovalId::new("a1"));
            see(&conversation, &setting);
        }
    }
}

#[test]
fn equal_entries_give_an_equal_effect() {
    let setting = random::setting();
    for seed in 0..times(60, 5_000) as u64 {
        let entries = journal(seed, 60, seed % 2 == 0);
        let fold = |entries: &[Entry]| Conversation::fold(random::conversation(), entries);
        let whole = fold(&entries);
        assert_eq!(see(&whole, &setting), see(&fold(&entries), &setting), "seed {seed}");
        // Folded on from the middle, as a host that wakes up does.
        let mut later = fold(&entries[..entries.len() / 2]);
        entries.iter().for_each(|entry| later.apply(entry));
        assert_eq!(see(&whole, &setting), see(&later, &setting), "seed {seed}: entries taken in twice");
    }
}

/// Entries that cannot follow where a turn stands.
fn strangers(turn: &TurnId) -> Vec<(TurnId, Body)> {
    let other = TurnId::new("another");
    let (call, digest) = (CallId::new("nobody"), Digest::of_bytes(b"nothing"));
    let approval = ApprovalId::new("nobody");
    let answer = Answer { approval, digest, decision: Decision::Approve, surface: "test".to_owned(), key: None };
    let ended = Body::Ended { outcome: domain::outcome::Outcome::Answered, footer: Vec::new() };
    vec![
        (other.clone(), Body::Stopped),
        (other, ended),
        (turn.clone(), Body::Answered(answer)),
        (turn.clone(), Body::Returned(ToolResult::new(call.clone(), Status::Done, "text"))),
        (turn.clone(), Body::Rejected { call: call.clone(), reason: domain::call::Rejection::TooLarge }),
        (turn.clone(), Body::Started { call, digest, clearance: domain::call::Clearance::Class, key: "k".to_owned() }),
    ]
}

#[test]
fn an_entry_that_cannot_follow_has_no_effect() {
    let setting = random::setting();
    for seed in 0..times(10, 2_000) as u64 {
        let entries = journal(seed, 40, false);
        for length in 1..=entries.len() {
            let before = Conversation::fold(random::conversation(), &entries[..length]);
            let Some(turn) = before.live().map(Turn::id) else { continue };
            let number = before.head().next().0;
            for (turn, body) in strangers(turn) {
                // Time passes whether or not an entry can follow, so this one takes none.
                let stranger = Entry { at: Timestamp(0), ..entry(number, turn, body) };
                let mut after = before.clone();
                after.apply(&stranger);
                let expected = Seen { head: after.head(), ..see(&before, &setting) };
                assert_eq!(without_seen(see(&after, &setting)), without_seen(expected), "seed {seed}: {stranger:?}");
            }
        }
    }
}

/// A prompt names the last entry it knows of, which of course moves on.
fn without_seen(mut seen: Seen) -> Seen {
    if let Effect::Sample(request) = &mut seen.next {
        request.prompt.seen = EntryNumber(0);
    }
    seen
}

#[test]
fn a_newer_entry_opens_the_conversation_read_only() {
    let setting = random::setting();
    let entries = journal(7, 20, false);
    let mut conversation = Conversation::fold(random::conversation(), &entries);
    let number = conversation.head().next();
    let body = Body::decode(number, domain::entry::VERSION + 1, r#"{"unheard_of":{"a":1}}"#).expect("it is JSON");
    conversation.apply(&entry(number.0, TurnId::new("m"), body));
    assert!(conversation.is_read_only());
    assert_eq!(conversation.next(&setting), Effect::Rest);
    assert_eq!(conversation.give_up("why"), []);
}

/// What is not yet settled when a journal ends is settled by the host alone, without a person, tool or model.
#[test]
fn a_turn_can_be_given_up_at_any_entry() {
    for seed in 0..times(60, 5_000) as u64 {
        let entries = journal(seed, 40, seed % 2 == 0);
        let mut conversation = Conversation::fold(random::conversation(), &entries);
        for _ in 0..20 {
            for body in conversation.give_up("why") {
                let draft = conversation.draft(Timestamp(0), body);
                conversation.apply(&entry(conversation.head().next().0, draft.turn, draft.body));
            }
        }
        assert_eq!(conversation.live(), None, "seed {seed}");
    }
}
