//! Where something stands: a JSON pointer (RFC 6901) that is written out only when somebody asks for it.

use std::fmt;

/// A place in a value, as a list that leads back to the root.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pointer<'p> {
    Root,
    Key(&'p Pointer<'p>, &'p str),
    Index(&'p Pointer<'p>, usize),
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(above, key) => write!(f, "{above}/{}", escaped(key)),
            Self::Index(above, index) => write!(f, "{above}/{index}"),
        }
    }
}

/// A key as one part of a pointer.
pub(super) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
