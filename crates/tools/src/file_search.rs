//! `file_search`: text in files and notes, line by line, by a linear-time engine.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read};
use std::ops::ControlFlow;

use async_trait::async_trait;
use domain::call::ClearedCall;
use domain::facts::Appraisal;
use domain::tool::Replay;
use harness::ports::{Ran, Scope};
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::erase::TypedTool;
use crate::files::beneath::{Beneath, Found, Item, ItemKind, Spot};
use crate::files::text::Text;
use crate::files::walk::{Reach, walk};
use crate::files::{glob, visible};
use crate::places::{Places, Target, off_thread, says, shown};
use crate::reading::{self, answer};

/// Matches of one call.
const MATCHES: usize = 200;
/// Characters of a line around its match.
const LINE_CHARS: usize = 500;
/// Bytes after which a line is taken as ended (1 MiB), so that no file fills the memory.
const LINE_BYTES: u64 = 1024 * 1024;
/// Bytes that tell a binary file (8 KiB).
const SNIFFED: usize = 8 * 1024;
/// Files of up to this size are looked at whole first (1 MiB).
const WHOLE_BYTES: u64 = 1024 * 1024;
/// Files in UTF-16 are read whole up to this size (8 MiB).
const UTF16_BYTES: u64 = 8 * 1024 * 1024;

/// Search text in files (~/… or work/…) or private notes (user-memory/…). A line counts if one of the texts in any
/// stands in it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileSearch {
    /// Up to 20 texts, or regular expressions if regex is true.
    #[schemars(length(min = 1, max = 20))]
    any: Vec<String>,
    /// The folder or file to search, ~/ if absent.
    #[serde(default = "home")]
    path: String,
    /// Take the texts as regular expressions.
    #[serde(default)]
    regex: bool,
    /// Tell capital from small letters.
    #[serde(default)]
    case: bool,
    /// Only files whose name matches, for example *.md.
    #[serde(default)]
    glob: Option<String>,
    /// What to give back.
    #[serde(default)]
    mode: Mode,
    /// Lines around each match, 0 to 10.
    #[serde(default)]
    #[schemars(range(max = 10))]
    context: usize,
    /// Search also what .gitignore and .ignore files name.
    #[serde(default)]
    all: bool,
}

/// What a search gives back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Mode {
    /// The lines.
    #[default]
    Lines,
    /// The names of the files.
    Files,
    /// How many lines in each file.
    Count,
}

fn home() -> String {
    "~/".to_owned()
}

/// The tool.
pub(crate) struct Tool(pub(crate) Places);

/// How the bytes of a file are searched.
enum Kind {
    Bytes,
    Utf16,
    Binary,
}

fn kind_of(start: &[u8]) -> Kind {
    match start {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Kind::Utf16,
        _ if start[..start.len().min(SNIFFED)].contains(&0) => Kind::Binary,
        _ => Kind::Bytes,
    }
}

/// What is looked for.
struct Query {
    pattern: Regex,
    /// Matches whole texts that hold a line that matches, and few others. None: lines have to be looked at one by one.
    whole: Option<Regex>,
    names: Option<Regex>,
    mode: Mode,
    context: usize,
}

/// What was found so far.
#[derive(Default)]
struct Findings {
    text: String,
    matches: usize,
    files: usize,
    binary: usize,
    full: bool,
}

impl FileSearch {
    fn query(&self) -> Result<Query, String> {
        if self.any.is_empty() || self.any.len() > 20 || self.any.iter().any(String::is_empty) {
            return Err("give 1 to 20 texts to search for, none of them empty".to_owned());
        }
        let parts: Vec<String> =
            self.any.iter().map(|text| if self.regex { format!("(?:{text})") } else { regex::escape(text) }).collect();
        let built = RegexBuilder::new(&parts.join("|")).case_insensitive(!self.case).size_limit(4 << 20).build();
        let pattern = built.map_err(|fault| format!("the regular expression cannot be used: {fault}"))?;
        // An anchor of the whole text means the line here, and would mean the file there.
        let anchored = self.regex && self.any.iter().any(|text| text.contains("\\A") || text.contains("\\z"));
        let whole = (!anchored).then(|| {
            RegexBuilder::new(&parts.join("|"))
                .case_insensitive(!self.case)
                .multi_line(true)
                .crlf(true)
                .size_limit(4 << 20)
                .build()
        });
        let whole = whole.and_then(Result::ok);
        let names = self.glob.as_deref().map(glob::compile).transpose()?;
        Ok(Query { pattern, whole, names, mode: self.mode, context: self.context.min(10) })
    }

