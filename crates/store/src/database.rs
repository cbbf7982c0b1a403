//! One SQLCipher file: how it is keyed and opened, and the two threads that work on it. Closures are sent to the
//! thread that owns the connection, so no lock is held across an await and there is one writer.
//! Not here: which tables there are (`migrate`) and what is asked of them.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use tokio::sync::oneshot;
use zeroize::Zeroizing;

use crate::error::StoreError;
use crate::secret::Secret;

/// What a connection may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Write,
    Read,
}

/// Why a file did not open.
#[derive(Debug)]
pub(crate) enum ConnectError {
    /// The key does not open it, or it is no database.
    NotThisKey,
    Store(StoreError),
}

impl From<rusqlite::Error> for ConnectError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => Self::NotThisKey,
            _ => Self::Store(error.into()),
        }
    }
}

/// Opens an existing file under a raw key. The file must be there: what creates it also sets its mode.
pub(crate) fn connect(path: &Path, key: &Secret<32>, access: Access) -> Result<Connection, ConnectError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    apply_key(&connection, key)?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;
         PRAGMA temp_store = MEMORY; PRAGMA recursive_triggers = ON; PRAGMA trusted_schema = OFF;",
    )?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    if access == Access::Read {
        connection.execute_batch("PRAGMA query_only = ON")?;
    }
    Ok(connection)
}

/// Raw key: SQLCipher derives nothing from it. The statement is wiped; SQLite's own copy is freed, not wiped.
fn apply_key(connection: &Connection, key: &Secret<32>) -> Result<(), rusqlite::Error> {
    let mut statement = Zeroizing::new(String::with_capacity(128));
    statement.push_str("PRAGMA cipher_log_level = NONE; PRAGMA key = \"x'");
    for byte in key.expose() {
        write!(statement, "{byte:02x}").expect("writing to a string cannot fail");
    }
    statement.push_str("'\"");
    connection.execute_batch(&statement)
}

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// An open database: one writer thread and one reader thread. Closing it, or dropping it, ends both.
pub(crate) struct Database {
    writer: Worker,
    reader: Worker,
}

impl Database {
    /// Takes the two connections of one file.
    pub(crate) fn start(writer: Connection, reader: Connection) -> Result<Self, StoreError> {
        Ok(Self { writer: Worker::start("store-write", writer)?, reader: Worker::start("store-read", reader)? })
    }

    /// Runs `work` in one immediate transaction. It is durable when this returns; an error rolls it back.
    pub(crate) async fn write<T, E>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.writer.run(move |connection| in_transaction(connection, TransactionBehavior::Immediate, work)).await?
    }

    /// Runs `work` on one consistent state of the database.
    pub(crate) async fn read<T, E>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.reader.run(move |connection| in_transaction(connection, TransactionBehavior::Deferred, work)).await?
    }

    /// Ends both threads after the work that is queued; later work is answered with `Closed`. The file is closed on
    /// return. Blocks for as long as the queued work takes.
    pub(crate) fn close(&self) {
        self.reader.close();
        self.writer.close();
    }
}

fn in_transaction<T, E: From<StoreError>>(
    connection: &mut Connection,
    behavior: TransactionBehavior,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let transaction = connection.transaction_with_behavior(behavior).map_err(StoreError::from)?;
    let value = work(&transaction)?;
    transaction.commit().map_err(StoreError::from)?;
    Ok(value)
}

struct Worker {
    thread: Mutex<Option<Thread>>,
    jobs: mpsc::Sender<Order>,
}

type Thread = JoinHandle<()>;

enum Order {
    Do(Job),
    End,
}

impl Worker {
    fn start(name: &str, mut connection: Connection) -> Result<Self, StoreError> {
        let (jobs, orders) = mpsc::channel();
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            while let Ok(Order::Do(job)) = orders.recv() {
                // A panicking job rolls back by unwinding and its caller hears `Closed`; the thread goes on.
                let _ = catch_unwind(AssertUnwindSafe(|| job(&mut connection)));
            }
        })?;
        Ok(Self { thread: Mutex::new(Some(thread)), jobs })
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> T + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, heard) = oneshot::channel();
        let job = Box::new(move |connection: &mut Connection| {
            let _ = answer.send(work(connection));
        });
        self.jobs.send(Order::Do(job)).map_err(|_| StoreError::Closed)?;
        heard.await.map_err(|_| StoreError::Closed)
    }

    fn close(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let _ = self.jobs.send(Order::End);
        // The last holder may be a job of this very thread, which cannot wait for itself.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id()) {
            let _ = thread.join();
        }
    }
}

/// Waits for the thread: a process that ends while SQLCipher closes a file takes OpenSSL away from under it.
impl Drop for Worker {
    fn drop(&mut self) {
        self.close();
    }
}
