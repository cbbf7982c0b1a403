//! A wrap opens for its person, kind and generation alone, and so does a vault file: swapped or altered, it is always
//! the same answer.

use std::panic::AssertUnwindSafe;

use rusqlite::{Connection, params};
use store::{Instance, SignIn, VaultFault};

use crate::disk;
use crate::world::{NOW, PASSWORD, World, address, form, is_wrong, options};

/// Six data folders, each with one account of the same handle and password.
async fn six() -> Vec<World> {
    let mut worlds = Vec::new();
    for _ in 0..6 {
        let world = World::new();
        world.set_up().await.close().await;
        worlds.push(world);
    }
    worlds
}

fn record(database: &Connection) -> (Vec<u8>, Vec<u8>) {
    database.query_row("SELECT record, salt FROM key_wraps", [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
}

fn put(database: &Connection, record: &[u8], salt: &[u8]) {
    database.execute("UPDATE key_wraps SET record = ?1, salt = ?2", params![record, salt]).unwrap();
    // Each probe is a try of its own, on the file as it was made; throttle and counter are tested elsewhere.
    database.execute("DELETE FROM attempts", []).unwrap();
    database.execute("UPDATE people SET vault_writes = 0", []).unwrap();
}

#[tokio::test]
async fn each_byte_flipped_is_one_error() {
    let world = World::new();
    world.set_up().await.close().await;
    let (whole, salt) = record(&disk::instance_database(&world.root));
    assert_eq!(whole.len(), 104);
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        put(&disk::instance_database(&world.root), &changed, &salt);
        let instance = world.open().await;
        assert!(is_wrong(&instance.sign_in(form("mara", PASSWORD), NOW).await), "byte {at}");
        instance.close().await;
    }
    put(&disk::instance_database(&world.root), &whole, &salt);
    assert!(world.open().await.sign_in(form("mara", PASSWORD), NOW).await.unwrap().vault.is_ok());
}

#[tokio::test]
async fn of_six_wraps_and_files_only_ones_own_open() {
    let worlds = six().await;
    let wraps: Vec<_> = worlds.iter().map(|world| record(&disk::instance_database(&world.root))).collect();
    let files: Vec<_> = worlds.iter().map(|world| std::fs::read(world.vault_file()).unwrap()).collect();
    let mut opened = 0;
    for (mine, world) in worlds.iter().enumerate() {
        for other in 0..worlds.len() {
            put(&disk::instance_database(&world.root), &wraps[other].0, &wraps[other].1);
            let instance = world.open().await;
            let result = instance.sign_in(form("mara", PASSWORD), NOW).await;
            assert_eq!(is_wrong(&result), mine != other, "wrap {other} at {mine}");
            instance.close().await;
            put(&disk::instance_database(&world.root), &wraps[mine].0, &wraps[mine].1);

            let path = world.vault_file();
            std::fs::write(&path, &files[other]).unwrap();
            let instance = world.open().await;
            let vault = instance.sign_in(form("mara", PASSWORD), NOW).await.unwrap().vault;
            match vault {
                Ok(_) => opened += 1,
                Err(VaultFault::Swapped) => assert_ne!(mine, other),
                Err(fault) => panic!("file {other} at {mine}: {fault:?}"),
            }
            instance.close().await;
            std::fs::write(&path, &files[mine]).unwrap();
        }
    }
    assert_eq!(opened, 6);
}

#[tokio::test]
async fn parameters_outside_the_range_are_refused_before_deriving() {
    let world = World::new();
    world.set_up().await.close().await;
    let database = disk::instance_database(&world.root);
    for forged in ["memory_kib = 1024", "memory_kib = 4194304", "passes = 0", "passes = 11", "lanes = 5"] {
        assert!(database.execute(&format!("UPDATE key_wraps SET {forged}"), []).is_err(), "{forged}");
    }
    // Past the table's own check, the row is refused all the same.
    database.execute_batch("PRAGMA ignore_check_constraints = ON; UPDATE key_wraps SET passes = 11").unwrap();
    drop(database);
    let instance = world.open().await;
    let begun = std::time::Instant::now();
    assert!(instance.sign_in(form("mara", PASSWORD), NOW).await.is_err());
    assert!(begun.elapsed() < std::time::Duration::from_millis(500), "nothing was derived");
}

#[tokio::test]
async fn the_tables_refuse_other_shapes_of_wraps() {
    let world = World::new();
    world.set_up().await.close().await;
    let database = disk::instance_database(&world.root);
    let person: String = database.query_row("SELECT id FROM people", [], |row| row.get(0)).unwrap();
    let insert = |kind: &str, expiry: &str| {
        database.execute(
            &format!(
                "INSERT INTO key_wraps (person, kind, generation, version, record, expires_at)
                 VALUES ('{person}', '{kind}', 1, 1, zeroblob(104), {expiry})"
            ),
            [],
        )
    };
    for (kind, expiry) in [("password", "NULL"), ("instance", "NULL"), ("lease", "NULL"), ("recovery", "5"), ("x", "5")]
    {
        assert!(insert(kind, expiry).is_err(), "{kind}");
    }
    for attempt in [
        "DELETE FROM key_wraps",
        "UPDATE key_wraps SET generation = 2",
        "UPDATE key_wraps SET kind = 'recovery'",
        "UPDATE key_wraps SET record = zeroblob(103)",
        "UPDATE key_wraps SET salt = NULL",
        "UPDATE people SET generation = 2",
        "UPDATE people SET handle = 'other'",
    ] {
        assert!(database.execute(attempt, []).is_err(), "{attempt}");
    }
    insert("recovery", "NULL").unwrap();
    assert!(insert("recovery", "NULL").is_err());
}

/// Text of any kind in the form is an answer, never a panic.
#[tokio::test]
async fn odd_input_is_wrong_and_nothing_more() {
    let world = World::new();
    let instance = world.set_up().await;
    let odd = ["", "\0", "mara\0", "Mara", "mara ", "' OR 1=1 --", "\u{202e}aram", &"m".repeat(100_000)];
    for (n, handle) in odd.iter().enumerate() {
        let form = SignIn { address: address(&format!("198.51.100.{n}")), ..form(handle, &"p".repeat(100_000)) };
        assert!(is_wrong(&instance.sign_in(form, NOW).await), "{n}");
    }
    let nothing = std::panic::catch_unwind(AssertUnwindSafe(|| store::SessionToken::parse("ü".repeat(32).as_str())));
    assert!(nothing.unwrap().is_none());
    let _: Instance = Instance::open(options(&World::new().root), NOW).await.unwrap();
}