    async fn search(self, places: &Places, scope: &Scope) -> Result<String, String> {
        let query = self.query()?;
        match places.target(&self.path, &scope.conversation)? {
            Target::Note(place) => {
                let below = place.below();
                let mut findings = Findings::default();
                let notes = places.notes().list().await.map_err(|error| says(&self.path, error))?;
                let inside = |path: &str| below.is_empty() || path == below || path.starts_with(&format!("{below}/"));
                for (path, _) in notes.iter().filter(|(path, _)| inside(path) && query.names_fit(path)) {
                    let text = places.notes().read(path).await.map_err(|error| says(path, error))?;
                    findings.file(&query, &format!("user-memory/{path}"), text.unwrap_or_default().as_bytes());
                }
                Ok(findings.report(&query))
            }
            Target::Tree(tree, place) => {
                let cancel = scope.cancel.clone();
                let reach = if self.all { Reach::All } else { Reach::Unignored };
                off_thread(move || {
                    let spot = tree.find(&place.parts).map_err(|fault| says(&self.path, fault))?;
                    let mut findings = Findings::default();
                    if let Found::File(_) = &spot.found {
                        findings.open(&query, &tree, &spot, &shown(place.root, &spot.parts));
                        return Ok(findings.report(&query));
                    }
                    let extent = walk(&tree, &spot, usize::MAX, reach, &cancel, |sight| {
                        if is_wanted(&query, sight.item, &sight.way.join("/")) {
                            let path = shown(place.root, &[&spot.parts[..], sight.way].concat());
                            if let Ok(file) = tree.enter(sight.folder, &sight.item.name) {
                                findings.open(&query, &tree, &file, &path);
                            }
                        }
                        if findings.full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                    });
                    let extent = extent.map_err(|fault| says(&self.path, fault))?;
                    Ok(findings.report(&query) + extent.note())
                })
                .await?
            }
        }
    }
}

impl Query {
    fn names_fit(&self, way: &str) -> bool {
        self.names.as_ref().is_none_or(|names| names.is_match(way))
    }
}

fn is_wanted(query: &Query, item: &Item, way: &str) -> bool {
    item.kind == ItemKind::File && query.names_fit(way)
}

impl Findings {
    /// Searches a file of a tree; one that cannot be opened is passed over.
    fn open(&mut self, query: &Query, tree: &Beneath, spot: &Spot, path: &str) {
        let Ok((file, facts)) = tree.open(spot) else { return };
        if facts.size <= WHOLE_BYTES {
            let mut bytes = Vec::with_capacity(usize::try_from(facts.size).unwrap_or(0));
            if file.take(WHOLE_BYTES).read_to_end(&mut bytes).is_ok() {
                self.whole(query, path, &bytes);
            }
            return;
        }
        let mut reader = BufReader::with_capacity(64 * 1024, file);
        let Ok(start) = reader.fill_buf() else { return };
        match kind_of(start) {
            Kind::Utf16 => self.utf16(query, path, reader),
            Kind::Binary => self.binary += 1,
            Kind::Bytes => self.file(query, path, reader),
        }
    }

    /// Searches a file that is held whole: most hold nothing of what is looked for, and one look shows it.
    fn whole(&mut self, query: &Query, path: &str, bytes: &[u8]) {
        match kind_of(bytes) {
            Kind::Utf16 => self.utf16(query, path, bytes),
            Kind::Binary => self.binary += 1,
            Kind::Bytes => {
                let text = std::str::from_utf8(bytes).ok();
                let holds = query.whole.as_ref().zip(text).is_none_or(|(whole, text)| whole.is_match(text));
                if holds {
                    self.file(query, path, bytes);
                }
            }
        }
    }

    fn utf16(&mut self, query: &Query, path: &str, reader: impl Read) {
        let mut bytes = Vec::new();
        let read = reader.take(UTF16_BYTES).read_to_end(&mut bytes);
        match read.ok().and_then(|_| Text::decode(&bytes).ok()) {
            Some(text) => self.file(query, path, text.text.as_bytes()),
            None => self.binary += 1,
        }
    }

