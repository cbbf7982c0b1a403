//! The fields of a head, taken one by one with their type; what nobody took is unknown. Faults are gathered, so that a
//! file tells all that is wrong with it at once.

use serde_json::{Map, Number, Value as Json};

use super::Fault;
use crate::slash::nearest;
use crate::tool::Schema;
use crate::yaml::{Key, Node, Value};

/// A name with its place in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 1.
    pub column: usize,
}

/// Most items of a list.
const ITEMS: usize = 200;
/// Letters of one name in a list.
const ITEM_CHARS: usize = 200;

/// A map that is being read.
pub(crate) struct Fields<'a> {
    pairs: &'a [(Key, Node)],
    asked: Vec<&'static str>,
    faults: Vec<Fault>,
}

impl<'a> Fields<'a> {
    /// The fields of a map. What the tree refused in it is told.
    pub(crate) fn of(root: &'a Node) -> Result<Self, Vec<Fault>> {
        if root.is_nothing() {
            return Ok(Self { pairs: &[], asked: Vec::new(), faults: Vec::new() });
        }
        let not_a_map = || vec![fault_at((root.line, root.column), "the head is a list of fields, each `name: value`")];
        let pairs = root.map().ok_or_else(not_a_map)?;
        let mut faults = Vec::new();
        refused(root, &mut faults);
        Ok(Self { pairs, asked: Vec::new(), faults })
    }

