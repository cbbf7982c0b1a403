//! One person with one conversation at the real binary, who sees what a page sees.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use server::client::{Answer, Client};
use tempfile::TempDir;
use testkit::server::{Script, ScriptedOpenAi, ScriptedReply};

use crate::binary::Binary;
use crate::watcher::{Page, Socket};
use crate::world::{conversation, kind_of};

/// Changing requests that one server gets in these tests; it refuses more than 120 a minute.
const REQUESTS: usize = 100;
/// Whatever takes longer does not come.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct Scene {
    pub(super) model: ScriptedOpenAi,
    pub(super) anna: Client,
    pub(super) page: Page,
    id: String,
    server: Option<Binary>,
    socket: Socket,
    folder: TempDir,
    said: usize,
    pressed: usize,
    requests: usize,
}

impl Scene {
    pub(super) async fn new(replies: impl IntoIterator<Item = ScriptedReply>) -> Self {
        let folder = tempfile::Builder::new().prefix("riad-stop-").tempdir().unwrap();
        let script = Script { replies: replies.into_iter().collect(), again: true };
        let model = ScriptedOpenAi::start(script).await.unwrap();
        let server = Binary::start(folder.path(), &model.base_url()).await;
        assert_eq!(server.set_up().await.status, 201);
        let anna = server.signed_in().await;
        let id = conversation(&anna, "conversation-1").await;
        let mut page = Page::default();
        let socket = open(&anna, &mut page, &id).await;
        Self { model, anna, page, id, server: Some(server), socket, folder, said: 0, pressed: 0, requests: 3 }
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn home(&self) -> PathBuf {
        let mut homes = std::fs::read_dir(self.folder().join("data/homes")).unwrap();
        homes.next().unwrap().unwrap().path()
    }

    /// Starts another server when this one has had enough requests for a minute.
    pub(super) async fn renew(&mut self) {
        if self.requests > REQUESTS {
            let server = self.server.take().expect("it runs");
            assert_eq!(server.terminate().await, 0);
            self.start_again().await;
        }
    }

    /// Says something; the turn that a message opens has its name.
    pub(super) async fn say(&mut self, text: &str) -> String {
        self.renew().await;
        self.said += 1;
        self.requests += 1;
        let turn = format!("message-{:04}", self.said);
        let path = format!("/api/v1/conversations/{}/messages", self.id);
        let answer = self.anna.post(&path, &turn, &json!({ "text": text })).await.unwrap();
        assert_eq!(answer.status, 201, "{}", answer.json());
        turn
    }

    /// Presses stop; the status.
    pub(super) async fn press(&mut self, turn: &str) -> u16 {
        self.pressed += 1;
        self.requests += 1;
        let path = format!("/api/v1/conversations/{}/stop", self.id);
        let key = format!("press-{:05}", self.pressed);
        self.anna.post(&path, &key, &json!({ "turn": turn })).await.unwrap().status
    }

    /// Presses stop, and says how long it took until the end was seen.
    pub(super) async fn stop(&mut self, turn: &str) -> Duration {
        let since = Instant::now();
        assert_eq!(self.press(turn).await, 202);
        self.see_end_of(turn).await;
        since.elapsed()
    }

    pub(super) async fn see_end_of(&mut self, turn: &str) {
        while !self.turn(turn).iter().any(|entry| entry["kind"] == "ended") {
            self.take().await;
        }
    }

    pub(super) async fn answer(&mut self, card: &Value, decision: &str) -> Answer {
        self.requests += 1;
        let id = card["id"].as_str().unwrap();
        let form = json!({ "digest": card["digest"], "decision": decision });
        self.anna.post(&format!("/api/v1/inbox/{id}/answer"), &format!("answer-{}", &id[..16]), &form).await.unwrap()
    }

    /// The next entry of this kind.
    pub(super) async fn see(&mut self, kind: &str) -> Value {
        loop {
            let frame = self.take().await;
            if frame["kind"] == "entry" && kind_of(&frame["entry"]) == kind {
                return frame["entry"].clone();
            }
        }
    }

    /// Waits until a running reply shows so many bytes of text; its name.
    pub(super) async fn see_text(&mut self, bytes: usize) -> String {
        loop {
            let frame = self.take().await;
            let reply = frame["reply_id"].as_str().unwrap_or_default();
            if frame["kind"] == "delta" && self.page.drafts.get(reply).is_some_and(|shown| shown.len() >= bytes) {
                return reply.to_owned();
            }
        }
    }

    /// Waits until a program begins its output with these words.
    pub(super) async fn see_output(&mut self, words: &str) {
        loop {
            let frame = self.take().await;
            if frame["channel"] == "output" && frame["text"].as_str().unwrap().starts_with(words) {
                return;
            }
        }
    }

    /// The entries of a turn: those that say so, from its message on.
    pub(super) fn turn(&self, turn: &str) -> Vec<Value> {
        self.page.entries.iter().filter(|entry| entry["turn"] == turn).cloned().collect()
    }

    /// The last number of the vault, as a page that comes anew is told.
    pub(super) async fn head(&self) -> u64 {
        let mut page = Page::default();
        open(&self.anna, &mut page, &self.id).await;
        page.seq
    }

    /// Every request to the model was hung up on; none goes on behind anybody's back.
    pub(super) async fn model_is_left_alone(&self) {
        let until = Instant::now() + Duration::from_secs(1);
        while self.model.hung_up() < self.model.count() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(self.model.hung_up(), self.model.count());
    }

    /// `kill -9`, and a new server, at which the person signs in again.
    pub(super) async fn kill(&mut self) {
        self.server.take().expect("it runs").kill_nine().await;
        self.start_again().await;
    }

    async fn start_again(&mut self) {
        let server = Binary::start(self.folder.path(), &self.model.base_url()).await;
        self.anna = server.signed_in().await;
        self.server = Some(server);
        self.requests = 0;
        self.socket = open(&self.anna, &mut self.page, &self.id).await;
    }

    async fn take(&mut self) -> Value {
        let next = tokio::time::timeout(PATIENCE, self.socket.next()).await;
        let frame = next.unwrap_or_else(|_| panic!("nothing comes: {:?}", self.page.entries.last()));
        let frame =
            frame.unwrap_or_else(|why| panic!("the stream ends with {why:?} after {:?}", self.page.entries.last()));
        if frame["kind"] == "ping" {
            self.socket.send(&json!({ "pong": {} })).await.unwrap();
        }
        self.page.take(&frame);
        frame
    }
}

async fn open(anna: &Client, page: &mut Page, id: &str) -> Socket {
    let mut socket = Socket::open(anna).await.unwrap();
    page.live = false;
    socket.send(&page.open_frame(&[id.to_owned()])).await.unwrap();
    while !page.live {
        page.take(&socket.next().await.unwrap());
    }
    socket
}

pub(super) fn of_kind<'a>(entries: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    entries.iter().filter(move |entry| entry["kind"] == kind)
}
