//! A small server on loopback that speaks the wires of remote engines and says what its script says: it streams, stalls,
//! cuts, delays and fails on request, and keeps what it was asked. Not a general HTTP server: one request a connection.

mod http;
mod wire;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};

use http::{Body, Head};
use wire::Wire;

/// What the server says, in order.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The replies. One with `when` answers every request that fits it; the others are said in order, each once.
    pub replies: Vec<ScriptedReply>,
    /// Whether the script begins anew after its last reply. Otherwise further requests fail with 500.
    #[serde(default)]
    pub again: bool,
}

/// One reply.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptedReply {
    /// Only for a request whose last message holds these words.
    pub when: Option<String>,
    /// What it says.
    pub text: String,
    /// What it thinks.
    pub reasoning: String,
    /// The calls it makes.
    pub calls: Vec<ScriptedCall>,
    /// Characters of one piece of the stream.
    pub piece: usize,
    /// Milliseconds before the first piece.
    pub first_ms: u64,
    /// Milliseconds between pieces.
    pub delay_ms: u64,
    /// How the stream ends.
    pub end: StreamEnd,
    /// The finish reason, if it is not to follow from what is said.
    pub finish_reason: Option<String>,
    /// An HTTP status instead of a reply, when it is not 200.
    pub status: u16,
    /// Seconds of `retry-after`, with a status.
    pub retry_after: Option<u64>,
    /// The body that comes with a status.
    pub error: Value,
}

/// One call of a reply.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    /// The tool.
    pub name: String,
    /// The arguments: a text is sent as it is, anything else as its JSON.
    pub arguments: Value,
    /// The id on the wire; counted over the life of the server when it is left out.
    #[serde(default)]
    pub id: Option<String>,
}

/// How a stream ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamEnd {
    /// As it should.
    #[default]
    Done,
    /// The connection breaks after the last piece.
    Cut,
    /// Nothing more comes after the last piece, and the connection stays.
    Stall,
}

impl Default for ScriptedReply {
    fn default() -> Self {
        Self {
            when: None,
            text: String::new(),
            reasoning: String::new(),
            calls: Vec::new(),
            piece: 8,
            first_ms: 0,
            delay_ms: 0,
            end: StreamEnd::Done,
            finish_reason: None,
            status: 200,
            retry_after: None,
            error: Value::Null,
        }
    }
}

impl ScriptedReply {
    /// A reply of text.
    pub fn text(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// A reply that makes one call.
    pub fn call(name: &str, arguments: Value) -> Self {
        let call = ScriptedCall { name: name.to_owned(), arguments, id: None };
        Self { calls: vec![call], ..Self::default() }
    }

    /// A refusal of the request.
    pub fn status(status: u16, error: Value) -> Self {
        Self { status, error, ..Self::default() }
    }
}

/// The running server. It ends when it is dropped.
#[derive(Debug)]
pub struct ScriptedOpenAi {
    address: SocketAddr,
    shared: Arc<Shared>,
    _end: DropGuard,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    script: Script,
    next: usize,
    calls: usize,
    requests: Vec<Asked>,
    hung_up: usize,
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Method and path.
    pub target: String,
    /// The header `authorization`.
    pub authorization: Option<String>,
    /// The JSON body; null when there was none.
    pub body: Value,
}

impl ScriptedOpenAi {
    /// Starts on a free port of loopback.
    pub async fn start(script: Script) -> io::Result<Self> {
        Self::start_on(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), script).await
    }

