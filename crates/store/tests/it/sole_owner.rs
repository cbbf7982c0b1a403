//! One server a data folder, one vault a person: everything else is refused by its kind.

use std::os::unix::fs::PermissionsExt as _;

use store::{Instance, OpenError, OpenErrorKind, SignInError, VaultFault};

use crate::disk;
use crate::world::{NOW, PASSWORD, World, form, options, sign_in};

async fn refused(world: &World) -> (OpenError, OpenErrorKind) {
    let error = Instance::open(options(&world.root), NOW).await.err().expect("it must be refused");
    let kind = error.kind();
    (error, kind)
}

#[tokio::test]
async fn of_two_servers_on_one_folder_the_second_is_refused_every_time() {
    let world = World::new();
    let first = world.set_up().await;
    let link = world.root.with_file_name("link");
    std::os::unix::fs::symlink(&world.root, &link).unwrap();
    for n in 0..100 {
        let root = if n % 2 == 0 { &world.root } else { &link };
        let second = Instance::open(options(root), NOW).await;
        assert!(matches!(second.err(), Some(OpenError::InUse)));
    }
    sign_in(&first).await;
    first.close().await;
    Instance::open(options(&world.root), NOW).await.unwrap();
}

#[tokio::test]
async fn a_key_that_others_may_read_or_that_is_missing_is_refused() {
    let world = World::new();
    world.set_up().await.close().await;
    let key = world.root.join("instance.key");
    for mode in [0o640, 0o604, 0o660, 0o777] {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        assert!(matches!(refused(&world).await, (OpenError::KeyUnsafe, OpenErrorKind::Folder)), "{mode:o}");
    }
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    let bytes = std::fs::read(&key).unwrap();
    std::fs::write(&key, &bytes[..31]).unwrap();
    assert!(matches!(refused(&world).await, (OpenError::KeyUnsafe, OpenErrorKind::Folder)));
    std::fs::write(&key, [7; 32]).unwrap();
    assert!(matches!(refused(&world).await, (OpenError::KeyWrong, OpenErrorKind::Folder)));
    std::fs::remove_file(&key).unwrap();
    assert!(matches!(refused(&world).await, (OpenError::KeyMissing, OpenErrorKind::Folder)));
    assert!(!key.exists(), "a new key is never made beside a database");
    std::fs::write(&key, &bytes).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    world.open().await;
}

#[tokio::test]
async fn a_lost_instance_database_is_no_first_start() {
    let world = World::new();
    world.set_up().await.close().await;
    std::fs::remove_file(world.root.join("instance.db")).unwrap();
    assert!(matches!(refused(&world).await, (OpenError::DatabaseMissing, OpenErrorKind::Folder)));
}

#[tokio::test]
async fn a_folder_open_to_others_is_refused_and_files_are_closed_to_them() {
    let world = World::new();
    let instance = world.set_up().await;
    sign_in(&instance).await;
    for folder in [world.root.clone(), world.root.join("vaults")] {
        assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        for name in crate::world::names_in(&folder) {
            let metadata = std::fs::metadata(folder.join(&name)).unwrap();
            assert!(metadata.is_dir() || metadata.permissions().mode() & 0o777 == 0o600, "{name}");
        }
    }
    instance.close().await;
    std::fs::set_permissions(&world.root, std::fs::Permissions::from_mode(0o750)).unwrap();
    assert!(matches!(refused(&world).await, (OpenError::RootUnsafe, OpenErrorKind::Folder)));
}

#[tokio::test]
async fn a_vault_copied_from_elsewhere_is_refused() {
    let (mine, other) = (World::new(), World::new());
    mine.set_up().await.close().await;
    other.set_up().await.close().await;
    let path = mine.vault_file();
    std::fs::copy(other.vault_file(), &path).unwrap();
    let instance = mine.open().await;
    for _ in 0..testkit::counts::pick(5, 100) {
        let signed_in = sign_in(&instance).await;
        assert!(matches!(signed_in.vault, Err(VaultFault::Swapped)), "{:?}", signed_in.vault);
    }
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(sign_in(&instance).await.vault, Err(VaultFault::Missing)));
}

#[tokio::test]
async fn an_older_vault_file_opens_only_when_that_is_accepted() {
    let (world, kept) = (World::new(), World::new());
    let instance = world.set_up().await;
    let person = sign_in(&instance).await.person.id;
    instance.lock(person).await;
    disk::copy_tree(&world.root, &kept.root);
    let vault = crate::world::open_vault(&instance).await;
    crate::world::conversation_in(&vault, "later").await;
    instance.lock(person).await;
    std::fs::copy(kept.vault_file(), world.vault_file()).unwrap();
    let signed_in = sign_in(&instance).await;
    assert!(matches!(signed_in.vault, Err(VaultFault::Older)), "{:?}", signed_in.vault);
    let session = instance.session(&signed_in.token, NOW).await.unwrap().unwrap();
    let unlock = |accept_older| store::Unlock {
        password: domain::account::TypedPassword::new(PASSWORD.to_owned()),
        address: crate::world::address("192.0.2.1"),
        accept_older,
    };
    let refused = instance.unlock(&session, unlock(false), NOW).await;
    assert!(matches!(refused, Err(SignInError::Vault(VaultFault::Older))));
    let unlocked = instance.unlock(&session, unlock(true), NOW).await.unwrap();
    assert!(unlocked.vault.conversation(crate::world::conversation("later")).await.unwrap().is_none());
    instance.lock(person).await;
    assert!(
        instance.sign_in(form("mara", PASSWORD), NOW).await.unwrap().vault.is_ok(),
        "accepted once, it is the vault"
    );
}
