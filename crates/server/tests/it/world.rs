//! A whole server in this process, on a free port, over a folder that goes when the test does.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use domain::account::{DisplayName, Handle, Locale, Password, TypedPassword, Zone};
use domain::model::Tier;
use domain::time::Timestamp;
use harness::ports::{Clock, Model};
use inference::protocol::message::Choice;
use serde_json::{Value, json};
use server::boot::Boot;
use server::client::{Answer, Client};
use server::clock::SystemClock;
use server::config::{Config, LogFormat, ModelChoice};
use server::exit::Ended;
use server::serve::{Parts, start};
use server::state::App;
use store::{KdfPolicy, NewAccount, VaultKind};
use tempfile::TempDir;
use testkit::model::{Line, ScriptedModel};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) const PASSWORD: &str = "correct horse battery";

pub(crate) struct World {
    pub(crate) address: SocketAddr,
    pub(crate) token: Option<String>,
    pub(crate) model: Arc<ScriptedModel>,
    pub(crate) app: Arc<App>,
    folder: Arc<TempDir>,
    stop: Option<oneshot::Sender<()>>,
    running: Option<JoinHandle<Result<(), Ended>>>,
}

pub(crate) fn config(data: &Path) -> Config {
    Config {
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        data: data.to_path_buf(),
        models: data.with_extension("models"),
        providers: data.join("providers.yaml"),
        model: ModelChoice::None,
        others: Vec::new(),
        fallbacks: Vec::new(),
        farthest: Tier::Any,
        worker: PathBuf::from("/nonexistent/riad-llm"),
        first_call: Choice::Free,
        log_format: LogFormat::Text,
        log_level: tracing::Level::ERROR,
    }
}

impl World {
    /// A new instance; nobody exists.
    pub(crate) async fn empty(lines: impl IntoIterator<Item = Line>) -> Self {
        Self::under(Arc::new(SystemClock), lines).await
    }

    /// The same under another clock.
    pub(crate) async fn under(clock: Arc<dyn Clock>, lines: impl IntoIterator<Item = Line>) -> Self {
        let (folder, model) = (Arc::new(tempfile::tempdir().unwrap()), Arc::new(ScriptedModel::new(lines)));
        let answers = Arc::clone(&model) as Arc<dyn Model>;
        Self::over_with(folder, model, answers, clock).await
    }

    /// A new instance with one person, `anna`, who is signed in.
    pub(crate) async fn with_anna(lines: impl IntoIterator<Item = Line>) -> (Self, Client) {
        Self::empty(lines).await.and_anna().await
    }

    /// `anna` sets this instance up and signs in.
    pub(crate) async fn and_anna(self) -> (Self, Client) {
        assert_eq!(self.set_up().await.status, 201);
        let anna = self.signed_in().await;
        (self, anna)
    }

