//! Plays a script on the real loop, with fakes for every port. One process at a time; it can die at any append.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use domain::approval::{Approval, Decision};
use domain::context::Prompt;
use domain::conversation::Conversation;
use domain::digest::Digest;
use domain::entry::{Body, Entry};
use domain::id::{ConversationId, MessageId, TurnId};
use domain::limits::Limits;
use domain::message::Message;
use domain::model::Tier;
use domain::rule::{Rule, RuleSet};
use domain::setting::Setting;
use domain::tool::ToolSet;
use domain::turn::{CallState, Turn};
use harness::act::{self, ActError, Desk};
use harness::ports::{Journal as _, Model, Ports};
use harness::run::{Entrance, Rested, RunError, StopDesk, drive};
use tokio_util::sync::CancellationToken;

use super::parse::{Script, Step};
use super::print::print;
use crate::clock::FixedClock;
use crate::hook::RecordingHook;
use crate::journal::{MemoryJournal, Trap};
use crate::model::{ScriptedModel, StandIn};
use crate::observer::Collect;
use crate::rules::rule;
use crate::setting::{FixedSetting, with_delegates};
use crate::world::{Done, RunSeen, World};

/// The loop with its fakes, between two lines of a script.
pub struct Stage {
    id: ConversationId,
    world: Arc<World>,
    journal: Arc<MemoryJournal>,
    model: Arc<ScriptedModel>,
    setting: Arc<FixedSetting>,
    hook: Arc<RecordingHook>,
    clock: Arc<FixedClock>,
    observer: Arc<Collect>,
    ports: Ports,
    /// The fold of the entries so far, which are only ever added to.
    folded: Mutex<(usize, Conversation)>,
    rules: Vec<Rule>,
    process: Process,
    told: Vec<(usize, String)>,
    /// A cut is mended at once, and what it interrupted is done again.
    mends: bool,
    /// A message met the loop at another place than it does without the cut: a reply was lost that had not seen it, and
    /// the second try sees it; or the reply that saw it is given to a sample that began before it.
    out_of_step: bool,
    /// A tool has said that it runs, and nothing has gone on since.
    at_run: bool,
    /// The question that is being answered: after a death meanwhile, the same one is answered again.
    answering: Option<Approval>,
}

/// The process under test.
enum Process {
    Down,
    Idle,
    Driving(Pin<Box<dyn Future<Output = Result<Rested, RunError>>>>, Arc<StopTable>),
}

#[derive(Default)]
struct StopTable(Mutex<Option<(TurnId, CancellationToken)>>);

impl StopDesk for StopTable {
    fn running(&self, turn: &TurnId, stop: &CancellationToken) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((turn.clone(), stop.clone()));
    }
}

impl StopTable {
    fn stop(&self, turn: &TurnId) {
        if let Some((running, stop)) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner)
            && running == turn
        {
            stop.cancel();
        }
    }
}

/// Where the loop has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// It waits for a line of the model.
    Sample,
    /// A tool says that it runs.
    Run,
    /// Nothing more can be done without a person.
    Rest,
    /// The process has died.
    Death,
}

/// What came of a play.
#[derive(Debug, Clone)]
pub struct Played {
    /// All entries.
    pub entries: Vec<Entry>,
    /// All prompts, oldest first.
    pub prompts: Vec<Prompt>,
    /// What the person was told, and crashes and starts, each after so many entries.
    pub told: Vec<(usize, String)>,
    /// The files of the world.
    pub files: BTreeMap<String, String>,
    /// All that was done to the world.
    pub done: Vec<Done>,
    /// All runs that tools were asked for.
    pub runs: Vec<RunSeen>,
    /// The most reads at once.
    pub most_reading: usize,
    /// Successful appends.
    pub appends: usize,
    /// Whether a message met the loop at another place than it does without the cut.
    pub out_of_step: bool,
    /// The fold of the entries.
    pub conversation: Conversation,
}

