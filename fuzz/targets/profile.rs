//! Profiles and declared commands: any text is read or refused with places that it has.
#![no_main]

use domain::profile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(faults) = profile::read(text) {
        assert!(!faults.is_empty(), "it is refused without a reason");
    }
});
