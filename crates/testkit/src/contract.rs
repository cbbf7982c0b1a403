//! The promises of the ports as tests, run against the fake and the real implementation alike. Each panics with the
//! number of the promise that was broken.

pub mod clock;
pub mod journal;
pub mod model;
pub mod notes;
