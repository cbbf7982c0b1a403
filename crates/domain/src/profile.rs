//! An agent profile: the text of its `AGENT.md` as typed values, or what is wrong with it and where. It holds no mode and
//! no permission, and it knows no folder: who reads the file and where profiles lie is not known here.

pub mod choice;
mod fields;
mod head;
mod known;
mod limits;
mod lineup;
mod model;
mod resolve;

use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

use crate::tool::Schema;
use crate::yaml::Node;
use fields::Fields;

pub use choice::{Choice, ChoiceFault, Reach};
pub use fields::Named;
pub(crate) use fields::{Fields as HeadFields, fault_at};
pub(crate) use head::split;
pub use known::Known;
pub use limits::LimitWishes;
pub use lineup::{LineUp, Offer, line_up};
pub use model::{ModelWish, Reasoning, SamplingWishes, Strength};
pub use resolve::{Layers, Resolved, Wishes, resolve};

/// The longest prompt of a profile, in bytes of UTF-8 (32 KiB).
pub const PROMPT_BYTES: usize = 32 * 1024;
/// The longest file that is read at all: the prompt, and as much again for its head.
const FILE_BYTES: usize = 2 * PROMPT_BYTES;
/// Letters of a name, a description and an icon.
const NAME_CHARS: usize = 80;
const DESCRIPTION_CHARS: usize = 1000;
const ICON_CHARS: usize = 16;

/// The name of a profile's folder: `[a-z0-9-]{1,64}`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProfileId(String);

impl ProfileId {
    /// The id, if it is one.
    pub fn new(text: &str) -> Option<Self> {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        ((1..=64).contains(&text.len()) && text.bytes().all(fits)).then(|| Self(text.to_owned()))
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProfileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a profile is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// People talk with it.
    #[default]
    Chat,
    /// It is given one task.
    Task,
    /// Riad itself uses it.
    System,
}

/// A profile as its file says it. What is not said is absent, never a default of the reader.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// What people see.
    pub name: String,
    /// What it is good for.
    pub description: String,
    /// What it is for.
    pub kind: Kind,
    /// Which model answers.
    pub model: ModelWish,
    /// How much the model thinks.
    pub reasoning: Option<Reasoning>,
    /// How tokens are drawn, key by key.
    pub sampling: SamplingWishes,
    /// The tools it may have: names, or `group.*`. Absent means all there are.
    pub tools: Option<Vec<Named>>,
    /// The skills it may have. Absent means all there are.
    pub skills: Option<Vec<Named>>,
    /// The profiles it may run as delegates.
    pub delegates: Vec<Named>,
    /// The hooks that it adds.
    pub hooks: Vec<Named>,
    /// What lowers the purse of a turn.
    pub limits: LimitWishes,
    /// Notes that its prompt holds.
    pub notes: Vec<Named>,
    /// The shape of its last answer.
    pub answer_schema: Option<Schema>,
    /// The model that writes summaries.
    pub compaction_model: Option<String>,
    /// Name and description in other languages.
    pub locales: BTreeMap<String, Texts>,
    /// A short sign beside its name.
    pub icon: Option<String>,
    /// What the model is told: the file without its head.
    pub prompt: String,
}

/// What people read of a profile in one language.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    /// Its name there.
    pub name: Option<String>,
    /// Its description there.
    pub description: Option<String>,
}

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error)]
#[error("line {line}, column {column}: {says}")]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The letter in that line, from 1.
    pub column: usize,
    /// What is wrong there, and what would be right.
    pub says: String,
}

/// Reads the text of an `AGENT.md`.
///
/// # Errors
/// All that is wrong with it, in the order of the file. A file with one fault gives no profile, so that no restriction is
/// lost by a slip.
pub fn read(text: &str) -> Result<Profile, Vec<Fault>> {
    if text.len() > FILE_BYTES {
        return Err(vec![fault_at((1, 1), format!("the file has {} bytes; at most {FILE_BYTES} fit", text.len()))]);
    }
    let file = split(text).map_err(|fault| vec![fault])?;
    let root = file.head()?;
    let mut fields = Fields::of(&root)?;
    let profile = of_fields(&mut fields, file.body);
    fields.refuse_others();
    if file.body.len() > PROMPT_BYTES {
        fields.fault(
            (file.body_line, 1),
            format!("the prompt has {} bytes; at most {PROMPT_BYTES} fit", file.body.len()),
        );
    }
    if file.body.is_empty() {
        fields.fault((file.body_line, 1), "the prompt is missing; write it below the second `---`");
    }
    fields.done(profile)
}

fn of_fields(fields: &mut Fields<'_>, body: &str) -> Profile {
    Profile {
        name: fields.needed_text("name", NAME_CHARS),
        description: fields.text("description", DESCRIPTION_CHARS).unwrap_or_default(),
        kind: fields.word("kind", KINDS).unwrap_or_default(),
        model: model::read(fields),
        reasoning: fields.word("reasoning", model::REASONINGS),
        sampling: model::sampling(fields),
        tools: fields.names("tools"),
        skills: fields.names("skills"),
        delegates: fields.names_that("delegates", "ids such as `my-helper`", |id| ProfileId::new(id).is_some()),
        hooks: fields.names("hooks").unwrap_or_default(),
        limits: limits::read(fields),
        notes: fields.names("notes").unwrap_or_default(),
        answer_schema: fields.take("answer_schema").and_then(|node| fields.schema(node)),
        compaction_model: fields.text("compaction_model", NAME_CHARS),
        locales: locales(fields),
        icon: fields.text("icon", ICON_CHARS),
        prompt: body.to_owned(),
    }
}

const KINDS: &[(&str, Kind)] = &[("chat", Kind::Chat), ("task", Kind::Task), ("system", Kind::System)];

fn locales(fields: &mut Fields<'_>) -> BTreeMap<String, Texts> {
    let mut locales = BTreeMap::new();
    let Some(node) = fields.take("locales") else { return locales };
    for (key, node) in fields.pairs(node) {
        if is_language(&key.text) {
            locales.insert(key.text.clone(), texts(fields, node));
        } else {
            fields.fault(
                (key.line, key.column),
                format!("`{}` is no language; write a tag such as `de` or `pt-BR`", key.text),
            );
        }
    }
    locales
}

fn texts<'a>(fields: &mut Fields<'a>, node: &'a Node) -> Texts {
    fields.inner(node, |inner| Texts {
        name: inner.text("name", NAME_CHARS),
        description: inner.text("description", DESCRIPTION_CHARS),
    })
}

/// Whether a text has the form of a language tag (BCP 47): letters, then groups of letters or digits.
fn is_language(text: &str) -> bool {
    let mut parts = text.split('-');
    let first =
        parts.next().is_some_and(|part| (2..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphabetic()));
    first && parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests;
