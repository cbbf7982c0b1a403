//! The tools of the small world, each with its own way to be replayed and its own way to go wrong.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use async_trait::async_trait;
use domain::call::{ClearedCall, ValidCall};
use domain::delegate::TOOL;
use domain::facts::{Appraisal, Content, Facts, PathFact, Preview, Root};
use domain::scratchpad::{READ, WRITE};
use domain::tool::{EffectClass, Replay, Schema, ToolName, ToolSpec};
use harness::ports::{Channel, Ran, Scope, Tool};
use serde_json::{Value, json};

use super::{Reading, RunSeen, World};

/// All tools of a world.
pub(super) fn all(world: &Arc<World>) -> Arc<[Arc<dyn Tool>]> {
    let make =
        |spec: &ToolSpec| -> Arc<dyn Tool> { Arc::new(WorldTool { spec: spec.clone(), world: Arc::clone(world) }) };
    SPECS.iter().map(make).collect()
}

/// Schemas are compiled once, since tests make thousands of worlds.
static SPECS: LazyLock<Vec<ToolSpec>> = LazyLock::new(|| ROWS.iter().map(Row::spec).collect());

/// One tool: name, what a model reads, its arguments (all text), its replay, and what is special about it.
struct Row {
    name: &'static str,
    about: &'static str,
    arguments: &'static [&'static str],
    replay: Replay,
    parallel: bool,
    asks_person: bool,
    uses: Option<usize>,
    /// Arguments that may be left out: numbers, and words.
    numbers: &'static [&'static str],
    words: &'static [&'static str],
}

const fn row(name: &'static str, about: &'static str, arguments: &'static [&'static str], replay: Replay) -> Row {
    Row { name, about, arguments, replay, parallel: false, asks_person: false, uses: None, numbers: &[], words: &[] }
}

const ROWS: &[Row] = &[
    Row { parallel: true, ..row("read", "Reads a file.", &["path"], Replay::Again) },
    row("write", "Writes a file.", &["path", "text"], Replay::Probe),
    row("send", "Sends a letter; the post office knows each letter by its key.", &["to", "text"], Replay::Keyed),
    row("append", "Adds to a file; the file knows each addition by its key.", &["path", "text"], Replay::Keyed),
    row("ring", "Rings the bell. Nobody can take that back or look it up.", &["for"], Replay::Never),
    row("slow", "Looks for something until it is told to end.", &[], Replay::Again),
    row("stubborn", "Looks for something and never ends.", &[], Replay::Again),
    row("breaks", "Breaks: in `appraise`, `run` or `probe`.", &["in"], Replay::Probe),
    row("fails", "Fails.", &[], Replay::Never),
    row(READ, "Reads what is noted.", &["key"], Replay::Again),
    Row { numbers: &["version"], ..row(WRITE, "Notes something.", &["key", "value"], Replay::Again) },
    Row { words: &["mode"], ..row(TOOL, "Lets another profile work on a task.", &["profile", "task"], Replay::Again) },
    Row { uses: Some(2), ..row("look_up", "Looks up a word, twice a turn.", &["word"], Replay::Again) },
    Row { asks_person: true, ..row("ask_person", "Asks the person.", &["question"], Replay::Again) },
];

impl Row {
    fn spec(&self) -> ToolSpec {
        let typed = |names: &[&str], kind: &str| -> Vec<(String, Value)> {
            names.iter().map(|name| ((*name).to_owned(), json!({ "type": kind }))).collect()
        };
        let properties: serde_json::Map<String, Value> =
            [typed(self.arguments, "string"), typed(self.words, "string"), typed(self.numbers, "integer")]
                .concat()
                .into_iter()
                .collect();
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": self.arguments,
            "additionalProperties": false,
        });
        ToolSpec {
            name: ToolName::new(self.name),
            description: self.about.to_owned(),
            schema: Schema::new(schema).expect("the schemas of this table are valid"),
            replay: self.replay,
            parallel: self.parallel,
            asks_person: self.asks_person,
            uses: self.uses,
            deadline_ms: 120_000,
        }
    }
}

