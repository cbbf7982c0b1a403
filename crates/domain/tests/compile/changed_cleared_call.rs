//! What was cleared cannot be changed afterwards.
//! Fails with E0616.

use domain::call::ClearedCall;
use domain::facts::Facts;

fn change(call: &mut ClearedCall) {
    call.facts = Facts::unknown();
}
