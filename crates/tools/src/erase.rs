//! Turns a tool with a typed input into the port that the loop knows. It reads the schema and the description off the
//! input type; it decides nothing.

use std::sync::Arc;

use async_trait::async_trait;
use domain::call::{ClearedCall, ValidCall};
use domain::facts::Appraisal;
use domain::tool::{Replay, Schema, ToolName, ToolSpec};
use harness::ports::{Ran, Scope, Tool};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

mod slim;

/// A tool whose input is a type: its doc comment is the description that a model reads.
#[async_trait]
pub trait TypedTool: Send + Sync + 'static {
    /// The arguments.
    type Input: DeserializeOwned + JsonSchema + Send + Sync;

    /// The name a model calls.
    const NAME: &'static str;
    /// What to do with a run that was cut.
    const REPLAY: Replay;
    /// Whether its reads may run beside others.
    const PARALLEL: bool;
    /// The longest run, in milliseconds.
    const DEADLINE_MS: u64 = 120_000;

    /// Whether the person answers the call instead of it being run.
    const ASKS_PERSON: bool = false;

    /// What the call would do. It changes nothing.
    async fn appraise(&self, input: Self::Input, scope: &Scope) -> Result<Appraisal, String>;

    /// Whether an earlier, cut run has landed; asked only of tools with [`Replay::Probe`].
    async fn landed(&self, input: Self::Input, call: &ClearedCall, scope: &Scope) -> Option<Ran> {
        let _ = (input, call, scope);
        None
    }

    /// Does what the facts of the cleared call say, or fails.
    async fn run(&self, input: Self::Input, call: &ClearedCall, scope: &Scope) -> Ran;
}

/// The port over a typed tool.
pub fn erase<T: TypedTool>(tool: T) -> Arc<dyn Tool> {
    Arc::new(Erased { spec: spec::<T>(), tool })
}

struct Erased<T> {
    spec: ToolSpec,
    tool: T,
}

/// What a typed tool says of itself.
fn spec<T: TypedTool>() -> ToolSpec {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut json: Value = settings.into_generator().into_root_schema_for::<T::Input>().into();
    slim::slim(&mut json);
    let members = json.as_object_mut().expect("the schema of a struct is an object");
    let description = members.remove("description").and_then(|text| text.as_str().map(str::to_owned));
    members.remove("$schema");
    members.remove("title");
    ToolSpec {
        name: ToolName::new(T::NAME),
        description: description.expect("the input of a tool has a doc comment, which is its description"),
        schema: Schema::new(json).expect("a schema that was made from a type is valid"),
        replay: T::REPLAY,
        parallel: T::PARALLEL,
        asks_person: T::ASKS_PERSON,
        uses: None,
        deadline_ms: T::DEADLINE_MS,
    }
}

/// The arguments as the tool's type. They fit the schema by now, which was made from the same type.
fn input<I: DeserializeOwned>(call: &ValidCall) -> Result<I, String> {
    serde_json::from_value(call.arguments().clone()).map_err(|fault| format!("The arguments do not fit: {fault}."))
}

#[async_trait]
impl<T: TypedTool> Tool for Erased<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn appraise(&self, call: &ValidCall, scope: &Scope) -> Result<Appraisal, String> {
        self.tool.appraise(input(call)?, scope).await
    }

    async fn landed(&self, call: &ClearedCall, scope: &Scope) -> Option<Ran> {
        self.tool.landed(input(call.call()).ok()?, call, scope).await
    }

    async fn run(&self, call: &ClearedCall, scope: &Scope) -> Ran {
        match input(call.call()) {
            Ok(input) => self.tool.run(input, call, scope).await,
            Err(reason) => Ran::failed(reason),
        }
    }
}