    /// The value of a field, unless it is absent, nothing, or was refused.
    pub(crate) fn take(&mut self, name: &'static str) -> Option<&'a Node> {
        self.asked.push(name);
        let (_, node) = self.pairs.iter().find(|(key, _)| key.text == name)?;
        (!node.is_nothing() && !matches!(node.value, Value::Refused(_))).then_some(node)
    }

    /// A text on one line, or none.
    pub(crate) fn text(&mut self, name: &'static str, most: usize) -> Option<String> {
        let node = self.take(name)?;
        let Some(text) = node.text().map(str::trim) else {
            return self.misfit(node, format!("`{name}` is a text"));
        };
        if text.is_empty() || text.chars().count() > most || text.chars().any(char::is_control) {
            return self.misfit(node, format!("`{name}` is one line of 1 to {most} letters"));
        }
        Some(text.to_owned())
    }

    /// A text that has to be there.
    pub(crate) fn needed_text(&mut self, name: &'static str, most: usize) -> String {
        let before = self.faults.len();
        let text = self.text(name, most);
        if text.is_none() && self.faults.len() == before {
            self.fault((1, 1), format!("the field `{name}` is missing"));
        }
        text.unwrap_or_default()
    }

    /// One of some words.
    pub(crate) fn word<T: Copy>(&mut self, name: &'static str, words: &[(&str, T)]) -> Option<T> {
        let node = self.take(name)?;
        let found = node.text().and_then(|text| words.iter().find(|(word, _)| *word == text));
        match found {
            Some((_, value)) => Some(*value),
            None => {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                self.misfit(node, format!("`{name}` is one of: {}", words.join(", ")))
            }
        }
    }

    /// A number within bounds.
    pub(crate) fn number<N>(&mut self, name: &'static str, least: N, most: N) -> Option<N>
    where
        N: std::str::FromStr + PartialOrd + std::fmt::Display + Copy,
    {
        let node = self.take(name)?;
        match node.number::<N>() {
            Some(number) if least <= number && number <= most => Some(number),
            Some(_) | None => self.misfit(node, format!("`{name}` is a number from {least} to {most}")),
        }
    }

    /// A list of names, each once.
    pub(crate) fn names(&mut self, name: &'static str) -> Option<Vec<Named>> {
        let node = self.take(name)?;
        let Some(items) = node.list().filter(|items| items.len() <= ITEMS) else {
            return self.misfit(node, format!("`{name}` is a list of at most {ITEMS} names, such as `[one, two]`"));
        };
        Some(items.iter().fold(Vec::new(), |mut names: Vec<Named>, item| {
            match item.text().map(str::trim) {
                Some(text) if names.iter().any(|known| known.name == text) => {
                    self.fault((item.line, item.column), format!("`{text}` stands twice in `{name}`"));
                }
                Some(text) if is_name(text) => {
                    names.push(Named { name: text.to_owned(), line: item.line, column: item.column });
                }
                Some(_) | None => self.fault((item.line, item.column), format!("each item of `{name}` is a name")),
            }
            names
        }))
    }

    /// A list of names of one form.
    pub(crate) fn names_that(&mut self, name: &'static str, form: &str, fits: impl Fn(&str) -> bool) -> Vec<Named> {
        let names = self.names(name).unwrap_or_default();
        for wrong in names.iter().filter(|named| !fits(&named.name)) {
            self.fault((wrong.line, wrong.column), format!("`{name}` holds {form}, not `{}`", wrong.name));
        }
        names
    }

    /// The pairs of a map.
    pub(crate) fn pairs(&mut self, node: &'a Node) -> &'a [(Key, Node)] {
        let pairs = node.map();
        if pairs.is_none() && !matches!(node.value, Value::Refused(_)) {
            self.fault((node.line, node.column), "this is a list of fields, each `name: value`");
        }
        pairs.unwrap_or_default()
    }

    /// Reads the fields of a map inside of this one.
    pub(crate) fn inner<T>(&mut self, node: &'a Node, read: impl FnOnce(&mut Fields<'a>) -> T) -> T {
        let pairs = self.pairs(node);
        let mut inner = Fields { pairs, asked: Vec::new(), faults: Vec::new() };
        let value = read(&mut inner);
        inner.refuse_others();
        self.faults.append(&mut inner.faults);
        value
    }

    /// A JSON schema, written as YAML.
    pub(crate) fn schema(&mut self, node: &'a Node) -> Option<Schema> {
        if node.map().is_none() {
            return self.misfit(node, "a schema is a map, such as `{type: object}`");
        }
        match json(node).map(Schema::new) {
            Some(Ok(schema)) => Some(schema),
            Some(Err(fault)) => self.misfit(node, fault),
            None => None,
        }
    }

    /// Tells of fields that nobody asked for.
    pub(crate) fn refuse_others(&mut self) {
        for (key, _) in self.pairs.iter().filter(|(key, _)| !key.text.is_empty()) {
            if !self.asked.contains(&key.text.as_str()) {
                let near = nearest(&key.text, self.asked.iter().copied()).join("`, `");
                self.fault((key.line, key.column), format!("there is no field `{}`; near are `{near}`", key.text));
            }
        }
    }

    /// Tells what is wrong.
    pub(crate) fn fault(&mut self, place: (usize, usize), says: impl ToString) {
        self.faults.push(fault_at(place, says));
    }

    fn misfit<T>(&mut self, node: &Node, says: impl ToString) -> Option<T> {
        self.fault((node.line, node.column), says);
        None
    }

    /// The value, if nothing is wrong.
    pub(crate) fn done<T>(mut self, value: T) -> Result<T, Vec<Fault>> {
        self.faults.sort();
        if self.faults.is_empty() { Ok(value) } else { Err(self.faults) }
    }
}

/// A fault at a line and a column.
pub(crate) fn fault_at((line, column): (usize, usize), says: impl ToString) -> Fault {
    Fault { line, column, says: says.to_string() }
}

fn is_name(text: &str) -> bool {
    (1..=ITEM_CHARS).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

/// All that the tree refused: tags, anchors, keys that stand twice.
fn refused(node: &Node, faults: &mut Vec<Fault>) {
    match &node.value {
        Value::Plain(_) | Value::Quoted(_) => {}
        Value::Refused(says) => faults.push(fault_at((node.line, node.column), says)),
        Value::List(items) => items.iter().for_each(|item| refused(item, faults)),
        Value::Map(pairs) => pairs.iter().for_each(|(_, node)| refused(node, faults)),
    }
}

/// A tree as JSON, by the core schema of YAML; none if something in it was refused.
fn json(node: &Node) -> Option<Json> {
    match &node.value {
        Value::Plain(_) if node.is_nothing() => Some(Json::Null),
        Value::Plain(text) => Some(plain(node, text)),
        Value::Quoted(text) => Some(Json::String(text.clone())),
        Value::List(items) => items.iter().map(json).collect::<Option<_>>().map(Json::Array),
        Value::Map(pairs) => {
            let pairs = pairs.iter().map(|(key, node)| Some((key.text.clone(), json(node)?)));
            pairs.collect::<Option<Map<_, _>>>().map(Json::Object)
        }
        Value::Refused(_) => None,
    }
}

fn plain(node: &Node, text: &str) -> Json {
    let whole = node.number::<i64>().map(Number::from);
    let number = whole.or_else(|| node.number::<f64>().and_then(Number::from_f64));
    match (node.truth(), number) {
        (Some(truth), _) => Json::Bool(truth),
        (None, Some(number)) => Json::Number(number),
        (None, None) => Json::String(text.to_owned()),
    }
}