    /// Starts on this address.
    pub async fn start_on(address: SocketAddr, script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { state: Mutex::new(State { script, ..State::default() }) });
        let end = CancellationToken::new();
        tokio::spawn(accept(listener, Arc::clone(&shared), end.clone()));
        Ok(Self { address, shared, _end: end.drop_guard() })
    }

    /// Starts with these replies, each said once.
    pub async fn say(replies: impl IntoIterator<Item = ScriptedReply>) -> io::Result<Self> {
        Self::start(Script { replies: replies.into_iter().collect(), again: false }).await
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What a client is given as base: `http://127.0.0.1:PORT/v1`. Every wire is spoken below it.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Adds a reply to the end of the script.
    pub fn push(&self, reply: ScriptedReply) {
        self.shared.lock().script.replies.push(reply);
    }

    /// What was asked so far, oldest first; lists of models are not counted.
    pub fn requests(&self) -> Vec<Asked> {
        self.shared.lock().requests.clone()
    }

    /// How many replies were asked for.
    pub fn count(&self) -> usize {
        self.shared.lock().requests.len()
    }

    /// How many clients went away before their reply was over.
    pub fn hung_up(&self) -> usize {
        self.shared.lock().hung_up
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The reply to a request, with ids for its calls.
    fn reply(&mut self, wire: Wire, asked: Asked) -> ScriptedReply {
        let last = wire.last_words(&asked.body);
        self.requests.push(asked);
        let mut reply = self.fitting(&last).or_else(|| self.in_order()).unwrap_or_else(|| {
            ScriptedReply::status(500, json!({ "error": { "message": "the script has no further reply" } }))
        });
        for call in &mut reply.calls {
            self.calls += 1;
            call.id.get_or_insert_with(|| format!("call_{}", self.calls));
        }
        reply
    }

    fn fitting(&self, last: &str) -> Option<ScriptedReply> {
        let fits = |reply: &&ScriptedReply| reply.when.as_ref().is_some_and(|words| last.contains(words));
        self.script.replies.iter().find(fits).cloned()
    }

    fn in_order(&mut self) -> Option<ScriptedReply> {
        let ordered: Vec<_> = self.script.replies.iter().filter(|reply| reply.when.is_none()).collect();
        let at = if self.script.again { self.next.checked_rem(ordered.len())? } else { self.next };
        let reply = (*ordered.get(at)?).clone();
        self.next += 1;
        Some(reply)
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, end: CancellationToken) {
    let mut open = JoinSet::new();
    while let Some(accepted) = end.run_until_cancelled(listener.accept()).await {
        let Ok((stream, _)) = accepted else { continue };
        let shared = Arc::clone(&shared);
        open.spawn(async move {
            // A client that goes away, or one that sends no request, is none of the server's troubles.
            let _ = serve(stream, &shared).await;
        });
        while open.try_join_next().is_some() {}
    }
    open.shutdown().await;
}

async fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (head, body) = http::read(&mut stream).await?;
    let asked = Asked {
        target: head.target.clone(),
        authorization: head.header("authorization").map(str::to_owned),
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    };
    let Some(wire) = Wire::of(&head.target) else { return other(&mut stream, &head).await };
    let streams = asked.body["stream"] == json!(true);
    let reply = shared.lock().reply(wire, asked);
    let said = if reply.status != 200 {
        http::answer(&mut stream, reply.status, reply.retry_after, &reply.error).await
    } else if streams {
        say(&mut stream, wire, &reply).await
    } else {
        tokio::time::sleep(Duration::from_millis(reply.first_ms)).await;
        match wire.whole(&reply) {
            Some(whole) => http::answer(&mut stream, 200, None, &whole).await,
            None => http::answer(&mut stream, 400, None, &json!({ "error": "only streams are scripted here" })).await,
        }
    };
    if said.is_err() {
        shared.lock().hung_up += 1;
    }
    said
}

async fn other(stream: &mut TcpStream, head: &Head) -> io::Result<()> {
    if head.target.ends_with("/models") {
        let model = json!({ "id": wire::MODEL, "object": "model", "owned_by": "test", "context_window": 32_768 });
        return http::answer(stream, 200, None, &json!({ "object": "list", "data": [model] })).await;
    }
    http::answer(stream, 404, None, &json!({ "error": { "message": "there is no such place here" } })).await
}

async fn say(stream: &mut TcpStream, wire: Wire, reply: &ScriptedReply) -> io::Result<()> {
    let mut body = Body::begin(stream, wire.content_type()).await?;
    body.pause(Duration::from_millis(reply.first_ms)).await?;
    for event in wire.pieces(reply) {
        body.send(&event).await?;
        body.pause(Duration::from_millis(reply.delay_ms)).await?;
    }
    match reply.end {
        StreamEnd::Cut => Ok(()),
        StreamEnd::Stall => body.until_gone().await,
        StreamEnd::Done => {
            for event in wire.closing(reply) {
                body.send(&event).await?;
            }
            body.end().await
        }
    }
}

#[cfg(test)]
mod tests;
