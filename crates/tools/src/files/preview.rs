//! What a person sees of a change: one line, and a unified diff with all its lines.

use similar::TextDiff;

use super::visible;

/// Characters of a label.
const LABEL_CHARS: usize = 60;

/// A unified diff with 3 lines of context; empty when nothing changes.
pub(crate) fn diff(path: &str, before: Option<&str>, after: &str) -> String {
    let path = visible::name(path);
    let from = before.map_or("/dev/null", |_| path.as_str());
    TextDiff::from_lines(before.unwrap_or(""), after).unified_diff().context_radius(3).header(from, &path).to_string()
}

/// `Write ~/notes/plan.md`, of at most 60 characters: a long path loses its middle, never its end.
/// Nothing in it forges a line.
pub(crate) fn label(verb: &str, path: &str) -> String {
    let path = visible::label(path);
    let room = LABEL_CHARS.saturating_sub(verb.chars().count() + 1);
    let length = path.chars().count();
    if length <= room {
        return format!("{verb} {path}");
    }
    let head = (room - 1) / 3;
    let start: String = path.chars().take(head).collect();
    let end: String = path.chars().skip(length - (room - 1 - head)).collect();
    format!("{verb} {start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::{diff, label};

    #[test]
    fn a_label_keeps_the_end_of_a_long_path() {
        assert_eq!(label("Write", "~/notes/plan.md"), "Write ~/notes/plan.md");
        let long = label("Write", &format!("~/{}/plan.md", "a".repeat(100)));
        assert_eq!(long.chars().count(), 60);
        assert!(long.ends_with("/plan.md") && long.starts_with("Write ~/"));
    }

    #[test]
    fn a_new_file_is_a_diff_against_nothing() {
        assert_eq!(diff("~/a", None, "x\n"), "--- /dev/null\n+++ ~/a\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(diff("~/a", Some("x\n"), "x\n"), "");
    }
}