struct WorldTool {
    spec: ToolSpec,
    world: Arc<World>,
}

#[async_trait]
impl Tool for WorldTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn appraise(&self, call: &ValidCall, _: &Scope) -> Result<Appraisal, String> {
        match self.spec.name.as_str() {
            "read" => self.read_facts(call),
            "write" | "append" => Ok(self.write_facts(call)),
            "breaks" if text(call, "in") == "appraise" => panic!("the tool was told to break"),
            name => Ok(Appraisal { facts: facts_of(name), label: label(call), preview: None }),
        }
    }

    async fn landed(&self, call: &ClearedCall, _: &Scope) -> Option<Ran> {
        match self.spec.name.as_str() {
            "write" => self.world.has_landed("write", call.key()).then(|| wrote(call.call())),
            "breaks" if text(call.call(), "in") == "probe" => panic!("the tool was told to break"),
            _ => None,
        }
    }

    async fn run(&self, call: &ClearedCall, scope: &Scope) -> Ran {
        self.note_run(call, scope).await;
        let ran = self.act(call, scope).await;
        self.note_acted(call, &ran);
        ran
    }
}

impl WorldTool {
    async fn note_run(&self, call: &ClearedCall, scope: &Scope) {
        let now = match self.spec.name.as_str() {
            "breaks" => None,
            _ => self.appraise(call.call(), scope).await.ok().map(|appraisal| call.call().digest(&appraisal.facts)),
        };
        let (tool, call, digest) = (self.spec.name.to_string(), call.call().id().clone(), call.digest());
        self.world.lock().runs.push(RunSeen { tool, call, digest, now, acted: false });
    }

    fn note_acted(&self, call: &ClearedCall, ran: &Ran) {
        let mut inner = self.world.lock();
        if let Some(run) = inner.runs.iter_mut().rev().find(|run| run.call == *call.call().id()) {
            run.acted = ran.status == domain::result::Status::Done;
        }
    }

    async fn act(&self, call: &ClearedCall, scope: &Scope) -> Ran {
        match self.spec.name.as_str() {
            "read" => self.read(call.call()).await,
            "write" => self.write(call),
            "send" => self.send(call),
            "append" => self.append(call),
            "ring" => self.ring(call),
            "slow" => self.slow(scope).await,
            "stubborn" => self.stubborn().await,
            "breaks" => self.break_off(call).await,
            "look_up" => Ran::done(format!("{} means {}.", text(call.call(), "word"), text(call.call(), "word"))),
            "ask_person" => Ran::failed("A question is answered by the person and never run."),
            _ => Ran::failed("It was told to fail; nothing was changed."),
        }
    }

    fn read_facts(&self, call: &ValidCall) -> Result<Appraisal, String> {
        let path = text(call, "path");
        if path.starts_with("..") {
            return Err(format!("{path} lies outside the folder."));
        }
        let place = place(&path, EffectClass::Read, Content::Unread, 0);
        let facts = Facts { paths: vec![place], ..Facts::of(EffectClass::Read) };
        Ok(Appraisal { facts, label: label(call), preview: None })
    }

    /// A new file can be taken away again; what a file held before its change is lost.
    fn write_facts(&self, call: &ValidCall) -> Appraisal {
        let (path, new) = (text(call, "path"), text(call, "text"));
        let old = self.world.file(&path);
        let class = if old.is_some() { EffectClass::Modify } else { EffectClass::Create };
        let place = place(&path, class, self.world.content(&path), new.len() as u64);
        let facts = Facts { paths: vec![place], undo: old.is_none(), ..Facts::of(class) };
        let diff = format!("-{}\n+{new}\n", old.unwrap_or_default());
        Appraisal { facts, label: label(call), preview: Some(Preview::Diff { path: format!("~/{path}"), diff }) }
    }

