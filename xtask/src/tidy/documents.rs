//! Documents that say what is so: paths that exist, decisions without a gap, heads that a reader expects.

use super::Finding;
use crate::tree::Tree;

/// Each path that ARCHITECTURE.md names in backticks exists. A path holds a `/`, or is a file at the root.
pub(super) fn paths_in_architecture(tree: &Tree) -> Vec<Finding> {
    const DOCUMENT: &str = "ARCHITECTURE.md";
    let Some(text) = tree.files.get(DOCUMENT) else {
        return vec![Finding::at(DOCUMENT, 0, "is missing")];
    };
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let named = line.split('`').skip(1).step_by(2).filter(|word| is_path(word)).flat_map(spelled_out);
        let lost = named.filter(|path| !stands(tree, path));
        found.extend(lost.map(|path| Finding::at(DOCUMENT, at + 1, format!("names {path}, which does not exist"))));
    }
    found
}

fn is_path(word: &str) -> bool {
    let looks = word.contains('/') || [".rs", ".md", ".toml"].iter().any(|end| word.ends_with(end));
    looks && !word.starts_with(['/', '.', '~', '*']) && !word.contains([' ', '<', ':', '(', '…', '$'])
}

/// `a/{b,c}.rs` names `a/b.rs` and `a/c.rs`.
fn spelled_out(word: &str) -> Vec<String> {
    let Some((head, rest)) = word.split_once('{') else { return vec![word.to_owned()] };
    let Some((inner, tail)) = rest.split_once('}') else { return vec![word.to_owned()] };
    inner.split(',').flat_map(|part| spelled_out(&format!("{head}{part}{tail}"))).collect()
}

fn stands(tree: &Tree, path: &str) -> bool {
    match path.split_once('*') {
        None => tree.has(path),
        Some((head, tail)) => {
            tree.files.keys().any(|file| file.starts_with(head) && (file.ends_with(tail) || tail.contains('*')))
        }
    }
}

/// Relative links in documents lead somewhere.
pub(super) fn links(tree: &Tree) -> Vec<Finding> {
    let documents = tree.files.iter().filter(|(path, _)| path.ends_with(".md"));
    documents
        .flat_map(|(path, text)| {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let lines = text.lines().enumerate();
            let targets = lines.flat_map(|(at, line)| {
                line.split("](").skip(1).filter_map(move |rest| Some((at, rest.split_once(')')?.0)))
            });
            let local = targets.filter(|(_, target)| {
                !target.contains("://") && !target.starts_with(['#', '/']) && !target.starts_with("mailto:")
            });
            let lost = local.filter(|(_, target)| !tree.has(&joined(folder, target)));
            lost.map(|(at, target)| Finding::at(path, at + 1, format!("links to {target}, which does not exist")))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// A link seen from a folder, as a path from the root.
fn joined(folder: &str, target: &str) -> String {
    let target = target.split('#').next().unwrap_or_default();
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// Decisions are numbered from 0001 without a gap, and each begins with its number.
pub(super) fn numbered_decisions(tree: &Tree) -> Vec<Finding> {
    let decisions =
        tree.files.iter().filter(|(path, _)| path.starts_with("docs/adr/") && path.as_str() != "docs/adr/README.md");
    let checked = decisions.enumerate().filter_map(|(at, (path, text))| {
        let number = format!("{:04}", at + 1);
        let named = path.starts_with(&format!("docs/adr/{number}-")) && text.starts_with(&format!("# {number} "));
        (!named).then(|| {
            Finding::at(path, 1, format!("the next decision is number {number}, in its file name and its first line"))
        })
    });
    checked.collect()
}

/// Documents that others point to, with their first line.
const HEADS: &[(&str, &str)] = &[
    ("README.md", "# Riad"),
    ("ARCHITECTURE.md", "# Architecture"),
    ("CONTRIBUTING.md", "# Contributing"),
    ("GLOSSARY.md", "# Glossary"),
    ("CHANGELOG.md", "# Changelog"),
    ("docs/limits.md", "# Limits"),
    ("docs/benchmarks.md", "# Benchmarks"),
];

/// The documents exist and begin as they should.
pub(super) fn heads(tree: &Tree) -> Vec<Finding> {
    let wrong =
        HEADS.iter().filter(|(path, head)| tree.files.get(*path).and_then(|text| text.lines().next()) != Some(*head));
    wrong.map(|(path, head)| Finding::at(path, 1, format!("this document exists and begins with `{head}`"))).collect()
}
