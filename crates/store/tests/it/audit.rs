//! The audit log: whatever is changed, cut or dropped behind the store's back is found, and a shortened log warns the
//! person whose vault saw it longer.

use rusqlite::Connection;
use store::{AuditLog, OpenError};

use crate::disk;
use crate::world::{World, form, open_vault, options, sign_in};

/// Someone with the key and the disk: the triggers are no obstacle to them.
fn tamper(world: &World, sql: &str) {
    let database: Connection = disk::instance_database(&world.root);
    database
        .execute_batch(&format!(
            "DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_deleted; {sql};
             CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'x'); END;
             CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'x'); END"
        ))
        .unwrap();
}

async fn with_six_rows() -> World {
    let world = World::new();
    let instance = world.set_up().await;
    for _ in 0..4 {
        sign_in(&instance).await;
    }
    instance.sign_in(form("nobody", "not the password"), crate::world::NOW).await.unwrap_err();
    assert_eq!(instance.first_bad_audit_row().await.unwrap(), None);
    instance.close().await;
    world
}

#[tokio::test]
async fn a_changed_cut_or_dropped_row_is_found() {
    for (sql, first) in [
        ("UPDATE audit SET act = 'signed_in' WHERE number = 6", 6),
        ("UPDATE audit SET at = at + 1 WHERE number = 3", 3),
        ("UPDATE audit SET actor = NULL WHERE number = 2", 2),
        ("UPDATE audit SET subject = NULL WHERE number = 2", 2),
        ("UPDATE audit SET hash = zeroblob(32) WHERE number = 6", 6),
        ("UPDATE audit SET previous = zeroblob(32) WHERE number = 4", 4),
        ("DELETE FROM audit WHERE number = 4", 4),
        ("DELETE FROM audit WHERE number = 1", 1),
    ] {
        let world = with_six_rows().await;
        tamper(&world, sql);
        assert_eq!(store::audit_log(options(&world.root)).await.unwrap(), AuditLog::Breaks(first), "{sql}");
        let instance = world.open().await;
        assert_eq!(instance.first_bad_audit_row().await.unwrap(), Some(first), "{sql}");
    }
}

#[tokio::test]
async fn a_log_is_looked_at_only_while_no_server_runs_and_nothing_is_made() {
    let world = World::new();
    assert_eq!(store::audit_log(options(&world.root)).await.unwrap(), AuditLog::Absent);
    assert!(!world.root.exists());
    let instance = world.set_up().await;
    assert!(matches!(store::audit_log(options(&world.root)).await, Err(OpenError::InUse)));
    instance.close().await;
    assert_eq!(store::audit_log(options(&world.root)).await.unwrap(), AuditLog::Fits);
    std::fs::remove_file(world.root.join("instance.key")).unwrap();
    assert!(matches!(store::audit_log(options(&world.root)).await, Err(OpenError::KeyMissing)));
    assert!(!world.root.join("instance.key").exists());
}

#[tokio::test]
async fn the_log_is_append_only_by_its_triggers() {
    let world = with_six_rows().await;
    let database = disk::instance_database(&world.root);
    for sql in [
        "UPDATE audit SET act = 'x'",
        "DELETE FROM audit",
        "INSERT INTO audit SELECT 9, at, actor, subject, act, previous, hash FROM audit WHERE number = 6",
        "INSERT INTO audit SELECT * FROM audit WHERE number = 6",
    ] {
        assert!(database.execute(sql, []).is_err(), "{sql}");
    }
}

#[tokio::test]
async fn a_shortened_log_warns_at_unlock() {
    let world = with_six_rows().await;
    let instance = world.open().await;
    assert!(open_vault(&instance).await.audit_log_fits());
    instance.close().await;
    tamper(&world, "DELETE FROM audit WHERE number >= 4");
    let instance = world.open().await;
    assert_eq!(instance.first_bad_audit_row().await.unwrap(), None, "the chain alone does not show it");
    for _ in 0..6 {
        // The log grows past the length that the vault saw; it is still another log.
        assert!(!open_vault(&instance).await.audit_log_fits());
        let person = instance.people().await.unwrap().remove(0);
        instance.lock(person.id).await;
    }
}
