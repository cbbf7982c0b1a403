//! What may be asked of a model's reasoning. A request never carries a value outside the mode of its model (OPS-13):
//! what is wished and not allowed is the mode's default.

use domain::yaml::{Node, YamlFault};
use serde_json::Value;

use super::fields::{Fields, fault, text};
use crate::remote::ReasoningRequest;

/// How a provider is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Reasoning {
    /// What kind of value it takes.
    pub style: Style,
    /// The field of the request; dots stand between nested names.
    pub field: String,
    /// What the words of the modes are on the wire, where they differ.
    pub values: Vec<(String, Value)>,
    /// Which words or numbers which models take; the first that fits holds.
    pub modes: Vec<Mode>,
}

/// What kind of value is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A word such as `low` or `high`.
    Effort,
    /// A number of tokens.
    Budget,
    /// `on` or `off`.
    Switch,
}

/// What some models take.
#[derive(Debug, Clone, PartialEq)]
pub struct Mode {
    /// Their ids; `*` stands for any letters.
    pub ids: String,
    /// What they take.
    pub allowed: Allowed,
    /// What is asked where nothing is wished, or something that is not allowed.
    pub default: String,
}

/// The values of a mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allowed {
    /// One of these words.
    Words(Vec<String>),
    /// A number from, to and in steps of.
    Range {
        /// The least.
        least: u32,
        /// The most.
        most: u32,
        /// The step from the least on.
        step: u32,
    },
}

impl Allowed {
    /// Whether a value is one of them.
    #[must_use]
    pub fn holds(&self, value: &str) -> bool {
        match self {
            Allowed::Words(words) => words.iter().any(|word| word == value),
            Allowed::Range { least, most, step } => value
                .parse::<u32>()
                .is_ok_and(|number| (*least..=*most).contains(&number) && (number - least) % step == 0),
        }
    }
}

/// Tokens of output that are left for thoughts whose length is not stated.
const UNSTATED: u32 = 16_384;

impl Reasoning {
    /// The mode of a model, if it has one.
    #[must_use]
    pub fn mode(&self, model: &str) -> Option<&Mode> {
        self.modes.iter().find(|mode| fits(&mode.ids, model))
    }

    /// What a request to this model says, for a wish.
    #[must_use]
    pub fn request(&self, model: &str, wish: Option<&str>) -> Option<ReasoningRequest> {
        let mode = self.mode(model)?;
        let value = wish.filter(|wish| mode.allowed.holds(wish)).unwrap_or(&mode.default);
        let wire = self.values.iter().find(|(word, _)| word == value).map(|(_, wire)| wire.clone());
        let plain = || match (self.style, value) {
            (Style::Budget, number) => number.parse::<u32>().map_or(Value::Null, Value::from),
            (Style::Switch, switch) => Value::from(switch == "on"),
            (Style::Effort, word) => Value::from(word),
        };
        let tokens = match self.style {
            Style::Budget => value.parse().unwrap_or(0),
            Style::Switch if value == "off" => 0,
            Style::Effort if matches!(value, "none" | "off") => 0,
            Style::Switch | Style::Effort => UNSTATED,
        };
        Some(ReasoningRequest { field: self.field.clone(), value: wire.unwrap_or_else(plain), tokens })
    }
}

/// Whether an id is of this form; `*` stands for any letters, none included.
fn fits(pattern: &str, id: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == id,
        Some((start, rest)) => id.strip_prefix(start).is_some_and(|id| {
            let mut cuts = (0..=id.len()).filter(|at| id.is_char_boundary(*at));
            rest.is_empty() || cuts.any(|at| fits(rest, &id[at..]))
        }),
    }
}

