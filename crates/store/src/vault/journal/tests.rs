//! Which conversations a start has to look at. What the port promises is tested over a whole vault in `tests/it`.

use domain::entry::{Body, Draft};
use domain::id::{ConversationId, EntryNumber, FrameId, MessageId, TurnId};
use domain::message::Message;
use domain::outcome::Outcome;
use domain::time::Timestamp;
use rusqlite::Connection;

use super::{append, look, marked, unmark};
use crate::migrate::VAULT;

fn vault() -> Connection {
    let db = Connection::open_in_memory().unwrap();
    VAULT.iter().for_each(|step| db.execute_batch(step.sql).unwrap());
    db.execute_batch(
        "INSERT INTO identity VALUES (1, '00000000000000000000000000000000', 1, 0, 0, 'e', 0);
         INSERT INTO conversations (id, title, state, created_at, changed_at) VALUES ('talk', '', 'open', 0, 0);",
    )
    .unwrap();
    db
}

fn draft(body: Body) -> Draft {
    Draft { at: Timestamp(1), turn: TurnId::new("m1"), frame: FrameId::outer(), body }
}

fn said(id: &str) -> Draft {
    draft(Body::Said(Message::new(MessageId::new(id), "one".to_owned(), None).unwrap()))
}

fn looked_at(db: &mut Connection) -> Vec<ConversationId> {
    let transaction = db.transaction().unwrap();
    let looked = look(&transaction).unwrap();
    unmark(&transaction, &looked.over).unwrap();
    transaction.commit().unwrap();
    looked.live
}

#[test]
fn a_conversation_that_was_stopped_or_folded_is_not_folded_again_at_each_look() {
    let (mut db, talk) = (vault(), ConversationId::new("talk"));
    let ended = draft(Body::Ended { outcome: Outcome::Stopped, footer: Vec::new() });
    let drafts = vec![said("m1"), draft(Body::Stopped), ended];
    append(&db, &talk, EntryNumber(0), drafts).unwrap_or_else(|_| panic!("it fits"));
    assert_eq!(
        marked(&db).unwrap(),
        std::slice::from_ref(&talk),
        "no reply had seen the message, so it has to be looked at"
    );
    assert_eq!(looked_at(&mut db), []);
    assert_eq!(marked(&db).unwrap(), [], "it was looked at and has no turn");
    append(&db, &talk, EntryNumber(3), vec![said("m2")]).unwrap_or_else(|_| panic!("it fits"));
    assert_eq!(looked_at(&mut db), std::slice::from_ref(&talk));
    assert_eq!(marked(&db).unwrap(), [talk]);
}

#[test]
fn a_message_that_comes_between_look_and_mark_keeps_its_conversation_marked() {
    let (mut db, talk) = (vault(), ConversationId::new("talk"));
    let ended = draft(Body::Ended { outcome: Outcome::Stopped, footer: Vec::new() });
    append(&db, &talk, EntryNumber(0), vec![said("m1"), draft(Body::Stopped), ended])
        .unwrap_or_else(|_| panic!("it fits"));
    let looked = look(&db.transaction().unwrap()).unwrap();
    append(&db, &talk, EntryNumber(3), vec![said("m2")]).unwrap_or_else(|_| panic!("it fits"));
    let transaction = db.transaction().unwrap();
    unmark(&transaction, &looked.over).unwrap();
    transaction.commit().unwrap();
    assert_eq!(marked(&db).unwrap(), [talk]);
}
