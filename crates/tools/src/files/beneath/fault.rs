//! Why something beneath a root was not opened or changed, in words that a model can act on.

use domain::place::{NameFault, PATH_BYTES};
use rustix::io::Errno;
use thiserror::Error;

/// Why something beneath a root was not opened or changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// A name is refused as text.
    #[error("{0}")]
    Name(#[from] NameFault),
    /// It, or a folder on the way, is not there.
    #[error("there is nothing at this path; list the folder to see what there is")]
    Absent,
    /// A file stands where a folder is needed.
    #[error("`{0}` on this path is a file and no folder")]
    NotAFolder(String),
    /// A folder stands where a file is needed.
    #[error("this is a folder; name a file in it, or list it")]
    IsAFolder,
    /// The root itself was to be read or changed as a file.
    #[error("this is the root itself; name something in it")]
    IsTheRoot,
    /// `..` or a link leads out of the root.
    #[error("the path leads out of its root; stay below it")]
    LeadsOut,
    /// Links lead to each other.
    #[error("links on this path lead in a circle")]
    Circle,
    /// A link leads to nothing, and nothing is made through it.
    #[error("this is a link that leads to nothing; nothing is written through it, choose another name")]
    DanglingLink,
    /// Closed to tools.
    #[error("this place is closed to tools; it holds keys or Riad's own files, and no spelling opens it")]
    Denied,
    /// Not to be written by tools.
    #[error("tools do not write this file, since it decides what other programs start; ask the person to change it")]
    Unwritable,
    /// The root may only be read.
    #[error("this root can only be read; write below another one")]
    ReadOnly,
    /// A device, pipe or socket.
    #[error("this is no regular file (a device, pipe or socket) and is not opened")]
    Special,
    /// The file has more than one name.
    #[error("this file has another name elsewhere (a hard link) and is not opened; copy it first")]
    HardLink,
    /// Something is there already.
    #[error("there is something at this path already")]
    Exists,
    /// The file is another one than it was when it was looked at.
    #[error("the file has changed since it was looked at; nothing was written, read it again")]
    Changed,
    /// The file is too large for what was asked.
    #[error("the file has {0} bytes, more than can be handled at once; read a part, or search in it")]
    TooLarge(u64),
    /// The path is too long.
    #[error("the path is longer than {PATH_BYTES} bytes; choose shorter names")]
    TooLong,
    /// The system refused.
    #[error("the system refused it ({0}); nothing was changed")]
    System(String),
}

impl From<Errno> for Fault {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOENT => Self::Absent,
            Errno::LOOP => Self::Circle,
            Errno::XDEV => Self::LeadsOut,
            Errno::NAMETOOLONG => Self::TooLong,
            Errno::EXIST => Self::Exists,
            Errno::ISDIR => Self::IsAFolder,
            other => Self::System(other.to_string()),
        }
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self::System(error.to_string())
    }
}
