//! Nor can it be written down field by field.
//! Fails with E0451.

use domain::call::{Clearance, ClearedCall, ValidCall};
use domain::digest::Digest;
use domain::facts::Facts;

fn clear(call: ValidCall, facts: Facts, digest: Digest) -> ClearedCall {
    ClearedCall { call, facts, digest, clearance: Clearance::Class, key: String::new(), probe: false }
}
