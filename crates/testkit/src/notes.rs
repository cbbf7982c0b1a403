//! Notes in memory that keep the port's promises.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use domain::digest::Digest;
use domain::id::CallId;
use harness::ports::{NoteError, Notes};

/// Each note with all its versions, oldest first.
#[derive(Debug, Default)]
pub struct MemoryNotes(Mutex<BTreeMap<String, Vec<String>>>);

impl MemoryNotes {
    /// All versions of a note, oldest first.
    pub fn versions(&self, path: &str) -> Vec<String> {
        self.lock().get(path).cloned().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Vec<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Notes for MemoryNotes {
    async fn list(&self) -> Result<Vec<(String, u64)>, NoteError> {
        let size = |versions: &Vec<String>| versions.last().map_or(0, |text| text.len() as u64);
        Ok(self.lock().iter().map(|(path, versions)| (path.clone(), size(versions))).collect())
    }

    async fn read(&self, path: &str) -> Result<Option<String>, NoteError> {
        Ok(self.lock().get(path).and_then(|versions| versions.last().cloned()))
    }

    async fn write(&self, path: &str, expected: Option<Digest>, text: &str, _: &CallId) -> Result<(), NoteError> {
        let mut notes = self.lock();
        let now = notes.get(path).and_then(|versions| versions.last()).map(|text| Digest::of_bytes(text.as_bytes()));
        if now != expected {
            return Err(NoteError::Stale);
        }
        notes.entry(path.to_owned()).or_default().push(text.to_owned());
        Ok(())
    }

    async fn search(&self, words: &str, limit: usize) -> Result<Vec<(String, String)>, NoteError> {
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let notes = self.lock();
        let newest = notes.iter().filter_map(|(path, versions)| Some((path, versions.last()?)));
        let hits = newest.filter(|(_, text)| holds_all(text, &words));
        Ok(hits.take(limit).map(|(path, text)| (path.clone(), line_with(text, &words))).collect())
    }
}

fn holds_all(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    !words.is_empty() && words.iter().all(|word| text.contains(word.as_str()))
}

fn line_with(text: &str, words: &[String]) -> String {
    let first = words.first().map_or("", String::as_str);
    text.lines().find(|line| line.to_lowercase().contains(first)).unwrap_or_default().to_owned()
}
