//! What a tool says of itself: name, description, schema of its arguments, what happens when a run was cut.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::digest::Digest;

/// The name a model calls a tool by: `[a-z][a-z0-9_]{0,63}`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolName(Arc<str>);

impl ToolName {
    /// The name as written; whether a tool of that name exists is asked of a [`ToolSet`].
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// The text of the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

/// What a call does to the world. The order is by how much it takes to undo it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// Looks and changes nothing.
    Read,
    /// Makes something new.
    Create,
    /// Changes something that exists.
    Modify,
    /// Takes something away.
    Delete,
    /// Lets something leave the machine.
    Send,
    /// Costs money.
    Spend,
    /// Runs a program.
    Execute,
}

/// What to do with a call that had started when the process died.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replay {
    /// A read: run it again.
    Again,
    /// The target honours the key of the call: run it again with the same key.
    Keyed,
    /// The tool can look up whether the key landed: let it look before anything else.
    Probe,
    /// It may have happened: tell the model so and never repeat it.
    Never,
}

/// Characters of the sentence that says why a value does not fit.
const REASON_CHARS: usize = 400;

/// A JSON Schema (draft 2020-12) that has been compiled.
#[derive(Clone)]
pub struct Schema {
    json: Arc<Value>,
    validator: Arc<jsonschema::Validator>,
}

/// The schema of a tool is not one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the schema is not valid: {0}")]
pub struct BadSchema(pub String);

impl Schema {
    /// Compiles a schema.
    pub fn new(json: Value) -> Result<Self, BadSchema> {
        let validator = jsonschema::validator_for(&json).map_err(|fault| BadSchema(fault.to_string()))?;
        Ok(Self { json: Arc::new(json), validator: Arc::new(validator) })
    }

    /// The schema as JSON.
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// Where and why a value does not fit: a JSON pointer and a sentence. `None` means it fits.
    pub fn misfit(&self, value: &Value) -> Option<(String, String)> {
        let fault = self.validator.iter_errors(value).next()?;
        // The sentence repeats the value, which may be as long as arguments may be.
        Some((fault.instance_path().to_string(), fault.to_string().chars().take(REASON_CHARS).collect()))
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.json == other.json
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schema({})", self.json)
    }
}

/// A tool as models, gate and people know it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// What a model calls.
    pub name: ToolName,
    /// What a model reads about it.
    pub description: String,
    /// The shape of its arguments.
    pub schema: Schema,
    /// What to do with a run that was cut.
    pub replay: Replay,
    /// Whether its reads may run beside others.
    pub parallel: bool,
    /// Whether the call is answered by the person instead of being run.
    pub asks_person: bool,
    /// How often it may be used in one turn, where it has such a cap.
    pub uses: Option<usize>,
    /// The longest run, in milliseconds (120,000 where a tool declares none).
    pub deadline_ms: u64,
}

impl ToolSpec {
    /// The digest of name, description and schema: an approval for one form of a tool is none for another.
    pub fn digest(&self) -> Digest {
        Digest::of_json(&serde_json::json!({
            "name": self.name.as_str(),
            "description": self.description,
            "schema": self.schema.json(),
        }))
    }
}

/// The tools of one setting, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolSet(BTreeMap<ToolName, Arc<ToolSpec>>);

impl ToolSet {
    /// A set of these tools; of two with one name the later stands.
    pub fn new(specs: impl IntoIterator<Item = ToolSpec>) -> Self {
        Self(specs.into_iter().map(|spec| (spec.name.clone(), Arc::new(spec))).collect())
    }

    /// The tool of that name.
    pub fn get(&self, name: &ToolName) -> Option<&Arc<ToolSpec>> {
        self.0.get(name)
    }

    /// All tools, in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ToolSpec>> {
        self.0.values()
    }

    /// The three names that are nearest to one that does not exist.
    pub fn nearest(&self, name: &ToolName) -> Vec<ToolName> {
        let mut by_distance: Vec<_> =
            self.0.keys().map(|known| (edit_distance(known.as_str(), name.as_str()), known)).collect();
        by_distance.sort();
        by_distance.into_iter().take(3).map(|(_, known)| known.clone()).collect()
    }
}

impl FromIterator<Arc<ToolSpec>> for ToolSet {
    fn from_iter<I: IntoIterator<Item = Arc<ToolSpec>>>(specs: I) -> Self {
        Self(specs.into_iter().map(|spec| (spec.name.clone(), spec)).collect())
    }
}

/// The least number of letters to insert, drop or exchange to turn one name into the other.
pub(crate) fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let exchanged = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
