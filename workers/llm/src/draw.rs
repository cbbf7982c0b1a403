//! Draws one token from logits: penalty, candidates, temperature, nucleus. Pure but for the generator it is given, so
//! that one seed gives one result.

use inference::protocol::message::Sampling;

/// How many of the last tokens the penalty looks at.
pub(crate) const PENALTY_WINDOW: usize = 64;

/// A small generator (SplitMix64): equal seeds give equal draws on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// A generator at its start.
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number from 0 up to 1.
    fn roll(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        (mixed >> 40) as f32 / (1u64 << 24) as f32
    }
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    token: usize,
    logit: f32,
}

/// One token among those that `allowed` lets through, or none if it lets none through.
pub(crate) fn draw(
    logits: &[f32],
    recent: &[i32],
    sampling: &Sampling,
    dice: &mut Dice,
    allowed: impl Fn(usize) -> bool,
) -> Option<usize> {
    let usable = |(token, logit): (usize, &f32)| {
        (logit.is_finite() && allowed(token)).then_some(Candidate { token, logit: *logit })
    };
    let mut candidates: Vec<Candidate> = logits.iter().enumerate().filter_map(usable).collect();
    punish(&mut candidates, recent, sampling.repeat_penalty);
    if sampling.temperature <= 0.0 {
        return candidates.iter().max_by(|a, b| a.logit.total_cmp(&b.logit)).map(|best| best.token);
    }
    keep_best(&mut candidates, sampling.top_k as usize);
    let weights = weights(&mut candidates, sampling)?;
    pick(&candidates, &weights, dice)
}

fn punish(candidates: &mut [Candidate], recent: &[i32], penalty: f32) {
    if penalty == 1.0 || recent.is_empty() {
        return;
    }
    for candidate in candidates.iter_mut() {
        if recent.iter().any(|token| usize::try_from(*token) == Ok(candidate.token)) {
            candidate.logit = if candidate.logit > 0.0 { candidate.logit / penalty } else { candidate.logit * penalty };
        }
    }
}

fn keep_best(candidates: &mut Vec<Candidate>, top_k: usize) {
    let falling = |a: &Candidate, b: &Candidate| b.logit.total_cmp(&a.logit);
    if top_k > 0 && top_k < candidates.len() {
        candidates.select_nth_unstable_by(top_k - 1, falling);
        candidates.truncate(top_k);
    }
    candidates.sort_unstable_by(falling);
}

/// The weights of the candidates that nucleus and floor leave, best first.
fn weights(candidates: &mut Vec<Candidate>, sampling: &Sampling) -> Option<Vec<f32>> {
    let best = candidates.first()?.logit;
    let mut weights: Vec<f32> =
        candidates.iter().map(|candidate| ((candidate.logit - best) / sampling.temperature).exp()).collect();
    let total: f32 = weights.iter().sum();
    let mut share = 0.0;
    let mut kept = 0;
    for weight in &weights {
        if kept > 0 && (share >= sampling.top_p || *weight < sampling.min_p) {
            break;
        }
        share += weight / total;
        kept += 1;
    }
    weights.truncate(kept);
    candidates.truncate(kept);
    Some(weights)
}

fn pick(candidates: &[Candidate], weights: &[f32], dice: &mut Dice) -> Option<usize> {
    let mut left = dice.roll() * weights.iter().sum::<f32>();
    for (candidate, weight) in candidates.iter().zip(weights) {
        left -= weight;
        if left < 0.0 {
            return Some(candidate.token);
        }
    }
    candidates.last().map(|candidate| candidate.token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampling(temperature: f32) -> Sampling {
        Sampling { temperature, top_p: 0.9, top_k: 3, min_p: 0.0, repeat_penalty: 1.0, seed: 1, max_tokens: 1 }
    }

    #[test]
    fn zero_temperature_takes_the_likeliest_of_the_allowed() {
        let logits = [1.0, 3.0, 2.0, f32::NAN];
        let mut dice = Dice::new(1);
        assert_eq!(draw(&logits, &[], &sampling(0.0), &mut dice, |_| true), Some(1));
        assert_eq!(draw(&logits, &[], &sampling(0.0), &mut dice, |token| token != 1), Some(2));
        assert_eq!(draw(&logits, &[], &sampling(0.0), &mut dice, |_| false), None);
    }

    #[test]
    fn one_seed_gives_one_result_and_stays_among_the_candidates() {
        let logits = [0.0, 1.0, 1.1, 1.2, -40.0];
        let run = |seed| {
            let mut dice = Dice::new(seed);
            (0..200).map(|_| draw(&logits, &[], &sampling(1.0), &mut dice, |_| true)).collect::<Vec<_>>()
        };
        assert_eq!(run(7), run(7));
        assert!(run(7).iter().all(|token| matches!(token, Some(1..=3))));
        assert!(run(7).contains(&Some(1)) && run(7).contains(&Some(3)));
    }

    #[test]
    fn a_penalty_moves_the_choice_away_from_recent_tokens() {
        let logits = [2.0, 1.9];
        let punished = Sampling { repeat_penalty: 1.3, ..sampling(0.0) };
        assert_eq!(draw(&logits, &[0], &punished, &mut Dice::new(1), |_| true), Some(1));
    }
}
