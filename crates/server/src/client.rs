//! A small client for the API of a server on this machine: what the command line and the tests speak through. It opens
//! connections to loopback only; the way to any other host is `egress`.

use std::io;
use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Bytes of an answer that are read at most (64 MiB).
const LONGEST: u64 = 64 * 1024 * 1024;

/// A browser's part: where the server is, and what it gave us.
#[derive(Debug, Clone)]
pub struct Client {
    /// Where the server listens.
    pub address: SocketAddr,
    /// Name and value of the session cookie.
    pub cookie: Option<String>,
    /// The token for changing requests.
    pub csrf: Option<String>,
}

/// One answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The word of a problem.
    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

impl Client {
    /// Nobody is signed in yet. Refuses an address beyond this machine.
    pub fn new(address: SocketAddr) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            return Err(io::Error::other("the client speaks with this machine only"));
        }
        Ok(Self { address, cookie: None, csrf: None })
    }

    /// Signs in and keeps the session.
    pub async fn sign_in(&mut self, handle: &str, password: &str, keep: bool) -> io::Result<Answer> {
        let form = serde_json::json!({ "handle": handle, "password": password, "keep": keep });
        let answer = self.send("POST", "/api/v1/sessions", &[], Some(&form)).await?;
        self.keep(&answer);
        Ok(answer)
    }

    /// Opens the vault and keeps the new token.
    pub async fn unlock(&mut self, password: &str) -> io::Result<Answer> {
        let form = serde_json::json!({ "password": password });
        let answer = self.send("POST", "/api/v1/session/unlock", &[], Some(&form)).await?;
        self.keep(&answer);
        Ok(answer)
    }

    /// Keeps cookie and token of an answer that gives a session.
    fn keep(&mut self, answer: &Answer) {
        if !(200..300).contains(&answer.status) {
            return;
        }
        let cookies = answer.headers.iter().filter(|(name, _)| name == "set-cookie");
        let pairs = cookies.filter_map(|(_, value)| value.split(';').next());
        if let Some(session) = pairs.into_iter().find(|pair| pair.starts_with("riad-local=")) {
            self.cookie = Some(session.to_owned());
        }
        self.csrf = answer.json()["csrf"].as_str().map(str::to_owned);
    }

    /// Reads.
    pub async fn get(&self, path: &str) -> io::Result<Answer> {
        self.send("GET", path, &[], None).await
    }

    /// Acts, with this key.
    pub async fn post(&self, path: &str, key: &str, body: &Value) -> io::Result<Answer> {
        self.send("POST", path, &[("idempotency-key", key)], Some(body)).await
    }

    /// One request, with everything that a page of this server would send.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> io::Result<Answer> {
        let origin = format!("http://{}", self.address);
        let mut all = vec![("origin", origin.as_str()), ("content-type", "application/json")];
        all.extend(self.cookie.as_deref().map(|cookie| ("cookie", cookie)));
        all.extend(self.csrf.as_deref().map(|csrf| ("x-riad-csrf", csrf)));
        all.extend(headers);
        let body = body.map(Value::to_string).unwrap_or_default();
        self.bare(method, path, &all, body.as_bytes()).await
    }

    /// One request with these headers alone, and `Host` unless it is among them.
    pub async fn bare(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> io::Result<Answer> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "host") {
            head.push_str(&format!("host: {}\r\n", self.address));
        }
        headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
        head.push_str("\r\n");
        let mut stream = self.connect().await?;
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body).await?;
        let mut bytes = Vec::new();
        stream.take(LONGEST).read_to_end(&mut bytes).await?;
        parse(&bytes).ok_or_else(no_http)
    }

    /// A bare connection, for what is not one request and one answer.
    pub(crate) async fn connect(&self) -> io::Result<TcpStream> {
        egress::connect_to_own(self.address).await
    }
}

/// The head of an answer, and how many bytes it takes; `None` while its end has not come.
pub(crate) fn head(bytes: &[u8]) -> Option<io::Result<(Answer, usize)>> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let answer = std::str::from_utf8(&bytes[..end]).ok().and_then(head_of);
    Some(answer.map(|answer| (answer, end + 4)).ok_or_else(no_http))
}

fn head_of(text: &str) -> Option<Answer> {
    let mut lines = text.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    Some(Answer { status, headers, body: Vec::new() })
}

fn no_http() -> io::Error {
    io::Error::other("the answer is not HTTP")
}

fn parse(bytes: &[u8]) -> Option<Answer> {
    let (Answer { status, headers, .. }, length) = head(bytes)?.ok()?;
    let body = &bytes[length..];
    let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = if chunked { joined(body)? } else { body.to_vec() };
    Some(Answer { status, headers, body })
}

/// A chunked body in one piece (RFC 9112, 7.1).
fn joined(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = bytes.windows(2).position(|two| two == b"\r\n")?;
        let length =
            usize::from_str_radix(std::str::from_utf8(&bytes[..line]).ok()?.split(';').next()?.trim(), 16).ok()?;
        let rest = &bytes[line + 2..];
        if length == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(..length)?);
        bytes = rest.get(length + 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::{Client, parse};

    #[test]
    fn chunked_and_plain_bodies_are_read() {
        let plain = parse(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\n\r\nok").unwrap();
        assert_eq!((plain.status, plain.header("x-a"), plain.body.as_slice()), (200, Some("b"), b"ok".as_slice()));
        let chunked =
            parse(b"HTTP/1.1 404 N\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n").unwrap();
        assert_eq!((chunked.status, chunked.body.as_slice()), (404, b"abcd".as_slice()));
    }

    #[test]
    fn another_machine_is_refused() {
        assert!(Client::new("192.0.2.1:80".parse().unwrap()).is_err());
    }
}
