//! Migrations cut at every place where a kill can come, failing steps, broken copies, foreign schemas; and the maker
//! of the committed data folder of schema 1 (`UPDATE_EXPECT=1` writes it anew).
#![expect(clippy::disallowed_methods, reason = "tests look at files and the environment themselves")]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use domain::time::Timestamp;
use rusqlite::Connection;
use tempfile::TempDir;

use super::{INSTANCE, MigrateError, Migration, Step, VAULT};
use crate::error::SchemaError;
use crate::files;
use crate::probe::Probe;
use crate::secret::Secret;

/// Before any run, so that no copy made by a test looks old.
const NOW: Timestamp = Timestamp(1_700_000_000_000);
const FIRST: Step = Step { number: 1, sql: "CREATE TABLE things (n INTEGER NOT NULL) STRICT" };
const SECOND: Step =
    Step { number: 2, sql: "ALTER TABLE things ADD COLUMN twice INTEGER; UPDATE things SET twice = 2 * n" };
const BROKEN: Step = Step { number: 2, sql: "DELETE FROM things; SELECT no_such_function(n) FROM nowhere" };
/// Enough steps that a kill can come at more than a hundred places.
const LAST: u32 = 110;

fn many_steps() -> Vec<Step> {
    let later = (3..=LAST).map(|number| Step { number, sql: "UPDATE things SET twice = twice + 1" });
    [FIRST, SECOND].into_iter().chain(later).collect()
}

struct Place {
    _folder: TempDir,
    path: PathBuf,
    key: Secret<32>,
}

impl Place {
    /// A database at schema 1 with a hundred rows.
    fn at_first_schema() -> Self {
        let place = Self::empty(&[3; 32]);
        let connection = place.open(&[FIRST], &Probe::default()).unwrap();
        for n in 1..=100 {
            connection.execute("INSERT INTO things (n) VALUES (?1)", [n]).unwrap();
        }
        connection.close().unwrap();
        place
    }

    fn empty(key: &[u8; 32]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vault.db");
        files::create_empty(&path).unwrap();
        Self { _folder: folder, path, key: Secret::from_slice(key).unwrap() }
    }

    fn open(&self, steps: &[Step], probe: &Probe) -> Result<Connection, MigrateError> {
        open(&self.path, &self.key, steps, probe)
    }

    fn names(&self) -> Vec<String> {
        let mut names = files::names_in(self.path.parent().unwrap()).unwrap();
        names.sort();
        names
    }

    /// The folder as a kill at this moment would leave it.
    fn copy(&self) -> Self {
        let copy = Self::empty(self.key.expose());
        for name in self.names().iter().filter(|name| !name.ends_with("-shm")) {
            std::fs::copy(self.path.with_file_name(name), copy.path.with_file_name(name)).unwrap();
        }
        copy
    }
}

fn open(path: &Path, key: &Secret<32>, steps: &[Step], probe: &Probe) -> Result<Connection, MigrateError> {
    Migration { path, key, steps, probe, now: NOW }.open()
}

fn sum(connection: &Connection, column: &str) -> i64 {
    connection.query_row(&format!("SELECT sum({column}) FROM things"), [], |row| row.get(0)).unwrap()
}

