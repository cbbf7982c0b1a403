//! Arguments change only by being checked again.
//! Fails with E0616.

use domain::call::ValidCall;

fn change(call: &mut ValidCall) {
    call.arguments = Default::default();
}