impl Stage {
    /// A stage with an empty conversation and a process that waits.
    pub fn new() -> Self {
        let id = ConversationId::new("c");
        let world = World::new();
        let journal = Arc::new(MemoryJournal::with(&id));
        let model = Arc::new(ScriptedModel::waiting());
        let setting = Arc::new(FixedSetting::new(world.tool_set()));
        let hook = Arc::new(RecordingHook::new("tidy"));
        let clock = Arc::new(FixedClock::default());
        let observer = Arc::new(Collect::default());
        let ports = Ports {
            journal: Arc::clone(&journal) as _,
            models: Arc::new([Arc::clone(&model) as _]),
            rests: Arc::default(),
            settings: Arc::clone(&setting) as _,
            hooks: Arc::new([Arc::clone(&hook) as _]),
            tools: world.tools(),
            observer: Arc::clone(&observer) as _,
            clock: Arc::clone(&clock) as _,
        };
        Self {
            folded: Mutex::new((0, Conversation::fold(id.clone(), &[]))),
            id,
            world,
            journal,
            model,
            setting,
            hook,
            clock,
            observer,
            ports,
            rules: Vec::new(),
            process: Process::Idle,
            told: Vec::new(),
            mends: false,
            out_of_step: false,
            at_run: false,
            answering: None,
        }
    }

    /// A stage on which any step may be tried: one that finds nothing to do changes nothing.
    pub fn forgiving() -> Self {
        Self { mends: true, ..Self::new() }
    }

    /// Lets the loop go on, and says what could come from outside now.
    pub async fn look(&mut self) -> Reached {
        self.come_to(0, true).await;
        if matches!(self.process, Process::Down) { Reached::Death } else { self.advance(true).await }
    }

    /// The calls about which a question waits.
    pub fn asked(&self) -> Vec<String> {
        self.fold(|now| now.pending().iter().map(|question| question.call.to_string()).collect())
    }

    /// Plays a script from its first to its last line. With a trap, the process dies there, starts again at once and
    /// goes on with the script.
    pub async fn play(script: &Script, cut: Option<Trap>) -> Played {
        let mut stage = Self::new();
        stage.mends = cut.is_some();
        cut.into_iter().for_each(|trap| stage.journal.arm(trap));
        for (line, step) in &script.steps {
            stage.step(*line, step).await;
        }
        while stage.advance(false).await == Reached::Death {
            stage.mend("the end").await;
        }
        if stage.mends && stage.model.is_wanted() {
            // The cut let a message come one reply later than the script thinks.
            stage.out_of_step = true;
            stage.model.push(crate::model::Line::text("And that."));
            stage.advance(false).await;
        }
        assert!(!stage.model.is_wanted(), "the script ends while the model is asked:\n{}", print(&stage.played()));
        stage.played()
    }

    /// What has come of it so far.
    pub fn played(&self) -> Played {
        let entries = self.journal.entries(&self.id);
        Played {
            conversation: Conversation::fold(self.id.clone(), &entries),
            prompts: self.model.prompts(),
            told: self.told.clone(),
            files: self.world.files(),
            done: self.world.done(),
            runs: self.world.runs(),
            most_reading: self.world.most_reading(),
            appends: self.journal.appends(),
            out_of_step: self.out_of_step,
            entries,
        }
    }

    /// Looks at the conversation as the journal holds it now.
    fn fold<T>(&self, look: impl FnOnce(&Conversation) -> T) -> T {
        let mut folded = self.folded.lock().unwrap_or_else(PoisonError::into_inner);
        let (seen, conversation) = &mut *folded;
        *seen += self.journal.look_at(&self.id, *seen, |new| {
            new.iter().for_each(|entry| conversation.apply(entry));
            new.len()
        });
        look(conversation)
    }

    fn live(&self) -> Option<TurnId> {
        self.fold(|now| now.live().map(|turn| turn.id().clone()))
    }

    /// Does one step; `line` is named when it cannot be done.
    pub async fn step(&mut self, line: usize, step: &Step) {
        match step {
            Step::Model(said) => self.model_says(line, said).await,
            Step::Crash(None) => {
                self.come_to(line, true).await;
                self.die("crash");
            }
            Step::Crash(Some(trap)) => self.crash_at(line, trap).await,
            Step::Restart => self.restart().await,
            step => self.act(line, step).await,
        }
    }

    async fn model_says(&mut self, line: usize, said: &crate::model::Line) {
        loop {
            match self.advance(false).await {
                Reached::Sample => return self.model.push(said.clone()),
                Reached::Death => self.mend(&format!("line {line}")).await,
                // What this line answers was read together with what was before it.
                Reached::Rest if self.out_of_step => return,
                Reached::Rest | Reached::Run => panic!("line {line}: nobody asks the model"),
            }
        }
    }

