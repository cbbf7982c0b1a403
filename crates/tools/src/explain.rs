//! Says what becomes of a path, a command line or a call, and why: the same judges that tools and gate use, with
//! nothing read, written or run.
//!
//! A path is judged in one of two ways. As text it is a path of the agent namespace ([`explain_path`]). On a tree it is
//! a path below granted roots ([`World`]), where links, pipes and denied folders count and `~` is a plain name; for
//! those who have no tree at hand there is an example of one ([`example::lay`]).

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use domain::call::{ToolCall, ValidCall};
use domain::gate::{Tally, Verdict, judge};
use domain::id::CallId;
use domain::place::{self, Guarded, Place, guarded, normalise};
use domain::program;
use domain::rule::RuleSet;
use domain::tool::{ToolName, ToolSet};
use harness::ports::{Scope, Tool};
use rustix::fs::{Mode, OFlags};
use serde::Serialize;

use crate::files::beneath::{Beneath, Fault, Found, Rights, Spot};

pub mod example;

/// A verdict and its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// `allow`, `block`, or for a call `ask`.
    pub verdict: &'static str,
    /// Why, and the way that works where there is one.
    pub reason: String,
}

/// What would be done with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Read a file.
    Read,
    /// List a folder.
    List,
    /// Make a file.
    Create,
    /// Change a file, or make it.
    Write,
    /// Take a file away.
    Delete,
    /// Give it another name.
    Rename,
}

impl Op {
    /// The operation of that name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "read" => Self::Read,
            "list" => Self::List,
            "create" => Self::Create,
            "write" => Self::Write,
            "delete" => Self::Delete,
            "rename" => Self::Rename,
            _ => return None,
        })
    }

    fn changes(self) -> bool {
        match self {
            Self::Read | Self::List => false,
            Self::Create | Self::Write | Self::Delete | Self::Rename => true,
        }
    }
}

impl Explained {
    fn allow(reason: impl Into<String>) -> Self {
        Self { verdict: "allow", reason: reason.into() }
    }

    fn block(reason: impl Into<String>) -> Self {
        Self { verdict: "block", reason: reason.into() }
    }

    /// Whether it says `allow`.
    pub fn allows(&self) -> bool {
        self.verdict == "allow"
    }
}

/// A command line: split, then judged by the rules about programs and options.
pub fn explain_argv(line: &str) -> Explained {
    let words = match domain::argv::split(line) {
        Ok(words) => words,
        Err(fault) => return Explained::block(fault.to_string()),
    };
    match program::judge_argv(&words) {
        Ok(()) => Explained::allow(format!("plain argv: {}", listed(&words))),
        Err(fault) => Explained::block(fault.to_string()),
    }
}

fn listed(words: &[String]) -> String {
    let mut text = String::from("[");
    for (index, word) in words.iter().enumerate() {
        let parting = if index == 0 { "" } else { ", " };
        // `Debug` quotes and escapes, so that blanks and control characters are seen.
        write!(text, "{parting}{word:?}").expect("writing to a string cannot fail");
    }
    text + "]"
}

/// A path of the agent namespace, judged from the text alone. What lies there may still be refused when it is opened.
pub fn explain_path(path: &str, op: Option<Op>) -> Explained {
    let place = match Place::read(path) {
        Ok(place) => place,
        Err(fault) => return Explained::block(fault.to_string()),
    };
    let parts = normalise(&place.parts).unwrap_or_default();
    let changes = op.is_some_and(Op::changes);
    match guarded(&parts) {
        Some(Guarded::Hidden) => Explained::block(Fault::Denied.to_string()),
        Some(Guarded::Unwritable) if changes => Explained::block(Fault::Unwritable.to_string()),
        Some(Guarded::Unwritable) | None if changes && parts.is_empty() => {
            Explained::block(Fault::IsTheRoot.to_string())
        }
        Some(Guarded::Unwritable) | None => {
            Explained::allow(format!("`{place}`; links and what lies there are looked at when it is opened"))
        }
    }
}

/// Granted roots on this machine; none are granted at first.
#[derive(Default)]
pub struct World {
    grants: Vec<(PathBuf, Beneath)>,
}

impl World {
    /// One granted root, in which all may be changed.
    pub fn of(root: &Path) -> Result<Self, Fault> {
        Self { grants: Vec::new() }.grant(root, Rights::Write, &[])
    }

