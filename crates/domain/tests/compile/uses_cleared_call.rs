//! What everyone may do with a cleared call: look at it.
//! Compiles.

use domain::call::ClearedCall;

fn look(call: &ClearedCall) -> String {
    format!("{} {} {} {}", call.call().id(), call.digest(), call.key(), call.probe())
}
