//! Samples and what is said of them: median and 95th percentile.

use serde::Serialize;

/// What is said of many measured values. All in the unit of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// How many were measured.
    pub count: usize,
    /// Half of them are at or below it.
    pub median: f64,
    /// 95 of 100 are at or below it.
    pub p95: f64,
    /// The largest.
    pub most: f64,
}

impl Spread {
    /// The spread of these samples; all zero when there are none.
    pub fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        let at = |share: usize| {
            let rank = (samples.len() * share).div_ceil(100).saturating_sub(1);
            samples.get(rank).copied().unwrap_or(0.0)
        };
        Self { count: samples.len(), median: at(50), p95: at(95), most: at(100) }
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let spread = Spread::of((1..=100).rev().map(f64::from).collect());
        assert_eq!(spread, Spread { count: 100, median: 50.0, p95: 95.0, most: 100.0 });
        assert_eq!(Spread::of(vec![7.0]).p95, 7.0);
        assert_eq!(Spread::of(Vec::new()).count, 0);
    }
}
