//! Commands that texts send people to exist. Only the first word after `riad` is looked at, not its options.

use super::Finding;
use crate::tree::{self, Tree};

/// The file with the enum of all commands.
const COMMANDS: &str = "crates/server/src/cli.rs";

/// Every `riad WORD` in backquotes names a command of the command line.
pub(super) fn commands_exist(tree: &Tree) -> Vec<Finding> {
    let known = tree.files.get(COMMANDS).map(|text| commands(text)).unwrap_or_default();
    let files = tree.files.iter().filter(|(path, _)| speaks_to_people(path));
    let lines = files.flat_map(|(path, text)| text.lines().enumerate().map(move |(at, line)| (path, at + 1, line)));
    lines
        .flat_map(|(path, at, line)| named(line).map(move |word| (path, at, word)))
        .filter(|(_, _, word)| !known.iter().any(|command| command == word))
        .map(|(path, at, word)| {
            Finding::at(path, at, format!("there is no command `riad {word}`: say what can be done without it"))
        })
        .collect()
}

fn speaks_to_people(path: &str) -> bool {
    let places = ["crates/", "workers/", "web/src/", "scripts/", "README.md"];
    places.iter().any(|place| path.starts_with(place)) && !tree::is_test(path)
}

/// The variants of `enum Command` as they are typed, and `help`, which is always there.
fn commands(text: &str) -> Vec<String> {
    let body = text.split("enum Command {").nth(1).and_then(|rest| rest.split("\n}").next()).unwrap_or_default();
    let variants = body.lines().map(str::trim).filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    variants.map(typed).chain(["help".to_owned()]).collect()
}

/// `LogOut(args),` is typed as `log-out`.
fn typed(variant: &str) -> String {
    let mut word = String::new();
    for c in variant.chars().take_while(char::is_ascii_alphanumeric) {
        if c.is_ascii_uppercase() && !word.is_empty() {
            word.push('-');
        }
        word.push(c.to_ascii_lowercase());
    }
    word
}

/// The words after `riad` in backquotes.
fn named(line: &str) -> impl Iterator<Item = String> {
    let word = |rest: &str| rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect::<String>();
    line.split("`riad ").skip(1).map(word).filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
}
