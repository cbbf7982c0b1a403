//! Makes edits in a text, all or none, and says exactly what does not fit. Pure.

use std::ops::Range;

use super::Edit;

/// Places that are named when a text stands in several.
const NAMED: usize = 10;
/// Tries of taking edits back.
const TRIES: usize = 256;

/// The text with all edits made. The error says which edit does not fit and what is there instead.
pub(super) fn apply(text: &str, edits: &[Edit]) -> Result<String, String> {
    let mut changes: Vec<(Range<usize>, &str, usize)> = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        let number = index + 1;
        let places = locate(text, edit).map_err(|reason| format!("edit {number}: {reason}"))?;
        changes.extend(places.into_iter().map(|(place, put)| (place, put, number)));
    }
    changes.sort_by_key(|(place, _, number)| (place.start, place.end, *number));
    if let Some([(_, _, one), (_, _, other)]) =
        changes.windows(2).find(|pair| pair[0].0.end > pair[1].0.start).and_then(|pair| pair.first_chunk())
    {
        return Err(format!("edits {one} and {other} touch the same text; make one of them."));
    }
    Ok(spliced(text, changes.iter().map(|(place, put, _)| (place.clone(), *put))))
}

fn spliced<'a>(text: &str, changes: impl Iterator<Item = (Range<usize>, &'a str)>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for (place, put) in changes {
        result.push_str(&text[at..place.start]);
        result.push_str(put);
        at = place.end;
    }
    result.push_str(&text[at..]);
    result
}

/// Where one edit applies, with what is put there.
fn locate<'a>(text: &str, edit: &'a Edit) -> Result<Vec<(Range<usize>, &'a str)>, String> {
    match (&edit.find, edit.from, edit.to) {
        (Some(find), None, None) => locate_text(text, find, edit.count, &edit.put),
        (None, Some(from), to) if edit.count.is_none() => locate_lines(text, from, to.unwrap_or(from), &edit.put),
        _ => Err("give find and put, or from, to and put.".to_owned()),
    }
}

fn locate_text<'a>(
    text: &str,
    find: &str,
    count: Option<usize>,
    put: &'a str,
) -> Result<Vec<(Range<usize>, &'a str)>, String> {
    if find.is_empty() {
        return Err("find is empty; to insert, name the line with from and to = from - 1.".to_owned());
    }
    let places: Vec<usize> = text.match_indices(find).map(|(at, _)| at).collect();
    match (places.len(), count) {
        (0, _) => Err(miss(text, find)),
        (1, None) => Ok(vec![(places[0]..places[0] + find.len(), put)]),
        (found, Some(expected)) if found == expected => {
            Ok(places.into_iter().map(|at| (at..at + find.len(), put)).collect())
        }
        (found, Some(expected)) => {
            Err(format!("the text stands there {found} times and not {expected} (lines {}).", lines_of(text, &places)))
        }
        (found, None) => Err(format!(
            "the text stands there {found} times (lines {}); find more of the text around it, or give count {found}.",
            lines_of(text, &places)
        )),
    }
}

fn lines_of(text: &str, places: &[usize]) -> String {
    let numbers: Vec<String> = places.iter().take(NAMED).map(|at| line_of(text, *at).to_string()).collect();
    let more = if places.len() > NAMED { ", …" } else { "" };
    format!("{}{more}", numbers.join(", "))
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Names the line that is nearest to what was looked for, and the first character that differs.
fn miss(text: &str, find: &str) -> String {
    let wanted = find.lines().find(|line| !line.trim().is_empty()).unwrap_or(find);
    let nearest = text.lines().enumerate().max_by_key(|(number, line)| (likeness(line, wanted), usize::MAX - number));
    match nearest {
        Some((number, line)) if likeness(line, wanted) > 0 => {
            let (line, wanted) = (line.trim_start(), wanted.trim_start());
            let same = line.chars().zip(wanted.chars()).take_while(|(a, b)| a == b).count();
            let there = line.chars().nth(same).map_or("the line ends".to_owned(), |c| format!("there is `{c}`"));
            let asked = wanted.chars().nth(same).map_or("the text ends".to_owned(), |c| format!("the text has `{c}`"));
            let shown: String = line.chars().take(200).collect();
            format!(
                "the text is not there. The nearest line is {}: `{shown}`; at character {} {there} where {asked}, or \
                 the lines around it differ.",
                number + 1,
                same + 1
            )
        }
        Some(_) | None => "the text is not there, nor anything like it; read the file again.".to_owned(),
    }
}

/// How much two lines are alike: words they share, then the beginning they share.
fn likeness(line: &str, wanted: &str) -> usize {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (have, want) = (words(line), words(wanted));
    let shared = want.iter().filter(|word| have.contains(word)).map(|word| word.len()).sum::<usize>();
    let start = line.trim().chars().zip(wanted.trim().chars()).take_while(|(a, b)| a == b).count();
    shared * 2 + start
}

fn locate_lines<'a>(text: &str, from: usize, to: usize, put: &'a str) -> Result<Vec<(Range<usize>, &'a str)>, String> {
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let lines = text.lines().count();
    if from == 0 || from > lines + 1 || to > lines || to + 1 < from {
        return Err(format!("there are {lines} lines, and {from} to {to} are not among them."));
    }
    let start = starts.get(from - 1).copied().unwrap_or(text.len());
    let end = starts.get(to).copied().unwrap_or(text.len());
    // Whole lines stay whole lines: what is put ends where the lines ended.
    let ends_open = !put.is_empty() && !put.ends_with('\n') && text[..end].ends_with('\n');
    if !ends_open {
        return Ok(vec![(start..end, put)]);
    }
    if end > start {
        return Ok(vec![(start..end - 1, put)]);
    }
    Err("text that is inserted between lines ends in a line end; add one to put.".to_owned())
}

/// Whether a text may be what these edits made of one that `was` accepts. Edits by line number cannot be taken back,
/// since what stood there is not known.
pub(super) fn came_from(text: &str, edits: &[Edit], was: impl Fn(&str) -> bool) -> bool {
    let pairs: Option<Vec<(&str, &str)>> =
        edits.iter().map(|edit| edit.find.as_deref().map(|find| (find, edit.put.as_str()))).collect();
    let Some(pairs) = pairs else { return false };
    if edits.iter().any(|edit| edit.count.is_some_and(|count| count > 1)) {
        let back = pairs.iter().fold(
            text.to_owned(),
            |text, (find, put)| {
                if put.is_empty() { text } else { text.replace(put, find) }
            },
        );
        return was(&back);
    }
    let mut tries = TRIES;
    taken_back(text, &pairs, &was, &mut tries)
}

fn taken_back(text: &str, pairs: &[(&str, &str)], was: &impl Fn(&str) -> bool, tries: &mut usize) -> bool {
    let Some(((find, put), rest)) = pairs.split_first() else {
        *tries = tries.saturating_sub(1);
        return was(text);
    };
    let places: Vec<usize> = if put.is_empty() {
        text.char_indices().map(|(at, _)| at).chain([text.len()]).collect()
    } else {
        text.match_indices(put).map(|(at, _)| at).collect()
    };
    places.into_iter().any(|at| {
        *tries > 0 && taken_back(&spliced(text, std::iter::once((at..at + put.len(), *find))), rest, was, tries)
    })
}

#[cfg(test)]
mod tests;
