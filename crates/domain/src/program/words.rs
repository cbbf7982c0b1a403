//! Reads arguments as programs read them: clusters of letters, long options with or without `=`, abbreviated ones.
//!
//! It errs on the side of finding an option: `--` does not end the search, since whether it does depends on options
//! that take a value.

use crate::place::MOUNTED_WORK;

/// One argument as a program may read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word<'a> {
    /// A letter of `-abc`, with what stands behind it in the same argument or, for a letter with a value, in the next.
    Letter(char, Option<&'a str>),
    /// `--name` or `--name=value`.
    Long(&'a str, Option<&'a str>),
    /// Everything else.
    Operand(&'a str),
}

/// Reads arguments. `valued` are the letters that take the rest of their argument, or the next one, as value; a letter
/// with `?` behind it takes the rest of its argument alone, if there is any.
pub(super) fn read<'a>(arguments: &'a [String], valued: &str) -> Vec<(&'a str, Word<'a>)> {
    let mut words = Vec::new();
    let mut left = arguments.iter().map(String::as_str);
    while let Some(argument) = left.next() {
        if let Some(long) = argument.strip_prefix("--").filter(|long| !long.is_empty()) {
            let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            words.push((argument, Word::Long(name, value)));
        } else if let Some(cluster) =
            argument.strip_prefix('-').filter(|cluster| !cluster.is_empty() && argument != "--")
        {
            read_cluster(argument, cluster, valued, &mut left, &mut words);
        } else {
            words.push((argument, Word::Operand(argument)));
        }
    }
    words
}

fn read_cluster<'a>(
    argument: &'a str,
    cluster: &'a str,
    valued: &str,
    left: &mut impl Iterator<Item = &'a str>,
    words: &mut Vec<(&'a str, Word<'a>)>,
) {
    for (at, letter) in cluster.char_indices() {
        let rest = &cluster[at + letter.len_utf8()..];
        match takes(valued, letter) {
            Takes::Nothing => {}
            Takes::Rest => {
                words.push((argument, Word::Letter(letter, (!rest.is_empty()).then_some(rest))));
                return;
            }
            Takes::RestOrNext => {
                let value = if rest.is_empty() { left.next() } else { Some(rest) };
                words.push((argument, Word::Letter(letter, value)));
                return;
            }
        }
        words.push((argument, Word::Letter(letter, (!rest.is_empty()).then_some(rest))));
    }
}

/// What a letter takes as its value.
enum Takes {
    Nothing,
    Rest,
    RestOrNext,
}

fn takes(valued: &str, letter: char) -> Takes {
    match valued.find(letter).filter(|_| letter != '?') {
        None => Takes::Nothing,
        Some(at) if valued[at + letter.len_utf8()..].starts_with('?') => Takes::Rest,
        Some(_) => Takes::RestOrNext,
    }
}

/// Whether `given` is `name` or an abbreviation of it.
pub(super) fn abbreviates(given: &str, name: &str) -> bool {
    !given.is_empty() && name.starts_with(given)
}

/// Whether a file name stays where a quiet command may write: below the folder it runs in, the work folder or `/tmp`.
pub(super) fn stays_inside(name: &str) -> bool {
    if matches!(name, "-" | "/dev/null" | "/dev/stdout" | "/dev/stderr") {
        return true;
    }
    if name.starts_with('/') {
        let writable = [MOUNTED_WORK, "/tmp"]
            .iter()
            .any(|root| name.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
        return writable && name.split('/').all(|part| part != "..");
    }
    let mut depth = 0_i32;
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            return false;
        }
    }
    true
}
