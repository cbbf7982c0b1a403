//! What a folder's `.gitignore` and `.ignore` name: walks pass it over. The patterns are git's (gitignore(5)); files of
//! the machine or of a person's settings are not read.

use regex::Regex;

use super::glob;

/// Names of the files that are read, the stronger one last.
pub(crate) const FILES: [&str; 2] = [".gitignore", ".ignore"];
/// The longest such file (256 KiB).
pub(crate) const BYTES: u64 = 256 * 1024;

/// The patterns of one folder.
#[derive(Default)]
pub(crate) struct Ignore {
    rules: Vec<Rule>,
}

struct Rule {
    pattern: Regex,
    keeps: bool,
    folders_only: bool,
}

impl Ignore {
    /// Adds the patterns of one file. A line that cannot be read names nothing.
    pub(crate) fn add(&mut self, text: &str) {
        self.rules.extend(text.lines().filter_map(rule));
    }

    /// Whether these patterns name nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What the patterns say of a way below their folder: `Some(true)` pass it over, `Some(false)` keep it. The last
    /// pattern that fits counts.
    pub(crate) fn says(&self, way: &str, is_folder: bool) -> Option<bool> {
        let fits = |rule: &&Rule| (is_folder || !rule.folders_only) && rule.pattern.is_match(way);
        self.rules.iter().rev().find(fits).map(|rule| !rule.keeps)
    }
}

fn rule(line: &str) -> Option<Rule> {
    let line = line.trim_end_matches(['\r', ' ']);
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let (keeps, line) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
    let (folders_only, line) = line.strip_suffix('/').map_or((false, line), |rest| (true, rest));
    // A slash at the start or within binds the pattern to its folder; `glob` looks anywhere only without one.
    let pattern = glob::compile(line).ok()?;
    let pattern = match line.strip_prefix('/') {
        Some(bound) => glob::compile_bound(bound).ok()?,
        None => pattern,
    };
    Some(Rule { pattern, keeps, folders_only })
}

#[cfg(test)]
mod tests {
    use super::Ignore;

    #[test]
    fn the_last_pattern_that_fits_counts() {
        let mut ignore = Ignore::default();
        ignore.add("# words\n*.log\n!keep.log\n/build\ntarget/\ndocs/*.pdf\n");
        for (way, is_folder, says) in [
            ("a.log", false, Some(true)),
            ("x/y/a.log", false, Some(true)),
            ("x/keep.log", false, Some(false)),
            ("build", true, Some(true)),
            ("x/build", true, None),
            ("x/target", true, Some(true)),
            ("target", false, None),
            ("docs/a.pdf", false, Some(true)),
            ("x/docs/a.pdf", false, None),
            ("a.md", false, None),
        ] {
            assert_eq!(ignore.says(way, is_folder), says, "{way}");
        }
    }
}
