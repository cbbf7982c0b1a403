//! A page's end of the event stream: it keeps what it is owed and fails the test when something is lost or doubled.

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use server::client::Client;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

pub(crate) struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    /// Connects as the page of this client would.
    pub(crate) async fn open(client: &Client) -> Result<Self, Error> {
        Self::speaking(client, Some("riad.v1")).await
    }

    /// Connects and names this protocol.
    pub(crate) async fn speaking(client: &Client, protocol: Option<&str>) -> Result<Self, Error> {
        let mut request = format!("ws://{}/api/v1/events", client.address).into_client_request()?;
        let headers = request.headers_mut();
        let mut put = |name: &'static str, value: &str| headers.insert(name, value.parse().unwrap());
        put("origin", &format!("http://{}", client.address));
        if let Some(protocol) = protocol {
            put("sec-websocket-protocol", protocol);
        }
        if let Some(cookie) = &client.cookie {
            put("cookie", cookie);
        }
        let stream = TcpStream::connect(client.address).await?;
        let (socket, _) = client_async(request, stream).await?;
        Ok(Self(socket))
    }

    pub(crate) async fn send(&mut self, frame: &Value) -> Result<(), Error> {
        self.0.send(Message::text(frame.to_string())).await
    }

    /// The next frame; the close code when the server ended it.
    pub(crate) async fn next(&mut self) -> Result<Value, Option<u16>> {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(close))) => return Err(close.map(|close| close.code.into())),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(None),
            }
        }
    }
}

/// What a page knows: where it is, and the entries it has taken in.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) epoch: Option<String>,
    pub(crate) seq: u64,
    pub(crate) entries: Vec<Value>,
    /// Text of running replies, joined from snapshots and deltas.
    pub(crate) drafts: std::collections::HashMap<String, String>,
    /// Replies of which a part is missing.
    pub(crate) holes: usize,
    pub(crate) live: bool,
}

impl Page {
    pub(crate) fn open_frame(&self, watch: &[String]) -> Value {
        match &self.epoch {
            Some(epoch) => json!({ "open": { "epoch": epoch, "seq": self.seq, "watch": watch } }),
            None => json!({ "open": { "seq": 0, "watch": watch } }),
        }
    }

    pub(crate) fn take(&mut self, frame: &Value) {
        match frame["kind"].as_str().unwrap() {
            "entry" => self.entry(frame),
            "delta" if frame["channel"] == "text" => self.delta(frame),
            "snapshot" => {
                self.drafts.insert(text(&frame["reply_id"]), text(&frame["text"]));
            }
            "live" => self.live = true,
            "reset" => {
                self.epoch = Some(text(&frame["epoch"]));
                self.seq = frame["seq"].as_u64().unwrap();
            }
            _ => {}
        }
        if frame["kind"] == "live" {
            self.epoch = Some(text(&frame["epoch"]));
            assert_eq!(frame["seq"].as_u64(), Some(self.seq), "live means that everything was sent");
        }
    }

    fn entry(&mut self, frame: &Value) {
        let seq = frame["seq"].as_u64().unwrap();
        if seq <= self.seq {
            panic!("entry {seq} came although {} was known", self.seq);
        }
        assert_eq!(seq, self.seq + 1, "an entry is missing");
        self.seq = seq;
        self.entries.push(frame["entry"].clone());
    }

    fn delta(&mut self, frame: &Value) {
        let draft = self.drafts.entry(text(&frame["reply_id"])).or_default();
        let offset = frame["offset"].as_u64().unwrap() as usize;
        if offset == draft.len() {
            draft.push_str(frame["text"].as_str().unwrap());
        } else {
            self.holes += 1;
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
