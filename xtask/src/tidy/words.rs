//! Words that the program does not say, and places outside it that it does not name.

use super::{Finding, places};
use crate::tree::{self, Tree};

/// Riad is for any group; what kind of group it is stands in seed data and in what the web pages say.
const BANNED: &[&str] =
    &["family", "families", "household", "households", "parent", "parents", "child", "children", "minor", "minors"];

/// Words of the operating system, of file systems, networks, version numbers and pages that look like banned ones.
const ALLOWED_PHRASES: &[&str] = &[
    ".parent()",
    "Path::parent",
    "parent-death",
    "parent death",
    "parent process",
    "parent directory",
    "parent folder",
    "child process",
    "process::Child",
    "address family",
    "address families",
    "address-family",
    "socket family",
    "socket families",
    "font-family",
    "fontFamily",
    "minor version",
    "minor number",
];
/// Whole identifiers of the operating system and of pages.
const ALLOWED_NAMES: &[&str] = &[
    "Child",
    "ChildStdin",
    "ChildStdout",
    "ChildStderr",
    "appendChild",
    "removeChild",
    "replaceChild",
    "replaceChildren",
    "firstChild",
    "lastChild",
    "childNodes",
    "childElementCount",
    "firstElementChild",
    "lastElementChild",
    "children",
    "parentElement",
    "parentNode",
    "child_token",
    "sa_family",
    "AddressFamily",
    "sa_family_t",
    "socket_family",
];

/// The files whose words count: code and schema. Seed data, documents and what pages say may use any word.
fn counts(path: &str) -> bool {
    let code = [".rs", ".sql", ".toml"].iter().any(|end| path.ends_with(end)) || path.starts_with("scripts/");
    let own_list = path.starts_with("xtask/src/tidy");
    let web = path.starts_with("web/src/") && path.ends_with(".ts");
    (code && !own_list && !path.contains("/seed/")) || web
}

/// Code, schema and comments are neutral about who the people are to each other.
pub(super) fn neutral_words(tree: &Tree) -> Vec<Finding> {
    let files = tree.files.iter().filter(|(path, _)| counts(path));
    files
        .flat_map(|(path, text)| {
            let found = text.lines().enumerate().filter_map(|(at, line)| Some((at, banned_in(path, line)?)));
            found
                .map(|(at, word)| {
                    Finding::at(path, at + 1, format!("\"{word}\" is not a word of this code: see GLOSSARY.md"))
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The first banned word of a line, if it has one.
fn banned_in(path: &str, line: &str) -> Option<String> {
    let line = ALLOWED_PHRASES.iter().fold(line.to_owned(), |line, phrase| line.replace(phrase, " "));
    let line = if path.starts_with("web/") { without_strings(&line) } else { line };
    let names = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|name| !name.is_empty());
    let names =
        names.filter(|name| !(ALLOWED_NAMES.contains(name) && (path.starts_with("web/") || *name != "children")));
    let mut parts =
        names.flat_map(parts_of).filter(|part| !(near_system(path) && SYSTEM_WORDS.contains(&part.as_str())));
    parts.find(|part| BANNED.contains(&part.as_str()))
}

/// Words of processes and sockets.
const SYSTEM_WORDS: &[&str] = &["child", "children", "parent", "family"];

/// Files that start processes, or are one that was started, speak of them as the operating system does.
fn near_system(path: &str) -> bool {
    let start = places::may_start_processes(path) && (!tree::is_test(path) || path.contains("/tests/it/"));
    start || path.starts_with("workers/")
}

/// `parent_id`, `ParentId` and `parentId` have the part `parent`.
fn parts_of(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        if c == '_' || (c.is_ascii_uppercase() && before.is_ascii_lowercase()) {
            parts.push(String::new());
        }
        if c != '_' {
            parts.last_mut().expect("there is always a last part").push(c.to_ascii_lowercase());
        }
        before = c;
    }
    parts
}

/// What a page says may use any word; only one-line strings are taken out.
fn without_strings(line: &str) -> String {
    let mut kept = String::new();
    let mut quote = None;
    for c in line.chars() {
        match quote {
            None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
            None => kept.push(c),
            Some(open) if c == open => quote = None,
            Some(_) => {}
        }
    }
    kept
}

/// Hosts of package registries and folders of the machine that this was written on. Put together here, so that this
/// file does not name them.
const OUTSIDE: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("files.python", "hosted"),
    concat!("registry.npm", "js"),
    concat!("deb.deb", "ian.org"),
    concat!("/root/.ca", "che"),
];

/// The project stands alone: it names no folder of one machine and no registry's host.
pub(super) fn no_places_outside(tree: &Tree) -> Vec<Finding> {
    let files = tree.files.iter().filter(|(path, _)| !path.ends_with("Cargo.lock") && !path.starts_with("testdata/"));
    files
        .flat_map(|(path, text)| {
            let found = text
                .lines()
                .enumerate()
                .filter_map(|(at, line)| Some((at, *OUTSIDE.iter().find(|place| line.contains(**place))?)));
            found
                .map(|(at, place)| Finding::at(path, at + 1, format!("names {place}: say what is meant without it")))
                .collect::<Vec<_>>()
        })
        .collect()
}
