//! `cargo xtask licences`: the licence of everything that is linked. Not for what only builds or tests.

use anyhow::Result;

use crate::metadata::{self, Package};

/// Permissive licences, and those whose copyleft ends at their own files. deny.toml holds the same list.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Lists the linked packages whose licence is not allowed.
pub(crate) fn run(_arguments: &[String]) -> Result<bool> {
    let packages = metadata::linked_packages(&crate::root()?)?;
    let refused: Vec<String> = packages.iter().filter_map(refusal).collect();
    for line in &refused {
        println!("{line}");
    }
    println!("licences: {} linked packages, {} refused", packages.len(), refused.len());
    Ok(refused.is_empty())
}

fn refusal(package: &Package) -> Option<String> {
    let named = format!("{} {}", package.name, package.version);
    match package.licence.as_deref() {
        None => Some(format!("{named}: names no licence. Read its licence file, or take another crate.")),
        Some(licence) if allowed(licence) => None,
        Some(licence) => {
            Some(format!("{named}: {licence} is not on the list. Take another crate, or add it here with an ADR."))
        }
    }
}

/// Whether an SPDX expression can be met with allowed licences. An expression that cannot be read is not allowed.
fn allowed(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    either(&words).is_some_and(|(met, rest)| met && rest.is_empty())
}

type Met<'a, 'b> = Option<(bool, &'b [&'a str])>;

/// `one OR other`
fn either<'a, 'b>(words: &'b [&'a str]) -> Met<'a, 'b> {
    let (mut met, mut rest) = both(words)?;
    while let ["OR" | "or", behind @ ..] = rest {
        let (next, behind) = both(behind)?;
        (met, rest) = (met || next, behind);
    }
    Some((met, rest))
}

/// `one AND other`
fn both<'a, 'b>(words: &'b [&'a str]) -> Met<'a, 'b> {
    let (mut met, mut rest) = single(words)?;
    while let ["AND" | "and", behind @ ..] = rest {
        let (next, behind) = single(behind)?;
        (met, rest) = (met && next, behind);
    }
    Some((met, rest))
}

/// A name, a name `WITH` an exception, or an expression in brackets.
fn single<'a, 'b>(words: &'b [&'a str]) -> Met<'a, 'b> {
    match words {
        ["(", inner @ ..] => match either(inner)? {
            (met, [")", rest @ ..]) => Some((met, rest)),
            _ => None,
        },
        [name, "WITH", exception, rest @ ..] => {
            Some((ALLOWED.contains(&format!("{name} WITH {exception}").as_str()) || ALLOWED.contains(name), rest))
        }
        [name, rest @ ..] => Some((ALLOWED.contains(name), rest)),
        [] => None,
    }
}

#[cfg(test)]
mod tests;
