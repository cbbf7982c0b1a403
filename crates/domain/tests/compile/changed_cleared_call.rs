//! What was cleared cannot be changed afterwards.

use domain::call::ClearedCall;
use domain::facts::Facts;

fn change(call: &mut ClearedCall) {
    call.facts = Facts::unknown();
}

fn main() {}
