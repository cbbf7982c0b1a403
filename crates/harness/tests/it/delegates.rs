//! A16: 64 delegates of one round, with crashes at random appends and at random moments. There are 64 results in source
//! order, each once; no effect is doubled, at most four work at once, and the purse of the turn is never exceeded.

mod background;
mod seen;
mod workers;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use domain::conversation::Conversation;
use domain::entry::Entry;
use domain::id::{ConversationId, MessageId, TurnId};
use domain::limits::Limits;
use domain::message::Message;
use domain::outcome::Outcome;
use domain::result::Status;
use domain::rule::{RuleSet, RuleVerdict};
use domain::time::Timestamp;
use harness::act::{self, Desk};
use harness::ports::{Clock, Ports};
use harness::run::{Entrance, StopDesk, drive};
use testkit::counts;
use testkit::journal::{MemoryJournal, Moment, Trap, TrapAt};
use testkit::observer::Collect;
use testkit::random::Random;
use testkit::rules::rule;
use testkit::setting::{FixedSetting, with_delegates};
use testkit::world::World;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use seen::Seen;
use workers::{DELEGATES, Workers};

/// Time goes on as the runtime has it, and stands still while the process is down.
struct Going(Instant, AtomicU64);

impl Clock for Going {
    fn now(&self) -> Timestamp {
        Timestamp(1_796_061_600_000 + i64::try_from(self.0.elapsed().as_millis()).expect("a test is short"))
    }

    fn new_id(&self) -> String {
        format!("{:026}", self.1.fetch_add(1, Ordering::SeqCst) + 1)
    }
}

struct Nobody;

impl StopDesk for Nobody {
    fn running(&self, _: &TurnId, _: &CancellationToken) {}
}

struct Yard {
    id: ConversationId,
    journal: Arc<MemoryJournal>,
    world: Arc<World>,
    workers: Arc<Workers>,
    ports: Ports,
    limits: Limits,
    crashes: usize,
}

/// A purse that holds all that the delegates want.
fn ample() -> Limits {
    Limits { calls_a_reply: DELEGATES, calls: 10_000, rounds: 10_000, decoded_tokens: 10_000_000, ..Limits::default() }
}

/// A purse that some of the delegates come to the end of.
fn scarce(random: &mut Random) -> Limits {
    Limits {
        calls: DELEGATES + random.below(120),
        rounds: 2 + random.below(160),
        decoded_tokens: 200 + random.below(20_000) as u64,
        active_ms: 500 + random.below(20_000) as u64,
        ..ample()
    }
}

impl Yard {
    fn new(seed: u64, limits: Limits) -> Self {
        let id = ConversationId::new("c");
        let (world, journal) = (World::new(), Arc::new(MemoryJournal::with(&id)));
        let workers = Arc::new(Workers::new(seed));
        let setting = FixedSetting::new(world.tool_set());
        let rules = RuleSet::new(vec![rule("r1", RuleVerdict::Allow, "append", None)]).expect("a short rule holds");
        let made = with_delegates(world.whole_tool_set());
        setting.change(|setting| *setting = made);
        setting.change(|setting| (setting.limits, setting.rules) = (limits.clone(), Arc::new(rules)));
        let ports = Ports {
            journal: Arc::clone(&journal) as _,
            models: Arc::new([Arc::clone(&workers) as _]),
            rests: Arc::default(),
            settings: Arc::new(setting),
            hooks: Arc::new([]),
            tools: world.tools(),
            observer: Arc::new(Collect::default()),
            clock: Arc::new(Going(Instant::now(), AtomicU64::new(0))),
        };
        Self { id, journal, world, workers, ports, limits, crashes: 0 }
    }

