//! What a sample costs by the list.

use super::*;

#[test]
fn what_was_kept_costs_what_is_listed_for_it_and_what_is_unknown_costs_nothing_known() {
    let price = Price { input: 3.0, cached: Some(0.3), output: 15.0 };
    let usage = Usage { prompt: Some(1_000_000), reused: Some(500_000), decoded: Some(100_000), ..Usage::default() };
    assert_eq!(price.of(&usage), Some(1.5 + 0.15 + 1.5));
    assert_eq!(Price { cached: None, ..price }.of(&usage), Some(4.5));
    assert_eq!(price.of(&Usage { decoded: None, ..usage }), None);
}
