//! What a crate must not do although no dependency shows it.

use super::Finding;
use crate::tree::{self, Tree};

/// The standard library's doors to the world.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::env",
    "std::process",
    "std::thread",
    "std::os",
    "std::io::stdin",
    "std::io::stdout",
    "Instant::now",
    "SystemTime::now",
    "TcpStream",
    "TcpListener",
    "UdpSocket",
    "ToSocketAddrs",
    "async fn",
    "async move",
    "async {",
    "println!",
    "eprintln!",
    "RandomState",
    "static mut",
    "thread_local!",
    "getrandom",
];

/// `domain` takes values and gives values.
pub(super) fn pure_domain(tree: &Tree) -> Vec<Finding> {
    let files = tree.rust().filter(|(path, _)| path.starts_with("crates/domain/src/") && !tree::is_test(path));
    files
        .flat_map(|(path, lines)| {
            let numbered = lines.into_iter().enumerate().filter(|(_, line)| !line.test);
            let bad =
                numbered.filter_map(|(at, line)| Some((at, *IMPURE.iter().find(|word| line.code.contains(**word))?)));
            bad.map(|(at, word)| {
                Finding::at(
                    path,
                    at + 1,
                    format!("`domain` does not touch the world ({word}): take the value as an argument"),
                )
            })
            .collect::<Vec<_>>()
        })
        .collect()
}

const SQL: &[&str] = &["SELECT ", "INSERT INTO ", "DELETE FROM ", "CREATE TABLE ", "PRAGMA ", "VACUUM INTO "];

/// SQL stands in `store` alone.
pub(super) fn no_sql_outside_store(tree: &Tree) -> Vec<Finding> {
    let files = tree.rust().filter(|(path, _)| {
        let ours = path.starts_with("crates/") || path.starts_with("workers/");
        ours && !path.starts_with("crates/store/") && !tree::is_test(path)
    });
    files
        .flat_map(|(path, lines)| {
            let numbered = lines.into_iter().enumerate().filter(|(_, line)| !line.test);
            let bad = numbered.filter(|(_, line)| SQL.iter().any(|word| line.text.contains(&format!("\"{word}"))));
            bad.map(|(at, _)| Finding::at(path, at + 1, "SQL belongs in `store`: give this query a name there"))
                .collect::<Vec<_>>()
        })
        .collect()
}
