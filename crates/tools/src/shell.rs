//! `shell`: runs one program in the sandbox, without network, home to be read and the work folder to be written. No
//! shell stands behind it, and without a sandbox nothing runs.

mod confine;
mod cover;
mod environment;
mod image;
mod input;
mod ready;
mod told;
mod work;

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use domain::call::ClearedCall;
use domain::facts::{Appraisal, CommandFact, Facts, Preview};
use domain::tool::{EffectClass, Replay};
use harness::ports::{Channel, Ran, Scope};
use sandbox::{Confinement, Finished, Sandbox};

use crate::erase::TypedTool;
use crate::files::beneath::Beneath;
use crate::files::{preview, visible};
use crate::places::{Places, off_thread, says};
use image::Image;
use input::{MOST_SECONDS, Shell};
use told::{told, told_of_home, too_much};

/// Characters of stdout and stderr together that the model reads.
const OUTPUT_CHARS: usize = 8192;

/// Where commands run, or why none can.
#[derive(Clone)]
pub struct CommandRunner {
    sandbox: Result<Sandbox, Arc<str>>,
    host_uid: Option<u32>,
    image: Arc<Image>,
}

impl CommandRunner {
    /// A sandbox that was probed, or the sentence that says why there is none and what to do. `host_uid` is the user of
    /// this machine as whom this person's commands run; needed where the server is root.
    pub fn new(sandbox: Result<Sandbox, String>, host_uid: Option<u32>) -> Self {
        Self { sandbox: sandbox.map_err(Arc::from), host_uid, image: Arc::new(Image::of_host()) }
    }

    fn sandbox(&self) -> Result<&Sandbox, String> {
        self.sandbox.as_ref().map_err(|state| format!("Commands cannot run here: {state}"))
    }
}

/// The tool.
pub(crate) struct Tool {
    pub(crate) places: Places,
    pub(crate) runner: CommandRunner,
}

#[async_trait]
impl TypedTool for Tool {
    type Input = Shell;
    const NAME: &'static str = "shell";
    const REPLAY: Replay = Replay::Never;
    const PARALLEL: bool = false;
    // A little longer than the longest run, so that the sandbox ends it and not the loop.
    const DEADLINE_MS: u64 = MOST_SECONDS * 1000 + 10_000;

    async fn appraise(&self, input: Shell, scope: &Scope) -> Result<Appraisal, String> {
        let ready = self.ready(&input, scope).await?;
        let command = CommandFact { argv: ready.argv.clone(), program: Some(ready.program), quiet: true };
        let facts = Facts {
            classes: BTreeSet::from([EffectClass::Execute]),
            paths: ready.paths,
            command: Some(command),
            ..Facts::of(EffectClass::Execute)
        };
        let label = preview::label("Run", &ready.argv.join(" ").replace('\n', "⏎"));
        Ok(Appraisal { facts, label, preview: Some(Preview::Command { argv: ready.argv }) })
    }

    async fn run(&self, input: Shell, call: &ClearedCall, scope: &Scope) -> Ran {
        self.run_again_looked_at(&input, call, scope).await.unwrap_or_else(Ran::failed)
    }
}

impl Tool {
    async fn run_again_looked_at(&self, input: &Shell, call: &ClearedCall, scope: &Scope) -> Result<Ran, String> {
        let ready = self.ready(input, scope).await?;
        ready.check_same(call.facts())?;
        let (place, seconds) = (visible::name(&ready.folder.shown()), input.seconds()?);
        let of_home = told_of_home(&ready.folder.home);
        let confinement = self.confinement(input, ready, scope)?;
        let work = self.places.work(&scope.conversation).map_err(|fault| says("work/", fault))?;
        match run_within(self.runner.sandbox()?, confinement, scope, work).await {
            (Ok(finished), full) => {
                let mut ran = told(&finished, &place, seconds);
                ran.text.push_str(&of_home);
                Ok(match full {
                    None => ran,
                    Some(how) => too_much(&ran, &how),
                })
            }
            (Err(sandbox::Refusal::Cancelled), _) => {
                Ok(Ran::cancelled("Stopped before the command started; nothing was run."))
            }
            (Err(refusal), _) => Err(refusal.to_string()),
        }
    }
}

/// Runs a command and ends it once the work folder is full; then it says how full.
async fn run_within(
    sandbox: &Sandbox,
    confinement: Confinement,
    scope: &Scope,
    work: Arc<Beneath>,
) -> (Result<Finished, sandbox::Refusal>, Option<String>) {
    let stop = scope.cancel.child_token();
    let mut live = |_, text: &str| scope.output.delta(Channel::Output, text);
    let run = sandbox.run(confinement, &mut live, &stop);
    tokio::pin!(run);
    // One that was full before is being emptied.
    let was_full = {
        let work = Arc::clone(&work);
        off_thread(move || work::overfull(&work).is_some()).await.unwrap_or(false)
    };
    if was_full {
        return (run.await, None);
    }
    tokio::select! {
        finished = &mut run => (finished, None),
        how = work::outgrown(work) => {
            stop.cancel();
            (run.await, Some(how))
        }
    }
}
