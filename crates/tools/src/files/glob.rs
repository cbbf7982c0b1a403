//! Patterns of file names: `*` within a name, `**` across folders, `?`, `[…]`, `{a,b}`. Made into a linear-time regular
//! expression; not a shell's globbing.

use regex::{Regex, RegexBuilder};

/// A pattern for whole ways below a folder. One without a slash matches a name in any folder.
pub(crate) fn compile(glob: &str) -> Result<Regex, String> {
    let glob = glob.trim_start_matches("./");
    let anywhere = if glob.contains('/') { "" } else { "(?:.*/)?" };
    build(anywhere, glob)
}

/// The same for a pattern that begins at the folder even without a slash.
pub(crate) fn compile_bound(glob: &str) -> Result<Regex, String> {
    build("", glob)
}

fn build(start: &str, glob: &str) -> Result<Regex, String> {
    let body =
        translate(glob).ok_or_else(|| format!("the pattern `{glob}` has a bracket or brace that is not closed"))?;
    // A line end in a name is a part of it like any other.
    RegexBuilder::new(&format!("^{start}{body}$"))
        .dot_matches_new_line(true)
        .size_limit(1 << 20)
        .build()
        .map_err(|_| format!("the pattern `{glob}` cannot be read; use * ** ? […] {{a,b}}"))
}

fn translate(glob: &str) -> Option<String> {
    let mut pattern = String::new();
    let mut left = glob.chars().peekable();
    let mut braces = 0_usize;
    while let Some(c) = left.next() {
        match c {
            '*' if left.next_if_eq(&'*').is_some() => match left.next_if_eq(&'/') {
                Some(_) => pattern.push_str("(?:.*/)?"),
                None => pattern.push_str(".*"),
            },
            '*' => pattern.push_str("[^/]*"),
            '?' => pattern.push_str("[^/]"),
            '[' => pattern.push_str(&class(&mut left)?),
            '{' => {
                braces += 1;
                pattern.push_str("(?:");
            }
            '}' if braces > 0 => {
                braces -= 1;
                pattern.push(')');
            }
            ',' if braces > 0 => pattern.push('|'),
            '\\' => pattern.push_str(&regex::escape(&left.next()?.to_string())),
            _ => pattern.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    (braces == 0).then_some(pattern)
}

/// `[abc]`, `[a-z]`, `[!abc]`: never a slash.
fn class(left: &mut impl Iterator<Item = char>) -> Option<String> {
    let mut members = String::new();
    let mut negated = false;
    for (at, c) in left.enumerate() {
        match c {
            '!' | '^' if at == 0 => negated = true,
            ']' if !members.is_empty() => {
                let sign = if negated { "^/" } else { "" };
                return Some(format!("[{sign}{members}]"));
            }
            '-' => members.push('-'),
            '/' => return None,
            _ => members.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::compile;

    #[test]
    fn patterns_match_whole_ways() {
        for (glob, yes, no) in [
            ("*.md", &["a.md", "x/y/a.md"][..], &["a.mdx", "md"][..]),
            ("notes/*.md", &["notes/a.md"], &["notes/x/a.md", "a.md"]),
            ("notes/**", &["notes/a", "notes/x/a"], &["note"]),
            ("**/a", &["a", "x/a", "x/y/a"], &["ba"]),
            ("a?c", &["abc"], &["ac", "a/c"]),
            ("[a-c].{md,txt}", &["a.md", "c.txt"], &["d.md", "a.rs"]),
            ("[!a]*", &["b", "bc"], &["a", "ab"]),
        ] {
            let pattern = compile(glob).unwrap_or_else(|error| panic!("{glob}: {error}"));
            yes.iter().for_each(|way| assert!(pattern.is_match(way), "{glob} {way}"));
            no.iter().for_each(|way| assert!(!pattern.is_match(way), "{glob} {way}"));
        }
        for bad in ["[a", "{a", "a\\"] {
            assert!(compile(bad).is_err(), "{bad}");
        }
    }
}
