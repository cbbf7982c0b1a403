//! Follows one conversation: every entry once and in order, what is being written as it comes. It reconnects by itself
//! and asks over HTTP for what it missed, so a cut loses nothing. It shows nothing.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::signed_in::address;
use super::socket::{Closed, NoStream, Socket};
use crate::client::Client;
use crate::config::Config;
use crate::wire::answer::EntryPage;
use crate::wire::entry::EntryView;
use crate::wire::frame::{Carried, Delta, Frame};
use crate::wire::word::Channel;

/// What happened.
#[derive(Debug)]
pub(super) enum News {
    /// A durable entry.
    Entry(Box<EntryView>),
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
            let frame = match serde_json::from_str(&text) {
                Ok(frame) => frame,
                // A frame of a newer release.
                Err(fault) if fault.is_data() => continue,
                Err(_) => return End::Cut,
            };
            if matches!(frame, Frame::Ping {}) && socket.send("{\"pong\":{}}").await.is_err() {
                return End::Cut;
            }
            if matches!(frame, Frame::Live { .. }) {
                (live, *failed) = (true, 0);
            }
            if let Err(end) = self.take(frame, live).await {
                return end;
            }
        }
    }

    async fn take(&mut self, frame: Frame, live: bool) -> Result<(), End> {
        match frame {
            Frame::Live { .. } => {
                self.catch_up().await?;
                let early: Vec<News> = self.early.drain(..).collect();
                early.into_iter().chain([News::Live]).try_for_each(|news| self.tell(news))
            }
            Frame::Entry { entry, .. } => self.entry(entry).await,
            Frame::Delta(delta) if self.is_ours(&delta.conversation) => self.delta(delta),
            Frame::Snapshot { conversation, reply_id, text, .. } if self.is_ours(&conversation) => {
                let news = News::SoFar { reply: reply_id, text };
                if live {
                    return self.tell(news);
                }
                self.early.push_back(news);
                Ok(())
            }
            Frame::Withdrawn { conversation, reply_id, reason } if self.is_ours(&conversation) => {
                self.tell(News::Withdrawn { reply: reply_id, reason })
            }
            Frame::Delta(_)
            | Frame::Snapshot { .. }
            | Frame::Withdrawn { .. }
            | Frame::Hint(_)
            | Frame::Reset { .. }
            | Frame::Ping {} => Ok(()),
        }
    }

    fn is_ours(&self, conversation: &str) -> bool {
        self.following.conversation == conversation
    }

    /// What a reply says is told; what it thinks, writes into calls or puts out is not.
    fn delta(&self, delta: Delta) -> Result<(), End> {
        let Delta { channel, reply_id, offset, text, .. } = delta;
        match (channel, reply_id) {
            (Channel::Text, Some(reply)) => {
                let offset = usize::try_from(offset).unwrap_or_default();
                self.tell(News::Piece { reply, offset, text })
            }
            (Channel::Text, None) | (Channel::Reasoning | Channel::Arguments | Channel::Output, _) => Ok(()),
        }
    }

    /// An entry of the vault: the next one of ours is told, a hole is filled over HTTP.
    async fn entry(&mut self, carried: Carried) -> Result<(), End> {
        let (conversation, number) = match &carried {
            Carried::Whole(entry) => (&entry.conversation, entry.number),
            Carried::Header { header } => (&header.conversation, header.number),
        };
        if !self.is_ours(conversation) || number <= self.following.known {
            return Ok(());
        }
        match carried {
            Carried::Whole(entry) if number == self.following.known + 1 => {
                self.following.known = number;
                self.tell(News::Entry(entry))
            }
            Carried::Whole(_) | Carried::Header { .. } => self.catch_up().await,
        }
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
        let page: EntryPage = serde_json::from_slice(&answer.body).map_err(|_| End::Cut)?;
        for entry in page.entries {
            self.following.known = entry.number;
            self.tell(News::Entry(Box::new(entry)))?;
        }
        Ok(())
    }

    fn tell(&self, news: News) -> Result<(), End> {
        self.told.send(news).map_err(|_| End::Left)
    }
}
