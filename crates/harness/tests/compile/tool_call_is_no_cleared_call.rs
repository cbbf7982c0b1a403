//! A call as the model wrote it may not run yet.

use domain::call::ToolCall;
use harness::ports::{Ran, Scope, Tool};

async fn run(tool: &dyn Tool, call: &ToolCall, scope: &Scope) -> Ran {
    tool.run(call, scope).await
}

fn main() {}
