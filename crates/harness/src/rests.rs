//! Which models have failed of late, for all conversations of an instance. It is kept in memory: after a restart every
//! model is tried again.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::health::Health;
use domain::model::SampleFault;
use domain::time::Timestamp;

/// The shared health of the models.
#[derive(Debug, Default)]
pub struct Rests(Mutex<Health>);

impl Rests {
    /// The models that rest at this moment.
    pub fn at(&self, now: Timestamp) -> BTreeSet<String> {
        self.lock().resting(now)
    }

    /// A model is asked; tell the end of it with [`Asking::answered`] or [`Asking::failed`].
    pub fn ask<'a>(&'a self, model: &'a str, now: Timestamp) -> Asking<'a> {
        self.lock().asked(model, now);
        Asking { rests: self, model, told: false }
    }

    fn lock(&self) -> MutexGuard<'_, Health> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A sample on its way. Dropped without a word (a stop, a shut desk) it says nothing of the model.
pub struct Asking<'a> {
    rests: &'a Rests,
    model: &'a str,
    told: bool,
}

impl Asking<'_> {
    /// The model answered.
    pub fn answered(mut self) {
        self.told = true;
        self.rests.lock().answered(self.model);
    }

    /// The sample failed.
    pub fn failed(mut self, fault: &SampleFault, now: Timestamp) {
        self.told = true;
        self.rests.lock().failed(self.model, fault, now);
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        if !self.told {
            self.rests.lock().left(self.model);
        }
    }
}
