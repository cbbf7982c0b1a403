//! One stream from its first frame to its end.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use domain::entry::Body;
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use store::{Sequenced, SessionToken};
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until, timeout};

use super::{Ending, Mailbox};
use crate::room::Room;
use crate::state::App;
use crate::wire::frame::{ClientFrame, Frame};

/// The first frame comes within this time.
const FIRST_FRAME: Duration = Duration::from_secs(10);
/// Deltas are joined for so long (UI-16).
const JOIN: Duration = Duration::from_millis(50);
/// A client that takes no frame for so long does not read (UI-18).
const STUCK: Duration = Duration::from_secs(10);
/// UI-19.
const PING: Duration = Duration::from_secs(15);
/// UI-19.
const DEAD: Duration = Duration::from_secs(40);
/// PEOPLE-11.
const RECHECK: Duration = Duration::from_secs(30);
/// A client that is further behind loads over HTTP (UI-15).
const MOST_BEHIND: u64 = 10_000;
/// Entries read from the vault at once.
const PAGE: usize = 64;
/// Bytes of a client's frame (UI-18).
const LONGEST_FRAME: usize = 16 * 1024;
/// Frames a second that a client may send (UI-18).
const MOST_FRAMES: u32 = 20;

/// Feeds a stream until it ends, then says why.
pub async fn follow(app: Arc<App>, room: Arc<Room>, token: Arc<SessionToken>, session: String, socket: WebSocket) {
    let mailbox = Arc::new(Mailbox::new(session, app.now()));
    room.hub.join(&mailbox);
    let (out, mut frames) = socket.split();
    let mut stream = Stream {
        head: room.vault.follow_head(),
        sent: 0,
        flushed: Instant::now() - JOIN,
        heard: Instant::now(),
        second: (Instant::now(), 0),
        app,
        token,
        mailbox,
        room,
        out,
    };
    let end = stream.run(&mut frames).await;
    stream.room.hub.leave(&stream.mailbox);
    if let Err(Some(why)) = end {
        let close = CloseFrame { code: why as u16, reason: why.reason().into() };
        let _ = timeout(Duration::from_secs(1), stream.out.send(Message::Close(Some(close)))).await;
    }
    let _ = timeout(Duration::from_secs(1), stream.out.close()).await;
    drain(frames).await;
}

struct Stream {
    app: Arc<App>,
    room: Arc<Room>,
    token: Arc<SessionToken>,
    mailbox: Arc<Mailbox>,
    out: SplitSink<WebSocket, Message>,
    head: watch::Receiver<u64>,
    /// The last number that the client has.
    sent: u64,
    flushed: Instant,
    heard: Instant,
    second: (Instant, u32),
}

/// `None`: the other end is gone. `Some`: we end it, and say why.
type Ends<T> = Result<T, Option<Ending>>;

impl Stream {
    async fn run(&mut self, frames: &mut SplitStream<WebSocket>) -> Ends<()> {
        // A session that ended before its stream was known to the hub would have been told nothing.
        self.check_session().await?;
        self.open(frames).await?;
        let mut ping = ticks(PING);
        let mut recheck = ticks(RECHECK);
        loop {
            self.pump().await?;
            let join = self.flushed + JOIN;
            tokio::select! {
                changed = self.head.changed() => changed.map_err(|_| Some(Ending::Locked))?,
                () = wait_for_mail(&self.mailbox, join) => {}
                frame = frames.next() => self.client(frame).await?,
                _ = ping.tick() => self.ping().await?,
                _ = recheck.tick() => self.check_session().await?,
                () = self.app.closing.cancelled() => return Err(Some(Ending::Shutdown)),
            }
        }
    }

    /// The first frame says where the client stands.
    async fn open(&mut self, frames: &mut SplitStream<WebSocket>) -> Ends<()> {
        let first = timeout(FIRST_FRAME, next_text(frames)).await.map_err(|_| Some(Ending::NotUnderstood))??;
        let Ok(ClientFrame::Open { epoch, seq, watch }) = serde_json::from_str(&first) else {
            return Err(Some(Ending::NotUnderstood));
        };
        self.mailbox.watch(watch.clone());
        self.begin(epoch.as_deref(), seq).await?;
        self.send_entries().await?;
        self.room.hub.snapshots(&self.mailbox, &watch);
        self.send_mail().await?;
        let live = Frame::Live { epoch: self.epoch(), seq: self.sent };
        self.send(live.text()).await
    }

    /// Where to go on from; a number that means nothing here is reset.
    async fn begin(&mut self, epoch: Option<&str>, seq: u64) -> Ends<()> {
        let head = self.room.vault.head_seq();
        let fits = epoch == Some(self.room.vault.epoch()) && seq <= head && head - seq <= MOST_BEHIND;
        self.sent = if fits { seq } else { head };
        if fits {
            return Ok(());
        }
        let reset = Frame::Reset { epoch: self.epoch(), seq: head };
        self.send(reset.text()).await
    }

    fn epoch(&self) -> String {
        self.room.vault.epoch().to_owned()
    }

    /// Sends all that there is: entries first, as they replace what was streamed of them.
    async fn pump(&mut self) -> Ends<()> {
        self.send_entries().await?;
        if self.mailbox.is_urgent() || self.flushed.elapsed() >= JOIN {
            self.send_mail().await?;
        }
        Ok(())
    }

    async fn send_entries(&mut self) -> Ends<()> {
        loop {
            self.head.borrow_and_update();
            let page = self.room.vault.entries_since(self.sent, PAGE).await.map_err(|_| Some(Ending::Locked))?;
            if page.is_empty() {
                return Ok(());
            }
            for item in &page {
                self.send_entry(item).await?;
            }
        }
    }