    /// A new instance on which this model answers; the scripted one has no part in it.
    pub(crate) async fn with_model(answers: Arc<dyn Model>) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        Self::over_with(folder, Arc::new(ScriptedModel::new([])), answers, Arc::new(SystemClock)).await
    }

    /// A new instance on which these models can answer, the usual one first.
    pub(crate) async fn with_models(models: Vec<Arc<dyn Model>>, fallbacks: &[&str], farthest: Tier) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let fallbacks = fallbacks.iter().map(|&name| name.to_owned()).collect();
        let config = Config { fallbacks, farthest, ..config(&folder.path().join("data")) };
        Self::over_models(folder, Arc::new(ScriptedModel::new([])), models, Arc::new(SystemClock), config).await
    }

    async fn over(folder: Arc<TempDir>, model: Arc<ScriptedModel>) -> Self {
        let answers = Arc::clone(&model) as Arc<dyn Model>;
        Self::over_with(folder, model, answers, Arc::new(SystemClock)).await
    }

    async fn over_with(
        folder: Arc<TempDir>,
        model: Arc<ScriptedModel>,
        answers: Arc<dyn Model>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let config = config(&folder.path().join("data"));
        Self::over_models(folder, model, vec![answers], clock, config).await
    }

    async fn over_models(
        folder: Arc<TempDir>,
        model: Arc<ScriptedModel>,
        models: Vec<Arc<dyn Model>>,
        clock: Arc<dyn Clock>,
        config: Config,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let mut lines = Vec::new();
        let parts = Parts { config, listener: Some(listener), policy: KdfPolicy::CHEAPEST, models, clock };
        let server = start(parts, &mut Boot::new(&mut lines, LogFormat::Text)).await.unwrap();
        let (address, token) = (server.address(), server.setup_token().map(str::to_owned));
        let app = Arc::clone(server.app());
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(server.run(async move { drop(stopped.await) }));
        Self { address, token, model, app, folder, stop: Some(stop), running: Some(running) }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.address).unwrap()
    }

    /// What the wizard would send.
    pub(crate) fn form(&self) -> Value {
        json!({
            "token": self.token, "preset": "home", "handle": "anna", "name": "Anna", "locale": "en",
            "zone": "Europe/Vienna", "vault": "private", "password": PASSWORD,
        })
    }

    pub(crate) async fn set_up(&self) -> Answer {
        self.client().send("POST", "/api/v1/setup", &[], Some(&self.form())).await.unwrap()
    }

    pub(crate) async fn signed_in(&self) -> Client {
        let mut client = self.client();
        let answer = client.sign_in("anna", PASSWORD, true).await.unwrap();
        assert_eq!(answer.status, 201, "{}", answer.json());
        client
    }

    /// Makes a second person, `bert`, who is signed in.
    pub(crate) async fn bert(&self) -> Client {
        let (instance, now, here) = (&self.app.instance, self.app.now(), Ipv4Addr::LOCALHOST.into());
        let anna = instance.people().await.unwrap()[0].id;
        let code = instance.invite(anna, "member".to_owned(), now).await.unwrap();
        let handle = Handle::parse("bert").unwrap();
        let password = Password::judge(TypedPassword::new(PASSWORD.to_owned()), &handle).unwrap();
        let account = NewAccount {
            handle,
            name: DisplayName::parse("Bert").unwrap(),
            locale: Locale::parse("en").unwrap(),
            zone: Zone::parse("UTC").unwrap(),
            vault: VaultKind::Private,
        };
        instance.join(&code, account, password, here, now).await.unwrap();
        let mut bert = self.client();
        assert_eq!(bert.sign_in("bert", PASSWORD, true).await.unwrap().status, 201);
        bert
    }

    /// The history to which the numbers of anna's vault belong.
    pub(crate) async fn epoch(&self) -> String {
        self.room().await.vault.epoch().to_owned()
    }

    /// The last number of anna's vault.
    pub(crate) async fn head(&self) -> u64 {
        self.room().await.vault.head_seq()
    }

    /// Anna's room.
    pub(crate) async fn room(&self) -> Arc<server::room::Room> {
        let people = self.app.instance.people().await.unwrap();
        let anna = people.iter().find(|person| person.handle == "anna").unwrap();
        self.app.open_room(anna.id).expect("anna's vault is open")
    }

    /// Ends the server as a signal would.
    pub(crate) async fn stop(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
        if let Some(running) = self.running.take() {
            running.await.unwrap().unwrap();
        }
    }

    /// The same with these models.
    pub(crate) async fn restart_with(mut self, models: Vec<Arc<dyn Model>>) -> Self {
        self.stop().await;
        let Self { folder, model, app, .. } = self;
        drop(app);
        let config = config(&folder.path().join("data"));
        Self::over_models(folder, model, models, Arc::new(SystemClock), config).await
    }

    /// Ends the server and starts another one over the same folder.
    pub(crate) async fn restart(mut self) -> Self {
        self.stop().await;
        let Self { folder, model, app, .. } = self;
        drop(app);
        Self::over(folder, model).await
    }
}

/// A clock on which each look takes half a second, so that the requests a minute of a person suffice for a crowd.
#[derive(Default)]
pub(crate) struct Hurried(AtomicI64);

impl Clock for Hurried {
    fn now(&self) -> Timestamp {
        Timestamp(SystemClock.now().0 + self.0.fetch_add(500, Ordering::SeqCst))
    }

    fn new_id(&self) -> String {
        SystemClock.new_id()
    }
}

/// A new conversation's id.
pub(crate) async fn conversation(client: &Client, key: &str) -> String {
    let answer = client.post("/api/v1/conversations", key, &json!({ "title": "Tea" })).await.unwrap();
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()["id"].as_str().unwrap().to_owned()
}

pub(crate) async fn say(client: &Client, conversation: &str, key: &str, text: &str) -> Answer {
    let path = format!("/api/v1/conversations/{conversation}/messages");
    client.post(&path, key, &json!({ "text": text })).await.unwrap()
}

pub(crate) async fn entries(client: &Client, conversation: &str) -> Vec<Value> {
    let answer = client.get(&format!("/api/v1/conversations/{conversation}/entries")).await.unwrap();
    answer.json()["entries"].as_array().cloned().unwrap_or_default()
}

/// The kinds of a conversation's entries, once one of them is `kind`.
pub(crate) async fn until(client: &Client, conversation: &str, kind: &str) -> Vec<String> {
    for _ in 0..500 {
        let kinds: Vec<String> = entries(client, conversation).await.iter().map(kind_of).collect();
        if kinds.iter().any(|found| found == kind) {
            return kinds;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("no entry became {kind}: {:?}", entries(client, conversation).await);
}

pub(crate) fn kind_of(entry: &Value) -> String {
    entry["kind"].as_str().unwrap_or_default().to_owned()
}
