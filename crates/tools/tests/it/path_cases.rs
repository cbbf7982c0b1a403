//! The table of paths, row by row, on a real tree.

use domain::place::Place;
use tools::explain::{Op, example, explain_path};
use tools::files::beneath::{Beneath, Fault, Inode, Rights};

use crate::cases::{allows, rows, text};

const COLUMNS: [&str; 6] = ["path_json", "op", "verdict", "reason", "kind", "source"];

#[test]
fn every_row_has_its_verdict() {
    let rows = rows("path-cases.tsv", COLUMNS);
    assert!(rows.len() > 70, "the table is whole");
    let failing: Vec<String> = rows.iter().filter_map(failure).collect();
    assert!(failing.is_empty(), "{} of {} rows:\n{}", failing.len(), rows.len(), failing.join("\n"));
}

#[test]
fn without_an_operation_the_verdicts_of_the_tree_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let world = example::lay(folder.path()).unwrap();
    for [path, _, verdict, reason, kind, _] in rows("path-cases.tsv", COLUMNS) {
        if kind == "fs" {
            let said = example::explain(&world, folder.path(), &text(&path), None);
            assert_eq!(said.allows(), allows(&verdict), "{path} ({reason}): {said:?}");
        }
    }
    example::clear(folder.path()).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn more_paths_on_the_tree() {
    let folder = tempfile::tempdir().unwrap();
    let world = example::lay(folder.path()).unwrap();
    for (path, op, allowed) in [
        ("in/../a.txt", Some(Op::Read), true),
        ("{R}/grant/sub/../a.txt", Some(Op::Read), true),
        ("{R}//grant//a.txt", Some(Op::Read), true),
        ("in/new.txt", Some(Op::Create), true),
        ("sub/", Some(Op::List), true),
        (".", Some(Op::List), true),
        ("{R}/grant", Some(Op::List), true),
        ("a.txt", Some(Op::Write), true),
        ("a.txt", Some(Op::Delete), true),
        ("sub", Some(Op::Rename), true),
        ("a.txt/", Some(Op::Read), false),
        ("a.txt/.", Some(Op::Read), false),
        ("a.txt/x", Some(Op::Create), false),
        ("sock", Some(Op::Read), false),
        ("fifo", Some(Op::Write), false),
        ("sub", Some(Op::Read), false),
        ("a.txt", Some(Op::Create), false),
        ("a.txt", Some(Op::List), false),
        ("up/outside/secret.txt", Some(Op::Read), false),
        ("sub/../../grant/a.txt", Some(Op::Read), false),
        ("out/new.txt", Some(Op::Create), false),
        ("dangling", Some(Op::Create), false),
        ("loop1/x", Some(Op::Read), false),
        ("private/../a.txt", Some(Op::Read), false),
        ("todeny", Some(Op::List), false),
        ("{R}/grant2", Some(Op::Rename), false),
        ("{R}/grant2/r.txt", Some(Op::Write), false),
        ("{R}/grant2/r.txt", Some(Op::Delete), false),
        ("{R}/grant/../outside/secret.txt", Some(Op::Read), false),
        ("{R}/grant-evil/x.txt", Some(Op::Read), false),
        ("{R}", Some(Op::List), false),
        (".", Some(Op::Delete), false),
        ("PRIVATE/key.txt", Some(Op::Read), false),
    ] {
        let said = example::explain(&world, folder.path(), path, op);
        assert_eq!(said.allows(), allowed, "{path} {op:?}: {said:?}");
    }
}

fn failure([path, op, verdict, reason, kind, _]: &[String; 6]) -> Option<String> {
    let (path_text, wanted) = (text(path), allows(verdict));
    let got = match kind.as_str() {
        "fs" | "race" => on_the_tree(&path_text, op, kind == "race"),
        "meta" => known_beyond_names(&path_text, op),
        // Names of another system are refused in the agent namespace, on every system.
        "win" => Place::read(&path_text).map(drop).map_err(|fault| fault.to_string()),
        // These are answered by the archive reader and by the download route, which have tests of their own; what
        // concerns paths in them is that no such name is ever opened below a root.
        "zip" => archive_name(&path_text, wanted),
        "http" => on_the_tree(&path_text, "read", false),
        other => panic!("{other:?} is no kind"),
    };
    (got.is_ok() != wanted).then(|| format!("{path} ({reason}): {got:?}"))
}

