//! Which foreign crate may be used where.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use crate::metadata::Package;
use crate::tree::Tree;

/// Foreign crates of one kind and the only crates that may name them.
struct Kind {
    crates: &'static [&'static str],
    only_in: &'static [&'static str],
    because: &'static str,
}

const KINDS: &[Kind] = &[
    Kind {
        crates: &["axum", "tower-http", "warp", "rocket", "actix-web"],
        only_in: &["server"],
        because: "only `server` serves",
    },
    Kind {
        crates: &["rusqlite", "libsqlite3-sys", "sqlx", "diesel", "sled", "redb"],
        only_in: &["store"],
        because: "only `store` knows a database",
    },
    Kind {
        crates: &[
            "reqwest",
            "hyper",
            "hyper-util",
            "hyper-rustls",
            "ureq",
            "isahc",
            "curl",
            "rustls",
            "tokio-rustls",
            "native-tls",
            "openssl",
            "webpki-roots",
            "hickory-resolver",
            "hickory-client",
            "trust-dns-resolver",
            "tokio-tungstenite",
            "tungstenite",
        ],
        only_in: &["egress"],
        because: "only `egress` goes out to the network",
    },
    Kind {
        crates: &[
            "llama-cpp-2",
            "llama-cpp-sys-2",
            "llama-cpp-4",
            "llama-cpp-sys-4",
            "whisper-rs",
            "whisper-rs-sys",
            "ort",
            "ort-sys",
            "candle-core",
            "mistralrs",
        ],
        only_in: &["riad-llm", "riad-hear", "riad-speak"],
        because: "native inference is linked by workers alone",
    },
    Kind {
        crates: &["libc", "nix", "rustix", "seccompiler", "landlock", "caps"],
        only_in: &["sandbox", "store", "tools", "inference", "server", "riad-llm", "riad-hear", "riad-speak"],
        because: "`domain` and `harness` know no operating system",
    },
];

/// What must not reach `domain` even by way of another crate.
const NEVER_IN_DOMAIN: &[&str] = &[
    "tokio",
    "async-std",
    "smol",
    "mio",
    "reqwest",
    "hyper",
    "ureq",
    "rusqlite",
    "libsqlite3-sys",
    "sqlx",
    "axum",
    "rustls",
    "openssl",
    "rand",
    "chrono",
    "time",
    "jiff",
    "tempfile",
    "walkdir",
];

/// Foreign crates stand only where their kind may. Tests may use what they need.
pub(super) fn foreign_crates(tree: &Tree) -> Vec<Finding> {
    let mut found: Vec<Finding> = tree.packages.iter().flat_map(misplaced).collect();
    found.extend(
        tree.packages.iter().filter(|package| package.name == "domain").flat_map(|domain| reached(tree, domain)),
    );
    found
}

fn misplaced(package: &Package) -> Vec<Finding> {
    let shipped = package.dependencies.iter().filter(|edge| !edge.internal && !edge.only_dev);
    let kinds =
        shipped.filter_map(|edge| Some((edge, KINDS.iter().find(|kind| kind.crates.contains(&edge.name.as_str()))?)));
    let refused = kinds.filter(|(_, kind)| !kind.only_in.contains(&package.name.as_str()));
    refused
        .map(|(edge, kind)| {
            Finding::at(&package.manifest, 0, format!("`{}` may not use {}: {}", package.name, edge.name, kind.because))
        })
        .collect()
}

/// Follows the lock file from the crates that `domain` ships with.
fn reached(tree: &Tree, domain: &Package) -> Vec<Finding> {
    let direct = domain.dependencies.iter().filter(|edge| !edge.only_dev).map(|edge| edge.name.clone());
    let all = closure(&tree.locked, direct.collect());
    let bad = NEVER_IN_DOMAIN.iter().filter(|name| all.contains(**name));
    bad.map(|name| {
        Finding::at(&domain.manifest, 0, format!("`domain` reaches {name}: it only decides, and needs no such crate"))
    })
    .collect()
}

fn closure(locked: &BTreeMap<String, Vec<String>>, mut open: Vec<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop() {
        if found.insert(name.clone()) {
            open.extend(locked.get(&name).into_iter().flatten().cloned());
        }
    }
    found
}
