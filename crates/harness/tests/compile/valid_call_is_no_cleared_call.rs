//! A call that fits its schema may not run yet.

use domain::call::ValidCall;
use harness::ports::{Ran, Scope, Tool};

async fn run(tool: &dyn Tool, call: &ValidCall, scope: &Scope) -> Ran {
    tool.run(call, scope).await
}

fn main() {}
