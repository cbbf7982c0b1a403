//! Each check with a tree that is clean and one that is not.

use super::*;
use crate::metadata::{Dependency, Package};

/// A tree of these files.
fn tree(files: &[(&str, &str)]) -> Tree {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    Tree { files, ..Tree::default() }
}

/// A tree of one package with these edges; an edge that begins with `dev:` is only for tests.
fn package(name: &str, folder: &str, edges: &[&str]) -> Tree {
    let ours = ["domain", "harness", "store", "egress", "sandbox", "inference", "tools", "server", "testkit"];
    let edge = |edge: &&str| {
        let name = edge.trim_start_matches("dev:");
        Dependency { name: name.to_owned(), only_dev: edge.starts_with("dev:"), internal: ours.contains(&name) }
    };
    let dependencies = edges.iter().map(edge).collect();
    let manifest = format!("{folder}/Cargo.toml");
    let package = Package { name: name.to_owned(), version: "0.0.0".to_owned(), licence: None, manifest, dependencies };
    Tree { packages: vec![package], ..Tree::default() }
}

/// Runs one check and gives `path:line` of what it found.
fn found(find: fn(&Tree) -> Vec<Finding>, tree: &Tree) -> Vec<String> {
    find(tree).into_iter().map(|finding| format!("{}:{}", finding.path, finding.line)).collect()
}

#[test]
fn an_edge_outside_the_table_is_found() {
    assert!(
        found(edges::crate_edges, &package("tools", "crates/tools", &["domain", "sandbox", "dev:store"])).is_empty()
    );
    assert_eq!(found(edges::crate_edges, &package("tools", "crates/tools", &["store"])), ["crates/tools/Cargo.toml:0"]);
    assert_eq!(found(edges::crate_edges, &package("inference", "crates/inference", &["sandbox"])).len(), 1);
}

#[test]
fn domain_uses_none_of_ours_even_in_tests() {
    assert_eq!(found(edges::crate_edges, &package("domain", "crates/domain", &["dev:testkit"])).len(), 1);
}

#[test]
fn a_crate_without_a_row_or_in_a_strange_place_is_found() {
    assert!(found(edges::crates_in_table, &package("riad-llm", "workers/llm", &[])).is_empty());
    assert_eq!(found(edges::crates_in_table, &package("extras", "crates/extras", &[])).len(), 1);
    assert_eq!(found(edges::crates_in_table, &package("store", "crates/database", &[])).len(), 1);
}

#[test]
fn a_crate_without_the_workspace_lints_is_found() {
    let mut one = package("store", "crates/store", &[]);
    assert_eq!(found(edges::workspace_lints, &one).len(), 1);
    one.files.insert("crates/store/Cargo.toml".to_owned(), "[lints]\nworkspace = true\n".to_owned());
    assert!(found(edges::workspace_lints, &one).is_empty());
}

#[test]
fn a_foreign_crate_in_a_strange_place_is_found() {
    assert!(
        found(externals::foreign_crates, &package("server", "crates/server", &["axum", "dev:rusqlite"])).is_empty()
    );
    assert_eq!(found(externals::foreign_crates, &package("tools", "crates/tools", &["axum"])).len(), 1);
    assert_eq!(found(externals::foreign_crates, &package("inference", "crates/inference", &["llama-cpp-2"])).len(), 1);
    assert_eq!(found(externals::foreign_crates, &package("connectors", "crates/connectors", &["rustls"])).len(), 1);
}

#[test]
fn domain_reaches_nothing_impure_by_way_of_another_crate() {
    let mut domain = package("domain", "crates/domain", &["serde", "dev:tokio"]);
    assert!(found(externals::foreign_crates, &domain).is_empty());
    domain.locked.insert("serde".to_owned(), vec!["between".to_owned()]);
    domain.locked.insert("between".to_owned(), vec!["tokio".to_owned()]);
    assert_eq!(found(externals::foreign_crates, &domain).len(), 1);
}

#[test]
fn domain_asks_no_clock() {
    let clean = tree(&[
        ("crates/domain/src/a.rs", "//! A.\n// SystemTime::now is for others\nfn f(now: u64) {}\n"),
        ("crates/domain/src/a/tests.rs", "//! T.\nuse std::fs;\n"),
        ("crates/harness/src/a.rs", "//! H.\nasync fn f() { Instant::now() }\n"),
    ]);
    assert!(found(purity::pure_domain, &clean).is_empty());
    let bad = tree(&[("crates/domain/src/a.rs", "//! A.\nfn f() { SystemTime::now() }\n")]);
    assert_eq!(found(purity::pure_domain, &bad), ["crates/domain/src/a.rs:2"]);
}

