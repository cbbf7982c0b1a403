//! Each released schema is a data folder that still opens: whole, or killed at any of more than 100 points of each
//! migration, or without room. The engine itself, with steps made for it, is tested in `src/migrate/tests.rs`.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use domain::id::EntryNumber;
use harness::ports::Journal as _;
use store::{Instance, OpenError, OpenErrorKind, Probe, SchemaError, VaultFault};
use testkit::counts;

use crate::disk;
use crate::world::{NOW, World, conversation, names_in, options, probed, said, sign_in};

/// Places at which a kill can come: four of each migration, and one for each step of its schema that is new.
const INSTANCE_STEPS: usize = 5;
const VAULT_STEPS: usize = 7;

fn schema_1() -> World {
    let world = World::new();
    disk::copy_tree(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/schema-1"), &world.root);
    world
}

async fn check_whole(instance: &Instance) {
    let vault = sign_in(instance).await.vault.unwrap();
    let entries = vault.load(&conversation("talk"), EntryNumber(0)).await.unwrap();
    assert_eq!(entries.len(), 100);
    vault.append(&conversation("talk"), EntryNumber(100), vec![said("new", "goes on")]).await.unwrap();
    assert_eq!(vault.head_seq(), 101);
    assert_eq!(vault.note_versions("me.md".to_owned()).await.unwrap(), []);
    assert_eq!(instance.first_bad_audit_row().await.unwrap(), None);
}

#[tokio::test]
async fn schema_1_opens_and_keeps_what_it_held() {
    let world = schema_1();
    let instance = world.open().await;
    check_whole(&instance).await;
    instance.close().await;
    assert!(names_in(&world.root).contains(&"instance.db.before-2".to_owned()));
    assert!(names_in(&world.root.join("vaults")).iter().any(|name| name.ends_with(".db.before-2")));
    let again = world.open().await;
    assert!(sign_in(&again).await.vault.is_ok());
}

#[tokio::test]
async fn killed_at_any_step_of_both_migrations_it_opens_whole() {
    let world = schema_1();
    let databases = databases(&world);
    let copies = copies_of_each_step(&world).await;
    assert_eq!(copies.len(), INSTANCE_STEPS + VAULT_STEPS);
    let mut points = 0;
    for (at, (step, copy)) in copies.iter().enumerate() {
        let database = &databases[usize::from(at >= INSTANCE_STEPS)];
        for kill in std::iter::once(copy.again()).chain(torn(step, copy, database)) {
            println!("point {points}, of {} at {step}", database.display());
            check_whole(&kill.open().await).await;
            check_copy(&world, &kill, database);
            points += 1;
        }
    }
    assert_eq!(points, INSTANCE_STEPS + VAULT_STEPS + 4 * counts::migration_cuts());
}

/// The instance's file and the vault's, in the order in which they are migrated, in any copy of this folder.
fn databases(world: &World) -> [PathBuf; 2] {
    let vault = world.vault_file().strip_prefix(&world.root).unwrap().to_path_buf();
    [PathBuf::from("instance.db"), vault]
}

async fn copies_of_each_step(world: &World) -> Vec<(&'static str, World)> {
    let copies: Arc<Mutex<Vec<(&'static str, World)>>> = Arc::default();
    let begun = world.again();
    let probe = {
        let (copies, begun) = (copies.clone(), begun.root.clone());
        Probe::new(move |step| {
            let copy = World::new();
            disk::copy_tree(&begun, &copy.root);
            copies.lock().unwrap().push((step, copy));
            Ok(())
        })
    };
    check_whole(&Instance::open(probed(&begun.root, probe), NOW).await.unwrap()).await;
    std::mem::take(&mut *copies.lock().unwrap())
}

/// Kills in the middle of the two long writes: of the copy that is made first, and of the transaction into the
/// write-ahead log, in which a process that is killed leaves a beginning.
fn torn(step: &'static str, copy: &World, database: &Path) -> Vec<World> {
    let (whole, cut) = match step {
        "migrate.copied" => (".before-2", ".before-2.part"),
        "migrate.applied" => ("-wal", "-wal"),
        _ => return Vec::new(),
    };
    let cuts = counts::migration_cuts();
    (0..cuts).map(|part| tear(copy, &with_ending(database, whole), &with_ending(database, cut), part, cuts)).collect()
}

fn tear(copy: &World, whole: &Path, cut: &Path, part: usize, parts: usize) -> World {
    let kill = copy.again();
    let mut bytes = std::fs::read(kill.root.join(whole)).unwrap();
    assert!(bytes.len() > 4096, "{} is no long write", whole.display());
    bytes.truncate(bytes.len() * part / parts);
    std::fs::remove_file(kill.root.join(whole)).unwrap();
    std::fs::write(kill.root.join(cut), bytes).unwrap();
    kill
}

/// The copy of before the migration holds what there was, to the byte.
fn check_copy(world: &World, after: &World, database: &Path) {
    let copy = std::fs::read(after.root.join(with_ending(database, ".before-2"))).unwrap();
    assert!(copy == std::fs::read(world.root.join(database)).unwrap(), "the copy of {} differs", database.display());
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[tokio::test]
async fn without_room_at_any_step_of_either_migration_nothing_is_half_open() {
    for step in ["migrate.copied", "migrate.marked", "migrate.step", "migrate.applied", "migrate.unmarked"] {
        for failing in [1, 2] {
            let world = schema_1();
            let passed = AtomicUsize::new(0);
            let full = Probe::new(move |at| {
                let fails = at == step && passed.fetch_add(1, Ordering::SeqCst) + 1 == failing;
                if fails { Err(std::io::Error::from(std::io::ErrorKind::StorageFull)) } else { Ok(()) }
            });
            match Instance::open(probed(&world.root, full), NOW).await {
                Ok(instance) => {
                    assert_eq!(failing, 2, "the instance opened, full at {step}");
                    let shut = sign_in(&instance).await.vault;
                    assert!(matches!(shut, Err(VaultFault::Schema(_) | VaultFault::Store(_))), "{step}: {shut:?}");
                    instance.close().await;
                }
                Err(_) => assert_eq!(failing, 1, "the instance stayed shut, full at {step} of the vault"),
            }
            check_whole(&world.open().await).await;
        }
    }
}

#[tokio::test]
async fn a_vault_that_fails_to_migrate_stays_shut_and_whole() {
    let world = schema_1();
    let before = std::fs::read(world.vault_file()).unwrap();
    let probe = Probe::new(|step| match step {
        "migrate.applied" => Err(std::io::Error::from(std::io::ErrorKind::StorageFull)),
        _ => Ok(()),
    });
    world.open().await.close().await;
    let instance = Instance::open(probed(&world.root, probe), NOW).await.unwrap();
    let shut = sign_in(&instance).await.vault;
    assert!(matches!(shut, Err(VaultFault::Schema(SchemaError::Failed))), "{shut:?}");
    instance.close().await;
    let vault = names_in(&world.root.join("vaults")).into_iter().find(|name| name.ends_with(".db")).unwrap();
    assert_eq!(std::fs::read(world.root.join("vaults").join(vault)).unwrap(), before);
    check_whole(&world.open().await).await;
}

#[tokio::test]
async fn a_newer_or_changed_instance_is_refused_for_its_data() {
    for change in [
        "INSERT INTO migrations VALUES (99, zeroblob(32), 0)",
        "UPDATE migrations SET sha256 = zeroblob(32) WHERE number = 1",
    ] {
        let world = World::new();
        world.set_up().await.close().await;
        disk::instance_database(&world.root).execute(change, []).unwrap();
        let refused = Instance::open(options(&world.root), NOW).await.err().expect("it must be refused");
        assert!(matches!(refused, OpenError::Schema(_)) && refused.kind() == OpenErrorKind::Data, "{refused:?}");
    }
}