    async fn read(&self, call: &ValidCall) -> Ran {
        let _reading = Reading::begin(&self.world);
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        let path = text(call, "path");
        match self.world.file(&path) {
            Some(text) => Ran::done(text),
            None => Ran::failed(format!("There is no file {path}. Nothing was changed. Ask for a file that exists.")),
        }
    }

    fn is_as_cleared(&self, call: &ClearedCall, path: &str) -> bool {
        call.facts().paths.first().map(|place| &place.now) == Some(&self.world.content(path))
    }

    /// Writes only over what the facts say is there.
    fn write(&self, call: &ClearedCall) -> Ran {
        let path = text(call.call(), "path");
        if !self.is_as_cleared(call, &path) {
            return Ran::failed(format!("{path} has changed meanwhile; nothing was written."));
        }
        self.world.put(&path, &text(call.call(), "text"));
        self.world.note_done(call, format!("{path} = {}", text(call.call(), "text")));
        wrote(call.call())
    }

    /// The post office takes each key once.
    fn send(&self, call: &ClearedCall) -> Ran {
        let to = text(call.call(), "to");
        if !self.world.has_landed("send", call.key()) {
            self.world.note_done(call, format!("to {to}: {}", text(call.call(), "text")));
        }
        Ran { made: vec![format!("letter to {to}")], ..Ran::done(format!("Sent to {to}.")) }
    }

    /// The file takes each key once.
    fn append(&self, call: &ClearedCall) -> Ran {
        let (path, added) = (text(call.call(), "path"), text(call.call(), "text"));
        if !self.world.has_landed("append", call.key()) {
            if !self.is_as_cleared(call, &path) {
                return Ran::failed(format!("{path} has changed meanwhile; nothing was added."));
            }
            let before = self.world.file(&path).unwrap_or_default();
            self.world.put(&path, &format!("{before}{added}"));
            self.world.note_done(call, format!("{path} + {added}"));
        }
        wrote(call.call())
    }

    fn ring(&self, call: &ClearedCall) -> Ran {
        self.world.note_done(call, format!("rang for {}", text(call.call(), "for")));
        Ran::done("It rang.")
    }

    async fn slow(&self, scope: &Scope) -> Ran {
        scope.output.delta(Channel::Output, "looking");
        self.world.note_running();
        scope.cancel.cancelled().await;
        Ran::cancelled("Ended while looking; nothing was changed.")
    }

    async fn stubborn(&self) -> Ran {
        self.world.note_running();
        tokio::time::sleep(Duration::from_secs(86_400)).await;
        Ran::done("It ended after a day.")
    }

    /// What is not told to break in `run` works.
    async fn break_off(&self, call: &ClearedCall) -> Ran {
        match text(call.call(), "in").as_str() {
            "run" => panic!("the tool was told to break"),
            _ => {
                self.world.note_done(call, "broke something".to_owned());
                Ran::done("It did not break this time.")
            }
        }
    }
}

fn facts_of(tool: &str) -> Facts {
    match tool {
        "send" => Facts::of(EffectClass::Send),
        "ring" | "breaks" => Facts::of(EffectClass::Execute),
        "fails" => Facts { undo: true, ..Facts::of(EffectClass::Create) },
        _ => Facts::of(EffectClass::Read),
    }
}

fn place(path: &str, class: EffectClass, now: Content, bytes: u64) -> PathFact {
    PathFact { path: format!("~/{path}"), root: Root::Home, class, now, bytes }
}

fn wrote(call: &ValidCall) -> Ran {
    let path = text(call, "path");
    Ran { made: vec![format!("~/{path}")], ..Ran::done(format!("Wrote {path}.")) }
}

/// The tool and its first argument.
fn label(call: &ValidCall) -> String {
    let first = call.spec().schema.json()["required"][0].as_str().map(|name| text(call, name)).unwrap_or_default();
    format!("{} {first}", call.spec().name).trim_end().to_owned()
}

fn text(call: &ValidCall, name: &str) -> String {
    call.arguments()[name].as_str().unwrap_or_default().to_owned()
}