#[test]
fn sql_outside_store_is_found() {
    let clean = tree(&[
        ("crates/store/src/a.rs", "//! A.\nf(\"SELECT 1\")\n"),
        ("crates/server/src/b.rs", "//! B.\nf(\"DELETE the file\")\n"),
    ]);
    assert!(found(purity::no_sql_outside_store, &clean).is_empty());
    let bad = tree(&[("crates/server/src/b.rs", "//! B.\nf(\"DELETE FROM a\")\n")]);
    assert_eq!(found(purity::no_sql_outside_store, &bad), ["crates/server/src/b.rs:2"]);
}

#[test]
fn unsafe_has_its_places() {
    let block = "//! A.\nfn f() { unsafe { g() } }\n";
    let clean = tree(&[
        ("crates/sandbox/src/a.rs", block),
        ("workers/llm/src/engine.rs", block),
        ("crates/tools/src/a.rs", "//! A.\n// unsafe\n#![deny(unsafe_code)]\nconst A: &str = \"unsafe\";\n"),
    ]);
    assert!(found(places::unsafe_code, &clean).is_empty());
    let bad =
        tree(&[("crates/tools/src/a.rs", block), ("workers/llm/src/a.rs", block), ("workers/llm/src/b.rs", block)]);
    assert_eq!(found(places::unsafe_code, &bad), ["workers/llm/src/b.rs:2", "crates/tools/src/a.rs:2"]);
}

#[test]
fn processes_start_in_their_places() {
    let start = "//! A.\nfn f() { tokio::process::Command::new(\"true\"); }\n";
    let clean = tree(&[
        ("crates/sandbox/src/a.rs", start),
        ("crates/inference/src/supervisor.rs", start),
        ("crates/server/tests/it/a.rs", start),
        ("crates/tools/src/a.rs", "//! A.\n#[cfg(test)]\nmod tests {\n    use std::process::Command;\n}\n"),
    ]);
    assert!(found(places::process_start, &clean).is_empty());
    let bad = tree(&[
        ("crates/inference/src/remote.rs", start),
        ("crates/tools/src/a.rs", "//! A.\nuse std::process::Command;\n"),
    ]);
    assert_eq!(found(places::process_start, &bad), ["crates/inference/src/remote.rs:2", "crates/tools/src/a.rs:2"]);
}

#[test]
fn only_egress_goes_out() {
    let connect = "//! A.\nfn f() { TcpStream::connect(a) }\n";
    let clean = tree(&[("crates/egress/src/a.rs", connect), ("crates/server/tests/it/a.rs", connect)]);
    assert!(found(places::way_out, &clean).is_empty());
    let bad = tree(&[
        ("crates/inference/src/a.rs", connect),
        ("crates/tools/src/a.rs", "//! A.\nuse tokio::net::lookup_host;\n"),
    ]);
    assert_eq!(found(places::way_out, &bad), ["crates/inference/src/a.rs:2", "crates/tools/src/a.rs:2"]);
}

#[test]
fn a_file_without_a_head_is_found() {
    let bad = tree(&[
        ("crates/a/src/a.rs", "fn f() {}\n"),
        ("crates/a/src/b.rs", "//! B.\n"),
        ("crates/a/tests/ui/c.rs", "fn main() {}\n"),
    ]);
    assert_eq!(found(shape::module_docs, &bad), ["crates/a/src/a.rs:1"]);
}

#[test]
fn a_mod_rs_is_found() {
    assert_eq!(found(shape::no_mod_rs, &tree(&[("crates/a/src/b/mod.rs", ""), ("crates/a/src/b.rs", "")])).len(), 1);
}

#[test]
fn a_vague_name_is_found() {
    let clean = tree(&[("crates/a/src/a.rs", "struct Supervisor;\nfn managers() {}\nimpl Manager for X {}\n")]);
    assert!(found(shape::no_vague_names, &clean).is_empty());
    let bad = tree(&[("crates/a/src/a.rs", "pub struct VaultManager {\nmod utils;\n")]);
    assert_eq!(found(shape::no_vague_names, &bad).len(), 2);
}

#[test]
fn a_second_test_binary_is_found() {
    let files = tree(&[("crates/a/tests/it/main.rs", ""), ("crates/a/tests/other.rs", "")]);
    assert_eq!(found(shape::one_test_binary, &files), ["crates/a/tests/other.rs:0"]);
}

#[test]
fn a_test_that_does_not_run_is_found() {
    let clean =
        tree(&[("crates/a/src/a.rs", "// #[ignore]\nfn f() {}\n"), ("web/tests/browser/a.spec.ts", "test('x', f)\n")]);
    assert!(found(shape::no_test_left_out, &clean).is_empty());
    let bad = tree(&[
        ("crates/a/tests/it/a.rs", "#[test]\n#[ignore = \"slow\"]\n"),
        ("web/tests/browser/a.spec.ts", "test.only('x', f)\n"),
    ]);
    assert_eq!(found(shape::no_test_left_out, &bad).len(), 2);
}

