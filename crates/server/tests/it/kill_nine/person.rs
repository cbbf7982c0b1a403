//! The person at the other end: follows the stream, says the next thing when all is quiet, approves what is asked, and
//! says again what was not acknowledged. It outlives every server.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use serde_json::{Value, json};
use server::client::Client;
use tokio::sync::mpsc::UnboundedSender;

use crate::watcher::{Page, Socket};
use crate::world::kind_of;

/// Within this time a turn that was cut goes on (LOOP-97 gives it 5 s from the unlock), and any step is done.
const STUCK: Duration = Duration::from_secs(10);

pub(super) struct Person {
    pub(super) id: String,
    /// What the stream has shown so far, over all servers.
    pub(super) page: Page,
    /// The entry of each message that was acknowledged.
    pub(super) acknowledged: Vec<u64>,
    /// The approvals whose answer was acknowledged, with the entry of the answer.
    pub(super) answered: BTreeMap<String, u64>,
    /// Answers that were recorded without their acknowledgement having come.
    pub(super) answered_unheard: usize,
    last: usize,
}

/// The server does not speak any more.
struct Gone;

impl Person {
    pub(super) fn new(id: String) -> Self {
        let (page, acknowledged, answered) = (Page::default(), Vec::new(), BTreeMap::new());
        Self { id, page, acknowledged, answered, answered_unheard: 0, last: usize::MAX }
    }

    /// Says so many messages more, and no further ones.
    pub(super) fn finish_after(&mut self, more: usize) {
        self.last = self.acknowledged.len() + more;
    }

    /// The kind of the newest entry that was seen.
    pub(super) fn last_seen(&self) -> String {
        self.page.entries.last().map(kind_of).unwrap_or_default()
    }

    /// Talks until everything is said and answered, or the server is gone.
    pub(super) async fn talk(&mut self, anna: &Client, moments: Option<&UnboundedSender<String>>) {
        let told = |moment: &str| drop(moments.map(|moments| moments.send(moment.to_owned())));
        if self.go_on(anna, &told).await.is_err() {
            // Whoever killed it is about to notice.
            tokio::time::sleep(STUCK).await;
            panic!("the server broke off by itself");
        }
    }

    async fn go_on(&mut self, anna: &Client, told: &impl Fn(&str)) -> Result<(), Gone> {
        let mut socket = Socket::open(anna).await.map_err(|_| Gone)?;
        self.page.live = false;
        socket.send(&self.page.open_frame(std::slice::from_ref(&self.id))).await.map_err(|_| Gone)?;
        let mut tried = HashSet::new();
        while !self.page.live {
            self.take(&mut socket, &|_| {}).await?;
        }
        told("live");
        self.say_again(anna).await?;
        loop {
            if let Some(asked) = self.pending(&tried) {
                tried.insert(asked["id"].as_str().unwrap().to_owned());
                told("answering");
                self.answer(anna, &asked).await?;
            } else if self.is_quiet() && self.acknowledged.len() >= self.last {
                return Ok(());
            } else if self.is_quiet() {
                told("saying");
                self.say(anna, self.acknowledged.len()).await?;
            }
            let before = self.page.entries.len();
            while self.page.entries.len() == before {
                self.take(&mut socket, told).await?;
            }
        }
    }

    async fn take(&mut self, socket: &mut Socket, told: &impl Fn(&str)) -> Result<(), Gone> {
        let next = tokio::time::timeout(STUCK, socket.next()).await;
        let frame = next.unwrap_or_else(|_| panic!("nothing goes on: {:?}", self.page.entries.last()));
        let frame = frame.map_err(|_| Gone)?;
        self.page.take(&frame);
        if frame["kind"] == "entry" {
            told(&kind_of(&frame["entry"]));
        }
        Ok(())
    }

    /// Whether nothing runs and nothing waits.
    fn is_quiet(&self) -> bool {
        self.page.entries.last().is_none_or(|entry| entry["kind"] == "ended")
    }

    /// An approval that waits and was not answered over this connection.
    fn pending(&self, tried: &HashSet<String>) -> Option<Value> {
        let seen = &self.page.entries;
        let is_settled = |asked: &Value| {
            seen.iter().any(|entry| {
                (entry["kind"] == "answered" && entry["approval"] == asked["id"])
                    || (entry["kind"] == "returned" && entry["call"] == asked["call"])
            })
        };
        let asked = seen.iter().filter(|entry| entry["kind"] == "asked").map(|entry| &entry["approval"]);
        let mut waits = asked.filter(|asked| !is_settled(asked) && !tried.contains(asked["id"].as_str().unwrap()));
        waits.next().cloned()
    }

    /// What was acknowledged is acknowledged again in the same words; what was not may have been recorded or not.
    async fn say_again(&mut self, anna: &Client) -> Result<(), Gone> {
        if let Some(last) = self.acknowledged.len().checked_sub(1) {
            let (entry, replayed) = self.post(anna, last).await?;
            assert_eq!((entry, replayed), (self.acknowledged[last], true), "message {last} is not where it was");
        }
        let next = json!(key(self.acknowledged.len()));
        let recorded = self.page.entries.iter().find(|entry| entry["message_id"] == next);
        if let Some(number) = recorded.map(|entry| entry["number"].as_u64().unwrap()) {
            let (entry, replayed) = self.post(anna, self.acknowledged.len()).await?;
            assert_eq!((entry, replayed), (number, true));
            self.acknowledged.push(entry);
        }
        Ok(())
    }

    async fn say(&mut self, anna: &Client, n: usize) -> Result<(), Gone> {
        let (entry, replayed) = self.post(anna, n).await?;
        assert!(!replayed, "message {n} had been recorded, and the stream did not show it");
        self.acknowledged.push(entry);
        Ok(())
    }

    /// The entry of a message, and whether it had been said before.
    async fn post(&self, anna: &Client, n: usize) -> Result<(u64, bool), Gone> {
        let path = format!("/api/v1/conversations/{}/messages", self.id);
        let answer = anna.post(&path, &key(n), &json!({ "text": words(n) })).await.map_err(|_| Gone)?;
        assert_eq!(answer.status, 201, "{}", answer.json());
        Ok((answer.json()["entry"].as_u64().unwrap(), answer.header("idempotent-replayed") == Some("true")))
    }

    async fn answer(&mut self, anna: &Client, asked: &Value) -> Result<(), Gone> {
        let id = asked["id"].as_str().unwrap();
        let form = json!({ "digest": asked["digest"], "decision": "approve", "surface": "web" });
        let path = format!("/api/v1/inbox/{id}/answer");
        let answer = anna.post(&path, &format!("answer-{}", &id[..16]), &form).await.map_err(|_| Gone)?;
        match (answer.status, answer.code().as_str()) {
            (200, _) => {
                self.answered.insert(id.to_owned(), answer.json()["entry"].as_u64().unwrap());
            }
            (409, "already_answered") => {
                assert_eq!(answer.json()["what"], "approve");
                self.answered_unheard += 1;
            }
            _ => panic!("{} {}", answer.status, answer.json()),
        }
        Ok(())
    }
}

fn key(n: usize) -> String {
    format!("message-{n:04}")
}

pub(super) fn words(n: usize) -> String {
    format!("do {n:03}.")
}
