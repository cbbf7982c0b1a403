//! The server's end of the line to the helper inside: the plan it gets, the lines it sends, the lines it obeys. The
//! other end is `inside/main.rs`. When this end is closed, everything inside ends.

use crate::refusal::Wall;
use std::io;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// A line of the helper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// A wall that stands.
    Held(Wall),
    /// A wall that does not, and why.
    Missing(Wall, String),
    /// All walls were looked at.
    Checked,
    /// The program runs.
    Running,
    /// It could not be run: at which step, and the error's number.
    Failed(String, i32),
    /// The program ended.
    Ended(Ended),
    /// A process that is still there and ends now.
    Left(String),
    /// The helper itself could not go on.
    Broken(String),
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this exit code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
}

/// A line longer than this comes from nobody we know.
const LONGEST_LINE: u64 = 4096;

impl Word {
    fn read(line: &str) -> Option<Word> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
        Some(match (word, more) {
            ("wall", "held") => Word::Held(Wall::named(first)?),
            ("wall", why) => Word::Missing(Wall::named(first)?, why.strip_prefix("missing ").unwrap_or(why).to_owned()),
            ("checked", _) => Word::Checked,
            ("running", _) => Word::Running,
            ("failed", number) => Word::Failed(first.to_owned(), number.parse().unwrap_or(0)),
            ("ended", number) if first == "exit" => Word::Ended(Ended::Exit(number.parse().ok()?)),
            ("ended", number) if first == "signal" => Word::Ended(Ended::Signal(number.parse().ok()?)),
            ("left", _) => Word::Left(rest.to_owned()),
            ("broken", _) => Word::Broken(rest.to_owned()),
            _ => return None,
        })
    }
}

/// The reading half.
pub(crate) struct Ear {
    lines: BufReader<OwnedReadHalf>,
}

impl Ear {
    /// The next word, or nothing when the helper is gone. A line that is no word counts as its end too.
    pub(crate) async fn next(&mut self) -> Option<Word> {
        let mut line = String::new();
        let count = (&mut self.lines).take(LONGEST_LINE).read_line(&mut line).await.ok()?;
        if count == 0 { None } else { Word::read(line.trim_end_matches('\n')) }
    }
}

/// The writing half. Dropping it lets go.
pub(crate) struct Voice(OwnedWriteHalf);

impl Voice {
    /// One line. A helper that is gone makes an error that means nothing: its end is heard.
    pub(crate) async fn say(&mut self, line: &str) {
        let _gone = self.0.write_all(format!("{line}\n").as_bytes()).await;
    }

    /// The plan, before everything else.
    pub(crate) async fn tell(&mut self, plan: &Plan) -> io::Result<()> {
        let length = u32::try_from(plan.fields.len()).map_err(io::Error::other)?;
        self.0.write_all(&length.to_le_bytes()).await?;
        self.0.write_all(&plan.fields).await
    }
}

/// Both halves of a socket.
pub(crate) fn halves(socket: UnixStream) -> (Ear, Voice) {
    let (read, write) = socket.into_split();
    (Ear { lines: BufReader::new(read) }, Voice(write))
}

/// The plan in the form `inside/plan.rs` reads.
#[derive(Default)]
pub(crate) struct Plan {
    fields: Vec<u8>,
}

impl Plan {
    /// Adds a field. Keys and values hold no NUL; that was checked with the confinement.
    pub(crate) fn add(&mut self, key: &str, value: impl AsRef<[u8]>) {
        for part in [key.as_bytes(), value.as_ref()] {
            self.fields.extend_from_slice(part);
            self.fields.push(0);
        }
    }

    /// Adds the fields of another plan.
    pub(crate) fn append(&mut self, other: Plan) {
        self.fields.extend(other.fields);
    }
}
