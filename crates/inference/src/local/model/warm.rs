//! Reading ahead: the weights and what every prompt over a prefix begins with are brought into memory before anybody
//! writes. The worker keeps what it decoded, and the next prompt reuses the part it has in common. No reply comes of it.

use std::sync::Arc;

use domain::context::{CallPolicy, Item, Prefix, Prompt};
use domain::id::EntryNumber;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::LocalModel;
use super::asked::{choice, wire_prompt};
use crate::protocol::message::{Choice, Sample};

impl LocalModel {
    /// Loads the weights and decodes what every prompt over this prefix begins with. Whatever else is asked of the model
    /// goes first: this then ends, and what it has decoded by then is kept. A failure is only logged, because the next
    /// request meets it too.
    pub async fn warm(&self, prefix: Arc<Prefix>, cancel: &CancellationToken) {
        match cancel.run_until_cancelled(self.preload()).await {
            Some(Ok(_)) => {}
            Some(Err(fault)) => return tracing::warn!(?fault, "a model could not be loaded ahead"),
            None => return,
        }
        let stop = self.inner.begin_warming(cancel);
        let opening = opening(prefix);
        let (wire, choice) = (wire_prompt(&opening), choice(&opening, &Choice::Free));
        let (send, _unheard) = mpsc::unbounded_channel();
        let asked = |sampling| Sample { prompt: wire, sampling, choice };
        match self.inner.sample(asked, opening.max_tokens, 0, 0, &stop, &send).await {
            Ok(sampled) => tracing::debug!(usage = ?sampled.usage, stop = ?sampled.stop, "read ahead"),
            Err(fault) => tracing::warn!(?fault, "a prompt could not be read ahead"),
        }
    }
}

/// The shortest prompt over a prefix. Some templates refuse one in which nobody says anything.
fn opening(prefix: Arc<Prefix>) -> Prompt {
    let item = Item::Person { text: ".".to_owned(), aside: None };
    Prompt {
        prefix,
        items: vec![Arc::new(item)],
        seen: EntryNumber::default(),
        open: false,
        calls: CallPolicy::Forbidden,
        max_tokens: 1,
        variation: 0,
    }
}
