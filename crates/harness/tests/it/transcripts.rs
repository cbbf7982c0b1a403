//! Plays every file of `transcripts/` and compares what came of it with what the file says. `UPDATE_EXPECT=1` rewrites.

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use futures::FutureExt as _;
use similar::TextDiff;
use testkit::transcript::{Script, Stage, print};

/// Stands between the script and what is expected of it.
const BORDER: &str = "----\n";

/// A transcript: its name, its script as text, and what is expected.
pub(crate) struct Transcript {
    pub(crate) name: String,
    path: PathBuf,
    text: String,
    expected: String,
}

impl Transcript {
    pub(crate) fn script(&self) -> Script {
        Script::parse(&self.text).unwrap_or_else(|fault| panic!("{}: {fault}", self.name))
    }
}

/// All transcripts, in order of their names.
pub(crate) fn all() -> Vec<Transcript> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("transcripts");
    let files = std::fs::read_dir(folder).expect("the folder of transcripts is there");
    let paths = files.map(|file| file.expect("a folder can be read").path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "turn")).collect();
    paths.sort();
    paths.into_iter().map(read).collect()
}

fn read(path: PathBuf) -> Transcript {
    let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
    let whole = std::fs::read_to_string(&path).expect("a transcript can be read");
    let (text, expected) = whole.split_once(BORDER).unwrap_or((&whole, ""));
    Transcript { name, path, text: text.to_owned(), expected: expected.to_owned() }
}

#[tokio::test(start_paused = true)]
async fn each_transcript_ends_as_it_says() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = Vec::new();
    for transcript in all() {
        // One that cannot be played does not hide the others.
        let played = AssertUnwindSafe(Stage::play(&transcript.script(), None)).catch_unwind().await;
        let Ok(played) = played else {
            wrong.push(format!("{}: it cannot be played; see the panic above", transcript.name));
            continue;
        };
        let came = print(&played);
        if came == transcript.expected {
            continue;
        }
        if update {
            std::fs::write(&transcript.path, format!("{}{BORDER}{came}", transcript.text)).expect("it can be written");
        }
        let diff = TextDiff::from_lines(&transcript.expected, &came);
        wrong.push(format!("{}:\n{}", transcript.name, diff.unified_diff().context_radius(2)));
    }
    let unplayed = wrong.iter().any(|what| what.contains("cannot be played"));
    assert!(
        wrong.is_empty() || (update && !unplayed),
        "{}\nUPDATE_EXPECT=1 rewrites what is expected.",
        wrong.join("\n")
    );
}

#[test]
fn there_are_enough_transcripts() {
    assert!(all().len() >= 30, "the first form of the loop is shown by 30 transcripts");
}

#[tokio::test(start_paused = true)]
async fn the_same_script_gives_the_same_entries_twice() {
    for transcript in all() {
        let script = transcript.script();
        let (one, two) = (Stage::play(&script, None).await, Stage::play(&script, None).await);
        assert_eq!(one.entries, two.entries, "{}", transcript.name);
        assert_eq!(one.prompts, two.prompts, "{}", transcript.name);
    }
}
