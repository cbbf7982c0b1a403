//! Makes a prompt fit before it is sent, and folds a conversation that is large or whose person asked for it. What to
//! fold is planned in `domain`; a fold is recorded first and true then.

mod summarise;

use std::sync::Arc;

use domain::compact::{Compacted, Cut, Fold, Refused, Unchanged, Why, is_smaller};
use domain::context::Prompt;
use domain::conversation::Conversation;
use domain::entry::Body;
use domain::model::{ModelDescription, SampleFault};
use domain::plan::{Budget, Correction, Counted, Counts, Measure, Plan, Segments, cut, plan};
use domain::setting::Setting;
use tokio_util::sync::CancellationToken;

use self::summarise::{Summarised, summarise};
use super::guarded;
use crate::live::Live;
use crate::ports::Model;
use crate::run::RunError;

/// What came of planning a prompt.
pub(crate) enum Fitting {
    /// It may be sent, with so many tokens for the reply at most.
    Fits { counted: Counted, left: u32 },
    /// Something was recorded; the loop comes round again.
    Folded,
    /// It cannot be sent to this model.
    Cannot(SampleFault),
    /// The person stopped the turn meanwhile.
    Stopped,
}

/// One model and what bounds a prompt for it.
struct Answerer {
    model: Arc<dyn Model>,
    description: ModelDescription,
    budget: Budget,
    correction: Option<Correction>,
    /// What its last refusal has taught, to be recorded with the next fold.
    learned: Option<Correction>,
}

/// Plans the prompt of a sample; where it does not fit, makes the next fold (LOOP-78, 79).
pub(crate) async fn fit(
    live: &mut Live<'_>,
    name: &str,
    prompt: &Prompt,
    setting: &Setting,
) -> Result<Fitting, RunError> {
    let Some(mut answerer) = Answerer::named(live, name, setting) else {
        return Ok(Fitting::Cannot(SampleFault::Gone(name.to_owned())));
    };
    let counts = match live.stop.run_until_cancelled(answerer.count(prompt)).await {
        Some(Ok(counts)) => answerer.corrected(live, counts),
        Some(Err(fault)) => return Ok(Fitting::Cannot(fault)),
        None => return Ok(Fitting::Stopped),
    };
    let thread = live.at().thread();
    let may_summarise = live.at().standing().may_summarise(counts.total());
    match plan(&counts, &answerer.budget, thread.places(), may_summarise) {
        Plan::Fits { tokens, left } => Ok(match answerer.refusal(live) {
            // A model that refused this very prompt does not get it again, whatever the counts say.
            Some(&Refused { needed, window, .. }) => Fitting::Cannot(SampleFault::Overflow { needed, window }),
            None => {
                let segments = Some(Segments::of(&counts, thread.places(), live.turn().is_some()));
                Fitting::Fits { counted: Counted { tokens, measure: counts.measure, segments }, left }
            }
        }),
        Plan::Demote(demotion) => answerer.fold(live, Why::Needed, Fold::Demoted(demotion), &counts, setting).await,
        Plan::Summarise(cutting) => answerer.summarise(live, Why::Needed, &cutting.cut, &counts, setting).await,
        Plan::Overflow { needed, window } => Ok(Fitting::Cannot(SampleFault::Overflow { needed, window })),
        Plan::TooSmall { prefix, window } => Ok(Fitting::Cannot(SampleFault::TooSmall { prefix, window })),
    }
}

/// Folds a conversation although no prompt needs it now (LOOP-81).
pub(crate) async fn compact(live: &mut Live<'_>, why: Why, setting: &Setting) -> Result<(), RunError> {
    if live.turn().is_none() {
        // The token of a turn that is over says nothing of this work.
        (live.stop, live.stop_of) = (CancellationToken::new(), None);
    }
    let prompt = live.at().prompt(setting);
    let Some(mut answerer) = Answerer::named(live, &setting.model.name, setting) else {
        return nothing(live, why, Unchanged::Failed("the model is not there".to_owned()), setting).await;
    };
    let counts = match answerer.count(&prompt).await {
        Ok(counts) => answerer.corrected(live, counts),
        Err(_) => {
            let reason = "the model did not count the conversation".to_owned();
            return nothing(live, why, Unchanged::Failed(reason), setting).await;
        }
    };
    let room = answerer.budget.room(counts.measure);
    let cutting = cut(&counts, live.at().thread().places(), room);
    // A person's wish is tried wherever there is something to summarise.
    match cutting.filter(|cutting| why == Why::Asked || cutting.saves > 0) {
        Some(cutting) => answerer.summarise(live, why, &cutting.cut, &counts, setting).await.map(drop),
        None => answerer.fold(live, why, Fold::Unchanged(Unchanged::Nothing), &counts, setting).await.map(drop),
    }
}

/// Records that nothing was tried, where not even a count is to be had.
async fn nothing(live: &mut Live<'_>, why: Why, unchanged: Unchanged, setting: &Setting) -> Result<(), RunError> {
    let (model, fold) = (setting.model.name.clone(), Fold::Unchanged(unchanged));
    let measure = Measure::Estimated;
    let compacted = Compacted { why, fold, before: 0, after: 0, measure, model, correction: None };
    live.decide(vec![Body::Compacted(Box::new(compacted))]).await?;
    Ok(())
}

