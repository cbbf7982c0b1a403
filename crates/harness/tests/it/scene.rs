//! One conversation with a desk that drives it, and fakes for every port.

use std::sync::Arc;
use std::time::Duration;

use domain::entry::Body;
use domain::id::{ConversationId, MessageId, TurnId};
use domain::limits::Limits;
use domain::message::Message;
use domain::outcome::Outcome;
use harness::act::{self, Desk};
use harness::ports::{Clock, Journal, Ports};
use harness::sessions::Sessions;
use testkit::clock::FixedClock;
use testkit::hook::RecordingHook;
use testkit::journal::MemoryJournal;
use testkit::model::{Line, ScriptedModel};
use testkit::observer::Collect;
use testkit::setting::FixedSetting;
use testkit::transcript::entry;
use testkit::world::World;
use tokio::time::Instant;

pub(crate) struct Scene {
    pub(crate) id: ConversationId,
    pub(crate) sessions: Sessions,
    pub(crate) world: Arc<World>,
    pub(crate) journal: Arc<MemoryJournal>,
    pub(crate) model: Arc<ScriptedModel>,
    pub(crate) hook: Arc<RecordingHook>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) observer: Arc<Collect>,
}

impl Scene {
    pub(crate) fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        Self::over(lines, |journal| journal)
    }

    /// A scene whose loop sees the journal through something else.
    pub(crate) fn over(
        lines: impl IntoIterator<Item = Line>,
        seen: impl FnOnce(Arc<MemoryJournal>) -> Arc<dyn Journal>,
    ) -> Self {
        Self::on(lines, seen, Limits::default(), Arc::new(FixedClock::default()))
    }

    /// A scene with these limits whose loop looks at another clock.
    pub(crate) fn with_clock(lines: impl IntoIterator<Item = Line>, limits: Limits, clock: Arc<dyn Clock>) -> Self {
        Self::on(lines, |journal| journal, limits, clock)
    }

    fn on(
        lines: impl IntoIterator<Item = Line>,
        seen: impl FnOnce(Arc<MemoryJournal>) -> Arc<dyn Journal>,
        limits: Limits,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let id = ConversationId::new("c");
        let (world, journal) = (World::new(), Arc::new(MemoryJournal::with(&id)));
        let (model, hook) = (Arc::new(ScriptedModel::waiting()), Arc::new(RecordingHook::new("tidy")));
        let (observer, setting) = (Arc::new(Collect::default()), FixedSetting::new(world.tool_set()));
        setting.change(|setting| setting.limits = limits);
        lines.into_iter().for_each(|line| model.push(line));
        let ports = Ports {
            journal: seen(Arc::clone(&journal)),
            models: Arc::new([Arc::clone(&model) as _]),
            rests: Arc::default(),
            settings: Arc::new(setting),
            hooks: Arc::new([Arc::clone(&hook) as _]),
            tools: world.tools(),
            observer: Arc::clone(&observer) as _,
            clock: Arc::clone(&clock),
        };
        Self { id, sessions: Sessions::new(ports), world, journal, model, hook, clock, observer }
    }

    pub(crate) fn desk(&self) -> Desk<'_> {
        Desk { journal: self.journal.as_ref(), observer: self.observer.as_ref(), clock: self.clock.as_ref() }
    }

    pub(crate) async fn say(&self, id: &str) {
        let message = Message::new(MessageId::new(id), "go".to_owned(), None).expect("it may be said");
        act::say(self.desk(), &self.id, message).await.expect("it is said");
        self.sessions.wake(&self.id);
    }

    /// Stops the turn, and says how long it took to end.
    pub(crate) async fn stop(&self, turn: &str) -> Duration {
        let turn = TurnId::new(turn);
        let since = Instant::now();
        act::stop(self.desk(), &self.id, &turn).await.expect("it is stopped");
        self.sessions.stop(&self.id, &turn);
        self.sessions.wake(&self.id);
        self.rest().await;
        since.elapsed()
    }

    pub(crate) async fn rest(&self) {
        while self.sessions.is_driven(&self.id) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    pub(crate) async fn runs(&self) {
        let mut running = self.world.running();
        running.wait_for(|count| *count > 0).await.expect("the world is there");
    }

    pub(crate) fn recorded(&self) -> Vec<String> {
        self.journal.entries(&self.id).iter().map(entry).collect()
    }

    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        let entries = self.journal.entries(&self.id);
        let ended = entries.into_iter().filter_map(|entry| match entry.body {
            Body::Ended { outcome, .. } => Some(outcome),
            _ => None,
        });
        ended.collect()
    }
}