/// Each step's name with the folder as it was then.
type Copies = Arc<Mutex<Vec<(&'static str, Place)>>>;

fn copying(place: &Arc<Place>) -> (Probe, Copies) {
    let copies = Copies::default();
    let (place, kept) = (place.clone(), copies.clone());
    let probe = Probe::new(move |step| {
        kept.lock().unwrap().push((step, place.copy()));
        Ok(())
    });
    (probe, copies)
}

#[test]
fn killed_at_any_of_more_than_100_places_the_next_opening_finishes() {
    let place = Arc::new(Place::at_first_schema());
    let (probe, copies) = copying(&place);
    place.open(&many_steps(), &probe).unwrap().close().unwrap();
    let copies = std::mem::take(&mut *copies.lock().unwrap());
    assert!(copies.len() > 100, "{} places", copies.len());
    for (step, copy) in copies {
        let connection = copy.open(&many_steps(), &Probe::default()).unwrap();
        let expected = (5050, 2 * 5050 + 100 * i64::from(LAST - 2));
        assert_eq!((sum(&connection, "n"), sum(&connection, "twice")), expected, "{step}");
        connection.close().unwrap();
        assert_eq!(copy.names(), ["vault.db", "vault.db.before-2"], "{step}");
    }
}

#[test]
fn killed_while_the_copy_is_put_back_it_is_put_back_again() {
    let place = Arc::new(Place::at_first_schema());
    let (probe, copies) = copying(&place);
    let failed = place.open(&[FIRST, BROKEN], &probe);
    assert!(matches!(failed, Err(MigrateError::Schema(SchemaError::Failed))), "{failed:?}");
    let copies = std::mem::take(&mut *copies.lock().unwrap());
    let steps: Vec<_> = copies.iter().map(|(step, _)| *step).collect();
    assert_eq!(steps, ["migrate.copied", "migrate.marked", "migrate.back", "migrate.back.bare", "migrate.back.put"]);
    for (step, copy) in copies.into_iter().chain([("at the end", place.copy())]) {
        let connection = copy.open(&[FIRST], &Probe::default()).unwrap();
        assert_eq!(sum(&connection, "n"), 5050, "{step}");
        connection.close().unwrap();
        let connection = copy.open(&[FIRST, SECOND], &Probe::default()).unwrap();
        assert_eq!(sum(&connection, "twice"), 10100, "{step}");
    }
}

#[test]
fn a_step_that_fails_for_want_of_space_leaves_the_former_state() {
    for failing in ["migrate.copied", "migrate.marked", "migrate.step", "migrate.applied", "migrate.unmarked"] {
        let place = Place::at_first_schema();
        let full = Probe::new(
            move |step| {
                if step == failing { Err(io::Error::from(io::ErrorKind::StorageFull)) } else { Ok(()) }
            },
        );
        assert!(place.open(&[FIRST, SECOND], &full).is_err(), "{failing}");
        assert!(!place.names().iter().any(|name| name.ends_with(".migrating")), "{failing}");
        let connection = place.open(&[FIRST], &Probe::default()).unwrap();
        assert_eq!(sum(&connection, "n"), 5050, "{failing}");
    }
}

#[test]
fn a_broken_copy_beside_a_marker_opens_nothing_and_changes_nothing() {
    let place = Arc::new(Place::at_first_schema());
    let (probe, copies) = copying(&place);
    place.open(&[FIRST, SECOND], &probe).unwrap().close().unwrap();
    let copies = std::mem::take(&mut *copies.lock().unwrap());
    let (_, cut) = copies.into_iter().find(|(step, _)| *step == "migrate.marked").unwrap();
    let safety = cut.path.with_file_name("vault.db.before-2");
    let whole = std::fs::read(&safety).unwrap();
    let mut refused = 0;
    for at in (0..whole.len()).step_by(whole.len() / 50) {
        let mut broken = whole.clone();
        broken[at] ^= 1;
        std::fs::write(&safety, &broken).unwrap();
        let before = std::fs::read(&cut.path).unwrap();
        let opened = cut.open(&[FIRST, SECOND], &Probe::default());
        assert!(matches!(opened, Err(MigrateError::Schema(SchemaError::HalfMigrated))), "byte {at}: {opened:?}");
        assert_eq!(std::fs::read(&cut.path).unwrap(), before);
        refused += 1;
    }
    assert!(refused >= 50);
    std::fs::remove_file(&safety).unwrap();
    let opened = cut.open(&[FIRST, SECOND], &Probe::default());
    assert!(matches!(opened, Err(MigrateError::Schema(SchemaError::HalfMigrated))));
    std::fs::write(&safety, &whole).unwrap();
    assert_eq!(sum(&cut.open(&[FIRST, SECOND], &Probe::default()).unwrap(), "twice"), 10100);
}

#[test]
fn a_newer_schema_or_a_changed_step_is_refused_untouched() {
    let place = Place::at_first_schema();
    place.open(&[FIRST, SECOND], &Probe::default()).unwrap().close().unwrap();
    let before = std::fs::read(&place.path).unwrap();
    let newer = place.open(&[FIRST], &Probe::default());
    let expected = SchemaError::Newer { found: 2, known: 1 };
    assert!(matches!(&newer, Err(MigrateError::Schema(error)) if error.to_string() == expected.to_string()));
    let changed =
        place.open(&[Step { sql: "CREATE TABLE things (n INTEGER) STRICT", ..FIRST }, SECOND], &Probe::default());
    assert!(matches!(changed, Err(MigrateError::Schema(SchemaError::Changed { number: 1 }))));
    assert_eq!(std::fs::read(&place.path).unwrap(), before);
    let other = Secret::from_slice(&[4; 32]).unwrap();
    assert!(matches!(open(&place.path, &other, &[FIRST, SECOND], &Probe::default()), Err(MigrateError::NotThisKey)));
}

#[test]
fn without_room_for_the_copy_nothing_begins() {
    let place = Place::at_first_schema();
    let file = std::fs::OpenOptions::new().write(true).open(&place.path).unwrap();
    let length = file.metadata().unwrap().len();
    // A sparse tail makes the file look larger than the disk; SQLite goes by its header.
    file.set_len(files::free_space(&place.path).unwrap() + length).unwrap();
    let opened = place.open(&[FIRST, SECOND], &Probe::default());
    assert!(matches!(opened, Err(MigrateError::Schema(SchemaError::NoSpace { .. }))), "{opened:?}");
    file.set_len(length).unwrap();
    assert_eq!(place.names(), ["vault.db"]);
    assert_eq!(sum(&place.open(&[FIRST, SECOND], &Probe::default()).unwrap(), "twice"), 10100);
}

#[test]
fn a_copy_goes_after_thirty_days() {
    let place = Place::at_first_schema();
    place.open(&[FIRST, SECOND], &Probe::default()).unwrap().close().unwrap();
    let modified = std::fs::metadata(place.path.with_file_name("vault.db.before-2")).unwrap().modified().unwrap();
    let made = i64::try_from(modified.duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap().as_millis()).unwrap();
    let day = 24 * 60 * 60 * 1000;
    for (age, names) in [(30 * day - 1000, 2), (30 * day + 1000, 1)] {
        let (now, probe) = (Timestamp(made + age), Probe::default());
        Migration { path: &place.path, key: &place.key, steps: &[FIRST, SECOND], probe: &probe, now }.open().unwrap();
        assert_eq!(place.names().len(), names);
    }
}

#[test]
fn steps_are_numbered_from_one_without_gap() {
    for steps in [INSTANCE, VAULT] {
        assert!(steps.iter().map(|step| step.number).eq(1..=u32::try_from(steps.len()).unwrap()));
    }
}

mod fixture;
