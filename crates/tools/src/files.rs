//! Files as tools see them: opened beneath a root by handle, read as text, changed whole or not at all. The tools
//! themselves are one file each beside this one.

pub mod beneath;
pub(crate) mod change;
pub(crate) mod glob;
pub(crate) mod ignore;
pub(crate) mod preview;
pub(crate) mod survey;
pub(crate) mod text;
pub(crate) mod visible;
pub(crate) mod walk;
