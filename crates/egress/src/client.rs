//! The client: one constructor, one way to send. Each request is judged, dialled, timed and counted.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{HeaderName, HeaderValue};
use tokio::time::{Instant, timeout};
use tokio_rustls::rustls::ClientConfig;
use tokio_util::sync::CancellationToken;

use crate::body::Body;
use crate::connection::{connect, trust};
use crate::judge::judge_port;
use crate::resolve::{Resolve, checked_addresses};
use crate::target::{Target, read_target};
use crate::{EgressError, Phase};

/// What the client is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A provider of models: https, or plain http to a granted host.
    Provider,
    /// The web: http and https.
    Web,
}

/// A host and port that a person opened for this client. It never opens the link, metadata services or embedded forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// A name in ASCII, or an address without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl Grant {
    pub(crate) fn covers(&self, host: &str) -> bool {
        self.host.trim_end_matches('.').eq_ignore_ascii_case(host)
    }
}

/// Deadlines and caps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connecting, TLS included.
    pub connect: Duration,
    /// Until the head of the answer.
    pub head: Duration,
    /// Between two pieces of the body.
    pub idle: Duration,
    /// Bytes of an answer's body.
    pub body: u64,
}

impl Default for Limits {
    /// As for a provider of models (LOOP-16): 10 s, 120 s, 60 s, 64 MiB.
    fn default() -> Limits {
        Limits {
            connect: Duration::from_secs(10),
            head: Duration::from_secs(120),
            idle: Duration::from_secs(60),
            body: 64 << 20,
        }
    }
}

/// GET or POST.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Reads.
    Get,
    /// Sends.
    Post,
}

/// One request.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    /// Its method.
    pub method: Method,
    /// Where it goes.
    pub url: String,
    /// Headers; those of framing and routing are the client's own.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
}

impl fmt::Debug for Request {
    /// Headers may hold keys and bodies are people's words: neither is written out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("method", &self.method).field("url", &self.url).finish_non_exhaustive()
    }
}

/// The head of an answer, and its body to be read.
#[derive(Debug)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// Headers in lower case that are text.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Body,
}

impl Response {
    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

const MOST_HEADERS: usize = 100;
const HEAD_BYTES: usize = 64 << 10;
const REQUEST_BYTES: usize = 25 << 20;
/// Headers that only this client writes.
const OWN_HEADERS: [&str; 8] =
    ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "accept-encoding"];

/// The only HTTP client.
#[derive(Clone)]
pub struct Client {
    purpose: Purpose,
    limits: Limits,
    resolver: Arc<dyn Resolve>,
    grants: Arc<[Grant]>,
    trust: Arc<ClientConfig>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("purpose", &self.purpose).field("grants", &self.grants).finish_non_exhaustive()
    }
}

impl Client {
    /// The one constructor: a client without its guard cannot be made.
    #[must_use]
    pub fn new(purpose: Purpose, limits: Limits, resolver: Arc<dyn Resolve>, grants: Vec<Grant>) -> Client {
        Client { purpose, limits, resolver, grants: grants.into(), trust: trust() }
    }

    /// Sends one request. A redirect is an error: nothing is followed.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn send(&self, request: Request, cancel: &CancellationToken) -> Result<Response, EgressError> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(EgressError::Cancelled),
            response = self.exchange(request, cancel) => response,
        }
    }

    async fn exchange(&self, request: Request, cancel: &CancellationToken) -> Result<Response, EgressError> {
        let target = read_target(&request.url)?;
        self.judge_scheme(&target)?;
        let addresses = checked_addresses(&target, &self.grants, self.resolver.as_ref()).await?;
        let deadline = Instant::now() + self.limits.connect;
        let stream = connect(&target, &addresses, Arc::clone(&self.trust), deadline).await?;
        let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
            .max_headers(MOST_HEADERS)
            .max_buf_size(HEAD_BYTES)
            .handshake(stream)
            .await
            .map_err(|error| EgressError::Broken(error.to_string()))?;
        // The connection lives as long as its answer is read, and no longer.
        let close = CancellationToken::new();
        let guard = close.clone().drop_guard();
        tokio::spawn(async move {
            tokio::select! {
                () = close.cancelled() => {}
                _ = connection => {}
            }
        });
        let request = wire_request(&target, request)?;
        let answer = timeout(self.limits.head, sender.send_request(request)).await;
        let answer = answer.map_err(|_| EgressError::Timeout(Phase::Waiting))?;
        let answer = answer.map_err(|error| EgressError::Broken(error.to_string()))?;
        let status = answer.status().as_u16();
        if answer.status().is_redirection() {
            return Err(EgressError::Redirected);
        }
        let headers = answer.headers().iter();
        let headers =
            headers.filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())));
        let headers = headers.collect();
        let body = Body::new(answer.into_body(), self.limits.body, self.limits.idle, cancel.clone(), guard);
        Ok(Response { status, headers, body })
    }

    /// A provider gets prompts and a key: plain http only where a person granted exactly that host.
    fn judge_scheme(&self, target: &Target) -> Result<(), EgressError> {
        let granted = self.grants.iter().any(|grant| grant.port == target.port && grant.covers(&target.host.text()));
        match self.purpose {
            Purpose::Provider if !target.https && !granted => {
                Err(EgressError::BadUrl("a provider is reached by https; plain http needs a granted host"))
            }
            Purpose::Web if !granted => judge_port(target),
            Purpose::Provider | Purpose::Web => Ok(()),
        }
    }
}

fn wire_request(target: &Target, request: Request) -> Result<hyper::Request<Full<Bytes>>, EgressError> {
    let bad = EgressError::BadUrl;
    if request.body.len() > REQUEST_BYTES {
        return Err(EgressError::TooLarge(REQUEST_BYTES as u64));
    }
    let method = match request.method {
        Method::Get => hyper::Method::GET,
        Method::Post => hyper::Method::POST,
    };
    let mut wire = hyper::Request::builder().method(method).uri(target.path.as_str()).header("host", &target.authority);
    wire = wire.header("user-agent", concat!("Riad/", env!("CARGO_PKG_VERSION")));
    for (name, value) in &request.headers {
        let name = HeaderName::try_from(name).map_err(|_| bad("a header's name is not one"))?;
        if OWN_HEADERS.contains(&name.as_str()) || name.as_str().starts_with("proxy-") {
            return Err(bad("a header of framing or routing is not the caller's"));
        }
        wire = wire.header(name, HeaderValue::try_from(value).map_err(|_| bad("a header's value is not one"))?);
    }
    wire.body(Full::new(Bytes::from(request.body))).map_err(|_| bad("the request cannot be written"))
}
