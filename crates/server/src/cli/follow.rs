//! Follows one conversation: every entry once and in order, what is being written as it comes. It reconnects by itself
//! and asks over HTTP for what it missed, so a cut loses nothing. It shows nothing.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::signed_in::address;
use super::socket::{Closed, NoStream, Socket};
use crate::client::Client;
use crate::config::Config;

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum News {
    /// A durable entry.
    Entry(Value),
    /// A piece of the text of a reply, and the bytes before it.
    Piece {
        /// The reply.
        reply: String,
        /// Bytes of the text before it.
        offset: usize,
        /// The piece.
        text: String,
    },
    /// All of a reply's text so far.
    SoFar {
        /// The reply.
        reply: String,
        /// The text.
        text: String,
    },
    /// What was shown of a reply does not stand.
    Withdrawn {
        /// The reply.
        reply: String,
        /// Why.
        reason: String,
    },
    /// Everything up to now was told.
    Live,
    /// The connection is gone; it is being looked for.
    Cut,
    /// The vault is locked: unlock it and follow anew.
    Locked,
    /// The session is over.
    SignedOut,
}

/// What is followed, from the entry after `known` on.
pub(super) struct Following {
    /// Whose session.
    pub(super) client: Client,
    /// Says where to look for the server: after a start it may be elsewhere.
    pub(super) config: Config,
    /// The conversation.
    pub(super) conversation: String,
    /// The last entry that is known.
    pub(super) known: u64,
}

/// News as they come. Dropping it ends the following.
pub(super) struct Follow {
    news: mpsc::UnboundedReceiver<News>,
    task: JoinHandle<()>,
}

/// UI-19: a server that is silent for so long is gone.
const DEAD: Duration = Duration::from_secs(40);
/// UI-19: pauses between two tries to connect.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(8),
];

impl Follow {
    /// Begins to follow.
    pub(super) fn start(following: Following) -> Self {
        let (told, news) = mpsc::unbounded_channel();
        let follower = Follower { following, told, early: VecDeque::new() };
        Self { news, task: tokio::spawn(follower.run()) }
    }

    /// The next news; nothing once it ended. Safe to drop.
    pub(super) async fn next(&mut self) -> Option<News> {
        self.news.recv().await
    }
}

impl Drop for Follow {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Why one connection came to its end.
enum End {
    Cut,
    Final(News),
    /// Nobody listens any more.
    Left,
}

struct Follower {
    following: Following,
    told: mpsc::UnboundedSender<News>,
    /// Snapshots that came before the entries that were missed.
    early: VecDeque<News>,
}

impl Follower {
    async fn run(mut self) {
        let mut failed = 0;
        loop {
            let end = self.once(&mut failed).await;
            match end {
                End::Left => return,
                End::Final(last) => {
                    let _ = self.told.send(last);
                    return;
                }
                End::Cut => {}
            }
            if failed == 0 && self.told.send(News::Cut).is_err() {
                return;
            }
            sleep(PAUSES[usize::min(failed, PAUSES.len() - 1)]).await;
            failed += 1;
            self.find_again();
        }
    }

    fn find_again(&mut self) {
        let found = address(&self.following.config).ok().and_then(|address| Client::new(address).ok());
        if let Some(client) = found {
            self.following.client.address = client.address;
        }
    }

    /// One connection, from its start to its end.
    async fn once(&mut self, failed: &mut usize) -> End {
        let mut socket = match Socket::open(&self.following.client, "/api/v1/events").await {
            Ok(socket) => socket,
            Err(NoStream::Status(423)) => return End::Final(News::Locked),
            Err(NoStream::Status(401)) => return End::Final(News::SignedOut),
            Err(NoStream::Status(_) | NoStream::Cut) => return End::Cut,
        };
        let open = json!({ "open": { "seq": 0, "watch": [self.following.conversation] } });
        if socket.send(&open.to_string()).await.is_err() {
            return End::Cut;
        }
        let mut live = false;
        loop {
            let text = match timeout(DEAD, socket.next()).await {
                Ok(Ok(text)) => text,
                Ok(Err(Closed(Some(4423)))) => return End::Final(News::Locked),
                Ok(Err(Closed(Some(4401)))) => return End::Final(News::SignedOut),
                Ok(Err(Closed(_))) | Err(_) => return End::Cut,
            };
            let Ok(frame) = serde_json::from_str::<Value>(&text) else { return End::Cut };
            if frame["kind"] == "ping" && socket.send("{\"pong\":{}}").await.is_err() {
                return End::Cut;
            }
            if frame["kind"] == "live" {
                (live, *failed) = (true, 0);
            }
            if let Err(end) = self.take(&frame, live).await {
                return end;
            }
        }
    }

    async fn take(&mut self, frame: &Value, live: bool) -> Result<(), End> {
        let of_ours = frame["conversation"] == self.following.conversation.as_str();
        let text = |name: &str| frame[name].as_str().unwrap_or_default().to_owned();
        match frame["kind"].as_str().unwrap_or_default() {
            "live" => {
                self.catch_up().await?;
                let early: Vec<News> = self.early.drain(..).collect();
                early.into_iter().chain([News::Live]).try_for_each(|news| self.tell(news))
            }
            "entry" => self.entry(&frame["entry"]).await,
            "delta" if of_ours && frame["channel"] == "text" && frame["reply_id"].is_string() => {
                let offset = usize::try_from(frame["offset"].as_u64().unwrap_or_default()).unwrap_or_default();
                self.tell(News::Piece { reply: text("reply_id"), offset, text: text("text") })
            }
            "snapshot" if of_ours => {
                let news = News::SoFar { reply: text("reply_id"), text: text("text") };
                if live {
                    return self.tell(news);
                }
                self.early.push_back(news);
                Ok(())
            }
            "withdrawn" if of_ours => self.tell(News::Withdrawn { reply: text("reply_id"), reason: text("reason") }),
            _ => Ok(()),
        }
    }

    /// An entry of the vault: the next one of ours is told, a hole is filled over HTTP.
    async fn entry(&mut self, entry: &Value) -> Result<(), End> {
        let place = if entry["header"].is_object() { &entry["header"] } else { entry };
        let number = place["number"].as_u64().unwrap_or_default();
        if place["conversation"] != self.following.conversation.as_str() || number <= self.following.known {
            return Ok(());
        }
        if entry["header"].is_object() || number != self.following.known + 1 {
            return self.catch_up().await;
        }
        self.following.known = number;
        self.tell(News::Entry(entry.clone()))
    }

    /// Tells all entries after the last one that is known.
    async fn catch_up(&mut self) -> Result<(), End> {
        let Following { client, conversation, known, .. } = &self.following;
        let path = format!("/api/v1/conversations/{conversation}/entries?since={known}");
        let answer = client.get(&path).await.map_err(|_| End::Cut)?;
        match answer.status {
            200 => {}
            423 => return Err(End::Final(News::Locked)),
            401 => return Err(End::Final(News::SignedOut)),
            _ => return Err(End::Cut),
        }
        for entry in answer.json()["entries"].as_array().into_iter().flatten() {
            self.following.known = entry["number"].as_u64().unwrap_or(self.following.known);
            self.tell(News::Entry(entry.clone()))?;
        }
        Ok(())
    }

    fn tell(&self, news: News) -> Result<(), End> {
        self.told.send(news).map_err(|_| End::Left)
    }
}
