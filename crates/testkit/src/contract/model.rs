//! What a model promises.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use domain::context::Prompt;
use domain::model::{Sampled, StopReason};
use harness::ports::{Channel, DeltaSink, Model};
use tokio_util::sync::CancellationToken;

/// Keeps pieces by channel; cancels after the first piece if it is told to.
#[derive(Default)]
struct Sink {
    pieces: Mutex<Vec<(Channel, String)>>,
    cancel: Option<CancellationToken>,
}

impl Sink {
    fn all(&self, wanted: Channel) -> String {
        let pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        pieces.iter().filter(|(channel, _)| *channel == wanted).map(|(_, text)| text.as_str()).collect()
    }
}

impl DeltaSink for Sink {
    fn delta(&self, channel: Channel, text: &str) {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner).push((channel, text.to_owned()));
        if let Some(cancel) = &self.cancel {
            cancel.cancel();
        }
    }
}

/// Promises 1, 3 and 4, on a prompt that is answered. Returns the reply for further checks.
pub async fn answers(model: &dyn Model, prompt: &Prompt) -> Sampled {
    let sink = Sink::default();
    let sampled = model.sample(prompt, &sink, &CancellationToken::new()).await.expect("the prompt is answered");
    assert_eq!(sink.all(Channel::Text), sampled.text, "1: the pieces of the text add up to it");
    assert_eq!(sink.all(Channel::Reasoning), sampled.reasoning, "1: the pieces of the reasoning add up to it");
    for call in &sampled.calls {
        let whole = serde_json::from_str::<serde_json::Value>(&call.arguments).is_ok();
        assert!(whole || call.fault.is_some() || !sampled.stop.is_cut(), "3: a cut call carries its fault: {call:?}");
    }
    let usage = &sampled.usage;
    let numbers = [usage.prompt, usage.prefilled, usage.decoded];
    assert!(!numbers.contains(&Some(0)) || sampled.is_mute(), "4: an unknown number is none, never 0: {usage:?}");
    assert_eq!(model.describe(), model.describe(), "a model describes itself alike");
    sampled
}

/// Promise 2: a cancel after the first piece ends a long reply within 500 ms, and what was shown stands in it.
/// `prompt` must ask for a reply that takes far longer than that.
pub async fn ends_on_cancel(model: &dyn Model, prompt: &Prompt) {
    let cancel = CancellationToken::new();
    let sink = Sink { cancel: Some(cancel.clone()), ..Sink::default() };
    let sample = model.sample(prompt, &sink, &cancel);
    let cancelled = async {
        cancel.cancelled().await;
        let since = Instant::now();
        tokio::time::sleep(Duration::from_millis(500)).await;
        since.elapsed()
    };
    tokio::select! {
        biased;
        sampled = sample => {
            let sampled = sampled.expect("2: a cancel is no fault");
            assert_eq!(sampled.stop, StopReason::Cancelled, "2: the reply says that it was cancelled");
            assert_eq!(sink.all(Channel::Text), sampled.text, "2: what was shown stands in the reply");
        }
        waited = cancelled => panic!("2: {waited:?} after the cancel the sample still goes on"),
    }
}

/// Promise 2: a cancel that came before the sample counts too.
pub async fn ends_on_early_cancel(model: &dyn Model, prompt: &Prompt) {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let sink = Sink::default();
    let sampled = tokio::time::timeout(Duration::from_millis(500), model.sample(prompt, &sink, &cancel));
    let sampled = sampled.await.expect("2: it ends within 500 ms").expect("2: a cancel is no fault");
    assert_eq!(sampled.stop, StopReason::Cancelled, "2: the reply says that it was cancelled");
}

/// Whether a reply may end in the middle of a call.
trait Cut {
    fn is_cut(&self) -> bool;
}

impl Cut for StopReason {
    fn is_cut(&self) -> bool {
        matches!(self, Self::Length | Self::Cut | Self::Cancelled | Self::ContextFull)
    }
}
