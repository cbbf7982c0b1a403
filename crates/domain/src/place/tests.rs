//! Paths at the borders of the namespace.

use super::{Guarded, NameFault, Place, PlaceFault, check_name, guarded};
use crate::facts::Root;

fn place(text: &str) -> String {
    Place::read(text).unwrap_or_else(|fault| panic!("{text:?}: {fault}")).to_string()
}

fn fault(text: &str) -> PlaceFault {
    Place::read(text).expect_err(text)
}

fn way(text: &str) -> Vec<String> {
    text.split('/').map(str::to_owned).collect()
}

#[test]
fn the_first_component_names_the_root() {
    for (text, canonical) in [
        ("", "~/"),
        ("~", "~/"),
        (".", "~/"),
        ("notes.md", "~/notes.md"),
        ("./a//b/./c", "~/a/b/c"),
        ("~/a/", "~/a"),
        ("work", "work/"),
        ("work/a b.txt", "work/a b.txt"),
        ("user-memory/x/../me.md", "user-memory/me.md"),
        ("a/../b", "~/a/../b"),
        ("~/Docs/x", "~/Docs/x"),
        ("workshop/x", "~/workshop/x"),
    ] {
        assert_eq!(place(text), canonical, "{text}");
    }
    assert_eq!(Place::read("work").map(|place| (place.root, place.is_root())), Ok((Root::Work, true)));
}

#[test]
fn what_is_no_root_is_refused_by_name() {
    assert_eq!(fault("shared/x"), PlaceFault::NotYet("shared".to_owned()));
    for root in ["shared-memory", "projects/a", "uploads", "skills/x", "docs"] {
        assert!(matches!(fault(root), PlaceFault::NotYet(_)), "{root}");
    }
    for twin in
        ["Work/x", "WORK", "wоrk/x", "user_memory/x", "User-Memory", "usermemory", "ｗork", "Docs/x", "~root/x", "～/x"]
    {
        assert!(matches!(fault(twin), PlaceFault::LooksLikeRoot { .. }), "{twin}: {:?}", fault(twin));
    }
    for kept in ["~/work", "./work", "a/../work", "~/user-memory/x"] {
        assert!(matches!(fault(kept), PlaceFault::KeptName(_)), "{kept}");
    }
    assert_eq!(fault(&format!("{}/x", super::MOUNTED_WORK)), PlaceFault::Absolute(Some("work/x".to_owned())));
    assert_eq!(fault("/home/user/a"), PlaceFault::Absolute(Some("~/a".to_owned())));
    assert_eq!(fault("/etc/passwd"), PlaceFault::Absolute(None));
}

#[test]
fn dots_may_not_count_above_the_root() {
    for text in ["..", "../x", "a/../../x", "~/..", "work/../x", "user-memory/../x", "work/a/../../.."] {
        assert_eq!(fault(text), PlaceFault::AboveRoot, "{text}");
    }
}

#[test]
fn names_of_other_systems_are_refused() {
    let bad = [
        "a\0b",
        "a\nb",
        "a\u{85}",
        "a\u{202e}b",
        "a\\b",
        "C:a",
        "a:b",
        "a.",
        "a ",
        "nul",
        "NUL.txt",
        "Con",
        "com1.log",
        "LPT9",
        "COM¹",
        "PRIVAT~1",
        "SOMEF~12.TXT",
        "aux .txt",
    ];
    for name in bad {
        assert!(check_name(name).is_err(), "{name:?}");
    }
    for name in
        ["..a", "a..b", "é.txt", "console", "com10", "nulls", "a~1b", "notes~", "a b", "中", "👨‍👩‍👧.jpg", ".hidden"]
    {
        assert_eq!(check_name(name), Ok(()), "{name:?}");
    }
    assert_eq!(check_name(&"a".repeat(256)), Err(NameFault::TooLong));
    assert_eq!(fault(&"a/".repeat(2048)), PlaceFault::TooLong(4095));
    assert_eq!(fault("user-memory/a/b/c/d/e/f/g"), PlaceFault::TooDeep);
    assert_eq!(fault(&format!("user-memory/{}", "a".repeat(201))), PlaceFault::TooLong(200));
}

#[test]
fn guarded_names_are_compared_caseless() {
    for hidden in [
        ".ssh/id",
        "a/.SSH/x",
        ".gnupg",
        "x/.aws/credentials",
        "secrets.KDBX",
        ".config/gcloud/x",
        ".netrc",
        "．ｓｓｈ/x",
        ".s\u{200b}sh",
    ] {
        assert_eq!(guarded(&way(hidden)), Some(Guarded::Hidden), "{hidden}");
    }
    for fixed in
        [".git/hooks/x", "a/.GIT/config", ".bashrc", "p/.vscode/x", ".mcp.json", "skills/x/SKILL.md", ".config/fish/x"]
    {
        assert_eq!(guarded(&way(fixed)), Some(Guarded::Unwritable), "{fixed}");
    }
    for open in ["ssh/x", ".github/x", "my/skills/x", "git", "notes.md", ".config/x"] {
        assert_eq!(guarded(&way(open)), None, "{open}");
    }
}
