//! The inside of objects and lists: members by their keys, items by their places.

use serde_json::Value;

use super::super::named;
use super::super::pointer::Pointer;
use super::super::step::{Did, Step};
use super::super::tree::{Node, Object, What, quoted};
use super::choice::is_spelled_like;
use super::{At, Change, Fit, Fitter, Keywords, Misfit};
use crate::repair::decimal::trimmed;

/// What becomes of keys that `properties` does not name.
#[derive(Clone, Copy)]
enum Others<'s> {
    Allowed,
    Refused,
    Fit(&'s Value),
}

/// What a schema says of the members of an object.
struct Members<'s> {
    properties: Option<&'s Keywords>,
    required: Vec<&'s str>,
    others: Others<'s>,
    /// Whether a key that is not named may only be a named one in another spelling.
    renames: bool,
}

impl<'s> Members<'s> {
    fn of(keywords: &'s Keywords) -> Self {
        let patterns = keywords.contains_key("patternProperties");
        let others = match keywords.get("additionalProperties") {
            _ if patterns => Others::Allowed,
            Some(Value::Bool(false)) => Others::Refused,
            Some(schema @ Value::Object(_)) => Others::Fit(schema),
            Some(Value::Null | Value::Bool(true) | Value::Number(_) | Value::String(_) | Value::Array(_)) | None => {
                Others::Allowed
            }
        };
        Self {
            properties: keywords.get("properties").and_then(Value::as_object),
            required: super::parts(keywords, "required").iter().filter_map(Value::as_str).collect(),
            renames: !patterns && !matches!(others, Others::Fit(_)),
            others,
        }
    }

    fn property(&self, key: &str) -> Option<&'s Value> {
        self.properties?.get(key)
    }

    /// The named key that a key is in another spelling: an exact one first, blanks aside, then one in another case.
    fn spelling(&self, key: &str) -> Option<&'s str> {
        let properties = self.properties.filter(|_| self.renames)?;
        if let Some((name, _)) = properties.get_key_value(trimmed(key)) {
            return Some(name);
        }
        let mut like = properties.keys().filter(|name| is_spelled_like(key, name));
        like.next().filter(|_| like.next().is_none()).map(String::as_str)
    }

    /// The key that each member stands for. A named key that is there already, or that two members could be, is taken.
    fn names<'n>(&self, members: &'n [(String, Node)]) -> Vec<&'n str>
    where
        's: 'n,
    {
        let meant = |(key, _): &'n (String, Node)| match self.property(key) {
            Some(_) => (key.as_str(), true),
            None => self.spelling(key).map_or((key.as_str(), true), |name| (name, false)),
        };
        let meant: Vec<(&str, bool)> = members.iter().map(meant).collect();
        let mut counts = std::collections::HashMap::new();
        meant.iter().for_each(|(name, _)| *counts.entry(*name).or_insert(0_usize) += 1);
        let pick = |((name, as_is), (key, _)): (&(&'n str, bool), &'n (String, Node))| {
            if *as_is || counts[name] == 1 { *name } else { key.as_str() }
        };
        meant.iter().zip(members).map(pick).collect()
    }
}

impl<'s> Fitter<'s> {
    pub(super) fn members(&mut self, node: &Node, object: &Object, keywords: &'s Keywords, at: &At<'_>) -> Fit {
        let schema = Members::of(keywords);
        let names = schema.names(&object.members);
        let (mut members, mut steps, mut changed) = (Vec::with_capacity(names.len()), Vec::new(), false);
        for ((key, value), name) in object.members.iter().zip(&names) {
            let within = at.below(Pointer::Key(&at.pointer, key));
            if *name != key {
                steps.push(Step::new(within.pointer, Did::RenamedKey(key.clone())));
                changed = true;
            }
            let fitted = self.member(value, name, &schema, &within)?;
            changed |= fitted.as_ref().is_none_or(|change| change.node.is_some());
            match fitted {
                None => steps.push(Step::new(within.pointer, Did::NullDropped)),
                Some(change) => {
                    let value = change.node.unwrap_or_else(|| self.copy(value));
                    members.push(((*name).to_owned(), value));
                    steps.extend(change.steps);
                }
            }
        }
        if let Some(missing) = schema.required.iter().find(|name| members.iter().all(|(key, _)| key != *name)) {
            return Err(at.misfit(format!("the key {} is missing", quoted(missing))));
        }
        let twice = object.twice.clone();
        Ok(Change { node: changed.then(|| node.with(What::Object(Object { members, twice }))), steps })
    }

    /// The value of a member; nothing if it is to be left out.
    fn member(
        &mut self,
        value: &Node,
        name: &str,
        schema: &Members<'s>,
        at: &At<'_>,
    ) -> Result<Option<Change>, Misfit> {
        let Some(property) = schema.property(name) else {
            return match schema.others {
                Others::Allowed => Ok(Some(Change::default())),
                Others::Refused => Err(at.misfit(no_such_key(schema.properties))),
                Others::Fit(others) => self.fit(value, others, at).map(Some),
            };
        };
        match self.fit(value, property, at) {
            Err(_) if matches!(value.what, What::Null) && !schema.required.contains(&name) => Ok(None),
            fit => fit.map(Some),
        }
    }

    pub(super) fn items(&mut self, node: &Node, items: &[Node], keywords: &'s Keywords, at: &At<'_>) -> Fit {
        let first = super::parts(keywords, "prefixItems");
        let rest = keywords.get("items");
        let (mut fitted, mut steps, mut changed) = (Vec::with_capacity(items.len()), Vec::new(), false);
        for (index, item) in items.iter().enumerate() {
            let within = at.below(Pointer::Index(&at.pointer, index));
            let change = match first.get(index).or(rest) {
                Some(schema) => self.fit(item, schema, &within)?,
                None => Change::default(),
            };
            changed |= change.node.is_some();
            fitted.push(change.node.unwrap_or_else(|| self.copy(item)));
            steps.extend(change.steps);
        }
        Ok(Change { node: changed.then(|| node.with(What::List(fitted))), steps })
    }
}

fn no_such_key(properties: Option<&Keywords>) -> String {
    match properties.filter(|properties| !properties.is_empty()) {
        None => "the key is unknown; no key is allowed".to_owned(),
        Some(properties) => format!("the key is unknown, allowed: {}", named::listed(properties.keys())),
    }
}
