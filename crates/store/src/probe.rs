//! Named places at which tests look at the disk as a kill would leave it, or make the step fail. Does nothing
//! in a running server.

use std::io;
use std::sync::Arc;

type Look = dyn Fn(&'static str) -> io::Result<()> + Send + Sync;

/// Called with the name of each step that must survive a kill. An error counts as a failure of that step.
#[derive(Clone, Default)]
pub struct Probe(Option<Arc<Look>>);

impl Probe {
    /// A probe that calls `look` at each step.
    pub fn new(look: impl Fn(&'static str) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(look)))
    }

    pub(crate) fn at(&self, step: &'static str) -> io::Result<()> {
        self.0.as_ref().map_or(Ok(()), |look| look(step))
    }
}

impl std::fmt::Debug for Probe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Probe")
    }
}