/// Reads the map `reasoning` of an entry.
pub(super) fn read(node: &Node) -> Result<Reasoning, YamlFault> {
    let fields = Fields::of(node, &["style", "field", "values", "modes"])?;
    let words = [("effort", Style::Effort), ("budget", Style::Budget), ("switch", Style::Switch)];
    let style = fields.choice("style", &words)?.ok_or_else(|| fault(fields.line(), "`style` is missing"))?;
    let field = fields.need_text("field")?;
    let is_name =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !field.split('.').all(is_name) || field.split('.').count() > 4 {
        return Err(fault(fields.need("field")?.line, "`field` is a name such as reasoning.effort"));
    }
    // A request has fields that are not the file's to set.
    const OURS: [&str; 8] = ["model", "messages", "input", "tools", "stream", "system", "instructions", "max_tokens"];
    if OURS.contains(&field.split('.').next().unwrap_or_default()) {
        return Err(fault(fields.need("field")?.line, "`field` is one that Riad itself writes"));
    }
    let values = fields.get("values").map_or(Ok(Vec::new()), values)?;
    let list = fields.need("modes")?;
    let Some(modes) = list.list().filter(|modes| !modes.is_empty()) else {
        return Err(fault(list.line, "`modes` is a list with at least one mode"));
    };
    let modes = modes.iter().map(|node| mode(node, style)).collect::<Result<_, _>>()?;
    Ok(Reasoning { style, field: field.to_owned(), values, modes })
}

/// Words and what they are on the wire: a text, a number, true, false, nothing, or a map of such.
fn values(node: &Node) -> Result<Vec<(String, Value)>, YamlFault> {
    let Some(map) = node.map() else { return Err(fault(node.line, "`values` is a map of words and values")) };
    Ok(map.iter().map(|(key, node)| (key.text.clone(), json(node))).collect())
}

fn json(node: &Node) -> Value {
    let scalar = || {
        node.truth().map(Value::from).or_else(|| node.number::<i64>().map(Value::from)).or(node.text().map(Value::from))
    };
    match (node.map(), node.list()) {
        (Some(map), _) => map.iter().map(|(key, node)| (key.text.clone(), json(node))).collect(),
        (None, Some(list)) => list.iter().map(json).collect(),
        (None, None) => scalar().unwrap_or(Value::Null),
    }
}

fn mode(node: &Node, style: Style) -> Result<Mode, YamlFault> {
    let fields = Fields::of(node, &["ids", "allowed", "range", "default"])?;
    let ids = fields.text("ids")?.unwrap_or("*").to_owned();
    let allowed = match (fields.get("allowed"), fields.get("range"), style) {
        (Some(list), None, Style::Effort) => words(list)?,
        (Some(list), None, Style::Switch) => switch(list)?,
        (None, None, Style::Switch) => Allowed::Words(vec!["on".to_owned(), "off".to_owned()]),
        (None, Some(node), Style::Budget) => range(node)?,
        (Some(_), Some(_), _) => return Err(fault(fields.line(), "a mode has `allowed` or `range`, not both")),
        (None, _, Style::Effort) => return Err(fault(fields.line(), "a mode of this style has `allowed`")),
        (_, Some(_), Style::Switch) => return Err(fault(fields.line(), "a switch has no range")),
        (_, None, Style::Budget) => return Err(fault(fields.line(), "a mode of this style has a `range`")),
    };
    let default = fields.need_text("default")?.to_owned();
    if !allowed.holds(&default) {
        return Err(fault(fields.need("default")?.line, "`default` is none of the values that the mode allows"));
    }
    Ok(Mode { ids, allowed, default })
}

fn words(node: &Node) -> Result<Allowed, YamlFault> {
    let Some(list) = node.list().filter(|list| !list.is_empty()) else {
        return Err(fault(node.line, "`allowed` is a list of words"));
    };
    let words = list.iter().map(|word| text(word, "allowed").map(str::to_owned)).collect::<Result<_, _>>()?;
    Ok(Allowed::Words(words))
}

fn switch(node: &Node) -> Result<Allowed, YamlFault> {
    let allowed = words(node)?;
    match &allowed {
        Allowed::Words(words) if words.iter().all(|word| matches!(word.as_str(), "on" | "off")) => Ok(allowed),
        Allowed::Words(_) | Allowed::Range { .. } => Err(fault(node.line, "a switch is `on` or `off`")),
    }
}

fn range(node: &Node) -> Result<Allowed, YamlFault> {
    let fields = Fields::of(node, &["least", "most", "step"])?;
    let missing = |key: &str| fault(fields.line(), &format!("`{key}` is missing"));
    let least = fields.whole("least", 0, 1_000_000)?.ok_or_else(|| missing("least"))?;
    let most = fields.whole("most", least, 1_000_000)?.ok_or_else(|| missing("most"))?;
    let step = fields.whole("step", 1, 1_000_000)?.unwrap_or(1);
    Ok(Allowed::Range { least, most, step })
}
