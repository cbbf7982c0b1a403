//! Delegates in the background: a receipt at once, an answer that comes once, and a life of their own in between.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::context::{Item, Prompt};
use domain::entry::Body;
use domain::id::{CallId, ConversationId, MessageId, TurnId};
use domain::message::Message;
use domain::model::{ModelDescription, SampleFault, Sampled, StopReason, Usage};
use domain::outcome::Outcome;
use harness::act::{self, Desk};
use harness::ports::{DeltaSink, Model, Ports};
use harness::sessions::Sessions;
use testkit::clock::FixedClock;
use testkit::journal::MemoryJournal;
use testkit::observer::Collect;
use testkit::setting::{FixedSetting, description, with_delegates};
use testkit::transcript::entry;
use testkit::world::World;
use tokio_util::sync::CancellationToken;

use super::workers::call;

/// The turn begins as many delegates as its message says; each delegate takes a second.
struct Slow;

#[async_trait]
impl Model for Slow {
    fn describe(&self) -> ModelDescription {
        description()
    }

    async fn count(&self, _: &Prompt) -> Result<Option<u32>, SampleFault> {
        Ok(Some(10))
    }

    async fn sample(
        &self,
        prompt: &Prompt,
        _: &dyn DeltaSink,
        cancel: &CancellationToken,
    ) -> Result<Sampled, SampleFault> {
        let outer = prompt.prefix.system.contains("one person");
        let (text, calls) = match prompt.items.last().map(AsRef::as_ref) {
            Some(Item::Person { text, .. }) if outer && text.parse::<usize>().is_ok() => {
                let begin = |number: usize| {
                    let task = r#"{"profile":"scout","task":"look","mode":"background"}"#;
                    call(&format!("b{number}"), "delegate", task)
                };
                (String::new(), (0..text.parse().unwrap_or(0)).map(begin).collect())
            }
            Some(Item::Person { text, aside }) if outer && text.is_empty() => {
                (format!("I have read: {}", aside.as_deref().unwrap_or_default()), Vec::new())
            }
            _ if outer => ("It is begun.".to_owned(), Vec::new()),
            _ => {
                let asked = tokio::time::timeout(Duration::from_secs(1), cancel.cancelled()).await;
                let stop = if asked.is_ok() { StopReason::Cancelled } else { StopReason::Natural };
                return Ok(sampled("Found.", Vec::new(), stop));
            }
        };
        Ok(sampled(&text, calls, StopReason::Natural))
    }
}

fn sampled(text: &str, calls: Vec<domain::call::ToolCall>, stop: StopReason) -> Sampled {
    let (text, reasoning, model) = (text.to_owned(), String::new(), description().name);
    Sampled { text, reasoning, calls, stop, usage: Usage::default(), model, signed: None }
}

struct Place {
    id: ConversationId,
    journal: Arc<MemoryJournal>,
    ports: Ports,
    sessions: Sessions,
}

impl Place {
    fn new() -> Self {
        let id = ConversationId::new("c");
        let (world, journal) = (World::new(), Arc::new(MemoryJournal::with(&id)));
        let setting = FixedSetting::new(world.tool_set());
        let made = with_delegates(world.whole_tool_set());
        setting.change(|setting| *setting = made);
        let ports = Ports {
            journal: Arc::clone(&journal) as _,
            models: Arc::new([Arc::new(Slow) as _]),
            rests: Arc::default(),
            settings: Arc::new(setting),
            hooks: Arc::new([]),
            tools: world.tools(),
            observer: Arc::new(Collect::default()),
            clock: Arc::new(FixedClock::default()),
        };
        Self { id, journal, sessions: Sessions::new(ports.clone()), ports }
    }

