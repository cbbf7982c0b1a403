//! The automata of the dialects, each made when it is first used: one for text, one for the reasoning channel.

use std::sync::OnceLock;

use super::Dialect;
use super::automaton::Automaton;
use super::form::{COMMON_ENDS, Form, Marker, Role};

static TEXT: [OnceLock<Automaton>; Dialect::ALL.len()] = [const { OnceLock::new() }; Dialect::ALL.len()];
static REASONING: [OnceLock<Automaton>; Dialect::ALL.len()] = [const { OnceLock::new() }; Dialect::ALL.len()];

/// Of a dialect's text.
pub(super) fn of_text(dialect: Dialect) -> &'static Automaton {
    TEXT[dialect as usize].get_or_init(|| Automaton::new(markers(dialect.form(), |_| true)))
}

/// Of its reasoning channel: a frame within it is reasoning.
pub(super) fn of_reasoning(dialect: Dialect) -> &'static Automaton {
    let counts = |role: Role| match role {
        Role::Header(_) | Role::Think | Role::Thought | Role::End => true,
        Role::Opener(_) | Role::Bare(_) | Role::First(_) | Role::Stray => false,
    };
    REASONING[dialect as usize].get_or_init(|| Automaton::new(markers(dialect.form(), counts)))
}

fn markers(form: &Form, counts: impl Fn(Role) -> bool) -> Vec<Marker> {
    let ends = COMMON_ENDS.iter().chain(form.ends).map(|end| Marker::end(end));
    let all = form.markers.iter().chain(form.reasoning).copied().chain(ends);
    all.filter(|marker| counts(marker.role)).collect()
}
