//! A vault stands by itself: its schema alone takes a row into every table, and no key, view or trigger of it names
//! the instance.

use std::collections::BTreeSet;

use rusqlite::Connection;

use crate::disk;
use crate::world::{World, sign_in};

const VAULT: [&str; 2] = [
    include_str!("../../src/migrations/vault/0001_journal.sql"),
    include_str!("../../src/migrations/vault/0002_notes.sql"),
];

/// One row for every table of the vault, in an order that its keys allow.
const ROWS: &[(&str, &str)] = &[
    ("identity", "INSERT INTO identity VALUES (1, '000102030405060708090a0b0c0d0e0f', 1, 0, 0, 'e', 0)"),
    (
        "conversations",
        "INSERT INTO conversations (id, title, state, created_at, changed_at) VALUES ('c', '', 'open', 1, 1)",
    ),
    ("entries", "INSERT INTO entries VALUES ('c', 1, 1, 1, 1, 't', 'outer', 'm', NULL, '{}')"),
    ("idempotency", "INSERT INTO idempotency VALUES ('k', 'POST /x', zeroblob(32), 1, 1, 200, x'00')"),
    ("notes", "INSERT INTO notes VALUES (1, 'me.md', 'text', zeroblob(32), 1, 1)"),
    ("note_versions", "INSERT INTO note_versions VALUES ('me.md', 1, 'text', zeroblob(32), 1, '{}')"),
    ("audit_heads", "INSERT INTO audit_heads VALUES (1, zeroblob(32), 1)"),
];

fn vault() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON").unwrap();
    VAULT.iter().for_each(|sql| connection.execute_batch(sql).unwrap());
    connection
}

fn filled() -> Connection {
    let connection = vault();
    for (table, row) in ROWS {
        assert_eq!(connection.execute(row, []).unwrap(), 1, "{table}");
    }
    connection
}

/// Tables that are ours: not SQLite's own and not the shadow tables of the search index.
fn tables(connection: &Connection) -> BTreeSet<String> {
    let mut statement = connection
        .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')")
        .unwrap();
    let names = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    names.map(Result::unwrap).filter(|name| !name.starts_with("sqlite_")).collect()
}

#[test]
fn every_table_takes_a_row() {
    let mut tables = tables(&filled());
    assert!(tables.remove("note_search"), "filled by triggers from `notes`");
    assert_eq!(tables, ROWS.iter().map(|(table, _)| (*table).to_owned()).collect());
}

#[test]
fn foreign_keys_stay_inside() {
    let connection = vault();
    let inside = tables(&connection);
    let mut keys = 0;
    for table in &inside {
        let mut statement = connection.prepare("SELECT \"table\" FROM pragma_foreign_key_list(?1)").unwrap();
        for target in statement.query_map([table], |row| row.get::<_, String>(0)).unwrap() {
            let target = target.unwrap();
            assert!(inside.contains(&target), "{table} names {target}");
            keys += 1;
        }
    }
    assert_eq!(keys, 1, "entries belong to a conversation");
}

#[tokio::test]
async fn no_vault_table_lies_in_the_instance_and_none_names_its_tables() {
    let world = World::new();
    let instance = world.set_up().await;
    sign_in(&instance).await;
    instance.close().await;
    let instance = disk::instance_database(&world.root);
    let vault = vault();
    let (of_instance, of_vault) = (tables(&instance), tables(&vault));
    assert!(of_instance.contains("people") && of_instance.contains("migrations"));
    let shared: Vec<_> = of_instance.intersection(&of_vault).collect();
    assert_eq!(shared, Vec::<&String>::new());
    let mut statement = vault.prepare("SELECT name, sql FROM sqlite_schema WHERE type IN ('view', 'trigger')").unwrap();
    let named = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
    for (name, sql) in named.map(Result::unwrap) {
        let words: BTreeSet<&str> = sql.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let foreign: Vec<_> = of_instance.iter().filter(|table| words.contains(table.as_str())).collect();
        assert_eq!(foreign, Vec::<&String>::new(), "{name}");
    }
}

#[test]
fn an_entry_is_neither_changed_nor_deleted_nor_put_elsewhere() {
    let connection = filled();
    for attempt in [
        "UPDATE entries SET body = '[]'",
        "UPDATE entries SET number = 2",
        "DELETE FROM entries",
        "DELETE FROM conversations",
        "UPDATE conversations SET id = 'd'",
        "UPDATE conversations SET head = 0",
        "UPDATE identity SET head = 0",
        "DELETE FROM identity",
        "REPLACE INTO entries VALUES ('c', 1, 1, 1, 1, 't', 'outer', 'm', NULL, '[]')",
        "REPLACE INTO conversations (id, title, state, created_at, changed_at) VALUES ('c', '', 'open', 1, 1)",
        "INSERT INTO entries VALUES ('c', 3, 2, 1, 1, 't', 'outer', NULL, NULL, '{}')",
        "INSERT INTO entries VALUES ('c', 2, 3, 1, 1, 't', 'outer', NULL, NULL, '{}')",
        "INSERT INTO entries VALUES ('c', 2, 2, 1, 1, 't', 'outer', 'm', NULL, '{}')",
        "UPDATE note_versions SET text = ''",
    ] {
        assert!(connection.execute(attempt, []).is_err(), "{attempt}");
    }
    let left: String = connection.query_row("SELECT body FROM entries", [], |row| row.get(0)).unwrap();
    assert_eq!(left, "{}");
    connection.execute("INSERT INTO entries VALUES ('c', 2, 2, 1, 1, 't', 'outer', NULL, NULL, '{}')", []).unwrap();
}
