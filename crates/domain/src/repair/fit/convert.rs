//! From the kind that was written to the kind that is declared, where there is one way to do it.

use std::rc::Rc;

use serde_json::Value;

use super::super::decimal::{boolean_in, integer_in, number_in, trimmed};
use super::super::pointer::Pointer;
use super::super::read::{Fault, Reader};
use super::super::step::{Did, Step};
use super::super::tree::{Node, What};
use super::{At, Change, Fit, Fitter, Keywords, MOST_TEXTS, Misfit, allowed, found_here, is, only};

impl<'s> Fitter<'s> {
    /// The value in one of the declared kinds.
    pub(super) fn convert(&mut self, node: &Node, kinds: &[&str], keywords: &'s Keywords, at: &At<'_>) -> Fit {
        let mut found = Vec::new();
        for kind in kinds {
            // An integer is a number, and written as one it keeps its fraction of zeros.
            if *kind != "integer" || !kinds.contains(&"number") {
                found.extend(self.as_kind(node, kind, keywords, at)?);
            }
        }
        match only(found) {
            Some(Some(change)) => Ok(change),
            Some(None) => Err(at.misfit(format!("found {}, allowed: {}", found_here(node), allowed(kinds)))),
            None => Err(at.misfit(format!("{} could be {}", found_here(node), allowed(kinds)))),
        }
    }

    fn as_kind(
        &mut self,
        node: &Node,
        kind: &str,
        keywords: &'s Keywords,
        at: &At<'_>,
    ) -> Result<Option<Change>, Misfit> {
        let change = |what: What, did: Did| Change::to(node.with(what), Step::new(at.pointer, did));
        Ok(match (kind, &node.what) {
            ("integer", What::Text(text)) => {
                integer_in(text).map(|number| change(What::Number(number.to_owned()), Did::QuotedNumber))
            }
            ("number", What::Text(text)) => {
                number_in(text).map(|number| change(What::Number(number.to_owned()), Did::QuotedNumber))
            }
            ("boolean", What::Text(text)) => {
                boolean_in(text).map(|value| change(What::Bool(value), Did::QuotedBoolean))
            }
            ("string", What::Bool(_) | What::Number(_) | What::Object(_)) => {
                Some(change(What::Text(node.slice().to_owned()), Did::KeptAsText))
            }
            ("object", What::Text(text)) => self.read_as("object", text, at)?,
            ("array", What::Text(text)) if trimmed(text).starts_with(['[', '"', '\\']) => {
                self.read_as("array", text, at)?
            }
            ("array", What::Text(_) | What::Bool(_) | What::Number(_) | What::Object(_)) => {
                self.as_list(node, keywords, at)?
            }
            _ => None,
        })
    }

    /// A text that holds a list or an object, or such a text.
    fn read_as(&mut self, kind: &str, text: &str, at: &At<'_>) -> Result<Option<Change>, Misfit> {
        let Some((node, mut steps)) = self.read_text(text, at)? else { return Ok(None) };
        if is(&node, kind) {
            return Ok(Some(Change { node: Some(node), steps }));
        }
        let What::Text(inner) = &node.what else { return Ok(None) };
        Ok(self.read_as(kind, inner, &at.in_text())?.map(|change| {
            steps.extend(change.steps);
            Change { node: change.node, steps }
        }))
    }

    /// What a text holds, if that is one value in brackets or quotes.
    pub(in crate::repair) fn read_text(
        &mut self,
        text: &str,
        at: &At<'_>,
    ) -> Result<Option<(Node, Vec<Step>)>, Misfit> {
        if at.texts >= MOST_TEXTS || !trimmed(text).starts_with(['{', '[', '"', '\\']) {
            return Ok(None);
        }
        self.bytes += text.len();
        let source: Rc<str> = Rc::from(text);
        let mut room = self.room;
        room.levels = room.levels.saturating_sub(at.levels);
        match Reader::new(&source, room).whole() {
            Ok(read) => {
                self.room.keys = read.room.keys;
                let path = at.pointer.to_string();
                let mut steps = vec![Step::new(&path, Did::SentAsText)];
                steps.extend(read.steps.into_iter().map(|step| Step { path: format!("{path}{}", step.path), ..step }));
                Ok(Some((read.node, steps)))
            }
            Err(Fault::TooLarge) => Err(Misfit::TooLarge),
            Err(Fault::Open(_) | Fault::Bad { .. }) => Ok(None),
        }
    }

    /// A list of the one value, if it is an item of the list that is declared.
    fn as_list(&mut self, node: &Node, keywords: &'s Keywords, at: &At<'_>) -> Result<Option<Change>, Misfit> {
        let Some(schema) =
            keywords.get("items").filter(|items| items.as_object().is_some_and(|items| !items.is_empty()))
        else {
            return Ok(None);
        };
        if at.item || !could_be_item(node) {
            return Ok(None);
        }
        match self.item(node, schema, at) {
            Ok(change) => Ok(change.map(|change| {
                let item = change.of(node).clone();
                let list = node.with(What::List(vec![item]));
                let mut steps = change.steps;
                steps.push(Step::new(at.pointer, Did::IntoList));
                Change { node: Some(list), steps }
            })),
            Err(Misfit::TooLarge) => Err(Misfit::TooLarge),
            Err(Misfit::Place { .. }) => Ok(None),
        }
    }

    /// The value as an item: a scalar stays a scalar, an object stays an object.
    fn item(&mut self, node: &Node, schema: &'s Value, at: &At<'_>) -> Result<Option<Change>, Misfit> {
        let within = at.item(Pointer::Index(&at.pointer, 0));
        let read = match &node.what {
            What::Text(text) if trimmed(text).starts_with('{') => match self.read_as("object", text, at)? {
                Some(change) => change,
                None => return Ok(None),
            },
            What::Null | What::Bool(_) | What::Number(_) | What::Text(_) | What::List(_) | What::Object(_) => {
                Change::default()
            }
        };
        let was_object = is(read.of(node), "object");
        let change = read.then(node, |node| self.fit(node, schema, &within))?;
        let fitted = change.of(node);
        let stays = is(fitted, "object") == was_object && !is(fitted, "array");
        Ok(stays.then_some(change))
    }
}

/// Whether a value can stand for a list of it. Text that could be several items, none, or a broken list cannot.
fn could_be_item(node: &Node) -> bool {
    match &node.what {
        What::Bool(_) | What::Number(_) | What::Object(_) => true,
        What::Null | What::List(_) => false,
        What::Text(text) if trimmed(text).starts_with('{') => true,
        What::Text(text) => {
            let text = trimmed(text);
            let nothing = ["", "null", "None"].contains(&text);
            !nothing && !text.contains([',', '\n', '\r']) && !text.starts_with(['[', '"', '\\'])
        }
    }
}