    async fn crash_at(&mut self, line: usize, trap: &Trap) {
        loop {
            self.journal.arm(trap.clone());
            let reached = self.advance(false).await;
            let sprung = !self.journal.take_away(trap);
            assert!(self.mends || sprung, "line {line}: the crash never came");
            if sprung || reached != Reached::Death {
                return self.die("crash");
            }
            // The other trap sprang first.
            self.mend(&format!("line {line}")).await;
        }
    }

    /// Goes on to where something can come from outside; a death on the way is mended if it may be.
    async fn come_to(&mut self, line: usize, pause: bool) {
        while self.advance(pause).await == Reached::Death {
            self.mend(&format!("line {line}")).await;
        }
    }

    /// Does what the line says at the next point where something can come from outside. If the process dies meanwhile,
    /// the person does it again after the start.
    async fn act(&mut self, line: usize, step: &Step) {
        self.come_to(line, true).await;
        loop {
            let dead = self.journal.dead();
            let done = dead.run_until_cancelled(self.perform(line, step)).await;
            match done {
                Some(Ok(())) => return,
                Some(Err(fault)) => {
                    // What was done before a death is not done twice, and the person is told so.
                    if !self.mends {
                        self.tell(format!("told: {fault}"));
                    }
                    return;
                }
                None => self.mend(&format!("line {line}")).await,
            }
            // A message is said again where it was said first; all else at once, so that the next line finds the loop
            // where it would have been.
            if matches!(step, Step::Says { .. }) {
                self.come_to(line, true).await;
            }
        }
    }

    async fn perform(&mut self, line: usize, step: &Step) -> Result<(), ActError> {
        match step {
            Step::Says { id, text } => self.says(id, text).await,
            Step::TakesBack(id) => act::withdraw(self.desk(), &self.id, &MessageId::new(id.as_str())).await,
            Step::Answers { call, decision } => self.answers(line, call.as_deref(), None, decision).await,
            Step::AnswersWithAnotherDigest => {
                self.answers(line, None, Some(Digest::of_bytes(b"another")), &Decision::Approve).await
            }
            Step::Stops(turn) => self.stops(turn.as_deref()).await,
            Step::Compacts => {
                act::compact(self.desk(), &self.id).await?;
                self.wake();
                Ok(())
            }
            Step::Fallback(name, far) => {
                self.add_model(name, *far);
                Ok(())
            }
            Step::Travel => {
                self.setting.change(|setting| setting.tier = Tier::Any);
                self.wake();
                Ok(())
            }
            Step::Rule(rule) => {
                self.set_rule(rule.as_ref());
                Ok(())
            }
            other => {
                self.change_world(other);
                Ok(())
            }
        }
    }

    async fn says(&mut self, id: &str, text: &str) -> Result<(), ActError> {
        match Message::new(MessageId::new(id), text.to_owned(), None) {
            Ok(message) => {
                let said = act::say(self.desk(), &self.id, message).await?;
                if !said.fresh && !self.mends {
                    self.tell(format!("told: this is entry {} of turn {}", said.entry.0, said.turn));
                }
                self.wake();
            }
            Err(fault) => self.tell(format!("told: {fault}")),
        }
        Ok(())
    }

    async fn answers(
        &mut self,
        line: usize,
        call: Option<&str>,
        digest: Option<Digest>,
        decision: &Decision,
    ) -> Result<(), ActError> {
        let Some(question) = self.answering.take().or_else(|| self.question(call)) else {
            panic!("line {line}: nothing was asked about {call:?}");
        };
        let digest = digest.unwrap_or(question.digest);
        self.answering = Some(question.clone());
        let answered = act::answer(self.desk(), &question.id, digest, decision.clone(), "test", None).await;
        self.answering = None;
        answered?;
        if *decision == Decision::RefuseAndStop {
            self.cancel_run();
        }
        self.wake();
        Ok(())
    }

