//! `cargo xtask tidy`: the borders and habits that the compiler does not see. Not a linter of style: clippy and rustfmt
//! do that.
//!
//! Each check is one function over the [`Tree`] and one line in [`CHECKS`], with a fault that must be found:
//! `--self-test` plants every one of them in a copy of the checkout.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::tree::Tree;

mod commands;
mod documents;
mod edges;
mod externals;
mod places;
mod purity;
mod shape;
mod words;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    /// Counted from 1; 0 when the whole file is meant.
    line: usize,
    /// What is wrong and what to do.
    says: String,
}

impl Finding {
    fn at(path: &str, line: usize, says: impl Into<String>) -> Finding {
        Finding { path: path.to_owned(), line, says: says.into() }
    }
}

struct Check {
    name: &'static str,
    find: fn(&Tree) -> Vec<Finding>,
    fault: Fault,
}

/// A change to one file that the check must find.
struct Fault {
    path: &'static str,
    edit: Edit,
}

enum Edit {
    /// The file becomes this text; it may be new.
    Whole(&'static str),
    /// This text goes in front of the file.
    Before(&'static str),
    /// This text goes behind the file.
    After(&'static str),
    /// This text of the file becomes that one.
    Swap(&'static str, &'static str),
}

const fn whole(path: &'static str, text: &'static str) -> Fault {
    Fault { path, edit: Edit::Whole(text) }
}

const fn after(path: &'static str, text: &'static str) -> Fault {
    Fault { path, edit: Edit::After(text) }
}

const CHECKS: &[Check] = &[
    Check {
        name: "crate edges",
        find: edges::crate_edges,
        fault: Fault {
            path: "crates/sandbox/Cargo.toml",
            edit: Edit::Swap("[dependencies]\n", "[dependencies]\ndomain.workspace = true\n"),
        },
    },
    Check {
        name: "crates in the table",
        find: edges::crates_in_table,
        fault: Fault { path: "crates/tools/Cargo.toml", edit: Edit::Swap("name = \"tools\"", "name = \"toolbox\"") },
    },
    Check {
        name: "workspace lints",
        find: edges::workspace_lints,
        fault: Fault { path: "crates/egress/Cargo.toml", edit: Edit::Swap("[lints]\nworkspace = true\n", "") },
    },
    Check {
        name: "foreign crates",
        find: externals::foreign_crates,
        fault: Fault {
            path: "crates/tools/Cargo.toml",
            edit: Edit::Swap("[dependencies]\n", "[dependencies]\naxum.workspace = true\n"),
        },
    },
    Check {
        name: "pure domain",
        find: purity::pure_domain,
        fault: whole("crates/domain/src/planted.rs", "//! Planted.\nfn now() { let _ = std::time::Instant::now(); }\n"),
    },
    Check {
        name: "no SQL in the server",
        find: purity::no_sql_outside_store,
        fault: whole("crates/server/src/planted.rs", "//! Planted.\nconst Q: &str = \"SELECT id FROM accounts\";\n"),
    },
    Check {
        name: "unsafe",
        find: places::unsafe_code,
        fault: whole("crates/tools/src/planted.rs", "//! Planted.\nfn f(p: *const u8) -> u8 { unsafe { *p } }\n"),
    },
    Check {
        name: "process start",
        find: places::process_start,
        fault: whole("crates/tools/src/planted.rs", "//! Planted.\nfn f() { std::process::Command::new(\"true\"); }\n"),
    },
    Check {
        name: "way out",
        find: places::way_out,
        fault: whole("crates/server/src/planted.rs", "//! Planted.\nfn f() { TcpStream::connect(\"a:1\"); }\n"),
    },
    Check { name: "module docs", find: shape::module_docs, fault: whole("crates/store/src/planted.rs", "fn f() {}\n") },
    Check {
        name: "no mod.rs",
        find: shape::no_mod_rs,
        fault: whole("crates/store/src/planted/mod.rs", "//! Planted.\n"),
    },
    Check {
        name: "no vague names",
        find: shape::no_vague_names,
        fault: whole("crates/store/src/planted.rs", "//! Planted.\nstruct KeyManager;\n"),
    },
    Check {
        name: "one test binary",
        find: shape::one_test_binary,
        fault: whole("crates/domain/tests/planted.rs", "//! Planted.\n"),
    },
    Check {
        name: "no test left out",
        find: shape::no_test_left_out,
        fault: whole("crates/domain/tests/it/planted.rs", "//! Planted.\n#[test]\n#[ignore]\nfn f() {}\n"),
    },
    Check {
        name: "lifts say why",
        find: shape::lifts_say_why,
        fault: whole("crates/store/src/planted.rs", "//! Planted.\n#[allow(dead_code)]\nfn f() {}\n"),
    },
    Check {
        name: "neutral words",
        find: words::neutral_words,
        fault: whole("crates/domain/src/planted.rs", "//! Planted.\nstruct Household { parent_id: u64 }\n"),
    },
    Check {
        name: "no places outside",
        find: words::no_places_outside,
        fault: after("README.md", concat!("\nSee /wo", "rk/shared/design.\n")),
    },
    Check {
        name: "commands exist",
        find: commands::commands_exist,
        fault: whole("crates/store/src/planted.rs", "//! Planted.\nconst SAYS: &str = \"Run `riad vanish FILE`.\";\n"),
    },
    Check {
        name: "paths in ARCHITECTURE.md",
        find: documents::paths_in_architecture,
        fault: after("ARCHITECTURE.md", "\nSee `crates/domain/src/nowhere.rs`.\n"),
    },
    Check {
        name: "links in documents",
        find: documents::links,
        fault: after("CONTRIBUTING.md", "\nSee [nowhere](docs/nowhere.md).\n"),
    },
    Check {
        name: "numbered decisions",
        find: documents::numbered_decisions,
        fault: whole("docs/adr/0099-planted.md", "# 0099 Planted\n"),
    },
    Check {
        name: "document heads",
        find: documents::heads,
        fault: Fault { path: "CHANGELOG.md", edit: Edit::Before("Planted.\n") },
    },
];

/// Runs the checks over the checkout, or, with `--self-test`, the checks over a copy with faults.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let root = crate::root()?;
    match arguments {
        [] => Ok(report(&findings(&Tree::read(&root)?))),
        [one] if one == "--self-test" => self_test(&root),
        _ => bail!("only --self-test may follow"),
    }
}

fn findings(tree: &Tree) -> Vec<(&'static str, Finding)> {
    CHECKS.iter().flat_map(|check| (check.find)(tree).into_iter().map(|finding| (check.name, finding))).collect()
}

fn report(findings: &[(&str, Finding)]) -> bool {
    for (name, finding) in findings {
        println!("{}:{}: {name}: {}", finding.path, finding.line, finding.says);
    }
    println!("tidy: {} checks, {} findings", CHECKS.len(), findings.len());
    findings.is_empty()
}

/// Plants each fault alone in a copy and says which checks stayed blind.
fn self_test(root: &Path) -> Result<bool> {
    let copy = Copy::of(root)?;
    let clean = Tree::read(&copy.root)?;
    let mut blind = 0;
    for check in CHECKS {
        let before: BTreeSet<Finding> = (check.find)(&clean).into_iter().collect();
        let undo = copy.plant(&check.fault).with_context(|| format!("cannot plant the fault of `{}`", check.name))?;
        let found = (check.find)(&Tree::read(&copy.root)?);
        copy.restore(undo)?;
        if found.iter().all(|finding| before.contains(finding)) {
            blind += 1;
            println!("blind: `{}` did not find the fault planted in {}", check.name, check.fault.path);
        }
    }
    println!("tidy --self-test: {} faults planted, {} found", CHECKS.len(), CHECKS.len() - blind);
    Ok(blind == 0)
}

/// A copy of the checkout that goes when it is dropped.
struct Copy {
    root: PathBuf,
}

/// What stood in a file before a fault was planted.
struct Undo {
    path: PathBuf,
    text: Option<String>,
}

impl Copy {
    fn of(root: &Path) -> Result<Copy> {
        let copy = Copy { root: std::env::temp_dir().join(format!("riad-tidy-{}", std::process::id())) };
        for (path, text) in Tree::read(root)?.files {
            write(&copy.root.join(path), &text)?;
        }
        Ok(copy)
    }

    fn plant(&self, fault: &Fault) -> Result<Undo> {
        let path = self.root.join(fault.path);
        let text = std::fs::read_to_string(&path).ok();
        let old = text.clone().unwrap_or_default();
        let new = match fault.edit {
            Edit::Whole(new) => new.to_owned(),
            Edit::Before(new) => format!("{new}{old}"),
            Edit::After(new) => format!("{old}{new}"),
            Edit::Swap(this, that) if old.contains(this) => old.replacen(this, that, 1),
            Edit::Swap(this, _) => bail!("{} does not contain {this:?}", fault.path),
        };
        write(&path, &new)?;
        Ok(Undo { path, text })
    }

    fn restore(&self, undo: Undo) -> Result<()> {
        match undo.text {
            Some(text) => write(&undo.path, &text),
            None => Ok(std::fs::remove_file(undo.path)?),
        }
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.root));
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().context("a file has a folder")?;
    std::fs::create_dir_all(folder)?;
    Ok(std::fs::write(path, text)?)
}

#[cfg(test)]
mod tests;
