//! Arguments change only by being checked again.

use domain::call::ValidCall;

fn change(call: &mut ValidCall) {
    call.arguments = Default::default();
}

fn main() {}
