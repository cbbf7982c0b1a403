//! The mailbox: joining, dropping, forgetting, and what is urgent.

use domain::id::ConversationId;
use domain::time::Timestamp;

use super::{Ending, Mailbox};
use crate::wire::frame::{Delta, Frame, Hint};
use crate::wire::word::Channel::{self, Output, Reasoning, Text};

fn delta(reply: &str, channel: Channel, offset: usize, text: &str) -> Delta {
    Delta {
        conversation: "tea".to_owned(),
        reply_id: Some(reply.to_owned()),
        call_id: None,
        channel,
        offset: offset as u64,
        text: text.to_owned(),
    }
}

fn watching() -> Mailbox {
    let mailbox = Mailbox::new("session".to_owned(), Timestamp(0));
    assert_eq!(mailbox.watch(vec!["tea".to_owned()]), ["tea"]);
    mailbox
}

fn snapshot(reply: &str, text: &str) -> Frame {
    Frame::snapshot(&ConversationId::new("tea"), &domain::id::ReplyId::new(reply), text, "")
}

#[test]
fn pieces_that_follow_each_other_are_joined_and_others_are_not() {
    let mailbox = watching();
    mailbox.delta(&delta("r", Text, 0, "Hel"));
    mailbox.delta(&delta("r", Text, 3, "lo"));
    mailbox.delta(&delta("r", Reasoning, 0, "hm"));
    mailbox.delta(&delta("r", Text, 5, " you"));
    mailbox.delta(&delta("r", Text, 20, "after a hole"));
    let texts: Vec<_> = mailbox.take().deltas.into_iter().map(|delta| (delta.offset, delta.text)).collect();
    let wanted = [(0, "Hello"), (0, "hm"), (5, " you"), (20, "after a hole")].map(|(at, text)| (at, text.to_owned()));
    assert_eq!(texts, wanted);
    assert!(mailbox.is_empty());
}

#[test]
fn joined_pieces_stay_below_8_kib_and_then_do_not_wait() {
    let mailbox = watching();
    let piece = "x".repeat(1024);
    for n in 0..12 {
        assert_eq!(mailbox.is_urgent(), n >= 8, "after {n} KiB");
        mailbox.delta(&delta("r", Text, n * 1024, &piece));
    }
    let lengths: Vec<_> = mailbox.take().deltas.iter().map(|delta| delta.text.len()).collect();
    assert_eq!(lengths, [8 * 1024, 4 * 1024]);
}

#[test]
fn what_is_not_watched_never_waits() {
    let mailbox = watching();
    mailbox.delta(&Delta { conversation: "other".to_owned(), ..delta("r", Text, 0, "x") });
    assert!(mailbox.is_empty());
    mailbox.watch(vec![]);
    mailbox.delta(&delta("r", Text, 0, "x"));
    assert!(mailbox.is_empty());
}

#[test]
fn a_reply_that_overflows_is_dropped_whole_until_its_snapshot() {
    let mailbox = watching();
    // Each follows a hole, so that nothing is joined.
    for n in 0..300 {
        mailbox.delta(&delta("long", Text, n * 10, "x"));
    }
    assert!(mailbox.take().deltas.is_empty(), "all of it went, also what had waited");
    mailbox.delta(&delta("long", Text, 5000, "x"));
    mailbox.delta(&delta("short", Text, 0, "still heard"));
    assert_eq!(mailbox.take().deltas.len(), 1);
    mailbox.snapshot("long", snapshot("long", "all of it"));
    mailbox.delta(&delta("long", Text, 9, " and more"));
    let taken = mailbox.take();
    assert_eq!((taken.frames.len(), taken.deltas.len()), (1, 1));
}

#[test]
fn memory_is_bounded_whatever_comes() {
    let mailbox = watching();
    let piece = "x".repeat(100 * 1024);
    for n in 0..100 {
        mailbox.delta(&Delta {
            reply_id: None,
            call_id: Some("c".to_owned()),
            ..delta("", Output, n * 200_000, &piece)
        });
    }
    let waiting: usize = mailbox.take().deltas.iter().map(|delta| delta.text.len()).sum();
    assert!(waiting <= 1024 * 1024, "{waiting}");
}

#[test]
fn a_finished_reply_is_not_revived() {
    let mailbox = watching();
    mailbox.delta(&delta("r", Text, 0, "half"));
    mailbox.finish("r");
    assert!(mailbox.is_empty());
    mailbox.delta(&delta("r", Text, 4, "late"));
    mailbox.snapshot("r", snapshot("r", "late"));
    assert!(mailbox.is_empty());
}

#[test]
fn a_hint_says_no_more_twice_and_a_withdrawal_takes_the_pieces_along() {
    let mailbox = watching();
    let hint = Hint { resource: "inbox".into(), id: None };
    mailbox.hint(&hint);
    mailbox.hint(&hint);
    mailbox.delta(&delta("r", Text, 0, "half"));
    mailbox.withdrawn(&ConversationId::new("tea"), "r", "it does not stand");
    let taken = mailbox.take();
    assert!(taken.deltas.is_empty());
    assert_eq!(taken.frames.len(), 2);
}

#[test]
fn the_first_reason_to_end_stands() {
    let mailbox = watching();
    assert!(!mailbox.is_urgent());
    mailbox.end(Ending::Locked);
    mailbox.end(Ending::Shutdown);
    assert!(mailbox.is_urgent());
    assert_eq!(mailbox.take().ending, Some(Ending::Locked));
}
