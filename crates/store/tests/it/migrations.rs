//! Each released schema is a data folder that still opens: whole, or cut off anywhere. The engine itself is tested in
//! `src/migrate/tests.rs`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use domain::id::EntryNumber;
use harness::ports::Journal as _;
use store::{Instance, OpenError, Probe, SchemaError, VaultFault};

use crate::disk;
use crate::world::{NOW, World, conversation, names_in, options, probed, said, sign_in};

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
    let copies: Arc<Mutex<Vec<(&'static str, World)>>> = Arc::default();
    let probe = {
        let (copies, root) = (copies.clone(), world.root.clone());
        Probe::new(move |step| {
            let copy = World::new();
            disk::copy_tree(&root, &copy.root);
            copies.lock().unwrap().push((step, copy));
            Ok(())
        })
    };
    let instance = Instance::open(probed(&world.root, probe), NOW).await.unwrap();
    check_whole(&instance).await;
    let copies = std::mem::take(&mut *copies.lock().unwrap());
    assert_eq!(copies.len(), 10, "five steps of each");
    for (step, copy) in copies {
        println!("cut at {step}");
        check_whole(&copy.open().await).await;
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
async fn a_newer_or_changed_instance_exits_65() {
    for change in [
        "INSERT INTO migrations VALUES (99, zeroblob(32), 0)",
        "UPDATE migrations SET sha256 = zeroblob(32) WHERE number = 1",
    ] {
        let world = World::new();
        world.set_up().await.close().await;
        disk::instance_database(&world.root).execute(change, []).unwrap();
        let refused = Instance::open(options(&world.root), NOW).await.err().expect("it must be refused");
        assert!(matches!(refused, OpenError::Schema(_)) && refused.exit_code() == 65, "{refused:?}");
    }
}