    /// The question that waits, about that call if one is named; else the newest that was asked.
    fn question(&self, call: Option<&str>) -> Option<Approval> {
        let fits = |question: &Approval| call.is_none_or(|call| question.call.as_str() == call);
        let pending = self.fold(|now| now.pending().into_iter().find(|question| fits(question)).cloned());
        let asked_by = |entry: &Entry| match &entry.body {
            Body::Asked(question) if fits(question) => Some((**question).clone()),
            _ => None,
        };
        let asked = || self.journal.look_at(&self.id, 0, |entries| entries.iter().rev().find_map(asked_by));
        // With a call, or when nothing waits, the person answers what is on the screen, be it old.
        pending.or_else(asked)
    }

    async fn stops(&mut self, turn: Option<&str>) -> Result<(), ActError> {
        let turn = turn.map(TurnId::new).or_else(|| self.live()).unwrap_or_else(|| TurnId::new("none"));
        let stopped = act::stop(self.desk(), &self.id, &turn).await?;
        if !stopped && !self.mends {
            self.tell(format!("told: there is nothing to stop in turn {turn}"));
        }
        if let Process::Driving(_, table) = &self.process {
            table.stop(&turn);
            self.at_run = false;
        }
        // A stream that a death interrupted is not begun again, since nobody asks for it now.
        self.model.forget_stream();
        self.wake();
        Ok(())
    }

    fn cancel_run(&self) {
        if let (Process::Driving(_, table), Some(turn)) = (&self.process, self.live()) {
            table.stop(&turn);
        }
    }

    fn set_rule(&mut self, added: Option<&(domain::rule::RuleVerdict, String, Option<String>)>) {
        match added {
            None => self.rules.clear(),
            Some((verdict, tool, path)) => {
                let id = format!("r{}", self.rules.len() + 1);
                self.rules.push(rule(&id, *verdict, tool, path.as_deref()));
            }
        }
        let rules = RuleSet::new(self.rules.clone()).expect("the examples of a short rule hold");
        self.setting.change(|setting| setting.rules = Arc::new(rules));
    }

    /// Another model over the same script. A process sees it from the next time on that it begins to drive.
    fn add_model(&mut self, name: &str, far: bool) {
        let tier = if far { Tier::Any } else { Tier::Device };
        let model = Arc::new(StandIn::new(name, tier, Arc::clone(&self.model)));
        let description = Arc::new(model.describe());
        self.setting.change(|setting| setting.fallbacks.push(description));
        self.ports.models = self.ports.models.iter().cloned().chain([model as Arc<dyn Model>]).collect();
    }

    fn change_world(&self, step: &Step) {
        match step {
            Step::Summary(line) => self.model.summarise_as(line.clone()),
            Step::Hook(tool, does) => self.hook.set(tool.as_deref(), does.clone()),
            Step::Limit(name, value) => self.set_limit(name, *value),
            Step::Without(gone) => {
                let there = |name: &str| !gone.iter().any(|gone| gone == name);
                let specs = self.ports.tools.iter().map(|tool| tool.spec().clone());
                let tools = ToolSet::new(specs.filter(|spec| there(spec.name.as_str())));
                self.setting.change(|setting| setting.tools = Arc::new(tools));
            }
            Step::Delegates(true) => {
                let made = with_delegates(self.world.whole_tool_set());
                self.setting.change(|setting| {
                    let Setting { tools, prefix, delegation, .. } = made;
                    (setting.tools, setting.prefix, setting.delegation) = (tools, prefix, delegation);
                });
            }
            Step::Delegates(false) => self.setting.change(|setting| setting.delegation.allowed.clear()),
            Step::Setting(Some(reason)) => self.setting.lose(reason),
            Step::Setting(None) => self.setting.find(),
            Step::Time(millis) => self.clock.advance(*millis),
            Step::Target(path, Some(text)) => self.world.put(path, text),
            Step::Target(path, None) => self.world.remove(path),
            Step::NewerEntry => self.journal.plant(&self.id, domain::entry::VERSION + 1, r#"{"unheard_of":1}"#),
            Step::DiskFails => self.journal.fail(1),
            other => panic!("{other:?} is no change of the world"),
        }
    }

    fn set_limit(&self, name: &str, value: u32) {
        let count = usize::try_from(value).unwrap_or(usize::MAX);
        let set = |limits: &mut Limits| match name {
            "rounds" => limits.rounds = count,
            "tokens" => limits.decoded_tokens = u64::from(value),
            "seconds" => limits.active_ms = u64::from(value) * 1000,
            "calls" => limits.calls = count,
            "cards" => limits.cards = count,
            "parallel" => limits.parallel = count,
            "delegates" => limits.delegates = count,
            other => panic!("there is no limit {other:?}"),
        };
        self.setting.change(|setting| match name {
            "window" => Arc::make_mut(&mut setting.model).window = value,
            _ => set(&mut setting.limits),
        });
    }

    fn desk(&self) -> Desk<'_> {
        Desk { journal: self.journal.as_ref(), observer: self.observer.as_ref(), clock: self.clock.as_ref() }
    }

