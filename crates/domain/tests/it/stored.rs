//! What is stored reads back as it was, and foreign text is refused without panic.

use domain::entry::{Body, VERSION};
use domain::id::EntryNumber;
use domain::model::{Faltered, SampleFault};
use domain::outcome::Outcome;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::random::{Random, any_body, times};

#[test]
fn every_fact_reads_back_as_it_was() {
    for seed in 0..times(5_000, 100_000) as u64 {
        let body = any_body(&mut Random(seed));
        let text = body.encode();
        let read = Body::decode(EntryNumber(1), VERSION, &text);
        assert_eq!(read.as_ref().ok(), Some(&body), "seed {seed}: {text}");
        assert_eq!(read.map(|body| body.encode()).ok().as_deref(), Some(text.as_str()), "seed {seed}");
    }
}

#[test]
fn a_fault_that_names_no_model_is_read_as_it_was_stored_at_first() {
    for (text, fault) in [
        (r#"{"faltered":"busy"}"#, SampleFault::Busy),
        (r#"{"faltered":{"rate_limited":1500}}"#, SampleFault::RateLimited(Some(1500))),
        (r#"{"faltered":{"too_long":{"needed":9,"window":8}}}"#, SampleFault::TooLong { needed: 9, window: 8 }),
    ] {
        let body = Body::decode(EntryNumber(1), VERSION, text).expect("it is an entry");
        assert_eq!(body, Body::Faltered(Faltered::new("", fault)));
    }
}

#[test]
fn an_end_without_a_model_is_read_as_it_was_stored_at_first() {
    let text = r#"{"ended":{"outcome":{"model_unavailable":{"timeout":"stall"}}}}"#;
    let body = Body::decode(EntryNumber(1), VERSION, text).expect("it is an entry");
    let faults = vec![Faltered::new("", SampleFault::Timeout("stall".to_owned()))];
    assert_eq!(body, Body::Ended { outcome: Outcome::ModelUnavailable(faults), footer: Vec::new() });
}

#[test]
fn a_fact_of_a_newer_version_is_kept_as_it_was_written() {
    let text = r#"{"unheard_of":{"b":1,"a":[2,"x"]}}"#;
    let body = Body::decode(EntryNumber(1), VERSION + 1, text).expect("it is JSON");
    assert!(matches!(body, Body::Newer(_)));
    let again = Body::decode(EntryNumber(1), VERSION + 1, &body.encode()).expect("it is JSON");
    assert_eq!(again, body, "{}", body.encode());
}

#[test]
fn what_is_no_entry_is_refused_with_its_place() {
    for text in ["", "{", "null", "{\"unheard_of\":1}", "{\"said\":{}}", "{\"newer\":1}", "[]", "\"stopped\" x"] {
        let refused = Body::decode(EntryNumber(9), VERSION, text).expect_err(text);
        assert!(refused.to_string().starts_with("entry 9 cannot be read: "), "{refused}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn any_text_is_read_or_refused(text in ".*", version in 0_u32..4) {
        let _ = Body::decode(EntryNumber(1), version, &text);
    }

    #[test]
    fn a_damaged_entry_is_read_or_refused(seed in any::<u64>(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = any_body(&mut Random(seed)).encode().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(text) = String::from_utf8(bytes) {
            let _ = Body::decode(EntryNumber(1), VERSION, &text);
        }
    }
}
