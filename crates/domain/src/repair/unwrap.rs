//! What models put around the whole arguments: a list of one, a lone key, the call itself once more, a text, nothing.
//! Something is taken off only if the arguments do not fit as they stand and do fit then.

use super::Shape;
use super::fit::{At, Change, Fit, Fitter, Misfit, found_here};
use super::named::lacks;
use super::pointer::Pointer;
use super::step::{Did, Step};
use super::tree::{Node, Object, What, quoted};

/// Keys that some models put around the arguments.
const WRAPPERS: [&str; 5] = ["arguments", "parameters", "args", "input", "params"];

/// Keys under which some models write the name of the tool once more.
const NAMES: [&str; 4] = ["name", "tool", "tool_name", "function"];

/// Wrappers within wrappers that are taken off.
const MOST_WRAPPERS: usize = 2;

/// What was taken off on the way here.
#[derive(Clone, Copy, Default)]
struct Taken {
    list: bool,
    wrappers: usize,
}

/// One layer, and what is inside.
struct Layer<'n> {
    inner: &'n Node,
    below: Below<'n>,
    did: Did,
}

enum Below<'n> {
    Key(&'n str),
    First,
}

/// The arguments that fit, and what was done.
pub(super) fn settle<'s>(fitter: &mut Fitter<'s>, node: &Node, shape: Shape<'s>) -> Result<(Node, Vec<Step>), Misfit> {
    let change = settle_at(fitter, node, shape, &At::root(), Taken::default())?;
    Ok((change.node.unwrap_or_else(|| node.clone()), change.steps))
}

fn settle_at<'s>(fitter: &mut Fitter<'s>, node: &Node, shape: Shape<'s>, at: &At<'_>, taken: Taken) -> Fit {
    let misfit = match as_arguments(fitter, node, shape, at) {
        Ok(change) => return Ok(change),
        Err(misfit) => misfit,
    };
    match &node.what {
        What::Null if matches!(at.pointer, Pointer::Root) => {
            let empty = node.with(What::Object(Object::default()));
            let change = Change::to(empty, Step::new("", Did::NoArguments));
            change.then(node, |node| as_arguments(fitter, node, shape, at))
        }
        What::Text(text) => match fitter.read_text(text, at)? {
            None => Err(misfit),
            Some((inner, steps)) => {
                let change = Change { node: Some(inner), steps };
                change.then(node, |inner| settle_at(fitter, inner, shape, &at.in_text(), taken))
            }
        },
        What::List(_) | What::Object(_) => match layer(node, shape, at, taken)? {
            None => Err(misfit),
            Some(layer) => take_off(fitter, &layer, shape, at, taken),
        },
        What::Null | What::Bool(_) | What::Number(_) => Err(misfit),
    }
}

fn as_arguments<'s>(fitter: &mut Fitter<'s>, node: &Node, shape: Shape<'s>, at: &At<'_>) -> Fit {
    match &node.what {
        What::Object(_) => fitter.fit(node, shape.schema.json(), at),
        What::Null | What::Bool(_) | What::Number(_) | What::Text(_) | What::List(_) => {
            Err(at.misfit(format!("found {}, where one JSON object is allowed", found_here(node))))
        }
    }
}

fn take_off<'s>(fitter: &mut Fitter<'s>, layer: &Layer<'_>, shape: Shape<'s>, at: &At<'_>, taken: Taken) -> Fit {
    let (pointer, taken) = match layer.below {
        Below::Key(key) => (Pointer::Key(&at.pointer, key), Taken { wrappers: taken.wrappers + 1, ..taken }),
        Below::First => (Pointer::Index(&at.pointer, 0), Taken { list: true, ..taken }),
    };
    let change = Change::to(layer.inner.clone(), Step::new(at.pointer, layer.did.clone()));
    change.then(layer.inner, |inner| settle_at(fitter, inner, shape, &at.below(pointer), taken))
}

/// The layer that may be taken off here.
fn layer<'n>(node: &'n Node, shape: Shape<'_>, at: &At<'_>, taken: Taken) -> Result<Option<Layer<'n>>, Misfit> {
    match &node.what {
        What::List(items) => Ok(match items.as_slice() {
            [inner] if !taken.list && matches!(inner.what, What::Object(_) | What::Text(_)) => {
                Some(Layer { inner, below: Below::First, did: Did::OneElementList })
            }
            [] | [_, ..] => None,
        }),
        What::Object(object) if taken.wrappers < MOST_WRAPPERS => match object.members.as_slice() {
            [member] => Ok(wrapper(member, shape).map(|(key, inner)| Layer {
                inner,
                below: Below::Key(key),
                did: Did::Wrapper(key.to_owned()),
            })),
            [one, other] => repeated(one, other, shape, at),
            [] | [_, _, _, ..] => Ok(None),
        },
        What::Object(_) | What::Null | What::Bool(_) | What::Number(_) | What::Text(_) => Ok(None),
    }
}

fn wrapper<'n>((key, inner): &'n (String, Node), shape: Shape<'_>) -> Option<(&'n str, &'n Node)> {
    let holds = matches!(inner.what, What::Object(_) | What::Text(_));
    (holds && WRAPPERS.contains(&key.as_str()) && lacks(shape.schema, key)).then_some((key, inner))
}

/// The whole call once more: its name and its arguments.
fn repeated<'n>(
    one: &'n (String, Node),
    other: &'n (String, Node),
    shape: Shape<'_>,
    at: &At<'_>,
) -> Result<Option<Layer<'n>>, Misfit> {
    let ((key, name), wrapped) = if NAMES.contains(&one.0.as_str()) { (one, other) } else { (other, one) };
    let (What::Text(name), Some((below, inner))) = (&name.what, wrapper(wrapped, shape)) else { return Ok(None) };
    if !NAMES.contains(&key.as_str()) || !lacks(shape.schema, key) {
        return Ok(None);
    }
    if name != shape.tool {
        let reason = format!("the arguments hold a call of {}, but {} was called", quoted(name), quoted(shape.tool));
        return Err(at.below(Pointer::Key(&at.pointer, key)).misfit(reason));
    }
    Ok(Some(Layer { inner, below: Below::Key(below), did: Did::RepeatedCall }))
}