    fn tell(&mut self, text: String) {
        self.told.push((self.journal.look_at(&self.id, 0, <[Entry]>::len), text));
    }

    fn wake(&mut self) {
        self.begin(Entrance::Woken);
    }

    fn begin(&mut self, entrance: Entrance) {
        match self.process {
            Process::Idle => {
                let (ports, id, table) = (self.ports.clone(), self.id.clone(), Arc::new(StopTable::default()));
                let desk = Arc::clone(&table);
                let driving = async move { drive(&ports, &id, entrance, desk.as_ref()).await };
                self.process = Process::Driving(Box::pin(driving), table);
            }
            Process::Driving(..) => {}
            Process::Down => panic!("nobody can act while the process is down"),
        }
    }

    /// Lets the loop go on until something can come from outside: it waits for the model, rests, has died, or (with
    /// `pause`) a tool says that it runs.
    async fn advance(&mut self, pause: bool) -> Reached {
        if pause && self.at_run {
            return Reached::Run;
        }
        self.at_run = false;
        let Process::Driving(driving, _) = &mut self.process else { return Reached::Rest };
        let (dead, mut running) = (self.journal.dead(), self.world.running());
        running.mark_unchanged();
        let end = tokio::select! {
            biased;
            end = driving => end,
            () = dead.cancelled() => return Reached::Death,
            () = self.model.wanted() => return Reached::Sample,
            _ = running.changed(), if pause => {
                self.at_run = true;
                return Reached::Run;
            }
        };
        self.process = Process::Idle;
        if let Err(fault) = end {
            self.tell(format!("told: {fault}"));
            self.rewind();
        }
        Reached::Rest
    }

    /// What the journal does not hold, the model has to say again.
    fn rewind(&self) {
        let heard = |entry: &&Entry| matches!(entry.body, Body::Replied(_) | Body::Faltered(_));
        self.model.rewind(self.journal.look_at(&self.id, 0, |entries| entries.iter().filter(heard).count()));
    }

    fn die(&mut self, why: &str) {
        self.process = Process::Down;
        self.at_run = false;
        self.journal.reopen();
        self.rewind();
        // A crash that the script knows of is followed by another reply; after a stop nobody asks for one.
        if why == "crash" || self.fold(|now| now.live().is_none_or(Turn::is_stopped)) {
            self.model.forget_stream();
        }
        self.out_of_step |= self.fold(|now| now.live().is_some_and(skips_a_reply));
        self.tell(why.to_owned());
    }

    async fn restart(&mut self) {
        assert!(matches!(self.process, Process::Down), "a process that runs cannot start");
        self.process = Process::Idle;
        // What a process knew of its models died with it.
        self.ports.rests = Arc::default();
        self.tell("restart".to_owned());
        let unfinished = self.journal.unfinished().await.unwrap_or_default();
        if unfinished.contains(&self.id) {
            self.begin(Entrance::Resumed);
        }
    }

    /// After a cut that the script does not know of, a new process starts at once.
    async fn mend(&mut self, place: &str) {
        assert!(self.mends, "{place}: the process died and the script says nothing of it");
        self.die("cut");
        self.restart().await;
    }
}

/// Whether a message waits for a sample that is about to be asked for.
fn skips_a_reply(turn: &Turn) -> bool {
    let samples = turn.rounds().last().is_none_or(|round| round.calls.iter().all(CallState::is_settled));
    samples && !turn.is_stopped() && turn.waiting().next().is_some()
}

impl Default for Stage {
    fn default() -> Self {
        Self::new()
    }
}