    fn desk(&self) -> Desk<'_> {
        Desk {
            journal: self.journal.as_ref(),
            observer: self.ports.observer.as_ref(),
            clock: self.ports.clock.as_ref(),
        }
    }

    async fn say(&self) {
        let message = Message::new(MessageId::new("m1"), "go".to_owned(), None).expect("it may be said");
        act::say(self.desk(), &self.id, message).await.expect("it is said");
    }

    /// Drives to the end, with so many crashes on the way.
    async fn drive(&mut self, random: &mut Random, crashes: usize) {
        self.say().await;
        let mut entrance = Entrance::Woken;
        while self.crashes < crashes {
            if !self.cut(random, entrance).await {
                return;
            }
            self.crashes += 1;
            entrance = Entrance::Resumed;
            self.journal.reopen();
        }
        drive(&self.ports, &self.id, entrance, &Nobody).await.expect("the journal works");
    }

    /// Drives until the process dies, at an append or in the middle of something. False if it came to its end before.
    async fn cut(&self, random: &mut Random, entrance: Entrance) -> bool {
        let driving: Pin<Box<dyn Future<Output = _>>> = Box::pin(drive(&self.ports, &self.id, entrance, &Nobody));
        if random.once_in(3) {
            let moment = Duration::from_millis(random.below(800) as u64);
            return tokio::time::timeout(moment, driving).await.is_err();
        }
        let at = TrapAt::Append(self.journal.appends() + 1 + random.below(70));
        let moment = if random.once_in(2) { Moment::Before } else { Moment::After };
        let trap = Trap { at, moment };
        self.journal.arm(trap.clone());
        let dead = self.journal.dead();
        let cut = dead.run_until_cancelled(driving).await.is_none();
        self.journal.take_away(&trap);
        cut
    }

    fn entries(&self) -> Vec<Entry> {
        self.journal.entries(&self.id)
    }
}

fn seeds() -> u64 {
    counts::delegate_turns() as u64
}

#[tokio::test(start_paused = true)]
async fn delegates_give_each_one_result_in_source_order_whatever_crashes() {
    let mut crashes = 0;
    for seed in 0..seeds() {
        let mut yard = Yard::new(seed, ample());
        let mut random = Random::new(seed);
        let wanted = random.below(40);
        yard.drive(&mut random, wanted).await;
        crashes += yard.crashes;
        let entries = yard.entries();
        let seen = Seen::of(&entries);
        seen.check(&yard.world.done())
            .unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}\n{}", seen::print(&entries)));
        assert_eq!(seen.outcome(), Some(&Outcome::Answered), "seed {seed}");
        assert!(yard.workers.most_at_once() <= 4, "seed {seed}: {} at once", yard.workers.most_at_once());
        if yard.crashes == 0 {
            assert_eq!(yard.workers.most_at_once(), 4, "seed {seed}");
        }
        for (number, (status, text)) in seen.results().enumerate() {
            yard.workers.expects(number, status, text).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
        }
        assert!(Conversation::fold(yard.id.clone(), &entries).live().is_none(), "seed {seed}");
    }
    assert!(crashes > 0, "something was cut");
}

#[tokio::test(start_paused = true)]
async fn delegates_never_exceed_the_purse_of_their_turn() {
    let (mut spent, mut crashes) = (0, 0);
    for seed in 0..seeds() {
        let mut random = Random::new(seed);
        let mut yard = Yard::new(seed, scarce(&mut random));
        let wanted = random.below(40);
        yard.drive(&mut random, wanted).await;
        crashes += yard.crashes;
        let entries = yard.entries();
        let seen = Seen::of(&entries);
        let checked = seen.check(&yard.world.done()).and_then(|()| seen.within(&yard.limits));
        checked.unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}\n{}", seen::print(&entries)));
        let outcome = seen.outcome().unwrap_or_else(|| panic!("seed {seed}: the turn has not ended"));
        spent += usize::from(*outcome != Outcome::Answered);
        let limited = |(status, text): (Status, &str)| status == Status::Failed && text.contains("(limit)");
        assert!(*outcome == Outcome::Answered || seen.results().any(limited) || seen.results().count() == DELEGATES);
    }
    assert!(spent > 0 && crashes > 0, "{spent} purses came to their end, {crashes} crashes");
}
