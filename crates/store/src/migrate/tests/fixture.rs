//! Makes the data folder of schema 1 that `tests/it/migrations.rs` opens. It is committed and written anew only with
//! `UPDATE_EXPECT=1`, before a schema is released; a released one stays as it is.

use std::path::{Path, PathBuf};

use domain::account::{DisplayName, Handle, Locale, TypedPassword, Zone};
use rusqlite::params;

use super::NOW;
use crate::files;
use crate::id::PersonId;
use crate::instance::birth::NewAccount;
use crate::instance::people::{self, ADMIN, VaultKind};
use crate::instance::root::Root;
use crate::instance::wraps::PasswordWrap;
use crate::kdf::KdfPolicy;
use crate::key::VaultKey;
use crate::migrate::{INSTANCE, Migration, Step, VAULT};
use crate::probe::Probe;
use crate::secret::Secret;

#[test]
fn the_folder_of_schema_1_is_there_or_made() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/schema-1");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let _ = std::fs::remove_dir_all(&folder);
        make(&folder);
    }
    assert!(folder.join("instance.db").exists(), "run this test once with UPDATE_EXPECT=1");
}

fn make(folder: &Path) {
    let root = Root::take(folder, None).unwrap();
    let key = root.key().unwrap();
    root.make_database().unwrap();
    let instance = open(&root.database(), &key, &INSTANCE[..1]);
    let (id, vault_key) = (PersonId::random().unwrap(), VaultKey::random().unwrap());
    let account = NewAccount {
        handle: Handle::parse("mara").unwrap(),
        name: DisplayName::parse("Mara").unwrap(),
        locale: Locale::parse("en").unwrap(),
        zone: Zone::parse("Europe/Vienna").unwrap(),
        vault: VaultKind::Private,
    };
    let password = TypedPassword::new("a quiet green kettle".to_owned());
    let wrap = PasswordWrap::make(&vault_key, &password, KdfPolicy::CHEAPEST, id, 1).unwrap();
    let transaction = instance.unchecked_transaction().unwrap();
    people::seed_roles(&transaction, "team", NOW).unwrap();
    people::insert(&transaction, id, &account, ADMIN, NOW).unwrap();
    wrap.store(&transaction, id, 1).unwrap();
    transaction.commit().unwrap();
    instance.close().unwrap();
    make_vault(&root.vault(id, 1), vault_key.secret(), id);
    std::fs::remove_file(folder.join("riad.lock")).unwrap();
}

fn make_vault(path: &Path, key: &Secret<32>, id: PersonId) {
    files::create_empty(path).unwrap();
    let vault = open(path, key, &VAULT[..1]);
    vault.execute("INSERT INTO identity VALUES (1, ?1, 1, 0, 0, 'first', 0)", [id]).unwrap();
    vault
        .execute_batch(
            "INSERT INTO conversations (id, title, state, created_at, changed_at) VALUES ('talk', 'Talk', 'open', 1, 1)",
        )
        .unwrap();
    for number in 1..=100 {
        let body = format!(r#"{{"said":{{"id":"m{number}","text":"kept"}}}}"#);
        vault
            .execute(
                "INSERT INTO entries (conversation, number, seq, version, at, turn, frame, message, body)
                 VALUES ('talk', ?1, ?1, 1, ?2, ?3, 'outer', ?3, ?4)",
                params![number, NOW.0 + number, format!("m{number}"), body],
            )
            .unwrap();
    }
    vault.close().unwrap();
}

fn open(path: &Path, key: &Secret<32>, steps: &[Step]) -> rusqlite::Connection {
    Migration { path, key, steps, probe: &Probe::default(), now: NOW }.open().unwrap()
}
