//! Fits a value to a schema where the schema has one reading of it. What the schema says of ranges, lengths, patterns and
//! formats is not looked at here: no value is changed for these.

use serde_json::{Map, Value};

use super::decimal;
use super::pointer::Pointer;
use super::read::{Read, Room, excerpt};
use super::step::Step;
use super::tree::{Node, What, quoted};

mod choice;
mod convert;
mod members;

/// A schema that is an object.
pub(super) type Keywords = Map<String, Value>;

/// What fitting gives: the value as it must be, if it is another, and what was done.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub(super) node: Option<Node>,
    pub(super) steps: Vec<Step>,
}

/// Why a value does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Misfit {
    Place { path: String, reason: String },
    TooLarge,
}

pub(super) type Fit = Result<Change, Misfit>;

/// Where the fitter is.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'p> {
    pub(super) pointer: Pointer<'p>,
    /// Lists and objects around.
    levels: usize,
    /// Texts that were read on the way here, one within the other.
    pub(super) texts: usize,
    /// Schemas that were entered on the way here.
    depth: usize,
    /// Whether the value is to become the one item of a list; it is put into no further one then.
    pub(super) item: bool,
}

/// Texts within texts that are read.
pub(super) const MOST_TEXTS: usize = 3;

/// Schemas within schemas that are entered; what is deeper goes in circles.
const MOST_DEPTH: usize = 160;

/// Visits for each byte of the text: alternatives within alternatives would otherwise take for ever.
const VISITS_A_BYTE: usize = 8;

/// Visits that every text may take, however short.
const VISITS_AT_LEAST: usize = 20_000;

impl<'p> At<'p> {
    pub(super) fn root() -> Self {
        Self { pointer: Pointer::Root, levels: 0, texts: 0, depth: 0, item: false }
    }

    /// Below, at a member or an item.
    pub(super) fn below(&self, pointer: Pointer<'p>) -> Self {
        Self { pointer, levels: self.levels + 1, item: false, ..*self }
    }

    /// Below, as the one item of a list that was not written.
    pub(super) fn item(&self, pointer: Pointer<'p>) -> Self {
        Self { item: true, ..self.below(pointer) }
    }

    /// At the same place, in a text that was read.
    pub(super) fn in_text(&self) -> Self {
        Self { texts: self.texts + 1, ..*self }
    }

    fn deeper(&self) -> Self {
        Self { depth: self.depth + 1, ..*self }
    }

    pub(super) fn misfit(&self, reason: impl Into<String>) -> Misfit {
        Misfit::Place { path: self.pointer.to_string(), reason: reason.into() }
    }
}

impl Change {
    pub(super) fn to(node: Node, step: Step) -> Self {
        Self { node: Some(node), steps: vec![step] }
    }

    /// The value after this change.
    pub(super) fn of<'n>(&'n self, node: &'n Node) -> &'n Node {
        self.node.as_ref().unwrap_or(node)
    }

    /// Goes on with the value after this change.
    pub(super) fn then(mut self, node: &Node, next: impl FnOnce(&Node) -> Fit) -> Fit {
        let next = next(self.of(node))?;
        self.steps.extend(next.steps);
        Ok(Self { node: next.node.or(self.node), steps: self.steps })
    }
}

/// Fits values to the parts of one schema, with a bound on its work.
pub(super) struct Fitter<'s> {
    root: &'s Value,
    room: Room,
    budget: usize,
    visits: usize,
    /// Bytes that were read or copied.
    bytes: usize,
}

impl<'s> Fitter<'s> {
    pub(super) fn new(root: &'s Value, read: &Read) -> Self {
        let budget = VISITS_AT_LEAST + VISITS_A_BYTE * read.work;
        Self { root, room: read.room, budget, visits: 0, bytes: 0 }
    }

    pub(super) fn work(&self) -> usize {
        self.visits + self.bytes
    }

    /// A copy of a part that stays as it is; copies are work, too.
    pub(super) fn copy(&mut self, node: &Node) -> Node {
        self.bytes += node.slice().len();
        node.clone()
    }

    /// The value as the schema wants it, and what was done.
    pub(super) fn whole(&mut self, node: &Node) -> Result<(Node, Vec<Step>), Misfit> {
        let change = self.fit(node, self.root, &At::root())?;
        Ok((change.node.unwrap_or_else(|| node.clone()), change.steps))
    }

