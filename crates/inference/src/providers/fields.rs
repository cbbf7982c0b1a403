//! The fields of a map in a file that people write: known keys, values of the right kind, or a fault with its line.

use domain::yaml::{Node, YamlFault};

/// A map of which all keys are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a> {
    node: &'a Node,
}

impl<'a> Fields<'a> {
    /// The fields of a map that may have these keys.
    pub(super) fn of(node: &'a Node, known: &[&str]) -> Result<Fields<'a>, YamlFault> {
        let Some(map) = node.map() else {
            return Err(node.first_fault().unwrap_or_else(|| fault(node.line, "this is a map of keys and values")));
        };
        for (key, value) in map {
            if !known.contains(&key.text.as_str()) {
                let says = value.first_fault().filter(|_| key.text.is_empty()).map(|fault| fault.says);
                return Err(fault(key.line, &says.unwrap_or_else(|| unknown(&key.text, known))));
            }
        }
        Ok(Fields { node })
    }

    /// The line of the map.
    pub(super) fn line(&self) -> usize {
        self.node.line
    }

    /// The value of a key, if it is there and something.
    pub(super) fn get(&self, key: &str) -> Option<&'a Node> {
        self.node.get(key).filter(|node| !node.is_nothing())
    }

    /// The value of a key that must be there.
    pub(super) fn need(&self, key: &str) -> Result<&'a Node, YamlFault> {
        self.get(key).ok_or_else(|| fault(self.line(), &format!("`{key}` is missing")))
    }

    /// A text of up to 200 characters on one line.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, YamlFault> {
        self.get(key).map(|node| text(node, key)).transpose()
    }

    /// A text that must be there.
    pub(super) fn need_text(&self, key: &str) -> Result<&'a str, YamlFault> {
        text(self.need(key)?, key)
    }

    /// A whole number between two ends, both included.
    pub(super) fn whole(&self, key: &str, least: u32, most: u32) -> Result<Option<u32>, YamlFault> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let says = || format!("`{key}` is a whole number from {least} to {most}");
        let number = node.number().filter(|number| (least..=most).contains(number));
        number.map(Some).ok_or_else(|| fault(node.line, &says()))
    }

    /// A number between two ends, both included.
    pub(super) fn number(&self, key: &str, least: f64, most: f64) -> Result<Option<f64>, YamlFault> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let number = node.number::<f64>().filter(|number| (least..=most).contains(number));
        number.map(Some).ok_or_else(|| fault(node.line, &format!("`{key}` is a number from {least} to {most}")))
    }

    /// True or false; false where nothing is said.
    pub(super) fn truth(&self, key: &str) -> Result<bool, YamlFault> {
        let Some(node) = self.get(key) else { return Ok(false) };
        node.truth().ok_or_else(|| fault(node.line, &format!("`{key}` is true or false")))
    }

    /// One of these words.
    pub(super) fn choice<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, YamlFault> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let chosen = words.iter().find(|(word, _)| node.text() == Some(word)).map(|(_, value)| *value);
        let all: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        chosen.map(Some).ok_or_else(|| fault(node.line, &format!("`{key}` is one of {}", all.join(", "))))
    }
}

/// A text of up to 200 characters on one line.
pub(super) fn text<'a>(node: &'a Node, key: &str) -> Result<&'a str, YamlFault> {
    let says = || format!("`{key}` is a text of one line, up to 200 characters");
    let text = node.text().filter(|text| !text.trim().is_empty() && text.chars().count() <= 200);
    text.filter(|text| !text.chars().any(char::is_control)).ok_or_else(|| fault(node.line, &says()))
}

fn unknown(key: &str, known: &[&str]) -> String {
    if matches!(key, "api_key" | "apikey" | "key_value" | "token" | "secret" | "password") {
        return format!("`{key}`: keys do not stand in this file; name a key_file or a key_env");
    }
    format!("there is no key `{key}` here; there are {}", known.join(", "))
}

/// A fault in a line.
pub(super) fn fault(line: usize, says: &str) -> YamlFault {
    YamlFault { line, column: None, says: says.to_owned() }
}
