//! One conversation over a local model in the real loop, in memory: said to, stopped, edited and folded by a test.
#![cfg_attr(
    not(feature = "real-model"),
    expect(dead_code, reason = "stops and edits are looked at with the real model alone")
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::entry::{Body, Entry};
use domain::id::{ConversationId, MessageId, TurnId};
use domain::message::Message;
use domain::model::{ModelDescription, Usage};
use domain::tool::ToolSet;
use harness::act::{self, Desk};
use harness::ports::{Model as _, Ports, Tool};
use harness::run::{Entrance, StopDesk, drive};
use inference::local::LocalModel;
use testkit::clock::FixedClock;
use testkit::journal::MemoryJournal;
use testkit::observer::{Collect, Heard};
use testkit::setting::FixedSetting;
use testkit::world::World;
use tokio_util::sync::CancellationToken;

pub(crate) struct Talk {
    id: ConversationId,
    journal: Arc<MemoryJournal>,
    ports: Ports,
    heard: Arc<Collect>,
    said: AtomicUsize,
    running: Mutex<Option<(TurnId, CancellationToken)>>,
}

impl StopDesk for Talk {
    fn running(&self, turn: &TurnId, stop: &CancellationToken) {
        *self.running.lock().unwrap() = Some((turn.clone(), stop.clone()));
    }
}

impl Talk {
    /// With so large a window and so long replies: real models write slowly.
    pub(crate) fn new(model: LocalModel, window: u32, reply_tokens: u32) -> Self {
        let id = ConversationId::new("c");
        let (world, journal) = (World::new(), Arc::new(MemoryJournal::with(&id)));
        let read: Vec<Arc<dyn Tool>> =
            world.tools().iter().filter(|tool| tool.spec().name.as_str() == "read").map(Arc::clone).collect();
        let tools = ToolSet::new(read.iter().map(|tool| tool.spec().clone()));
        let setting = FixedSetting::new(tools);
        setting.change(|setting| {
            setting.model = Arc::new(ModelDescription { window, ..model.describe() });
            setting.limits.reply_tokens = reply_tokens;
        });
        let heard = Arc::new(Collect::default());
        let ports = Ports {
            journal: Arc::clone(&journal) as _,
            models: Arc::new([Arc::new(model) as _]),
            rests: Arc::default(),
            settings: Arc::new(setting),
            hooks: Arc::new([]),
            tools: read.into(),
            observer: Arc::clone(&heard) as _,
            clock: Arc::new(FixedClock::default()),
        };
        Self { id, journal, ports, heard, said: AtomicUsize::new(0), running: Mutex::default() }
    }

    fn desk(&self) -> Desk<'_> {
        let Ports { journal, observer, clock, .. } = &self.ports;
        Desk { journal: journal.as_ref(), observer: observer.as_ref(), clock: clock.as_ref() }
    }

    /// Says something and waits for the end of the turn. Gives the message's name.
    pub(crate) async fn say(&self, text: &str) -> MessageId {
        let message = self.message(text);
        let id = message.id.clone();
        act::say(self.desk(), &self.id, message).await.unwrap();
        self.drive().await;
        id
    }

    /// Says something and stops the turn once so many pieces of the reply have come; whether it ran so long.
    pub(crate) async fn say_and_stop(&self, text: &str, pieces: usize) -> bool {
        act::say(self.desk(), &self.id, self.message(text)).await.unwrap();
        let enough = self.pieces() + pieces;
        let over = CancellationToken::new();
        let drive = async {
            self.drive().await;
            over.cancel();
        };
        let stop = async {
            while self.pieces() < enough && !over.is_cancelled() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            let (turn, token) = self.running.lock().unwrap().clone().unwrap();
            let stopped = act::stop(self.desk(), &self.id, &turn).await.unwrap();
            token.cancel();
            stopped
        };
        tokio::join!(drive, stop).1
    }

    /// Writes a message anew and waits for the end of the turn.
    pub(crate) async fn edit(&self, former: &MessageId, text: &str) {
        act::say_instead(self.desk(), &self.id, former, self.message(text)).await.unwrap();
        self.drive().await;
    }

    fn message(&self, text: &str) -> Message {
        let id = MessageId::new(format!("m{}", self.said.fetch_add(1, Ordering::Relaxed)));
        Message::new(id, text.to_owned(), Some("Tuesday, 1 December 2026".to_owned())).unwrap()
    }

    fn pieces(&self) -> usize {
        self.heard.heard().iter().filter(|heard| matches!(heard, Heard::Delta { .. })).count()
    }

    /// What the model reports of the last reply.
    pub(crate) fn last_usage(&self) -> Usage {
        let last = self.entries().into_iter().rev().find_map(|entry| match entry.body {
            Body::Replied(reply) => Some(reply.sampled.usage),
            _ => None,
        });
        last.unwrap()
    }

    pub(crate) async fn compact(&self) {
        act::compact(self.desk(), &self.id).await.unwrap();
        self.drive().await;
    }

    async fn drive(&self) {
        drive(&self.ports, &self.id, Entrance::Woken, self).await.unwrap();
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.journal.entries(&self.id)
    }
}
