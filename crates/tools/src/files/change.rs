//! One change of one text, in a tree or among the notes: looked at, planned, written whole, or not at all.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::call::ClearedCall;
use domain::digest::Digest;
use domain::facts::{Appraisal, Content, Facts, PathFact, Preview, Root};
use domain::id::CallId;
use domain::tool::EffectClass;
use harness::ports::{NoteError, Ran, Scope};

use super::beneath::{Beneath, Found, Spot, WHOLE_BYTES};
use super::preview;
use super::text::{Form, Text};
use crate::places::{Places, Target, off_thread, says, shown};

/// The longest note (64 KiB).
pub(crate) const NOTE_BYTES: usize = 64 * 1024;
/// Hexadecimal digits of a content hash that a model reads and gives back.
const SHORT_HASH: usize = 16;
/// Lines of a diff that a stale hash is answered with.
const STALE_LINES: usize = 40;

/// The hash of a file's bytes, as a model reads it.
pub(crate) fn short_hash(digest: &Digest) -> String {
    digest.hex()[..SHORT_HASH].to_owned()
}

/// A place that may be changed, with what is there.
pub(crate) struct Place {
    /// Its one spelling, links followed.
    pub(crate) shown: String,
    root: Root,
    holds: Holds,
    /// What is there: the bytes and their text.
    pub(crate) now: Option<Current>,
}

/// What lies at a place now.
pub(crate) struct Current {
    pub(crate) digest: Digest,
    pub(crate) text: Text,
}

#[derive(Clone)]
enum Holds {
    Tree(Arc<Beneath>, Arc<Spot>),
    Note(String),
}

/// What a place is to hold.
pub(crate) struct Planned {
    text: String,
    bytes: Vec<u8>,
}

impl Place {
    /// Looks at the place that `path` names.
    pub(crate) async fn look(places: &Places, path: &str, scope: &Scope) -> Result<Self, String> {
        match places.target(path, &scope.conversation)? {
            Target::Tree(tree, place) => {
                let asked = path.to_owned();
                off_thread(move || Self::in_tree(tree, &place).map_err(|fault| says(&asked, fault))).await?
            }
            Target::Note(place) => Self::among_notes(places, path, place.below()).await,
        }
    }

    fn in_tree(tree: Arc<Beneath>, place: &domain::place::Place) -> Result<Self, String> {
        let spot = tree.find(&place.parts).map_err(|fault| fault.to_string())?;
        tree.check_write(&spot).map_err(|fault| fault.to_string())?;
        let now = match &spot.found {
            Found::Absent { .. } => None,
            Found::File(_) | Found::Folder(_) => {
                let bytes = tree.read(&spot, WHOLE_BYTES).map_err(|fault| fault.to_string())?;
                Some(Current::of(&bytes)?)
            }
        };
        let shown = shown(place.root, &spot.parts);
        Ok(Self { shown, root: place.root, holds: Holds::Tree(tree, Arc::new(spot)), now })
    }

    async fn among_notes(places: &Places, path: &str, below: String) -> Result<Self, String> {
        if below.is_empty() {
            return Err(says(path, "this is the folder of notes; name a note in it"));
        }
        let text = places.notes().read(&below).await.map_err(|error| says(path, error))?;
        let now = text.map(|text| Current::of(text.as_bytes())).transpose()?;
        Ok(Self { shown: format!("user-memory/{below}"), root: Root::Notes, holds: Holds::Note(below), now })
    }

    /// Refuses a change of something that the model has not read as it is now.
    pub(crate) fn check_hash(&self, given: Option<&str>) -> Result<(), String> {
        let Some(now) = &self.now else { return Ok(()) };
        let current = now.digest.hex();
        let short = short_hash(&now.digest);
        match given.map(|hash| hash.trim().to_ascii_lowercase()) {
            Some(hash) if hash.len() >= 12 && current.starts_with(&hash) => Ok(()),
            Some(_) => Err(format!(
                "`{}` is not as it was when it was read: its hash is now {short}. Nothing was changed. It reads now:\n{}",
                self.shown,
                first_lines(&now.text.text)
            )),
            None => Err(format!(
                "`{}` exists; changing it needs the hash that file_read gives, so that nothing unread is lost. Its hash \
                 is now {short}. Nothing was changed.",
                self.shown
            )),
        }
    }