impl Answerer {
    fn named(live: &Live<'_>, name: &str, setting: &Setting) -> Option<Self> {
        let model = Arc::clone(live.ports.model(name)?);
        let description = setting.model_named(name).map_or_else(|| model.describe(), |known| (**known).clone());
        let correction = live.at().standing().correction(name);
        let window = correction.and_then(|correction| correction.window).unwrap_or(description.window);
        let window = window.min(description.window);
        let budget = Budget::new(window, description.output_cap, setting.limits.reply_tokens);
        Some(Self { model, description, budget, correction, learned: None })
    }

    /// Exact counts where the model has them, else estimates.
    async fn count(&self, prompt: &Prompt) -> Result<Counts, SampleFault> {
        let broke = || SampleFault::Unknown("the adapter of the model broke off".to_owned());
        let exact = guarded(self.model.counts(prompt)).await.ok_or_else(broke)??;
        Ok(exact.unwrap_or_else(|| Counts::estimated(prompt, self.correction)))
    }

    /// What it said of the prompt that it refused last, if nothing has changed since.
    fn refusal<'l>(&self, live: &'l Live<'_>) -> Option<&'l Refused> {
        live.at().standing().refused().filter(|refused| refused.model == self.description.name)
    }

    /// What a refusal says stands over what was counted (LOOP-87). Where counts are exact, the window was not.
    fn corrected(&mut self, live: &Live<'_>, counts: Counts) -> Counts {
        let Some(refused) = self.refusal(live).cloned() else { return counts };
        self.budget.window = self.budget.window.min(refused.window);
        let window = Some(refused.window);
        match counts.measure {
            Measure::Exact => {
                self.learned = Some(Correction { reported: 1, estimated: 1, window });
                counts
            }
            Measure::Estimated => {
                let estimated = self.correction.map_or(counts.total(), |known| known.undo(counts.total()));
                self.learned = Some(Correction { reported: refused.needed, estimated, window });
                self.correction = self.learned;
                counts.raised_to(refused.needed)
            }
        }
    }

    /// Records a fold with the tokens before and after it. If others recorded something meanwhile it is planned anew.
    async fn fold(
        &self,
        live: &mut Live<'_>,
        why: Why,
        fold: Fold,
        before: &Counts,
        setting: &Setting,
    ) -> Result<Fitting, RunError> {
        let compacted = self.draft(why, fold, before);
        let after = self.after(live, &compacted, setting).await.unwrap_or(before.total());
        live.decide(vec![Body::Compacted(Box::new(Compacted { after, ..compacted }))]).await?;
        Ok(Fitting::Folded)
    }

    fn draft(&self, why: Why, fold: Fold, before: &Counts) -> Compacted {
        let (before, measure, model) = (before.total(), before.measure, self.description.name.clone());
        Compacted { why, fold, before, after: before, measure, model, correction: self.learned }
    }

    /// Tokens of the prompt as it would be with this fold.
    async fn after(&self, live: &Live<'_>, compacted: &Compacted, setting: &Setting) -> Result<u32, SampleFault> {
        let folded = with(live.at(), compacted);
        Ok(self.count(&folded.prompt(setting)).await?.total())
    }

    async fn summarise(
        &self,
        live: &mut Live<'_>,
        why: Why,
        cut: &Cut,
        before: &Counts,
        setting: &Setting,
    ) -> Result<Fitting, RunError> {
        let room = self.budget.room(before.measure);
        let fold = match summarise(live, self, why, cut, room).await? {
            Summarised::Made(fold) => fold,
            Summarised::Not(unchanged) => {
                return self.fold(live, why, Fold::Unchanged(unchanged), before, setting).await;
            }
            Summarised::Left => {
                live.catch_up().await?;
                // Else it would begin anew as soon as the turn has ended.
                if why == Why::Asked && live.is_stopped() {
                    let stopped = Fold::Unchanged(Unchanged::Failed("it was stopped".to_owned()));
                    let compacted = self.draft(why, stopped, before);
                    live.record(vec![Body::Compacted(Box::new(compacted))]).await?;
                }
                return Ok(Fitting::Stopped);
            }
        };
        let compacted = self.draft(why, fold, before);
        let after = self.after(live, &compacted, setting).await.unwrap_or(u32::MAX);
        let fixed = before.prefix();
        if !is_smaller(before.total().saturating_sub(fixed), after.saturating_sub(fixed)) {
            return self.fold(live, why, Fold::Unchanged(Unchanged::NotSmaller), before, setting).await;
        }
        // It holds for its cut, whatever was said while it was made.
        live.record(vec![Body::Compacted(Box::new(Compacted { after, ..compacted }))]).await?;
        Ok(Fitting::Folded)
    }
}

/// The conversation as it would be with this fold.
fn with(conversation: &Conversation, compacted: &Compacted) -> Conversation {
    let mut folded = conversation.clone();
    let body = Body::Compacted(Box::new(compacted.clone()));
    let draft = folded.draft(domain::time::Timestamp::default(), body);
    let number = folded.head().next();
    folded.apply(&draft.at_number(number));
    folded
}
