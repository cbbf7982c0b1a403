//! One person's home, work folders and notes in a temporary folder, with all tools.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use domain::call::{ClearedCall, ToolCall, ValidCall};
use domain::digest::Digest;
use domain::facts::Appraisal;
use domain::id::{CallId, ConversationId};
use domain::result::Status;
use domain::setting::Setting;
use domain::tool::{ToolName, ToolSet};
use harness::ports::{Channel, DeltaSink, Ran, Scope, Tool};
use serde_json::Value;
use testkit::notes::MemoryNotes;
use tokio_util::sync::CancellationToken;
use tools::{CommandRunner, Places};

use crate::clear::clear;

pub(crate) struct Room {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) notes: Arc<MemoryNotes>,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) scope: Scope,
    pub(crate) live: Arc<Live>,
    setting: Setting,
    /// Kept while the sandbox uses it.
    _state: Option<tempfile::TempDir>,
}

/// Keeps live output.
#[derive(Default)]
pub(crate) struct Live(pub(crate) Mutex<String>);

impl DeltaSink for Live {
    fn delta(&self, channel: Channel, text: &str) {
        assert_eq!(channel, Channel::Output);
        self.0.lock().unwrap().push_str(text);
    }
}

impl Room {
    pub(crate) fn new() -> Self {
        Self::with(CommandRunner::new(Err("there is no sandbox in this test.".to_owned()), None))
    }

    pub(crate) fn with(runner: CommandRunner) -> Self {
        Self::owned(runner, None)
    }

    /// With the real sandbox of this machine. Where the server is root commands run as a user of their own.
    pub(crate) async fn sandboxed() -> Self {
        let state = tempfile::tempdir().unwrap();
        let settings =
            sandbox::Settings { state: state.path().to_owned(), ledger: Arc::new(sandbox::NoLedger), groups: true };
        let (sandbox, _) = sandbox::Sandbox::open(settings).await;
        let owner = rustix::process::geteuid().is_root().then_some(20_077);
        let sandbox = Ok(sandbox.expect("these tests need the sandbox"));
        Self { _state: Some(state), ..Self::owned(CommandRunner::new(sandbox, owner), owner) }
    }

    /// `owner`: the user of this machine as whom commands run.
    pub(crate) fn owned(runner: CommandRunner, owner: Option<u32>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "works", "data"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let notes = Arc::new(MemoryNotes::default());
        let (home, works) = (folder.path().join("home"), folder.path().join("works"));
        let kept = folder.path().join("data");
        let places = Places::open(&home, &works, &[&kept], Arc::clone(&notes) as Arc<_>).unwrap();
        let places = match owner {
            Some(owner) => places.owned_by(owner).unwrap(),
            None => places,
        };
        let tools = tools::all(&places, &runner);
        let setting = testkit::setting::plain(ToolSet::new(tools.iter().map(|tool| tool.spec().clone())));
        let live = Arc::new(Live::default());
        let scope = Scope {
            conversation: ConversationId::new("c1"),
            call: CallId::new("k1"),
            cancel: CancellationToken::new(),
            output: Arc::clone(&live) as Arc<_>,
        };
        Self { folder, notes, tools, scope, live, setting, _state: None }
    }

    pub(crate) fn home(&self, name: &str) -> PathBuf {
        self.folder.path().join("home").join(name)
    }

    pub(crate) fn work(&self, name: &str) -> PathBuf {
        self.folder.path().join("works").join(Places::work_folder(&self.scope.conversation)).join(name)
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.home(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.home(name)).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// The hash of a file as `file_read` gives it.
    pub(crate) fn hash(&self, name: &str) -> String {
        Digest::of_bytes(&self.bytes(name)).hex()[..16].to_owned()
    }

    fn tool(&self, name: &str) -> &Arc<dyn Tool> {
        self.tools.iter().find(|tool| tool.spec().name.as_str() == name).unwrap_or_else(|| panic!("no tool {name}"))
    }

    pub(crate) fn valid(&self, name: &str, arguments: &Value) -> ValidCall {
        // As the repair of arguments leaves it: a null for something optional is absent.
        let members = arguments.as_object().unwrap().iter().filter(|(_, value)| !value.is_null());
        let arguments: Value = members.map(|(name, value)| (name.clone(), value.clone())).collect();
        let call = ToolCall {
            id: CallId::new("k1"),
            tool: ToolName::new(name),
            arguments: arguments.to_string(),
            fault: None,
            wire_id: None,
            recovered: false,
        };
        ValidCall::check(&call, &self.setting.tools).unwrap_or_else(|reason| panic!("{}", reason.text()))
    }

    pub(crate) async fn appraise(&self, name: &str, arguments: Value) -> Result<Appraisal, String> {
        self.tool(name).appraise(&self.valid(name, &arguments), &self.scope).await
    }

    /// The call as it is cleared now.
    pub(crate) async fn clear(&self, name: &str, arguments: Value) -> Result<ClearedCall, String> {
        let call = self.valid(name, &arguments);
        let appraisal = self.tool(name).appraise(&call, &self.scope).await?;
        Ok(clear(&self.scope.conversation, &call, &appraisal, &self.setting))
    }

    pub(crate) async fn run(&self, call: &ClearedCall) -> Ran {
        self.tool(call.call().spec().name.as_str()).run(call, &self.scope).await
    }

    pub(crate) async fn landed(&self, call: &ClearedCall) -> Option<Ran> {
        self.tool(call.call().spec().name.as_str()).landed(call, &self.scope).await
    }

    /// Looks, clears and runs. An error is what the model reads of a call that was not fit to run.
    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Result<Ran, String> {
        let cleared = self.clear(name, arguments).await?;
        Ok(self.run(&cleared).await)
    }

    /// The text of a call that must be done.
    pub(crate) async fn done(&self, name: &str, arguments: Value) -> String {
        let ran = self.call(name, arguments).await.unwrap_or_else(|reason| panic!("{reason}"));
        assert_eq!(ran.status, Status::Done, "{}", ran.text);
        ran.text
    }

    /// The reason of a call that must fail, before or while it runs.
    pub(crate) async fn fails(&self, name: &str, arguments: Value) -> String {
        match self.call(name, arguments).await {
            Err(reason) => reason,
            Ok(ran) => {
                assert_eq!(ran.status, Status::Failed, "{}", ran.text);
                ran.text
            }
        }
    }
}