    fn desk(&self) -> Desk<'_> {
        let Ports { observer, clock, .. } = &self.ports;
        Desk { journal: self.journal.as_ref(), observer: observer.as_ref(), clock: clock.as_ref() }
    }

    async fn say(&self, id: &str, text: &str) {
        let message = Message::new(MessageId::new(id), text.to_owned(), None).expect("it may be said");
        act::say(self.desk(), &self.id, message).await.expect("it is said");
        self.sessions.wake(&self.id);
    }

    /// Waits until the conversation itself is at rest.
    async fn rest(&self) {
        while self.sessions.is_driven(&self.id) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Waits until nothing is at work in the background either.
    async fn quiet(&self) {
        while self.sessions.is_driven(&self.id) || self.sessions.works_in_background(&self.id) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    fn lines(&self) -> Vec<String> {
        self.journal.entries(&self.id).iter().map(entry).collect()
    }

    fn outcomes(&self) -> Vec<Outcome> {
        let entries = self.journal.entries(&self.id);
        let outer = entries.into_iter().filter(|entry| entry.frame.is_outer());
        let ended = outer.filter_map(|entry| match entry.body {
            Body::Ended { outcome, .. } => Some(outcome),
            _ => None,
        });
        ended.collect()
    }

    /// How often the answer of a delegate was brought.
    fn brought(&self, call: &str) -> usize {
        let id = format!("answer {call}");
        let entries = self.journal.entries(&self.id);
        entries.iter().filter(|entry| entry.body.said().is_some_and(|said| said.id.as_str() == id)).count()
    }
}

#[tokio::test(start_paused = true)]
async fn a_delegate_in_the_background_gives_a_receipt_and_wakes_its_conversation_with_its_answer() {
    let place = Place::new();
    place.say("m1", "1").await;
    place.rest().await;
    assert_eq!(place.outcomes(), [Outcome::Answered], "the turn does not wait for it");
    assert!(place.lines().iter().any(|line| line.starts_with("returned b0 Done \"scout works in the background")));
    place.quiet().await;
    assert_eq!(place.outcomes().len(), 2, "its answer opens a turn: {:#?}", place.lines());
    assert!(place.lines().iter().any(|line| line.contains("I have read: ") && line.contains("Found.")));
    assert_eq!(place.brought("b0"), 1);
}

#[tokio::test(start_paused = true)]
async fn its_answer_is_brought_once_though_the_process_ends_at_any_moment() {
    for cut in (0..60).map(|step| step * 25) {
        let mut place = Place::new();
        place.say("m1", "2").await;
        tokio::time::sleep(Duration::from_millis(cut)).await;
        place.sessions.shut().await;
        place.sessions = Sessions::new(place.ports.clone());
        place.sessions.resume().await.expect("the journal can be read");
        place.quiet().await;
        assert_eq!((place.brought("b0"), place.brought("b1")), (1, 1), "{cut} ms: {:#?}", place.lines());
    }
}

#[tokio::test(start_paused = true)]
async fn four_work_in_the_background_and_a_fifth_is_refused() {
    let place = Place::new();
    place.say("m1", "5").await;
    place.quiet().await;
    let refused =
        place.lines().iter().filter(|line| line.starts_with("returned b") && line.contains("Refused")).count();
    assert_eq!(refused, 1, "{:#?}", place.lines());
    assert_eq!((0..5).map(|number| place.brought(&format!("b{number}"))).sum::<usize>(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_stop_of_the_turn_leaves_it_and_its_own_stop_ends_it() {
    let place = Place::new();
    place.say("m1", "2").await;
    place.rest().await;
    assert!(!act::stop(place.desk(), &place.id, &TurnId::new("m1")).await.expect("it can be read"), "the turn is over");
    let call = CallId::new("b0");
    assert!(act::stop_delegate(place.desk(), &place.id, &call).await.expect("it is stopped"));
    place.sessions.stop_delegate(&place.id, &call);
    place.quiet().await;
    let lines = place.lines().join("\n");
    assert!(
        lines.contains("b0 in the background has failed") && lines.contains("b1 in the background is done"),
        "{lines}"
    );
    assert!(!act::stop_delegate(place.desk(), &place.id, &call).await.expect("it can be read"), "it is over");
}
