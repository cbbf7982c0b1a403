//! What a profile wishes of its model: which one, how much it thinks, how its tokens are drawn. Whether such a model is
//! there is not known here.

use super::fields::{Fields, Named};

/// Which model answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelWish {
    /// This one, by name.
    pub pin: Option<Named>,
    /// One that is at least so strong, if none is pinned.
    pub strength: Option<Strength>,
    /// Those that answer when it cannot, in order.
    pub fallbacks: Vec<Named>,
}

impl ModelWish {
    /// This model, wished elsewhere than in a file.
    pub fn pinned(name: impl Into<String>) -> Self {
        Self { pin: Some(Named { name: name.into(), line: 1, column: 1 }), ..Self::default() }
    }

    /// These in its place, wished elsewhere than in a file.
    #[must_use]
    pub fn followed_by(self, names: impl IntoIterator<Item = String>) -> Self {
        Self { fallbacks: names.into_iter().map(|name| Named { name, line: 1, column: 1 }).collect(), ..self }
    }
}

/// How capable a model has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// Short answers, titles.
    Light,
    /// Everyday work.
    Medium,
    /// Long tasks with many calls.
    Strong,
}

/// How much a model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reasoning {
    /// Not at all.
    Off,
    /// Little.
    Low,
    /// As usual.
    Medium,
    /// Much.
    High,
}

/// Keys of sampling that are set; each one goes its own way through the layers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SamplingWishes {
    /// 0 takes the likeliest token.
    pub temperature: Option<f32>,
    /// Nucleus, 1 keeps all.
    pub top_p: Option<f32>,
    /// Candidates kept, 0 keeps all.
    pub top_k: Option<u32>,
    /// Least share of the best candidate, 0 keeps all.
    pub min_p: Option<f32>,
    /// Divisor for tokens of late, 1 changes nothing.
    pub repeat_penalty: Option<f32>,
    /// The seed of the draws.
    pub seed: Option<u64>,
}

impl SamplingWishes {
    /// These keys, and those of the other where they are not set.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            temperature: self.temperature.or(other.temperature),
            top_p: self.top_p.or(other.top_p),
            top_k: self.top_k.or(other.top_k),
            min_p: self.min_p.or(other.min_p),
            repeat_penalty: self.repeat_penalty.or(other.repeat_penalty),
            seed: self.seed.or(other.seed),
        }
    }
}

const STRENGTHS: &[(&str, Strength)] =
    &[("light", Strength::Light), ("medium", Strength::Medium), ("strong", Strength::Strong)];

/// The words of the field `reasoning`.
pub(super) const REASONINGS: &[(&str, Reasoning)] =
    &[("off", Reasoning::Off), ("low", Reasoning::Low), ("medium", Reasoning::Medium), ("high", Reasoning::High)];

/// Letters of the name of a model.
const MODEL_CHARS: usize = 200;

/// The field `model`: a name, or a map.
pub(super) fn read(fields: &mut Fields<'_>) -> ModelWish {
    let Some(node) = fields.take("model") else { return ModelWish::default() };
    if node.text().is_some() {
        let name = fields.text("model", MODEL_CHARS);
        let pin = name.map(|name| Named { name, line: node.line, column: node.column });
        return ModelWish { pin, ..ModelWish::default() };
    }
    let wish = fields.inner(node, |inner| {
        let place = inner.take("pin").map_or((node.line, node.column), |pin| (pin.line, pin.column));
        let pin = inner.text("pin", MODEL_CHARS).map(|name| Named { name, line: place.0, column: place.1 });
        let strength = inner.word("strength", STRENGTHS);
        ModelWish { pin, strength, fallbacks: inner.names("fallbacks").unwrap_or_default() }
    });
    if wish.pin.is_some() && wish.strength.is_some() {
        fields
            .fault((node.line, node.column), "a model is either pinned or chosen by its strength; keep one of the two");
    }
    wish
}

/// The field `sampling`.
pub(super) fn sampling(fields: &mut Fields<'_>) -> SamplingWishes {
    let Some(node) = fields.take("sampling") else { return SamplingWishes::default() };
    fields.inner(node, |inner| SamplingWishes {
        temperature: inner.number("temperature", 0.0, 2.0),
        top_p: inner.number("top_p", 0.0, 1.0),
        top_k: inner.number("top_k", 0, 100_000),
        min_p: inner.number("min_p", 0.0, 1.0),
        repeat_penalty: inner.number("repeat_penalty", 0.5, 2.0),
        seed: inner.number("seed", 0, u64::MAX),
    })
}
