//! What is read from a lock file.

use super::*;

#[test]
fn a_lock_file_gives_names_and_what_they_need() {
    let lock = "[[package]]\nname = \"one\"\nversion = \"1\"\ndependencies = [\n \"two\",\n \"three 0.3.0\",\n]\n\n[[package]]\nname = \"two\"\nversion = \"2\"\n";
    let found = locked(lock);
    assert_eq!(found["one"], ["two", "three"]);
    assert!(found["two"].is_empty());
}

#[test]
fn a_dependency_with_a_path_is_internal() {
    let normal = serde_json::json!({"name": "domain", "kind": null, "path": "/somewhere"});
    assert_eq!(read_dependency(&normal), Dependency { name: "domain".into(), only_dev: false, internal: true });
    let dev = serde_json::json!({"name": "proptest", "kind": "dev", "path": null});
    assert_eq!(read_dependency(&dev), Dependency { name: "proptest".into(), only_dev: true, internal: false });
}
