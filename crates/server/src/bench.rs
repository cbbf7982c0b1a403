//! Measures this build on this machine, in a scratch folder, with a model that answers at once. It judges nothing:
//! figures are for people, and for comparing two builds in one run.

pub mod figures;
mod process;
pub mod resume;
pub mod rounds;
mod scratch;
pub mod start;
pub mod usage;
