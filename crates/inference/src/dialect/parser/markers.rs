//! Which markers count where they stand, and how a frame's end is looked for.

use super::super::form::{Marker, Role};
use super::super::lines::Lines;
use super::LARGEST_FRAME;

/// Whether a marker is one where it stands. Without tools (`calls`) nothing begins a frame.
pub(super) fn counts(marker: &Marker, lines: Lines, calls: bool) -> bool {
    match marker.role {
        Role::Opener(_) | Role::Stray => calls,
        Role::Bare(_) => calls && !lines.fenced && (lines.at_start || marker.text.starts_with('\n')),
        Role::First(_) => calls && lines.at_first,
        Role::Header(_) | Role::Think | Role::Thought | Role::End => true,
    }
}

/// Of another dialect only frames, and none that is quoted.
pub(super) fn counts_foreign(marker: &Marker, lines: Lines) -> bool {
    match marker.role {
        // A fence around a call is a quotation in another dialect's reply.
        Role::Bare(_) | Role::First(_) if marker.text.contains("```") => false,
        Role::Opener(_) | Role::Bare(_) | Role::First(_) | Role::Header(_) | Role::Stray => !lines.is_quoted(),
        Role::Think | Role::Thought | Role::End => false,
    }
}

/// As much of a frame's body as a frame may hold.
pub(super) fn bounded(body: &str) -> &str {
    &body[..body.floor_char_boundary(LARGEST_FRAME)]
}

/// The first of these from a byte on, and where it stands.
pub(super) fn first_of(text: &str, markers: &[&'static str], from: usize) -> Option<(usize, &'static str)> {
    let places = markers.iter().filter_map(|marker| Some((from + text[from..].find(marker)?, *marker)));
    places.min_by_key(|(at, _)| *at)
}

/// Where a search for one of these must go on once more text has come.
pub(super) fn search_on(text: &str, markers: &[&str]) -> usize {
    let longest = markers.iter().map(|marker| marker.len()).max().unwrap_or(1);
    text.floor_char_boundary(text.len().saturating_sub(longest - 1))
}