#[test]
fn a_lift_without_a_reason_is_found() {
    let clean = tree(&[(
        "crates/a/src/a.rs",
        "#![expect(\n    clippy::x,\n    reason = \"y\"\n)]\n#[allow(z, reason = \"y\")]\n",
    )]);
    assert!(found(shape::lifts_say_why, &clean).is_empty());
    let bad = tree(&[("crates/a/src/a.rs", "#![allow(z)]\n#[expect(\n    z\n)]\nfn reason() {}\n")]);
    assert_eq!(found(shape::lifts_say_why, &bad), ["crates/a/src/a.rs:1", "crates/a/src/a.rs:2"]);
}

#[test]
fn words_for_one_kind_of_group_are_found() {
    for bad in [
        "struct Household;",
        "let parent_id = 1;",
        "// for minors only",
        "CREATE TABLE childProfile",
        "f(\"children\")",
    ] {
        assert_eq!(found(words::neutral_words, &tree(&[("crates/store/src/a.rs", bad)])).len(), 1, "{bad}");
    }
}

#[test]
fn words_of_the_operating_system_are_fine() {
    let clean = tree(&[
        (
            "crates/tools/src/a.rs",
            "path.parent()\n// the parent directory\nuse std::process::Child;\n// a minor version of an address family\n",
        ),
        ("crates/sandbox/src/a.rs", "let child_pid = start();\nstruct Parent { family: i32 }\n"),
        ("web/src/a.ts", "list.appendChild(node) // nests\nfont-family: serif\nconst label = 'Your family'\n"),
        ("crates/server/seed/labels.toml", "name = \"family\"\n"),
    ]);
    assert_eq!(found(words::neutral_words, &clean), [""; 0]);
    assert_eq!(found(words::neutral_words, &tree(&[("crates/sandbox/src/a.rs", "struct Household;")])).len(), 1);
}

#[test]
fn a_place_outside_the_project_is_found() {
    let clean =
        tree(&[("README.md", "put your work here"), ("testdata/cases/a.tsv", concat!("https://crates", ".io/"))]);
    assert!(found(words::no_places_outside, &clean).is_empty());
    assert_eq!(
        found(words::no_places_outside, &tree(&[("scripts/up", concat!("cd /wo", "rk/main"))])),
        ["scripts/up:1"]
    );
}

#[test]
fn a_command_that_does_not_exist_is_found() {
    let cli = "//! C.\nenum Command {\n    /// Signs in.\n    Login(Args),\n    SignOut,\n}\nenum Other { Restore }\n";
    let says = "//! S.\n\"Run `riad login`, `riad sign-out --all` or `riad help`.\"\n";
    let files = |more: &'static str| tree(&[("crates/server/src/cli.rs", cli), ("crates/a/src/a.rs", more)]);
    assert!(found(commands::commands_exist, &files(says)).is_empty());
    assert_eq!(
        found(commands::commands_exist, &files("//! S.\n\"`riad login`, or `riad restore FILE`\"\n")),
        ["crates/a/src/a.rs:2"]
    );
}

#[test]
fn a_path_that_does_not_exist_is_found() {
    let text = "# Architecture\n`crates/a/{b,c}.rs`, `crates/*/d.rs`, `/api/x`, `a::b`, `README.md`\n";
    let files = |more: &[(&'static str, &'static str)]| {
        tree(&[&[("ARCHITECTURE.md", text), ("crates/a/b.rs", ""), ("crates/a/d.rs", "")], more].concat())
    };
    assert_eq!(found(documents::paths_in_architecture, &files(&[])).len(), 2);
    assert!(found(documents::paths_in_architecture, &files(&[("crates/a/c.rs", ""), ("README.md", "")])).is_empty());
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let files = tree(&[
        ("docs/a.md", "[one](b.md) [two](../README.md#x) [three](https://example.org/) [four](adr/)\n"),
        ("docs/b.md", ""),
        ("README.md", ""),
    ]);
    assert_eq!(found(documents::links, &files), ["docs/a.md:1"]);
}

#[test]
fn a_gap_between_decisions_is_found() {
    let files = tree(&[
        ("docs/adr/0001-one.md", "# 0001 One\n"),
        ("docs/adr/0003-two.md", "# 0003 Two\n"),
        ("docs/adr/README.md", "x"),
    ]);
    assert_eq!(found(documents::numbered_decisions, &files), ["docs/adr/0003-two.md:1"]);
}

#[test]
fn a_document_with_a_strange_head_is_found() {
    assert!(
        found(documents::heads, &tree(&[("README.md", "# Riad\n"), ("CHANGELOG.md", "Log\n")]))
            .contains(&"CHANGELOG.md:1".to_owned())
    );
    assert!(!found(documents::heads, &tree(&[("README.md", "# Riad\n")])).contains(&"README.md:1".to_owned()));
}
