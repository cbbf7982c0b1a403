//! One conversation that is driven turn by turn, with a window and a summariser of the test's choice, and a process that
//! may die at any append.

use std::sync::Arc;

use domain::compact::Fold;
use domain::context::Item;
use domain::conversation::Conversation;
use domain::entry::{Body, Entry};
use domain::id::{ConversationId, EntryNumber, MessageId, TurnId};
use domain::message::Message;
use harness::act::{self, Desk};
use harness::ports::Ports;
use harness::run::{Entrance, StopDesk, drive};
use testkit::clock::FixedClock;
use testkit::journal::MemoryJournal;
use testkit::model::ScriptedModel;
use testkit::observer::Collect;
use testkit::setting::FixedSetting;
use testkit::world::World;
use tokio_util::sync::CancellationToken;

pub(crate) struct Room {
    pub(crate) id: ConversationId,
    pub(crate) journal: Arc<MemoryJournal>,
    pub(crate) model: Arc<ScriptedModel>,
    ports: Ports,
}

struct NoDesk;

impl StopDesk for NoDesk {
    fn running(&self, _: &TurnId, _: &CancellationToken) {}
}

impl Room {
    pub(crate) fn new(window: u32) -> Self {
        let id = ConversationId::new("c");
        let (world, journal) = (World::new(), Arc::new(MemoryJournal::with(&id)));
        let (model, setting) = (Arc::new(ScriptedModel::new([])), Arc::new(FixedSetting::new(world.tool_set())));
        setting.change(|setting| Arc::make_mut(&mut setting.model).window = window);
        let ports = Ports {
            journal: Arc::clone(&journal) as _,
            models: Arc::new([Arc::clone(&model) as _]),
            rests: Arc::default(),
            settings: setting,
            hooks: Arc::new([]),
            tools: world.tools(),
            observer: Arc::new(Collect::default()),
            clock: Arc::new(FixedClock::default()),
        };
        Self { id, journal, model, ports }
    }

    pub(crate) fn desk(&self) -> Desk<'_> {
        let Ports { journal, observer, clock, .. } = &self.ports;
        Desk { journal: journal.as_ref(), observer: observer.as_ref(), clock: clock.as_ref() }
    }

    /// Records a message and lets the loop go on until nothing is left to do.
    pub(crate) async fn say(&self, id: &str, text: &str) {
        let message = Message::new(MessageId::new(id), text.to_owned(), None).expect("it may be said");
        act::say(self.desk(), &self.id, message).await.expect("it is said");
        self.go_on(Entrance::Woken).await;
    }

    /// Drives the conversation; a process that dies on the way is followed by another.
    pub(crate) async fn go_on(&self, entrance: Entrance) {
        let mut entrance = entrance;
        loop {
            let dead = self.journal.dead();
            let driven = dead.run_until_cancelled(drive(&self.ports, &self.id, entrance, &NoDesk)).await;
            match driven {
                Some(end) => {
                    end.expect("the journal works");
                    return;
                }
                None => {
                    self.journal.reopen();
                    entrance = Entrance::Resumed;
                }
            }
        }
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.journal.entries(&self.id)
    }

    pub(crate) fn folds(&self) -> Vec<Fold> {
        let folds = self.entries().into_iter().filter_map(|entry| match entry.body {
            Body::Compacted(compacted) => Some(compacted.fold),
            _ => None,
        });
        folds.collect()
    }
}

/// The texts of messages and replies that a model would read after these entries.
pub(crate) fn projected(id: &ConversationId, entries: &[Entry]) -> Vec<String> {
    let thread = Conversation::fold(id.clone(), entries).thread();
    let texts = thread.items().iter().filter_map(|item| match &**item {
        Item::Person { text, .. } | Item::Model { text, .. } => Some(text.clone()),
        Item::Summary { .. } | Item::Result { .. } => None,
    });
    texts.collect()
}

/// The texts that were recorded, less those of turns that a recorded summary stands for.
pub(crate) fn recorded(entries: &[Entry]) -> Vec<String> {
    let mut texts: Vec<(TurnId, EntryNumber, String)> = Vec::new();
    for entry in entries {
        match &entry.body {
            Body::Said(message) => texts.push((entry.turn.clone(), entry.number, message.text.clone())),
            Body::Replied(reply) => texts.push((entry.turn.clone(), entry.number, reply.sampled.text.clone())),
            Body::Compacted(compacted) => {
                if let Fold::Summarised { cut, .. } = &compacted.fold {
                    let kept = texts.iter().position(|(turn, ..)| *turn == cut.turn).expect("the cut is there");
                    texts.drain(..kept);
                }
            }
            _ => {}
        }
    }
    texts.into_iter().map(|(.., text)| text).collect()
}
