//! What the reading tools have in common: their facts, and the check that the place is still the one that was cleared.

use domain::call::ClearedCall;
use domain::facts::{Appraisal, Content, Facts, PathFact};
use domain::place::Place;
use domain::tool::EffectClass;
use harness::ports::{Ran, Scope};

use crate::files::preview;
use crate::places::{Places, Target, off_thread, shown};

/// Facts and label of a read of these places. A place that cannot be found yet keeps its written spelling; the read
/// then says what is wrong with it.
pub(crate) async fn appraise(places: &Places, verb: &str, paths: &[&str], scope: &Scope) -> Result<Appraisal, String> {
    let mut facts = Facts::of(EffectClass::Read);
    facts.paths = real_places(places, paths, scope).await?;
    let label = match facts.paths.as_slice() {
        [only] => preview::label(verb, &only.path),
        several => format!("{verb} {} files", several.len()),
    };
    Ok(Appraisal { facts, label, preview: None })
}

async fn real_places(places: &Places, paths: &[&str], scope: &Scope) -> Result<Vec<PathFact>, String> {
    let mut facts: Vec<PathFact> = Vec::new();
    for path in paths {
        let (root, path) = match places.target(path, &scope.conversation)? {
            Target::Note(place) => (place.root, place.to_string()),
            Target::Tree(tree, place) => off_thread(move || (place.root, real(&tree, &place))).await?,
        };
        let fact = PathFact { path, root, class: EffectClass::Read, now: Content::Unread, bytes: 0 };
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    Ok(facts)
}

fn real(tree: &crate::files::beneath::Beneath, place: &Place) -> String {
    tree.find(&place.parts).map_or_else(|_| place.to_string(), |spot| shown(place.root, &spot.parts))
}

/// Whether the places still are what the facts of a cleared call say: links may have been changed meanwhile.
pub(crate) async fn still(places: &Places, paths: &[&str], call: &ClearedCall, scope: &Scope) -> Result<(), String> {
    let now = real_places(places, paths, scope).await?;
    if now == call.facts().paths {
        return Ok(());
    }
    Err("A path of this call leads to another place than when it was looked at; nothing was read. Call it again."
        .to_owned())
}

/// The result of a read whose place was checked.
pub(crate) async fn answer(still: Result<(), String>, read: impl Future<Output = Result<String, String>>) -> Ran {
    match still {
        Err(reason) => Ran::failed(reason),
        Ok(()) => match read.await {
            Ok(text) => Ran::done(text),
            Err(reason) => Ran::failed(reason),
        },
    }
}
