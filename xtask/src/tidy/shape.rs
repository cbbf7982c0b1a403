//! How files look: heads, names, and tests that all run.

use super::Finding;
use crate::rust_text::Line;
use crate::tree::Tree;

/// Rust text that is input of a test and not a part of the program.
const FIXTURES: &[&str] = &["/fixtures/", "/ui/", "/compile_fail/"];

/// Each file says in its first line what it is.
pub(super) fn module_docs(tree: &Tree) -> Vec<Finding> {
    let written =
        tree.files.iter().filter(|(path, _)| path.ends_with(".rs") && !FIXTURES.iter().any(|part| path.contains(part)));
    let bare = written.filter(|(_, text)| !text.starts_with("//! "));
    bare.map(|(path, _)| Finding::at(path, 1, "begin the file with `//!`: what it is, and what it is not")).collect()
}

/// A module is `foo.rs` beside `foo/`.
pub(super) fn no_mod_rs(tree: &Tree) -> Vec<Finding> {
    let files = tree.files.keys().filter(|path| path.ends_with("/mod.rs"));
    files.map(|path| Finding::at(path, 0, "name the file after its module and put it beside the folder")).collect()
}

const VAGUE: &[&str] = &["Manager", "Helper", "Helpers", "Util", "Utils", "Common"];

/// Types and modules are named after what they are.
pub(super) fn no_vague_names(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .flat_map(|(path, lines)| {
            let numbered = lines.into_iter().enumerate();
            let named = numbered.filter_map(|(at, line)| Some((at, declared(&line.code)?.to_owned())));
            let vague = named
                .filter(|(_, name)| VAGUE.iter().any(|word| name.ends_with(word) || name.eq_ignore_ascii_case(word)));
            vague
                .map(|(at, name)| Finding::at(path, at + 1, format!("`{name}` says nothing: name it after what it is")))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The name that a line declares as a type or a module.
fn declared(code: &str) -> Option<&str> {
    let words: Vec<&str> = code.split_whitespace().collect();
    let at = words.iter().position(|word| matches!(*word, "struct" | "enum" | "trait" | "mod"))?;
    let name = words.get(at + 1)?;
    (at <= 1).then(|| name.split(|c: char| !c.is_alphanumeric() && c != '_').next()).flatten()
}

/// A crate's integration tests are one binary, `tests/it/`, so that they link once.
pub(super) fn one_test_binary(tree: &Tree) -> Vec<Finding> {
    let stray = tree.files.keys().filter(|path| {
        let parts: Vec<&str> = path.split('/').collect();
        matches!(parts.as_slice(), ["crates" | "workers", _, "tests", file] if file.ends_with(".rs"))
    });
    stray
        .map(|path| Finding::at(path, 0, "integration tests of a crate are one binary: move this under tests/it/"))
        .collect()
}

const LEFT_OUT: &[&str] = &["#[ignore", "ignore ="];
const LEFT_OUT_IN_WEB: &[&str] =
    &["test.skip(", "test.only(", "test.fixme(", "it.skip(", "it.only(", "describe.skip(", "describe.only(", "xit("];

/// A test that does not run is not there: it passes or goes.
pub(super) fn no_test_left_out(tree: &Tree) -> Vec<Finding> {
    let says = "a test runs or goes; for long ones take the count from testkit";
    let rust = tree.rust().flat_map(|(path, lines)| {
        let numbered = lines.into_iter().enumerate();
        let found = numbered.filter(|(_, line)| {
            line.code.contains(LEFT_OUT[0]) || line.code.contains("cfg_attr") && line.code.contains(LEFT_OUT[1])
        });
        found.map(|(at, _)| Finding::at(path, at + 1, says)).collect::<Vec<_>>()
    });
    let specs = tree
        .files
        .iter()
        .filter(|(path, _)| path.starts_with("web/") && (path.ends_with(".ts") || path.ends_with(".mjs")));
    let web = specs.flat_map(|(path, text)| {
        let found = text.lines().enumerate().filter(|(_, line)| LEFT_OUT_IN_WEB.iter().any(|word| line.contains(word)));
        found.map(|(at, _)| Finding::at(path, at + 1, says)).collect::<Vec<_>>()
    });
    rust.chain(web).collect()
}

/// A lint that is lifted says why, so that the next reader knows when the lift can go.
pub(super) fn lifts_say_why(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .flat_map(|(path, lines)| {
            let starts = lines.iter().enumerate().filter(|(_, line)| is_lift(&line.code)).map(|(at, _)| at);
            let silent = starts.filter(|at| !attribute(&lines[*at..]).contains("reason"));
            silent.map(|at| Finding::at(path, at + 1, "say why: `reason = \"...\"`")).collect::<Vec<_>>()
        })
        .collect()
}

fn is_lift(code: &str) -> bool {
    let inner = code.trim_start().trim_start_matches("#!").trim_start_matches('#');
    inner.starts_with("[allow(") || inner.starts_with("[expect(")
}

/// The text of the attribute that begins on the first of these lines.
fn attribute(lines: &[Line]) -> String {
    let end = lines.iter().position(|line| line.code.contains(")]")).unwrap_or(0);
    lines[..=end].iter().map(|line| line.code.as_str()).collect()
}
