//! Which crate may know which: the table of ARCHITECTURE.md as data, held against what cargo says.

use super::Finding;
use crate::metadata::Package;
use crate::tree::Tree;

/// One row: a crate and the crates that its shipped code may use.
struct Row {
    name: &'static str,
    folder: &'static str,
    may_use: &'static [&'static str],
}

const fn row(name: &'static str, folder: &'static str, may_use: &'static [&'static str]) -> Row {
    Row { name, folder, may_use }
}

const TABLE: &[Row] = &[
    row("domain", "crates/domain", &[]),
    row("harness", "crates/harness", &["domain"]),
    row("store", "crates/store", &["domain", "harness"]),
    row("egress", "crates/egress", &["domain", "harness"]),
    row("sandbox", "crates/sandbox", &[]),
    row("inference", "crates/inference", &["domain", "harness", "egress"]),
    row("tools", "crates/tools", &["domain", "harness", "egress", "sandbox"]),
    row("connectors", "crates/connectors", &["domain", "harness", "egress", "sandbox"]),
    row(
        "server",
        "crates/server",
        &["domain", "harness", "store", "egress", "sandbox", "inference", "tools", "connectors"],
    ),
    row("testkit", "crates/testkit", &["domain", "harness"]),
    row("riad-llm", "workers/llm", &["inference", "sandbox"]),
    row("riad-hear", "workers/hear", &["inference", "sandbox"]),
    row("riad-speak", "workers/speak", &["inference", "sandbox"]),
    row("xtask", "xtask", &[]),
];

/// Each edge between two of our crates is in the table. Tests may use more, but `domain` is built and tested alone.
pub(super) fn crate_edges(tree: &Tree) -> Vec<Finding> {
    let known = tree.packages.iter().filter_map(|package| Some((package, find_row(&package.name)?)));
    known.flat_map(|(package, row)| foreign_edges(package, row)).collect()
}

fn foreign_edges(package: &Package, row: &Row) -> Vec<Finding> {
    let edges = package.dependencies.iter().filter(|edge| edge.internal);
    let counted = edges.filter(|edge| !edge.only_dev || package.name == "domain");
    let refused = counted.filter(|edge| !row.may_use.contains(&edge.name.as_str()));
    refused.map(|edge| Finding::at(&package.manifest, 0, edge_says(package, row, &edge.name))).collect()
}

fn edge_says(package: &Package, row: &Row, edge: &str) -> String {
    let may = if row.may_use.is_empty() { "nothing here".to_owned() } else { row.may_use.join(", ") };
    format!(
        "`{}` may not use `{edge}`; it may use {may}. Move the code, or change the table with an ADR.",
        package.name
    )
}

/// Each crate of the workspace has a row, and stands where the row says.
pub(super) fn crates_in_table(tree: &Tree) -> Vec<Finding> {
    let says = |package: &Package| match find_row(&package.name) {
        None => {
            Some(format!("`{}` has no row in the table of crates: add one in xtask/src/tidy/edges.rs", package.name))
        }
        Some(row) if package.manifest != format!("{}/Cargo.toml", row.folder) => {
            Some(format!("`{}` belongs in {}", package.name, row.folder))
        }
        Some(_) => None,
    };
    tree.packages.iter().filter_map(|package| Some(Finding::at(&package.manifest, 0, says(package)?))).collect()
}

/// Each crate takes the workspace's lints.
pub(super) fn workspace_lints(tree: &Tree) -> Vec<Finding> {
    let without = tree.packages.iter().filter(|package| {
        let manifest = tree.files.get(&package.manifest).map_or("", String::as_str);
        !manifest.contains("[lints]\nworkspace = true")
    });
    without.map(|package| Finding::at(&package.manifest, 0, "add `[lints]` with `workspace = true`")).collect()
}

fn find_row(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
}
