//! `riad explain path`: by its text as a path of the assistant's own namespace, or on a tree: roots that are named, or
//! an example of a tree that holds one of everything that can go wrong.

use std::path::{Component, Path, PathBuf};

use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};
use tools::explain::{Explained, Op, World, example, explain_path};
use tools::files::beneath::Rights;

use super::{Input, Output, Said, feed, usage};
use crate::exit::{Ended, Exit};
use crate::files;

/// The path and the tree it is judged on.
#[derive(Debug, Args)]
pub(super) struct PathArgs {
    /// The path, as a model would write it.
    #[arg(allow_hyphen_values = true)]
    path: Option<String>,
    /// What would be done: read, list, create, write, rename or delete. Without it a file is read if it is there, and
    /// made if it is not.
    #[arg(long, value_parser = operation, value_name = "OP")]
    op: Option<Op>,
    /// A granted folder on this machine, where relative paths start; all in it may be changed.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Another granted folder, in which all may be changed.
    #[arg(long, value_name = "DIR")]
    grant: Vec<PathBuf>,
    /// Another granted folder, to be read only.
    #[arg(long, value_name = "DIR")]
    read: Vec<PathBuf>,
    /// A folder below a granted one that stays closed.
    #[arg(long, value_name = "DIR")]
    deny: Vec<PathBuf>,
    /// Judges on an example of a tree, in which {R} stands for its folder. A batch without a granted folder does so.
    #[arg(long, conflicts_with_all = ["root", "grant", "read", "deny"])]
    example: bool,
    /// Judges by the text alone, as a path of the assistant's own namespace (~/…, work/…, user-memory/…). One path
    /// without a granted folder is judged so.
    #[arg(long, conflicts_with_all = ["example", "root", "grant", "read", "deny"])]
    text: bool,
}

/// What a path is judged on.
enum Ground {
    Text,
    Tree(World),
    Example(Scratch),
}

/// The example of a tree, in a folder that goes with it.
struct Scratch {
    folder: PathBuf,
    world: World,
}

/// A path, alone or with what would be done with it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Asked {
    Path(String),
    WithOp { path: String, op: Option<String> },
}

/// Judges one path, or a batch of JSON strings and `{"path", "op"}` objects.
pub(super) async fn explain(args: PathArgs, output: Output) -> Result<(), Ended> {
    let ground = Ground::of(&args, output.batch)?;
    let value = args.path.map(|path| json!(path));
    let judge = async |value: Value| judge(&ground, value, args.op);
    feed(Input { value, output }, "a path", judge).await
}

fn judge(ground: &Ground, value: Value, usual: Option<Op>) -> Result<Said, String> {
    let asked = serde_json::from_value(value);
    let (path, op) = match asked.map_err(|_| "a path is a JSON string, or {\"path\": …, \"op\": …}".to_owned())? {
        Asked::Path(path) | Asked::WithOp { path, op: None } => (path, usual),
        Asked::WithOp { path, op: Some(op) } => (path, Some(operation(&op)?)),
    };
    Ok(ground.explain(&path, op).into())
}

fn operation(name: &str) -> Result<Op, String> {
    Op::named(name).ok_or_else(|| "an operation is read, list, create, write, rename or delete".to_owned())
}

impl Ground {
    fn of(args: &PathArgs, batch: bool) -> Result<Self, Ended> {
        let roots = roots(args)?;
        if let Some((first, others)) = roots.split_first() {
            return Ok(Self::Tree(tree(first, others, &args.deny)?));
        }
        if !args.deny.is_empty() {
            return Err(usage("--deny closes a folder below a granted one. Name that one with --root DIR."));
        }
        let example = args.example || (batch && !args.text);
        if example { Scratch::lay().map(Self::Example) } else { Ok(Self::Text) }
    }

    fn explain(&self, path: &str, op: Option<Op>) -> Explained {
        match self {
            Self::Text => explain_path(path, op),
            Self::Tree(world) => world.explain(path, op),
            Self::Example(Scratch { folder, world }) => {
                let Explained { verdict, reason } = example::explain(world, folder, path, op);
                Explained { verdict, reason: format!("{reason} (on the example of a tree)") }
            }
        }
    }
}

/// A granted folder: where it is and what may be done there.
struct Root {
    folder: PathBuf,
    rights: Rights,
}

fn roots(args: &PathArgs) -> Result<Vec<Root>, Ended> {
    let changed = args.root.iter().chain(&args.grant).map(|folder| (folder, Rights::Write));
    let all = changed.chain(args.read.iter().map(|folder| (folder, Rights::Read)));
    all.map(|(folder, rights)| Ok(Root { folder: whole(folder)?, rights })).collect()
}

/// The whole path of a folder that was named from where the command was started.
fn whole(folder: &Path) -> Result<PathBuf, Ended> {
    std::path::absolute(folder).map_err(|error| usage(&format!("{} is no folder: {error}.", folder.display())))
}

fn tree(first: &Root, others: &[Root], denied: &[PathBuf]) -> Result<World, Ended> {
    let denied = denied.iter().map(|folder| whole(&first.folder.join(folder)));
    let denied: Vec<PathBuf> = denied.collect::<Result<_, _>>()?;
    let all = || std::iter::once(first).chain(others);
    if let Some(stray) = denied.iter().find(|folder| all().all(|root| way(&root.folder, folder).is_none())) {
        return Err(usage(&format!("{} lies below no granted folder, so it is closed anyway.", stray.display())));
    }
    let mut world = World::default();
    for Root { folder, rights } in all() {
        let ways: Vec<Vec<&str>> = denied.iter().filter_map(|closed| way(folder, closed)).collect();
        let ways: Vec<&[&str]> = ways.iter().map(Vec::as_slice).collect();
        let cannot = |fault| usage(&format!("{} cannot be opened: {fault}.", folder.display()));
        world = world.grant(folder, *rights, &ways).map_err(cannot)?;
    }
    Ok(world)
}

/// The names from a root to a folder below it.
fn way<'a>(root: &Path, folder: &'a Path) -> Option<Vec<&'a str>> {
    let below = folder.strip_prefix(root).ok()?;
    let names = below.components().map(|part| if let Component::Normal(name) = part { name.to_str() } else { None });
    names.collect::<Option<Vec<&str>>>().filter(|names| !names.is_empty())
}

impl Scratch {
    fn lay() -> Result<Self, Ended> {
        let cannot = |fault: &dyn std::fmt::Display| {
            Ended::new(Exit::Io, format!("The example cannot be laid: {fault}. Give a folder with --root DIR."))
        };
        let folder = files::scratch_folder("riad-explain").map_err(|error| cannot(&error))?;
        match example::lay(&folder) {
            Ok(world) => Ok(Self { folder, world }),
            Err(fault) => {
                let _ = files::remove_folder(&folder);
                Err(cannot(&fault))
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = files::remove_folder(&self.folder);
    }
}