    fn file(&mut self, query: &Query, path: &str, mut reader: impl std::io::BufRead) {
        let mut before: VecDeque<(usize, String)> = VecDeque::new();
        let mut after = 0;
        let mut hits = 0;
        let mut shown = 0;
        let mut bytes = Vec::new();
        let mut number = 0;
        loop {
            bytes.clear();
            match reader.by_ref().take(LINE_BYTES).read_until(b'\n', &mut bytes) {
                Ok(0) | Err(_) => break,
                Ok(_) => number += 1,
            }
            let line = String::from_utf8_lossy(&bytes);
            let line = line.trim_end_matches(['\n', '\r']);
            match query.pattern.find(line) {
                Some(found) => {
                    hits += 1;
                    if query.mode == Mode::Lines {
                        self.matches += 1;
                        self.head(path, &mut shown);
                        before.drain(..).for_each(|(at, line)| self.line(at, '-', &line));
                        self.line(number, ':', &around(line, found.start()));
                        after = query.context;
                    }
                }
                None if after > 0 => {
                    after -= 1;
                    self.line(number, '-', &around(line, 0));
                }
                None if query.context > 0 && query.mode == Mode::Lines => {
                    before.push_back((number, around(line, 0)));
                    if before.len() > query.context {
                        before.pop_front();
                    }
                }
                None => {}
            }
            if self.matches >= MATCHES || (query.mode == Mode::Files && hits > 0) {
                break;
            }
        }
        self.close(query, path, hits);
    }

    fn head(&mut self, path: &str, shown: &mut usize) {
        if *shown == 0 {
            let _written = writeln!(self.text, "## {}", visible::name(path));
        }
        *shown += 1;
    }

    fn line(&mut self, number: usize, sign: char, line: &str) {
        let _written = writeln!(self.text, "{number}{sign}{}", visible::line(line));
    }

    fn close(&mut self, query: &Query, path: &str, hits: usize) {
        if hits == 0 {
            return;
        }
        self.files += 1;
        match query.mode {
            Mode::Lines => {}
            Mode::Files => {
                self.matches += 1;
                let _written = writeln!(self.text, "{}", visible::name(path));
            }
            Mode::Count => {
                self.matches += 1;
                let _written = writeln!(self.text, "{}: {hits}", visible::name(path));
            }
        }
        self.full = self.matches >= MATCHES;
    }

    fn report(mut self, query: &Query) -> String {
        if self.matches == 0 {
            self.text = "Nothing was found.\n".to_owned();
        } else if self.full {
            let _written = writeln!(self.text, "[{MATCHES} matches; there may be more, search for less]");
        } else if query.mode == Mode::Lines {
            let _written = writeln!(self.text, "[{} matches in {} files]", self.matches, self.files);
        }
        if self.binary > 0 {
            let _written = writeln!(self.text, "[{} binary files were not searched]", self.binary);
        }
        self.text.trim_end().to_owned()
    }
}

/// At most [`LINE_CHARS`] characters of a line, around the byte `at`.
fn around(line: &str, at: usize) -> String {
    let length = line.chars().count();
    if length <= LINE_CHARS {
        return line.to_owned();
    }
    let place = line[..at].chars().count();
    let start = place.saturating_sub(LINE_CHARS / 3).min(length - LINE_CHARS);
    let piece: String = line.chars().skip(start).take(LINE_CHARS).collect();
    let (before, after) = (if start > 0 { "…" } else { "" }, if start + LINE_CHARS < length { "…" } else { "" });
    format!("{before}{piece}{after}")
}

#[async_trait]
impl TypedTool for Tool {
    type Input = FileSearch;
    const NAME: &'static str = "file_search";
    const REPLAY: Replay = Replay::Again;
    const PARALLEL: bool = true;
    const DEADLINE_MS: u64 = 30_000;

    async fn appraise(&self, input: FileSearch, scope: &Scope) -> Result<Appraisal, String> {
        input.query()?;
        reading::appraise(&self.0, "Search in", &[&input.path], scope).await
    }

    async fn run(&self, input: FileSearch, call: &ClearedCall, scope: &Scope) -> Ran {
        let asked = input.path.clone();
        answer(reading::still(&self.0, &[&asked], call, scope).await, input.search(&self.0, scope)).await
    }
}
