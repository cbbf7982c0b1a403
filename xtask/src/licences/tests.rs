//! Which expressions are allowed.

use super::*;

#[test]
fn one_allowed_choice_is_enough() {
    assert!(allowed("MIT"));
    assert!(allowed("GPL-3.0-only OR MIT"));
    assert!(allowed("MIT/Apache-2.0"));
    assert!(allowed("Apache-2.0 WITH LLVM-exception"));
    assert!(allowed("(GPL-2.0-only OR BSD-3-Clause) AND MPL-2.0"));
}

#[test]
fn what_must_hold_as_well_must_be_allowed_too() {
    assert!(!allowed("MIT AND GPL-3.0-or-later"));
    assert!(!allowed("(MIT OR Apache-2.0) AND AGPL-3.0-only"));
}

#[test]
fn what_cannot_be_read_is_refused() {
    for expression in ["", "MIT OR", "(MIT", "MIT Apache-2.0", "see LICENSE"] {
        assert!(!allowed(expression), "{expression}");
    }
}

#[test]
fn a_package_without_a_licence_is_refused() {
    let package = Package {
        name: "x".into(),
        version: "1".into(),
        licence: None,
        manifest: String::new(),
        dependencies: Vec::new(),
    };
    assert!(refusal(&package).is_some());
}

#[test]
fn the_list_is_the_one_of_deny_toml() {
    let deny = std::fs::read_to_string(crate::root().unwrap().join("deny.toml")).unwrap();
    let list = deny.split_once("allow = [").and_then(|(_, rest)| rest.split_once(']')).unwrap().0;
    let names: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    assert_eq!(names, ALLOWED);
}