    /// Plans to hold `text`; it keeps encoding, mark and line ends of what is there.
    pub(crate) fn plan(&self, text: String) -> Result<Planned, String> {
        let form = self.now.as_ref().map_or(Form::NEW, |now| now.text.form);
        let bytes = form.encode(&text).map_err(|fault| says(&self.shown, fault))?;
        if bytes.len() as u64 > WHOLE_BYTES {
            return Err(says(&self.shown, "a file that is written here has at most 8 MiB; split it"));
        }
        if matches!(self.holds, Holds::Note(_)) && bytes.len() > NOTE_BYTES {
            return Err(says(&self.shown, "a note has at most 64 KiB; split it, or write a file in ~/"));
        }
        Ok(Planned { text, bytes })
    }

    /// What the change would do, as a person is shown it.
    pub(crate) fn appraise(&self, verb: &str, planned: &Planned) -> Appraisal {
        let class = if self.now.is_some() { EffectClass::Modify } else { EffectClass::Create };
        let now = self.now.as_ref().map_or(Content::Absent, |now| Content::Hash(now.digest));
        let bytes = planned.bytes.len() as u64;
        let fact = PathFact { path: self.shown.clone(), root: self.root, class, now, bytes };
        let before = self.now.as_ref().map(|now| now.text.text.as_str());
        let facts = Facts {
            classes: BTreeSet::from([class]),
            paths: vec![fact],
            // Notes keep every version; files have none yet.
            undo: self.root == Root::Notes,
            ..Facts::of(class)
        };
        let diff = preview::diff(&self.shown, before, &planned.text);
        Appraisal {
            facts,
            label: preview::label(verb, &self.shown),
            preview: Some(Preview::Diff { path: self.shown.clone(), diff }),
        }
    }

    /// Whether the place is what the facts of a cleared call say it is.
    pub(crate) fn check_facts(&self, call: &ClearedCall) -> Result<(), String> {
        let now = self.now.as_ref().map_or(Content::Absent, |now| Content::Hash(now.digest));
        let same = call.facts().paths.iter().any(|fact| fact.path == self.shown && fact.now == now);
        if same {
            return Ok(());
        }
        Err(format!("`{}` has changed since this call was looked at. Nothing was written; read it again.", self.shown))
    }

    /// The result of a call whose cut run is known to have landed.
    pub(crate) fn landed(&self) -> Ran {
        Ran::done(format!("`{}` was written before Riad was restarted.", self.shown))
    }

    /// The result of a call after which the place is neither as it was nor as the call leaves it.
    pub(crate) fn uncertain(&self) -> Ran {
        Ran::failed(format!(
            "`{}` is not as it was before this call, which was cut by a restart; it may have been written. Read it.",
            self.shown
        ))
    }

    /// Writes. The text says what was done.
    pub(crate) async fn write(&self, places: &Places, planned: Planned, call: &ClearedCall) -> Ran {
        let lines = match planned.text.lines().count() {
            1 => "1 line".to_owned(),
            lines => format!("{lines} lines"),
        };
        let hash = short_hash(&Digest::of_bytes(&planned.bytes));
        let written = match self.holds.clone() {
            Holds::Tree(tree, spot) => self.write_file(tree, spot, planned.bytes, call).await,
            Holds::Note(path) => self.write_note(places, &path, &planned.text, call.call().id()).await,
        };
        match written {
            Ok(()) => {
                let did = if self.now.is_some() { "Changed" } else { "Made" };
                Ran::done(format!("{did} `{}`: {lines}, hash {hash}.", self.shown))
            }
            Err(reason) => Ran::failed(reason),
        }
    }

    async fn write_file(
        &self,
        tree: Arc<Beneath>,
        spot: Arc<Spot>,
        bytes: Vec<u8>,
        call: &ClearedCall,
    ) -> Result<(), String> {
        let expected = self.now.as_ref().map(|now| now.digest);
        let token = call.key()[..SHORT_HASH].to_owned();
        let written = off_thread(move || match expected {
            None => tree.create(&spot, &bytes, &token),
            Some(digest) => tree.replace(&spot, digest, &bytes, &token),
        });
        written.await?.map_err(|fault| says(&self.shown, fault))
    }

    async fn write_note(&self, places: &Places, path: &str, text: &str, origin: &CallId) -> Result<(), String> {
        let expected = self.now.as_ref().map(|now| now.digest);
        let written = places.notes().write(path, expected, text, origin).await;
        written.map_err(|error: NoteError| says(&self.shown, error))
    }
}

impl Current {
    fn of(bytes: &[u8]) -> Result<Self, String> {
        let text = Text::decode(bytes).map_err(|fault| fault.to_string())?;
        Ok(Self { digest: Digest::of_bytes(bytes), text })
    }
}

fn first_lines(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().take(STALE_LINES).collect();
    let rest = text.lines().count().saturating_sub(STALE_LINES);
    let more = format!("[{rest} more lines]");
    if rest > 0 {
        lines.push(&more);
    }
    lines.join("\n")
}
