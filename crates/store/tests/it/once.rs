//! What may happen once happens once, however many try at the same moment.

use store::{AccountError, Instance, InvitationCode, NewAccount, PersonId, VaultKind};

use crate::world::{NOW, PASSWORD, World, address, form, input, is_wrong, sign_in};

pub(crate) fn account(handle: &str, vault: VaultKind) -> (NewAccount, domain::account::Password) {
    let store::SetupInput { handle, name, locale, zone, vault, password, .. } = input(handle, vault);
    (NewAccount { handle, name, locale, zone, vault }, password)
}

async fn admin(instance: &Instance) -> PersonId {
    instance.people().await.unwrap().into_iter().find(|person| person.handle == "mara").unwrap().id
}

async fn join(instance: &Instance, code: &InvitationCode, handle: &str, from: u8) -> Result<PersonId, AccountError> {
    let (account, password) = account(handle, VaultKind::Private);
    let from = address(&format!("192.0.2.{from}"));
    instance.join(code, account, password, from, NOW).await.map(|person| person.id)
}

#[tokio::test]
async fn a_code_used_50_times_at_once_makes_one_account() {
    let world = World::new();
    let instance = world.set_up().await;
    let code = instance.invite(admin(&instance).await, "member".to_owned(), NOW).await.unwrap().expose();
    let tasks: Vec<_> = (0..50)
        .map(|n| {
            let (instance, code) = (instance.clone(), InvitationCode::parse(&code).unwrap());
            tokio::spawn(async move { join(&instance, &code, &format!("p-{n}"), n).await })
        })
        .collect();
    let mut made = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => made += 1,
            Err(error) => assert!(matches!(error, AccountError::UsedUp | AccountError::Busy), "{error:?}"),
        }
    }
    assert_eq!((made, instance.people().await.unwrap().len()), (1, 2));
    assert_eq!(crate::world::names_in(&world.root.join("vaults")).len(), 2);
    let late = join(&instance, &InvitationCode::parse(&code).unwrap(), "late", 200).await;
    assert!(matches!(late, Err(AccountError::UsedUp)));
}

#[tokio::test]
async fn a_code_ends_and_a_wrong_one_is_wrong() {
    let world = World::new();
    let instance = world.set_up().await;
    let code = instance.invite(admin(&instance).await, "guest".to_owned(), NOW).await.unwrap();
    let later = domain::time::Timestamp(NOW.0 + 72 * 60 * 60 * 1000);
    let (mine, password) = account("noor", VaultKind::Private);
    let ended = instance.join(&code, mine, password, address("192.0.2.9"), later).await;
    assert!(matches!(ended, Err(AccountError::UsedUp)));
    let wrong = join(&instance, &InvitationCode::parse(&"0".repeat(64)).unwrap(), "noor", 9).await;
    assert!(matches!(wrong, Err(AccountError::WrongCode)));
    let (open, password) = account("noor", VaultKind::Open);
    let open = instance.join(&code, open, password, address("192.0.2.9"), NOW).await;
    assert!(matches!(open, Err(AccountError::VaultKind)), "a guest's vault is private");
    assert!(matches!(join(&instance, &code, "mara", 9).await, Err(AccountError::HandleTaken)));
    join(&instance, &code, "noor", 9).await.unwrap();
}

#[tokio::test]
async fn of_the_last_two_admins_demoted_at_once_one_is_left() {
    let world = World::new();
    let instance = world.set_up().await;
    let first = admin(&instance).await;
    let code = instance.invite(first, "admin".to_owned(), NOW).await.unwrap();
    let second = join(&instance, &code, "noor", 9).await.unwrap();
    let tasks: Vec<_> = [(first, second), (second, first), (first, first), (second, second)]
        .into_iter()
        .cycle()
        .take(50)
        .enumerate()
        .map(|(n, (by, person))| {
            let instance = instance.clone();
            tokio::spawn(async move {
                if n % 3 == 0 {
                    instance.deactivate(by, person, NOW).await
                } else {
                    instance.set_role(by, person, "member".to_owned(), NOW).await
                }
            })
        })
        .collect();
    let mut done = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(()) => done += 1,
            Err(error) => assert!(matches!(error, AccountError::LastAdmin | AccountError::NotAllowed), "{error:?}"),
        }
    }
    let people = instance.people().await.unwrap();
    let left = people.iter().filter(|person| person.is_admin() && person.state == store::PersonState::Active).count();
    assert!(left == 1 && done >= 1, "{left} admins left after {done} changes");
}

