//! Takes Rust text apart into code and comment, line by line, so that a check can look at one without the other.
//! Not a parser: it knows comments, strings, characters and test modules, nothing else.

/// One line of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The line without comments and without what stands inside strings.
    pub(crate) code: String,
    /// The line as it stands.
    pub(crate) text: String,
    /// Inside a module that only tests compile.
    pub(crate) test: bool,
}

/// The lines of a file, in order.
pub(crate) fn lines(text: &str) -> Vec<Line> {
    let code = code_of(text);
    let pairs = code.split('\n').zip(text.split('\n'));
    let mut lines: Vec<Line> =
        pairs.map(|(code, text)| Line { code: code.to_owned(), text: text.to_owned(), test: false }).collect();
    mark_test_modules(&mut lines);
    lines
}

/// The text with comments and the inside of strings blanked out; line breaks stay.
fn code_of(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while at < characters.len() {
        let end = foreign_end(&characters, at);
        if end > at {
            code.extend(characters[at..end].iter().filter(|c| **c == '\n'));
            at = end;
        } else {
            code.push(characters[at]);
            at += 1;
        }
    }
    code
}

/// Where the comment, string or character that starts at `at` ends; `at` itself when none starts there.
fn foreign_end(text: &[char], at: usize) -> usize {
    let next = text.get(at + 1).copied();
    match text[at] {
        '/' if next == Some('/') => find(text, at, |rest| rest[0] == '\n').unwrap_or(text.len()),
        '/' if next == Some('*') => block_comment_end(text, at),
        '"' => string_end(text, at),
        'r' | 'b' | 'c' if !follows_a_word(text, at) => prefixed_string_end(text, at),
        '\'' => character_end(text, at),
        _ => at,
    }
}

fn block_comment_end(text: &[char], at: usize) -> usize {
    let mut depth = 0;
    let mut here = at;
    while here < text.len() {
        match (text[here], text.get(here + 1)) {
            ('/', Some('*')) => (depth, here) = (depth + 1, here + 2),
            ('*', Some('/')) => (depth, here) = (depth - 1, here + 2),
            _ => here += 1,
        }
        if depth == 0 {
            return here;
        }
    }
    text.len()
}

fn string_end(text: &[char], at: usize) -> usize {
    let mut here = at + 1;
    while here < text.len() && text[here] != '"' {
        here += if text[here] == '\\' { 2 } else { 1 };
    }
    (here + 1).min(text.len())
}

/// `r"…"`, `r#"…"#`, `b"…"`, `br#"…"#`, `c"…"`.
fn prefixed_string_end(text: &[char], at: usize) -> usize {
    let letters = text[at..].iter().take(2).take_while(|c| matches!(c, 'r' | 'b' | 'c')).count();
    let raw = text[at..at + letters].contains(&'r');
    let marks = text[at + letters..].iter().take_while(|c| **c == '#').count();
    let quote = at + letters + marks;
    match text.get(quote) {
        Some('"') if raw => raw_string_end(text, quote, marks),
        Some('"') if marks == 0 => string_end(text, quote),
        _ => at,
    }
}

fn raw_string_end(text: &[char], quote: usize, marks: usize) -> usize {
    let closes = |rest: &[char]| rest[0] == '"' && rest.len() > marks && rest[1..=marks].iter().all(|c| *c == '#');
    find(text, quote + 1, closes).map_or(text.len(), |end| end + marks + 1)
}

/// A character such as `'x'` or `'\n'`; a lifetime is code.
fn character_end(text: &[char], at: usize) -> usize {
    match (text.get(at + 1), text.get(at + 2)) {
        (Some('\\'), _) => find(text, at + 3, |rest| rest[0] == '\'').map_or(text.len(), |end| end + 1),
        (Some(_), Some('\'')) => at + 3,
        _ => at,
    }
}

fn follows_a_word(text: &[char], at: usize) -> bool {
    at > 0 && (text[at - 1].is_alphanumeric() || text[at - 1] == '_')
}

fn find(text: &[char], from: usize, found: impl Fn(&[char]) -> bool) -> Option<usize> {
    (from..text.len()).find(|at| found(&text[*at..]))
}

/// Marks the lines from `#[cfg(test)] mod name {` to the brace that closes it.
fn mark_test_modules(lines: &mut [Line]) {
    let mut announced = false;
    let mut depth = 0_i32;
    for line in lines {
        announced |= line.code.trim_start().starts_with("#[cfg(test)]");
        if !announced {
            continue;
        }
        line.test = true;
        let opened = line.code.matches('{').count() as i32;
        depth += opened - line.code.matches('}').count() as i32;
        let ended = depth == 0 && (opened > 0 || line.code.contains(['}', ';']));
        announced = !ended;
    }
}

#[cfg(test)]
mod tests;
