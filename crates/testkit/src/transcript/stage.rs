//! Plays a script on the real loop, with fakes for every port. One process at a time; it can die at any append. Which
//! step becomes what is here; the process, what the person does and what changes around are beside.

mod around;
mod person;
mod process;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::approval::{Approval, Decision};
use domain::context::Prompt;
use domain::conversation::Conversation;
use domain::digest::Digest;
use domain::entry::Entry;
use domain::id::{ConversationId, MessageId, TurnId};
use domain::model::Tier;
use domain::rule::Rule;
use harness::act::{self, ActError, Desk};
use harness::ports::Ports;

use self::process::Process;
use super::parse::{Script, Step};
use super::print::print;
use crate::clock::FixedClock;
use crate::hook::RecordingHook;
use crate::journal::{MemoryJournal, Trap};
use crate::model::ScriptedModel;
use crate::observer::Collect;
use crate::setting::FixedSetting;
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

    fn desk(&self) -> Desk<'_> {
        Desk { journal: self.journal.as_ref(), observer: self.observer.as_ref(), clock: self.clock.as_ref() }
    }

    fn tell(&mut self, text: String) {
        self.told.push((self.journal.look_at(&self.id, 0, <[Entry]>::len), text));
    }
}

impl Default for Stage {
    fn default() -> Self {
        Self::new()
    }
}