    pub(super) fn fit(&mut self, node: &Node, schema: &'s Value, at: &At<'_>) -> Fit {
        self.visits += 1;
        if self.visits + self.bytes > self.budget || at.depth > MOST_DEPTH {
            return Err(at.misfit("the schema has too many alternatives here to tell what is meant"));
        }
        match schema {
            Value::Object(keywords) => self.fit_keywords(node, keywords, &at.deeper()),
            Value::Bool(false) => Err(at.misfit("nothing is allowed here")),
            Value::Null | Value::Bool(true) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Ok(Change::default())
            }
        }
    }

    fn fit_keywords(&mut self, node: &Node, keywords: &'s Keywords, at: &At<'_>) -> Fit {
        let mut change = Change::default();
        if let Some(target) = target(self.root, keywords) {
            change = change.then(node, |node| self.fit(node, target, at))?;
        }
        change = change.then(node, |node| self.of_kind(node, keywords, at))?;
        for part in parts(keywords, "allOf") {
            change = change.then(node, |node| self.fit(node, part, at))?;
        }
        for keyword in ["anyOf", "oneOf"] {
            let branches = parts(keywords, keyword);
            if !branches.is_empty() && choice::values(keywords).is_none() {
                change = change.then(node, |node| self.one_of(node, branches, at))?;
            }
        }
        Ok(change)
    }

    /// The kind first, then the allowed values, then what is inside.
    fn of_kind(&mut self, node: &Node, keywords: &'s Keywords, at: &At<'_>) -> Fit {
        let kinds = kinds(keywords);
        let fits = kinds.is_empty() || kinds.iter().any(|kind| is(node, kind));
        let change = if fits { Change::default() } else { self.convert(node, &kinds, keywords, at)? };
        let change = change.then(node, |node| choice::one_value(node, keywords, at))?;
        change.then(node, |node| match &node.what {
            What::Object(object) => self.members(node, object, keywords, at),
            What::List(items) => self.items(node, items, keywords, at),
            What::Null | What::Bool(_) | What::Number(_) | What::Text(_) => Ok(Change::default()),
        })
    }

    /// A branch that the value fits as it is; else the one reading that the branches leave.
    fn one_of(&mut self, node: &Node, branches: &'s [Value], at: &At<'_>) -> Fit {
        let (mut found, mut misfit) = (Vec::new(), None);
        for branch in branches {
            match self.fit(node, branch, at) {
                Ok(change) if change.node.is_none() => return Ok(change),
                Ok(change) => found.push(change),
                Err(other) => misfit = deepest(misfit, other),
            }
        }
        match only(found) {
            Some(Some(change)) => Ok(change),
            Some(None) => Err(misfit.unwrap_or_else(|| at.misfit("nothing is allowed here"))),
            None => Err(at.misfit(format!("{} has more than one reading here", found_here(node)))),
        }
    }
}

/// The one change there is, nothing if there is none; no answer if they differ.
fn only(mut changes: Vec<Change>) -> Option<Option<Change>> {
    if changes.len() < 2 {
        return Some(changes.pop());
    }
    let first = changes.first().and_then(|change| change.node.as_ref()).map(Node::to_text);
    let same = |change: &Change| change.node.as_ref().map(Node::to_text) == first;
    if !changes.iter().skip(1).all(same) {
        return None;
    }
    changes.truncate(1);
    Some(changes.pop())
}

/// The misfit that got further into the value says more.
fn deepest(one: Option<Misfit>, other: Misfit) -> Option<Misfit> {
    let depth = |misfit: &Misfit| match misfit {
        Misfit::Place { path, .. } => path.matches('/').count(),
        Misfit::TooLarge => usize::MAX,
    };
    match one {
        Some(one) if depth(&one) >= depth(&other) => Some(one),
        Some(_) | None => Some(other),
    }
}

/// What a `$ref` names, within the schema.
pub(super) fn target<'s>(root: &'s Value, keywords: &Keywords) -> Option<&'s Value> {
    root.pointer(keywords.get("$ref")?.as_str()?.strip_prefix('#')?)
}

pub(super) fn parts<'s>(keywords: &'s Keywords, keyword: &str) -> &'s [Value] {
    keywords.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The kinds that `type` allows; none if it says nothing.
fn kinds(keywords: &Keywords) -> Vec<&str> {
    match keywords.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => Vec::new(),
    }
}

fn is(node: &Node, kind: &str) -> bool {
    match &node.what {
        What::Null => kind == "null",
        What::Bool(_) => kind == "boolean",
        What::Number(number) => kind == "number" || (kind == "integer" && decimal::is_integral(number)),
        What::Text(_) => kind == "string",
        What::List(_) => kind == "array",
        What::Object(_) => kind == "object",
    }
}

/// The value that was found, in words.
pub(super) fn found_here(node: &Node) -> String {
    match &node.what {
        What::Null => "null".to_owned(),
        What::Bool(_) | What::Number(_) => excerpt(node.slice()),
        What::Text(text) => format!("the text {}", quoted(&excerpt(text))),
        What::List(items) => format!("a list of {}", items.len()),
        What::Object(_) => "an object".to_owned(),
    }
}

/// The kinds that are allowed, in words.
pub(super) fn allowed(kinds: &[&str]) -> String {
    let word = |kind: &&str| match *kind {
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "true or false",
        "string" => "text",
        "array" => "a list",
        "object" => "an object",
        "null" => "null",
        _ => "something else",
    };
    kinds.iter().map(word).collect::<Vec<_>>().join(" or ")
}