    async fn send_entry(&mut self, item: &Sequenced) -> Ends<()> {
        if let Body::Replied(reply) = &item.entry.body {
            self.mailbox.finish(reply.id.as_str());
        }
        let watched = self.mailbox.watches(&item.conversation);
        self.send(Frame::entry(item, watched)).await?;
        self.sent = item.seq;
        Ok(())
    }

    async fn send_mail(&mut self) -> Ends<()> {
        let taken = self.mailbox.take();
        if let Some(why) = taken.ending {
            return Err(Some(why));
        }
        if !taken.deltas.is_empty() {
            self.flushed = Instant::now();
        }
        for frame in taken.frames.into_iter().chain(taken.deltas.into_iter().map(Frame::Delta)) {
            self.send(frame.text()).await?;
        }
        Ok(())
    }

    async fn send(&mut self, text: String) -> Ends<()> {
        match timeout(STUCK, self.out.send(Message::Text(text.into()))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(None),
            Err(_) => Err(Some(Ending::TooSlow)),
        }
    }

    async fn client(&mut self, frame: Option<Result<Message, axum::Error>>) -> Ends<()> {
        let frame = read(frame)?;
        self.heard = Instant::now();
        self.mailbox.hears(self.app.now());
        self.count_frame()?;
        match frame {
            Message::Text(text) => self.asked(&text),
            Message::Binary(_) => Err(Some(Ending::NotUnderstood)),
            Message::Ping(_) | Message::Pong(_) => Ok(()),
            Message::Close(_) => Err(None),
        }
    }

    fn asked(&mut self, text: &str) -> Ends<()> {
        match serde_json::from_str(text).map_err(|_| Some(Ending::NotUnderstood))? {
            ClientFrame::Open { .. } => return Err(Some(Ending::NotUnderstood)),
            ClientFrame::Watch(conversations) => {
                let new = self.mailbox.watch(conversations);
                self.room.hub.snapshots(&self.mailbox, &new);
            }
            ClientFrame::Snapshot { reply_id } => self.room.hub.snapshot(&self.mailbox, &reply_id),
            ClientFrame::Pong(_) => {}
        }
        Ok(())
    }

    fn count_frame(&mut self) -> Ends<()> {
        if self.second.0.elapsed() >= Duration::from_secs(1) {
            self.second = (Instant::now(), 0);
        }
        self.second.1 += 1;
        if self.second.1 > MOST_FRAMES { Err(Some(Ending::TooMuch)) } else { Ok(()) }
    }

    async fn ping(&mut self) -> Ends<()> {
        if self.heard.elapsed() > DEAD {
            return Err(None);
        }
        self.send(Frame::Ping {}.text()).await
    }

    /// A session that was ended elsewhere, or whose vault was closed, gets nothing more.
    async fn check_session(&mut self) -> Ends<()> {
        let session = self.app.instance.session(&self.token, self.app.now()).await;
        match session {
            Ok(Some(session)) if self.app.instance.vault(&session).is_some() => Ok(()),
            Ok(Some(_)) => Err(Some(Ending::Locked)),
            Ok(None) | Err(_) => Err(Some(Ending::Revoked)),
        }
    }
}

fn ticks(period: Duration) -> Interval {
    let mut ticks = interval_at(Instant::now() + period, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Something waits: at once if it is urgent, else when the deltas have been joined long enough.
///
/// Safe to drop: what waits is looked at, not the bell alone.
async fn wait_for_mail(mailbox: &Mailbox, join: Instant) {
    while mailbox.is_empty() {
        mailbox.rung().await;
    }
    while !mailbox.is_urgent() && Instant::now() < join {
        tokio::select! {
            () = sleep_until(join) => return,
            () = mailbox.rung() => {}
        }
    }
}

async fn next_text(frames: &mut SplitStream<WebSocket>) -> Ends<String> {
    loop {
        match read(frames.next().await)? {
            Message::Text(text) => return Ok(text.to_string()),
            Message::Ping(_) | Message::Pong(_) => {}
            Message::Binary(_) => return Err(Some(Ending::NotUnderstood)),
            Message::Close(_) => return Err(None),
        }
    }
}

/// A frame that is not too long.
fn read(frame: Option<Result<Message, axum::Error>>) -> Ends<Message> {
    match frame {
        Some(Ok(Message::Text(text))) if text.len() > LONGEST_FRAME => Err(Some(Ending::TooMuch)),
        Some(Ok(Message::Binary(bytes))) if bytes.len() > LONGEST_FRAME => Err(Some(Ending::TooMuch)),
        Some(Ok(frame)) => Ok(frame),
        Some(Err(fault)) if is_too_long(&fault) => Err(Some(Ending::TooMuch)),
        Some(Err(_)) | None => Err(None),
    }
}

/// Whether the protocol gave up on a frame because of its length. Its error type belongs to a crate that only `egress`
/// may name, so it is known by its words; a test sends such a frame.
fn is_too_long(fault: &axum::Error) -> bool {
    fault.to_string().starts_with("Space limit exceeded")
}

/// Takes what the client still sends, at most for so long: a connection that is closed over unread bytes is reset, and
/// the client would not read why.
async fn drain(mut frames: SplitStream<WebSocket>) {
    let rest = async { while let Some(Ok(_)) = frames.next().await {} };
    let _ = timeout(Duration::from_secs(1), rest).await;
}