fn on_the_tree(path: &str, op: &str, race: bool) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let world = example::lay(folder.path()).unwrap();
    if race {
        return swapped_before_the_act(folder.path(), path);
    }
    let op = Op::named(op).unwrap_or_else(|| panic!("{op:?} is no operation"));
    let said = example::explain(&world, folder.path(), path, Some(op));
    if !said.allows() {
        return Err(said.reason);
    }
    // What is allowed is done as well, and succeeds.
    let path = path.replace(example::PLACEHOLDER, folder.path().to_str().unwrap());
    let (tree, parts) = world.locate(&path).map_err(|fault| fault.to_string())?;
    let spot = tree.find(&parts).map_err(|fault| fault.to_string())?;
    let done = match op {
        Op::Read => tree.read(&spot, 100).map(drop),
        Op::Create => tree.create(&spot, b"new", "test"),
        Op::List => tree.list(&spot).map(drop),
        Op::Write | Op::Delete | Op::Rename => panic!("no row allows {op:?}"),
    };
    done.map_err(|fault| fault.to_string())
}

/// The folder of a file becomes a link to another one between the look and the act.
fn swapped_before_the_act(folder: &std::path::Path, path: &str) -> Result<(), String> {
    let tree = open(&folder.join("grant"));
    let parts: Vec<String> = path.split('/').map(str::to_owned).collect();
    std::fs::create_dir(folder.join("outside/sub")).unwrap();
    std::fs::write(folder.join("outside/sub/b.txt"), "theirs").unwrap();
    let (grant, name) = (folder.join("grant"), &parts[0]);
    let spot = tree.find(&parts).map_err(|fault| fault.to_string())?;
    std::fs::rename(grant.join(name), grant.join("away")).unwrap();
    std::os::unix::fs::symlink("../outside/sub", grant.join(name)).unwrap();
    let found_anew = tree.find(&parts).and_then(|spot| tree.remove(&spot));
    // The handle still holds the folder that was looked at, wherever it went: the file outside is not touched.
    let by_handle = tree.remove(&spot);
    assert_eq!(by_handle, Ok(()));
    assert_eq!(std::fs::read_to_string(folder.join("outside/sub/b.txt")).unwrap(), "theirs");
    assert!(!grant.join("away/b.txt").exists());
    found_anew.map_err(|fault| fault.to_string())
}

fn open(folder: &std::path::Path) -> Beneath {
    let handle = std::fs::File::open(folder).unwrap();
    Beneath::new(handle.into(), Rights::Write, std::sync::Arc::from([]))
}

/// Riad's own folders are kept by inode, whatever root or link leads to them; other rows are plain names.
fn known_beyond_names(path: &str, op: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let world = example::lay(folder.path()).unwrap();
    let Some((which, rest)) = path.strip_prefix('<').and_then(|path| path.split_once('>')) else {
        let said = world.explain(path, Op::named(op));
        return if said.allows() { Ok(()) } else { Err(said.reason) };
    };
    assert!(matches!(which, "data folder" | "install folder"), "{which}");
    let own = folder.path().join("grant/own");
    std::fs::create_dir_all(own.join("users/2")).unwrap();
    std::fs::create_dir(own.join("bin")).unwrap();
    std::fs::write(own.join("users/2/db.sqlite"), "sealed").unwrap();
    std::fs::write(own.join("config.toml"), "").unwrap();
    std::os::unix::fs::symlink("own", folder.path().join("grant/alias")).unwrap();
    let kept = Inode::of(std::fs::File::open(&own).unwrap()).unwrap();
    let grant = std::fs::File::open(folder.path().join("grant")).unwrap();
    let tree = Beneath::new(grant.into(), Rights::Write, std::sync::Arc::from([kept]));
    for name in ["own", "alias"] {
        let parts: Vec<String> = format!("{name}{rest}").split('/').map(str::to_owned).collect();
        assert_eq!(tree.find(&parts).map(drop), Err(Fault::Denied), "{name}{rest}");
    }
    Err("denied by inode".to_owned())
}

fn archive_name(path: &str, wanted: bool) -> Result<(), String> {
    let is_plain = domain::place::names(path).is_ok_and(|names| names.iter().all(|name| name != ".."))
        && !path.starts_with('/')
        && !path.contains(' ');
    // Rows that describe an entry in words are judged by the archive reader alone.
    if wanted || !path.contains(' ') {
        is_plain.then_some(()).ok_or("no plain name".to_owned())
    } else {
        Err("in words".to_owned())
    }
}

#[test]
fn what_text_alone_can_tell_is_told() {
    for (path, allowed) in [
        ("notes/plan.md", true),
        ("~/notes/plan.md", true),
        ("work/a.csv", true),
        ("user-memory/me.md", true),
        ("../x", false),
        ("/etc/passwd", false),
        ("a\0b", false),
        ("~/.ssh/id", false),
        ("shared/x", false),
        ("Work/x", false),
    ] {
        assert_eq!(explain_path(path, None).allows(), allowed, "{path}");
    }
    assert!(!explain_path("~/.git/hooks/x", Some(Op::Create)).allows());
    assert!(explain_path("~/.git/config", Some(Op::Read)).allows());
}