#[tokio::test]
async fn rights_are_checked_where_the_change_is_made() {
    let world = World::new();
    let instance = world.set_up().await;
    let admin = admin(&instance).await;
    let code = instance.invite(admin, "member".to_owned(), NOW).await.unwrap();
    let member = join(&instance, &code, "noor", 9).await.unwrap();
    assert!(matches!(instance.invite(member, "guest".to_owned(), NOW).await, Err(AccountError::NotAllowed)));
    assert!(matches!(instance.set_role(member, member, "admin".to_owned(), NOW).await, Err(AccountError::NotAllowed)));
    assert!(matches!(instance.deactivate(member, admin, NOW).await, Err(AccountError::NotAllowed)));
    assert!(matches!(instance.invite(admin, "owner".to_owned(), NOW).await, Err(AccountError::Absent)));
}

#[tokio::test]
async fn deactivation_ends_sessions_closes_the_vault_and_deletes_nothing() {
    let world = World::new();
    let instance = world.set_up().await;
    let admin = admin(&instance).await;
    let code = instance.invite(admin, "member".to_owned(), NOW).await.unwrap();
    let member = join(&instance, &code, "noor", 9).await.unwrap();
    let signed_in = instance.sign_in(form("noor", PASSWORD), NOW).await.unwrap();
    let vault = signed_in.vault.unwrap();
    instance.deactivate(admin, member, NOW).await.unwrap();
    assert!(instance.session(&signed_in.token, NOW).await.unwrap().is_none());
    assert!(vault.conversation(crate::world::conversation("x")).await.is_err());
    assert!(is_wrong(&instance.sign_in(form("noor", PASSWORD), NOW).await));
    instance.activate(admin, member, NOW).await.unwrap();
    assert!(instance.sign_in(form("noor", PASSWORD), NOW).await.unwrap().vault.is_ok());
    sign_in(&instance).await;
    assert_eq!(instance.first_bad_audit_row().await.unwrap(), None);
}

/// One person's password, wrap and file open nothing of another in the same instance.
#[tokio::test]
async fn six_people_of_one_instance_open_only_their_own() {
    use rusqlite::params;
    let world = World::new();
    let instance = world.set_up().await;
    let admin = admin(&instance).await;
    for n in 0..5 {
        let code = instance.invite(admin, "member".to_owned(), NOW).await.unwrap();
        join(&instance, &code, &format!("p-{n}"), n).await.unwrap();
    }
    let people = instance.people().await.unwrap();
    instance.close().await;
    type Wrap = (Vec<u8>, Vec<u8>);
    let read_wrap = |id: PersonId| -> Wrap {
        let sql = "SELECT record, salt FROM key_wraps WHERE person = ?1";
        let database = crate::disk::instance_database(&world.root);
        database.query_row(sql, [id.to_string()], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
    };
    let put_wrap = |id: PersonId, wrap: &Wrap| {
        let database = crate::disk::instance_database(&world.root);
        let sql = "UPDATE key_wraps SET record = ?2, salt = ?3 WHERE person = ?1";
        database.execute(sql, params![id.to_string(), wrap.0, wrap.1]).unwrap();
        database.execute_batch("DELETE FROM attempts; UPDATE people SET vault_writes = 0").unwrap();
    };
    let path = |id: PersonId| world.root.join("vaults").join(format!("{id}.1.db"));
    let wraps: Vec<Wrap> = people.iter().map(|person| read_wrap(person.id)).collect();
    let files: Vec<Vec<u8>> = people.iter().map(|person| std::fs::read(path(person.id)).unwrap()).collect();
    let mut opened = 0;
    for (mine, person) in people.iter().enumerate() {
        for other in 0..people.len() {
            put_wrap(person.id, &wraps[other]);
            std::fs::write(path(person.id), &files[mine]).unwrap();
            let instance = world.open().await;
            let by_wrap = instance.sign_in(form(&person.handle, PASSWORD), NOW).await;
            assert_eq!(is_wrong(&by_wrap), mine != other, "wrap {other} at {mine}");
            drop(by_wrap);
            instance.close().await;
            put_wrap(person.id, &wraps[mine]);
            std::fs::write(path(person.id), &files[other]).unwrap();
            let instance = world.open().await;
            let by_file = instance.sign_in(form(&person.handle, PASSWORD), NOW).await.unwrap().vault;
            match by_file {
                Ok(_) => opened += 1,
                Err(fault) => assert!(mine != other && matches!(fault, store::VaultFault::Swapped), "{fault:?}"),
            }
            instance.close().await;
            std::fs::write(path(person.id), &files[mine]).unwrap();
        }
    }
    assert_eq!(opened, people.len());
}
