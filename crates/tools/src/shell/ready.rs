//! What a call of `shell` comes down to on this machine: the program, the folder and the script, found and looked at. It
//! is done before a person is asked and again before the run, so that what runs is what was shown.

use std::path::PathBuf;
use std::sync::Arc;

use domain::digest::Digest;
use domain::facts::{CommandFact, Content, Facts, PathFact, Root};
use domain::place::{MOUNTED_HOME, MOUNTED_WORK, Place};
use domain::program;
use domain::tool::EffectClass;
use harness::ports::Scope;

use super::cover::{Unshown, covers};
use super::input::Shell;
use super::{Tool, work};
use crate::files::beneath::{Beneath, Found, HASHED_BYTES};
use crate::places::{Target, off_thread, says, shown};

/// A call that is fit to be run.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) argv: Vec<String>,
    pub(super) program: String,
    pub(super) folder: Folder,
    /// The folder it starts in, and the script that an interpreter would run, with its hash.
    pub(super) paths: Vec<PathFact>,
}

/// The folder a command starts in.
#[derive(Debug)]
pub(super) struct Folder {
    root: Root,
    parts: Vec<String>,
    /// The files of the home that are covered, or why it is not shown.
    pub(super) home: Result<Vec<Vec<String>>, Unshown>,
}

impl Ready {
    /// Holds a call to what was looked at when it was cleared.
    pub(super) fn check_same(&self, cleared: &Facts) -> Result<(), String> {
        let fits = |fact: &CommandFact| fact.argv == self.argv && fact.program.as_ref() == Some(&self.program);
        if cleared.command.as_ref().is_some_and(fits) && cleared.paths == self.paths {
            return Ok(());
        }
        Err("The program, its script or its folder is another one than when it was looked at; nothing was run. Call it \
             again."
            .to_owned())
    }
}

impl Tool {
    /// Looks at everything that a call names, without running anything. The error says what to do instead.
    pub(super) async fn ready(&self, input: &Shell, scope: &Scope) -> Result<Ready, String> {
        let argv = input.argv()?;
        input.seconds()?;
        input.check_stdin()?;
        program::judge_argv(&argv).map_err(|fault| fault.to_string())?;
        self.runner.sandbox()?;
        self.check_work(&argv[0], scope).await?;
        let image = Arc::clone(&self.runner.image);
        let name = argv[0].clone();
        let program = off_thread(move || image.resolve(&name)).await??;
        let folder = self.folder(input.dir.as_deref(), scope).await?;
        let mut paths = vec![folder.fact()];
        if let Some(script) = program::script(&argv) {
            paths.push(self.script(script, &folder, scope).await?);
        }
        Ok(Ready { argv, program, folder, paths })
    }

    async fn check_work(&self, program: &str, scope: &Scope) -> Result<(), String> {
        let work = self.places.work(&scope.conversation).map_err(|fault| says("work/", fault))?;
        let program = program.to_owned();
        off_thread(move || work::check_room(&work, &program)).await?
    }

    /// The script that an interpreter would run.
    async fn script(&self, written: &str, folder: &Folder, scope: &Scope) -> Result<PathFact, String> {
        let path = script_path(written, folder)?;
        let Target::Tree(tree, place) = self.places.target(&path, &scope.conversation)? else {
            return Err(says(&path, "a note is no script"));
        };
        off_thread(move || script_fact(&path, &tree, &place)).await?
    }

    async fn folder(&self, dir: Option<&str>, scope: &Scope) -> Result<Folder, String> {
        let path = dir.filter(|dir| !dir.is_empty()).unwrap_or("~/").to_owned();
        let home = Arc::clone(self.places.home());
        match self.places.target(&path, &scope.conversation)? {
            Target::Note(_) => Err(says(&path, "notes are not in the sandbox; choose ~/ or work/")),
            Target::Tree(tree, place) => off_thread(move || found_folder(&path, &home, &tree, &place)).await?,
        }
    }
}

impl Folder {
    /// Its path as the command sees it.
    pub(super) fn inside(&self) -> PathBuf {
        let root = match self.root {
            Root::Home | Root::Notes => PathBuf::from(MOUNTED_HOME),
            Root::Work => PathBuf::from(MOUNTED_WORK),
        };
        self.parts.iter().fold(root, |path, part| path.join(part))
    }

    /// Its path as tools name it.
    pub(super) fn shown(&self) -> String {
        shown(self.root, &self.parts)
    }

    fn fact(&self) -> PathFact {
        PathFact { path: self.shown(), root: self.root, class: EffectClass::Read, now: Content::Unread, bytes: 0 }
    }
}

/// The path of a script as tools name it: a command sees the roots under other names.
fn script_path(written: &str, folder: &Folder) -> Result<String, String> {
    let below = |root| written.strip_prefix(root).filter(|rest| rest.starts_with('/'));
    let in_work = below(MOUNTED_WORK).map(|rest| format!("work{rest}"));
    match in_work.or_else(|| below(MOUNTED_HOME).map(|rest| format!("~{rest}"))) {
        Some(path) => Ok(path),
        None if written.starts_with('/') => {
            Err(says(written, "a script lies in ~/ or work/; give its path from the folder on"))
        }
        // From the home a command finds the work folder as `work/`.
        None if folder.root == Root::Home && folder.parts.is_empty() => Ok(written.to_owned()),
        None => Ok(format!("{}/{written}", folder.shown().trim_end_matches('/'))),
    }
}

fn found_folder(path: &str, home: &Beneath, tree: &Beneath, place: &Place) -> Result<Folder, String> {
    let home = covers(home);
    if let (Root::Home, Err(unshown)) = (place.root, &home) {
        let way_out = "so it is not shown to commands; run in work/, or ask the person to move them away";
        return Err(says(path, format!("{unshown}, {way_out}")));
    }
    let spot = tree.find(&place.parts).map_err(|fault| says(path, fault))?;
    match spot.found {
        Found::Folder(_) => Ok(Folder { root: place.root, parts: spot.parts, home }),
        Found::File(_) => Err(says(path, "this is a file; name a folder")),
        Found::Absent { .. } => Err(says(path, "there is no such folder")),
    }
}

/// The script file as it is now: an approval is for this content.
fn script_fact(path: &str, tree: &Beneath, place: &Place) -> Result<PathFact, String> {
    let found = tree.find(&place.parts).and_then(|spot| Ok((tree.read(&spot, HASHED_BYTES)?, spot.parts)));
    let (bytes, parts) = found.map_err(|fault| says(path, fault))?;
    let now = Content::Hash(Digest::of_bytes(&bytes));
    Ok(PathFact { path: shown(place.root, &parts), root: place.root, class: EffectClass::Execute, now, bytes: 0 })
}

#[cfg(test)]
mod tests;
