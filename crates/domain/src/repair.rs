//! Mends the arguments of a call where there is one reading of them, and says why not where there is none or more.
//!
//! A pure function of text, schema and the reason why the reply ended. It is applied whole or not at all, what it gives
//! back it leaves as it is, and text that parses and fits is never touched. It is no validator: whether a mended value
//! keeps to ranges and patterns is asked of the schema afterwards.

use std::rc::Rc;

use serde_json::Value;

use crate::limits::ARGUMENT_BYTES;
use crate::model::StopReason;
use crate::strict;
use crate::tool::Schema;

mod decimal;
mod example;
mod fit;
mod frame;
mod named;
mod pointer;
mod read;
mod step;
mod tree;
mod unwrap;

use fit::{Fitter, Misfit};
use read::{Fault, Read, Reader, Room};
use tree::Node;

pub use example::example;
pub use named::unknown_keys;
pub use step::{Did, Step};

/// Nested lists and objects that a text may hold; what is deeper is too large.
pub const MOST_LEVELS: usize = 64;

/// Keys that a text may hold in all of its objects; what has more is too large.
pub const MOST_KEYS: usize = 1024;

/// What arguments must fit.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'s> {
    /// The schema.
    pub schema: &'s Schema,
    /// The tool that was called: the only name that may stand inside the arguments as that of the call.
    pub tool: &'s str,
}

/// What becomes of arguments.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// They parse and fit; they stay as they are.
    Untouched,
    /// They have one reading, and this is it.
    Repaired(Mended),
    /// They were cut short; says what has no end. Nothing is closed on a model's behalf.
    Incomplete(String),
    /// They do not fit, or have more than one reading.
    BadArguments {
        /// JSON pointer of the first bad place.
        path: String,
        /// What was found there and what is allowed.
        reason: String,
    },
    /// More than 1 MiB, [`MOST_LEVELS`] or [`MOST_KEYS`].
    TooLarge,
}

/// Mended arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// JSON in which every number has the digits that were written.
    pub text: String,
    /// What was done, in order.
    pub steps: Vec<Step>,
}

/// A number that a 64-bit number cannot hold without loss.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostDigits {
    /// JSON pointer of the number.
    pub path: String,
    /// The number as it was written.
    pub number: String,
}

/// Mends the text of the whole arguments of a call. Total: no input makes it panic, and its work is linear in length.
pub fn repair(text: &str, shape: Shape<'_>, stop: StopReason) -> Outcome {
    look(text, shape, stop).0
}

/// Mends the text of one value within arguments: nothing is taken off around it.
pub fn repair_value(text: &str, schema: &Schema) -> Outcome {
    if text.len() > ARGUMENT_BYTES {
        return Outcome::TooLarge;
    }
    let source = Rc::from(text);
    let read = Reader::new(&source, Room::default()).whole();
    let strict = strict::parse(text).ok();
    let fitted = |fitter: &mut Fitter<'_>, node: &Node| fitter.whole(node);
    decide(read, strict, schema, fitted).0
}

/// The value of JSON text, unless a number in it would lose digits.
pub fn value(text: &str) -> Result<Value, LostDigits> {
    let source = Rc::from(text);
    match Reader::new(&source, Room::default()).whole() {
        Ok(read) => read.node.value(),
        // Only text that was read before is asked for, so this is a text of nothing.
        Err(Fault::Open(_) | Fault::Bad { .. } | Fault::TooLarge) => Ok(Value::Null),
    }
}

/// The outcome, and how many steps of work it took.
fn look(text: &str, shape: Shape<'_>, stop: StopReason) -> (Outcome, usize) {
    if text.len() > ARGUMENT_BYTES {
        return (Outcome::TooLarge, 0);
    }
    let read = frame::arguments(text);
    let strict = strict::parse(text).ok();
    // The end of an object is seen, so nothing can be missing behind it; all else may have gone on.
    if cuts(stop) && !matches!(read, Err(Fault::TooLarge)) && !matches!(strict, Some(Value::Object(_))) {
        return (Outcome::Incomplete(missing(read)), text.len());
    }
    let strict = strict.filter(Value::is_object);
    decide(read, strict, shape.schema, |fitter, node| unwrap::settle(fitter, node, shape))
}

/// `strict` is the value, if the text is JSON and stands where such a value may stand.
fn decide<'s, F>(read: Result<Read, Fault>, strict: Option<Value>, schema: &'s Schema, fit: F) -> (Outcome, usize)
where
    F: FnOnce(&mut Fitter<'s>, &Node) -> Result<(Node, Vec<Step>), Misfit>,
{
    let read = match read {
        Ok(read) => read,
        Err(fault) => return (fault.into(), 0),
    };
    let misfit = strict.as_ref().map(|value| schema.misfit(value));
    if matches!(misfit, Some(None)) {
        return (Outcome::Untouched, read.work);
    }
    let mut fitter = Fitter::new(schema.json(), &read);
    let fitted = fit(&mut fitter, &read.node).and_then(|(node, steps)| Ok((sound(node)?, steps)));
    let work = read.work + fitter.work();
    let outcome = match fitted {
        Err(misfit) => misfit.into(),
        // The schema contradicts itself if something was done and nothing changed.
        Ok((node, _)) if read.steps.is_empty() && node.to_text() == read.node.to_text() => unmended(misfit.flatten()),
        Ok((node, steps)) => Outcome::Repaired(Mended { text: node.to_text(), steps: [read.steps, steps].concat() }),
    };
    (outcome, work)
}

/// What is left where nothing had to be mended: a rule that only the schema's own check knows.
fn unmended(misfit: Option<(String, String)>) -> Outcome {
    let (path, reason) = misfit.unwrap_or_else(|| (String::new(), "they cannot be read".to_owned()));
    Outcome::BadArguments { path, reason }
}

/// Refuses what no mending may decide: which of two equal keys counts, and numbers beyond all bounds.
fn sound(node: Node) -> Result<Node, Misfit> {
    match node.unsound() {
        None => Ok(node),
        Some((path, reason)) => Err(Misfit::Place { path, reason }),
    }
}

/// Whether the reply ended before the model was done.
pub(crate) fn cuts(stop: StopReason) -> bool {
    match stop {
        StopReason::Length
        | StopReason::ContextFull
        | StopReason::Filtered
        | StopReason::Cancelled
        | StopReason::Cut => true,
        StopReason::Natural | StopReason::Calls | StopReason::StopMarker => false,
    }
}

fn missing(read: Result<Read, Fault>) -> String {
    match read {
        Err(Fault::Open(what)) => what,
        Ok(_) | Err(Fault::Bad { .. } | Fault::TooLarge) => "the reply ended before its arguments did".to_owned(),
    }
}

impl From<Fault> for Outcome {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Open(what) => Self::Incomplete(what),
            Fault::Bad { path, reason } => Self::BadArguments { path, reason },
            Fault::TooLarge => Self::TooLarge,
        }
    }
}

impl From<Misfit> for Outcome {
    fn from(misfit: Misfit) -> Self {
        match misfit {
            Misfit::Place { path, reason } => Self::BadArguments { path, reason },
            Misfit::TooLarge => Self::TooLarge,
        }
    }
}

#[cfg(test)]
mod tests;
