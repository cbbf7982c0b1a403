//! What mending did, one step each: recorded beside the call, and read by people and models.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One thing that was done to arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// JSON pointer of the place, of the first one where it was done several times.
    pub path: String,
    /// What was done.
    pub did: Did,
    /// How often.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: usize,
}

/// The things that can be done. None of them changes what a text says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Did {
    /// A byte-order mark was left out.
    ByteOrderMark,
    /// A code fence was taken off.
    Fence,
    /// Words around the one object were left out.
    Prose,
    /// A comment was left out.
    Comment,
    /// A comma before a closer was left out.
    TrailingComma,
    /// Single, typographic or escaped quotes were read as delimiters.
    Quotes,
    /// A key without quotes was read.
    BareKey,
    /// `\n` between values was read as a blank.
    WrittenNewline,
    /// A control character in a text was kept, escaped as JSON wants it.
    RawControl,
    /// `True`, `False` or `None` was read.
    PythonLiteral,
    /// Nothing was read as no arguments.
    NoArguments,
    /// The list of one around the arguments was taken off.
    OneElementList,
    /// The lone key around the arguments was taken off.
    Wrapper(String),
    /// The call that the arguments repeated was taken off.
    RepeatedCall,
    /// A list or an object was read from a text.
    SentAsText,
    /// A number was read from a text.
    QuotedNumber,
    /// `true` or `false` was read from a text.
    QuotedBoolean,
    /// One item was put into a list.
    IntoList,
    /// One of the allowed values was put for the same in another case or with blanks around it.
    Respelled,
    /// A key was written as the schema does; holds what was written.
    RenamedKey(String),
    /// `null` for an argument that may be left out was left out.
    NullDropped,
    /// A value for a text was kept as the bytes it was written in.
    KeptAsText,
    /// Nothing was done: the schema does not know the key, and it was passed on.
    UnknownKey,
}

impl Step {
    pub(super) fn new(path: impl fmt::Display, did: Did) -> Self {
        Self { path: path.to_string(), did, times: 1 }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.did)?;
        if !self.path.is_empty() {
            write!(f, " at {}", self.path)?;
        }
        if self.times > 1 { write!(f, " ({} times)", self.times) } else { Ok(()) }
    }
}

impl fmt::Display for Did {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ByteOrderMark => "byte-order mark left out",
            Self::Fence => "code fence taken off",
            Self::Prose => "words around the object left out",
            Self::Comment => "comment left out",
            Self::TrailingComma => "trailing comma left out",
            Self::Quotes => "other quotes read as delimiters",
            Self::BareKey => "key without quotes read",
            Self::WrittenNewline => "written \\n between values read as a blank",
            Self::RawControl => "control character in a text escaped",
            Self::PythonLiteral => "Python literal read",
            Self::NoArguments => "read as no arguments",
            Self::OneElementList => "list of one around the arguments taken off",
            Self::Wrapper(key) => return write!(f, "key {key:?} around the arguments taken off"),
            Self::RepeatedCall => "repeated call around the arguments taken off",
            Self::SentAsText => "value read from a text",
            Self::QuotedNumber => "number read from a text",
            Self::QuotedBoolean => "boolean read from a text",
            Self::IntoList => "one item put into a list",
            Self::Respelled => "allowed value put for the same in another spelling",
            Self::RenamedKey(written) => return write!(f, "key {written:?} spelled as the schema does"),
            Self::NullDropped => "null for an optional argument left out",
            Self::KeptAsText => "value kept as the text it was written in",
            Self::UnknownKey => "unknown key passed on",
        })
    }
}

/// Adds a step; the same deed at another place only counts.
pub(super) fn note(steps: &mut Vec<Step>, path: impl FnOnce() -> String, did: Did) {
    match steps.iter_mut().find(|step| step.did == did) {
        Some(step) => step.times += 1,
        None => steps.push(Step::new(path(), did)),
    }
}

fn once() -> usize {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it skips by reference")]
fn is_once(times: &usize) -> bool {
    *times == 1
}
