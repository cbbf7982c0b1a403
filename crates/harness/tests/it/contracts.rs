//! The fakes keep the promises of their ports, by the same checks as the real implementations.

use std::sync::Arc;

use domain::context::{CallPolicy, Item, Prompt};
use domain::id::{ConversationId, EntryNumber};
use harness::ports::Journal as _;
use testkit::clock::FixedClock;
use testkit::contract;
use testkit::journal::MemoryJournal;
use testkit::model::{Line, ScriptedModel};
use testkit::notes::MemoryNotes;
use testkit::setting::plain;
use testkit::world::World;

fn prompt() -> Prompt {
    let setting = plain(World::new().tool_set());
    Prompt {
        prefix: setting.prefix,
        items: vec![Arc::new(Item::Person { text: "hello".to_owned(), aside: None })],
        seen: EntryNumber(1),
        open: false,
        calls: CallPolicy::Free,
        max_tokens: 100,
        variation: 0,
    }
}

#[tokio::test]
async fn the_journal_in_memory_keeps_its_promises() {
    let ids = ["one", "two", "three", "kept"].map(ConversationId::new);
    let journal = MemoryJournal::default();
    ids.iter().for_each(|id| journal.create(id));
    let [one, two, three, kept] = ids;
    contract::journal::check(&journal, &[one, two, three]).await;
    let entries = contract::journal::fill(&journal, &kept).await;
    journal.reopen();
    assert_eq!(journal.load(&kept, EntryNumber(0)).await.expect("it loads"), entries, "3: entries survive the process");
}

#[tokio::test(start_paused = true)]
async fn the_scripted_model_keeps_its_promises() {
    let mut thinking = Line::calls("Let me see.", &[("read", r#"{"path":"a.txt"}"#)]);
    if let Line::Says(reply) = &mut thinking {
        reply.reasoning = "It wants to be read.".to_owned();
    }
    let model =
        ScriptedModel::new([Line::text("Hello there, あなた."), thinking, Line::cut("", "read", r#"{"path":"#)]);
    for _ in 0..3 {
        contract::model::answers(&model, &prompt()).await;
    }
    model.push(Line::Streams("Once upon".to_owned()));
    contract::model::ends_on_cancel(&model, &prompt()).await;
    contract::model::ends_on_early_cancel(&model, &prompt()).await;
}

#[tokio::test]
async fn the_notes_in_memory_keep_their_promises() {
    let notes = MemoryNotes::default();
    contract::notes::check(&notes).await;
    assert_eq!(notes.versions("plan.md").len(), 2, "1: every write keeps the version before it");
}

#[test]
fn the_fixed_clock_keeps_its_promises() {
    contract::clock::check(&FixedClock::default());
}
