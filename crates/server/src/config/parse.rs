//! Text, variables and arguments become values with their origins, or all faults at once. Pure: nothing is opened.

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::settings::{Kind, SETTINGS, Setting};

/// What was given, before anything is judged.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// The file's name, for messages, and its text.
    pub file: Option<(String, String)>,
    /// Variables of the environment whose name begins with `RIAD_`.
    pub variables: Vec<(String, String)>,
    /// `key=value` arguments, in order.
    pub sets: Vec<String>,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A file, with line and column, counted from 1.
    File(String, usize, usize),
    /// A variable.
    Variable(String),
    /// An argument.
    Argument,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(name, line, column) => write!(f, "{name}:{line}:{column}"),
            Self::Variable(name) => f.write_str(name),
            Self::Argument => f.write_str("--set"),
        }
    }
}

/// One thing that is wrong, with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {says}")]
pub struct Fault {
    /// Where.
    pub origin: Origin,
    /// What, and what to write instead.
    pub says: String,
}

/// The values by key, each with its origin. Keys that nobody gave are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values(BTreeMap<&'static str, (String, Origin)>);

impl Values {
    /// The text of a value. Asking for a key that is no setting is a mistake of the program.
    pub fn get(&self, key: &str) -> Option<&str> {
        debug_assert!(SETTINGS.iter().any(|setting| setting.key == key), "{key} is read but is no setting");
        self.0.get(key).map(|(value, _)| value.as_str())
    }

    /// Where a value came from.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        self.0.get(key).map(|(_, origin)| origin)
    }
}

/// Judges all that was given.
pub fn parse(given: &Given) -> Result<Values, Vec<Fault>> {
    let mut reading = Reading::default();
    if let Some((name, text)) = &given.file {
        reading.file(name, text);
    }
    given.variables.iter().for_each(|(name, value)| reading.variable(name, value));
    given.sets.iter().for_each(|set| reading.argument(set));
    if reading.faults.is_empty() { Ok(reading.values) } else { Err(reading.faults) }
}

#[derive(Default)]
struct Reading {
    values: Values,
    faults: Vec<Fault>,
}

impl Reading {
    fn file(&mut self, name: &str, text: &str) {
        match DeTable::parse(text) {
            Ok(table) => self.table(&Place { name, text }, "", table.get_ref()),
            Err(fault) => {
                let origin = Place { name, text }.at(fault.span().map_or(0, |span| span.start));
                self.faults.push(Fault { origin, says: format!("this is not TOML: {}", fault.message()) });
            }
        }
    }

    fn table(&mut self, place: &Place<'_>, prefix: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let key =
                if prefix.is_empty() { name.get_ref().to_string() } else { format!("{prefix}.{}", name.get_ref()) };
            let is_group = SETTINGS.iter().any(|setting| setting.key.starts_with(&format!("{key}.")));
            if let (DeValue::Table(inner), true) = (value.get_ref(), is_group) {
                self.table(place, &key, inner);
            } else {
                self.leaf(place.at(name.span().start), &key, value);
            }
        }
    }

    fn leaf(&mut self, origin: Origin, key: &str, value: &Spanned<DeValue<'_>>) {
        let Some(setting) = self.known(&origin, key) else { return };
        let text = match (value.get_ref(), setting.kind) {
            (DeValue::Integer(number), Kind::Whole(..)) => number.to_string(),
            (_, Kind::Whole(..)) => return self.fault(origin, format!("`{key}` is a whole number")),
            (DeValue::String(text), _) => text.to_string(),
            _ => return self.fault(origin, format!("`{key}` is a text; write {key} = \"{}\"", setting.example)),
        };
        self.put(origin, setting, text);
    }

    fn variable(&mut self, name: &str, value: &str) {
        let origin = Origin::Variable(name.to_owned());
        match SETTINGS.iter().find(|setting| setting.variable() == name) {
            Some(setting) => self.put(origin, setting, value.to_owned()),
            None => {
                let next = match nearest(name, SETTINGS.iter().map(Setting::variable)) {
                    Some(near) => format!("the nearest is {near}"),
                    None => "`riad config keys` lists them".to_owned(),
                };
                self.fault(origin, format!("no setting has this variable; {next}"));
            }
        }
    }

    fn argument(&mut self, set: &str) {
        let Some((key, value)) = set.split_once('=') else {
            return self.fault(Origin::Argument, format!("`{set}` is not of the form key=value"));
        };
        if let Some(setting) = self.known(&Origin::Argument, key.trim()) {
            self.put(Origin::Argument, setting, value.trim().to_owned());
        }
    }

    fn known(&mut self, origin: &Origin, key: &str) -> Option<&'static Setting> {
        let found = SETTINGS.iter().find(|setting| setting.key == key);
        if found.is_none() {
            let next = match nearest(key, SETTINGS.iter().map(|setting| setting.key.to_owned())) {
                Some(near) => format!("the nearest is `{near}`"),
                None => "`riad config keys` lists them".to_owned(),
            };
            self.fault(origin.clone(), format!("there is no key `{key}`; {next}"));
        }
        found
    }

    fn put(&mut self, origin: Origin, setting: &'static Setting, value: String) {
        match misfit(setting.kind, &value) {
            None => {
                self.values.0.insert(setting.key, (value, origin));
            }
            Some(says) => self.fault(origin, format!("`{}` {says}, for example {}", setting.key, setting.example)),
        }
    }

    fn fault(&mut self, origin: Origin, says: String) {
        self.faults.push(Fault { origin, says });
    }
}

/// What is wrong with a value, if anything.
fn misfit(kind: Kind, value: &str) -> Option<String> {
    let bad = |says: &str| Some(says.to_owned());
    match kind {
        _ if value.trim().is_empty() || value.contains(['\0', '\n']) => bad("needs a text of one line"),
        Kind::Address if value.parse::<SocketAddr>().is_err() => bad("is an address with port"),
        Kind::Url if !(value.starts_with("http://") || value.starts_with("https://")) => {
            bad("is an http or https address")
        }
        Kind::Whole(least, most) if !value.parse().is_ok_and(|number| (least..=most).contains(&number)) => {
            Some(format!("is a whole number from {least} to {most}"))
        }
        Kind::Choice(words) if !words.contains(&value) => Some(format!("is one of {}", words.join(", "))),
        Kind::Address | Kind::Url | Kind::Whole(..) | Kind::Choice(_) | Kind::Path | Kind::Text => None,
    }
}

struct Place<'a> {
    name: &'a str,
    text: &'a str,
}

impl Place<'_> {
    fn at(&self, offset: usize) -> Origin {
        let before = self.text.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Origin::File(self.name.to_owned(), line, column)
    }
}

/// In thousandths: what is less alike than this is no slip of the finger.
const LIKE_ENOUGH: usize = 400;

/// The candidate with the most pairs of neighbouring letters in common (Dice's coefficient), if it has enough of them.
fn nearest(name: &str, candidates: impl Iterator<Item = String>) -> Option<String> {
    let likeness = |candidate: &String| {
        let (ours, theirs) = (pairs(name), pairs(candidate));
        let common = ours.iter().filter(|pair| theirs.contains(pair)).count();
        2000 * common / (ours.len() + theirs.len()).max(1)
    };
    candidates.filter(|candidate| likeness(candidate) >= LIKE_ENOUGH).max_by_key(likeness)
}

fn pairs(text: &str) -> Vec<[u8; 2]> {
    text.as_bytes().windows(2).map(|pair| [pair[0], pair[1]]).collect()
}
