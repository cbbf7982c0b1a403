//! The first account: one of many at once, whole or not at all, wherever it is cut.

use std::sync::{Arc, Mutex};

use domain::time::Timestamp;
use store::{Instance, Probe, SetupError, StoreError, VaultKind};

use crate::disk;
use crate::world::{HERE, NOW, World, address, conversation_in, form, input, names_in, open_vault, options, probed};

#[tokio::test]
async fn setup_makes_an_admin_whose_password_opens_the_vault() {
    let world = World::new();
    let instance = world.open().await;
    assert!(instance.needs_setup().await.unwrap());
    let person = instance.set_up(input("mara", VaultKind::Private), address(HERE), NOW).await.unwrap();
    assert!(!instance.needs_setup().await.unwrap());
    assert!(person.is_admin());
    assert_eq!((person.handle.as_str(), person.name.as_str()), ("mara", "Mara"));
    let capabilities = instance.capabilities(person.id).await.unwrap();
    assert_eq!(capabilities.len(), 23);
    let vault = open_vault(&instance).await;
    conversation_in(&vault, "talk").await;
    assert_eq!(names_in(&world.root.join("vaults")).iter().filter(|name| name.ends_with(".db")).count(), 1);
}

#[tokio::test]
async fn of_50_at_once_one_wins() {
    let world = World::new();
    let instance = world.open().await;
    let tasks: Vec<_> = (0..50)
        .map(|n| {
            let instance = instance.clone();
            let from = address(&format!("192.0.2.{n}"));
            tokio::spawn(async move { instance.set_up(input(&format!("p-{n}"), VaultKind::Private), from, NOW).await })
        })
        .collect();
    let mut made = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => made += 1,
            Err(error) => assert!(matches!(error, SetupError::Done | SetupError::Busy), "{error:?}"),
        }
    }
    assert_eq!((made, instance.people().await.unwrap().len()), (1, 1));
    assert_eq!(names_in(&world.root.join("vaults")).len(), 1);
    let again = instance.set_up(input("late", VaultKind::Private), address(HERE), NOW).await;
    assert!(matches!(again, Err(SetupError::Done)));
}

/// At each step the data folder is copied as a kill would leave it; the copy then starts.
#[tokio::test]
async fn killed_at_any_step_it_is_whole_or_absent() {
    let world = World::new();
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
    instance.set_up(input("mara", VaultKind::Open), address(HERE), NOW).await.unwrap();
    let copies = std::mem::take(&mut *copies.lock().unwrap());
    let steps: Vec<_> = copies.iter().map(|(step, _)| *step).collect();
    let steps: Vec<_> = steps.into_iter().filter(|step| *step != "migrate.step").collect();
    assert_eq!(steps, ["birth.rows", "birth.vault", "birth.committed", "birth.finished"]);
    for (step, copy) in copies {
        let committed = matches!(step, "birth.committed" | "birth.finished");
        let instance = copy.open().await;
        assert_eq!(instance.needs_setup().await.unwrap(), !committed, "{step}");
        if committed {
            open_vault(&instance).await;
        } else {
            assert_eq!(names_in(&copy.root.join("vaults")), [""; 0], "{step}");
            instance.set_up(input("mara", VaultKind::Private), address(HERE), NOW).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_step_that_fails_leaves_nothing() {
    for failing in ["birth.rows", "birth.vault"] {
        let world = World::new();
        let probe = Probe::new(move |step| {
            if step == failing { Err(std::io::Error::from(std::io::ErrorKind::StorageFull)) } else { Ok(()) }
        });
        let instance = Instance::open(probed(&world.root, probe), NOW).await.unwrap();
        let made = instance.set_up(input("mara", VaultKind::Private), address(HERE), NOW).await;
        assert!(matches!(made, Err(SetupError::Store(StoreError::File(_)))), "{made:?}");
        assert!(instance.needs_setup().await.unwrap());
        assert_eq!(names_in(&world.root.join("vaults")), [""; 0]);
    }
}

#[tokio::test]
async fn an_open_vault_opens_at_start_but_unlocks_no_session() {
    let world = World::new();
    let instance = world.open().await;
    let person = instance.set_up(input("mara", VaultKind::Open), address(HERE), NOW).await.unwrap();
    let signed_in = instance.sign_in(form("mara", crate::world::PASSWORD), NOW).await.unwrap();
    instance.close().await;
    let instance = Instance::open(options(&world.root), Timestamp(NOW.0 + 1)).await.unwrap();
    assert!(instance.open_instance_vaults(NOW).await.unwrap().is_empty());
    assert!(instance.open_vault(person.id).is_some());
    let session = instance.session(&signed_in.token, NOW).await.unwrap().unwrap();
    assert!(instance.vault(&session).is_none());
}
