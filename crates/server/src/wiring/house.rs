//! Models on this machine share its memory: of all of them one is loaded at a time. Whoever is asked next waits until the
//! one before has ended its reply and is unloaded.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use domain::context::{Prefix, Prompt};
use domain::model::{ModelDescription, SampleFault, Sampled};
use domain::plan::Counts;
use harness::ports::{DeltaSink, Model};
use inference::local::LocalModel;
use tokio_util::sync::CancellationToken;

/// All models on this machine.
#[derive(Default)]
pub(super) struct House {
    lodgers: Mutex<Vec<(String, LocalModel)>>,
    /// The place of the one that is loaded, or about to be.
    loaded: tokio::sync::Mutex<Option<usize>>,
}

/// One of them. Files of one model in several precisions say the same name: then that of the file is taken.
pub(super) struct Lodger {
    name: String,
    place: usize,
    model: LocalModel,
    house: Arc<House>,
}

impl House {
    /// Takes a model in.
    pub(super) fn lodge(self: &Arc<Self>, stem: &str, model: LocalModel) -> Arc<Lodger> {
        let mut lodgers = self.lodgers.lock().unwrap_or_else(PoisonError::into_inner);
        let said = model.describe().name;
        let name = if lodgers.iter().any(|(name, _)| *name == said) { stem.to_owned() } else { said };
        lodgers.push((name.clone(), model.clone()));
        Arc::new(Lodger { name, place: lodgers.len() - 1, model, house: Arc::clone(self) })
    }

    /// Makes room for one of them.
    async fn enter(&self, place: usize) {
        let mut loaded = self.loaded.lock().await;
        let before = loaded.replace(place);
        if let Some(before) = before.filter(|before| *before != place) {
            let model = self.lodgers.lock().unwrap_or_else(PoisonError::into_inner).get(before).map(|(_, m)| m.clone());
            if let Some(model) = model {
                model.unload().await;
            }
        }
    }
}

impl Lodger {
    /// Loads and reads ahead, unless another model is at work.
    pub(super) async fn warm(&self, prefix: Arc<Prefix>, closing: &CancellationToken) {
        {
            let mut loaded = self.house.loaded.lock().await;
            if loaded.is_some_and(|place| place != self.place) {
                return;
            }
            *loaded = Some(self.place);
        }
        self.model.warm(prefix, closing).await;
    }
}

#[async_trait]
impl Model for Lodger {
    fn describe(&self) -> ModelDescription {
        ModelDescription { name: self.name.clone(), ..self.model.describe() }
    }

    async fn count(&self, prompt: &Prompt) -> Result<Option<u32>, SampleFault> {
        self.house.enter(self.place).await;
        self.model.count(prompt).await
    }

    async fn counts(&self, prompt: &Prompt) -> Result<Option<Counts>, SampleFault> {
        self.house.enter(self.place).await;
        self.model.counts(prompt).await
    }

    async fn sample(
        &self,
        prompt: &Prompt,
        deltas: &dyn DeltaSink,
        cancel: &CancellationToken,
    ) -> Result<Sampled, SampleFault> {
        self.house.enter(self.place).await;
        self.model.sample(prompt, deltas, cancel).await
    }
}