    /// Another granted root; `denied` are folders below it that stay closed. Relative paths start at the first root.
    pub fn grant(mut self, root: &Path, rights: Rights, denied: &[&[&str]]) -> Result<Self, Fault> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = rustix::fs::open(root, flags, Mode::empty())?;
        let tree = denied.iter().fold(Beneath::new(handle, rights, Arc::from([])), |tree, way| tree.deny(way));
        self.grants.push((root.to_owned(), tree));
        Ok(self)
    }

    /// Which root a path lies in by its text, and the way below it.
    pub fn locate(&self, path: &str) -> Result<(&Beneath, Vec<String>), Fault> {
        if path.len() > place::PATH_BYTES {
            return Err(Fault::TooLong);
        }
        if !path.starts_with('/') {
            let (_, tree) = self.grants.first().ok_or(Fault::LeadsOut)?;
            return Ok((tree, place::names(path)?));
        }
        // The text of the root is compared name by name; what follows is walked on the real tree, dots and all.
        let names = place::names(path)?;
        let below = |root: &Path| {
            let root: Vec<&str> = root.components().filter_map(name_of).collect();
            let starts = names.len() >= root.len() && names.iter().zip(&root).all(|(name, own)| name == own);
            starts.then(|| names[root.len()..].to_vec())
        };
        let found = self.grants.iter().find_map(|(root, tree)| Some((tree, below(root)?)));
        found.ok_or(Fault::LeadsOut)
    }

    /// Judges a path on the tree. Without an operation a file is to be read if it is there, and made if it is not.
    pub fn explain(&self, path: &str, op: Option<Op>) -> Explained {
        match self.judge(path, op) {
            Ok(spot) => Explained::allow(format!("{} `{}`", kind(&spot), spot.parts.join("/"))),
            Err(fault) => Explained::block(fault.to_string()),
        }
    }

    fn judge(&self, path: &str, op: Option<Op>) -> Result<Spot, Fault> {
        let (tree, parts) = self.locate(path)?;
        let spot = tree.find(&parts)?;
        // A slash at the end asks for a folder (POSIX XBD 4.13).
        let wants_folder = path.ends_with('/') || path.ends_with("/.");
        if wants_folder && !matches!(spot.found, Found::Folder(_)) {
            return Err(Fault::NotAFolder(spot.parts.last().cloned().unwrap_or_default()));
        }
        let op = op.unwrap_or(match spot.found {
            Found::Absent { .. } => Op::Create,
            Found::File(_) | Found::Folder(_) => Op::Read,
        });
        if op.changes() {
            tree.check_write(&spot)?;
        }
        match (op, &spot.found) {
            (Op::List, Found::Folder(_)) | (Op::Rename, Found::Folder(_)) => {}
            (Op::List, Found::File(_)) => {
                return Err(Fault::NotAFolder(spot.parts.last().cloned().unwrap_or_default()));
            }
            (Op::Create | Op::Write, Found::Absent { missing: 1 }) => {}
            (Op::Create, Found::File(_) | Found::Folder(_)) => return Err(Fault::Exists),
            // Opened as it would be, so that pipes and second names are met.
            (Op::Read | Op::Write | Op::Delete | Op::Rename, _) => drop(tree.open(&spot)?),
            (Op::List | Op::Create, Found::Absent { .. }) => return Err(Fault::Absent),
        }
        Ok(spot)
    }
}

fn name_of(component: Component<'_>) -> Option<&str> {
    if let Component::Normal(name) = component { name.to_str() } else { None }
}

fn kind(spot: &Spot) -> &'static str {
    match spot.found {
        Found::File(_) => "the file",
        Found::Folder(_) => "the folder",
        Found::Absent { .. } => "a new file",
    }
}

/// A path on a tree with one granted root.
pub fn explain_path_in(root: &Path, path: &str, op: Option<Op>) -> Explained {
    match World::of(root) {
        Ok(world) => world.explain(path, op),
        Err(fault) => Explained::block(format!("the root {} cannot be opened: {fault}", root.display())),
    }
}

/// A call of a tool, judged as the first of its turn. Nothing is run.
pub async fn explain_call(
    tools: &[Arc<dyn Tool>],
    rules: &RuleSet,
    tool: &str,
    arguments: &str,
    scope: &Scope,
) -> Explained {
    let call = ToolCall {
        id: CallId::new("explained"),
        tool: ToolName::new(tool),
        arguments: arguments.to_owned(),
        fault: None,
        wire_id: None,
        recovered: false,
    };
    let set = ToolSet::new(tools.iter().map(|tool| tool.spec().clone()));
    let valid = match ValidCall::check(&call, &set) {
        Ok(valid) => valid,
        Err(rejection) => return Explained::block(rejection.text()),
    };
    let Some(tool) = tools.iter().find(|tool| tool.spec().name == valid.spec().name) else {
        return Explained::block("there is no such tool");
    };
    let appraisal = match tool.appraise(&valid, scope).await {
        Ok(appraisal) => appraisal,
        Err(reason) => return Explained::block(reason),
    };
    match judge(&valid, &appraisal.facts, rules, Tally::default()) {
        Verdict::Allow(_) => Explained::allow(format!("{}: it may run unasked", appraisal.label)),
        Verdict::Ask(why) => Explained { verdict: "ask", reason: format!("{}: {why}", appraisal.label) },
        Verdict::Deny(why) => Explained::block(format!("{}: {why}", appraisal.label)),
    }
}
