//! The little of HTTP/1.1 (RFC 9112) that a scripted server needs: one request with a length, one answer.

use std::io;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The longest head and the longest body that are read.
const MOST: usize = 32 * 1024 * 1024;

/// The head of a request.
pub(super) struct Head {
    /// Method and path, for example `POST /v1/chat/completions`.
    pub(super) target: String,
    headers: Vec<(String, String)>,
}

impl Head {
    /// The value of a header; its name in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// Reads one request with its body.
pub(super) async fn read(stream: &mut TcpStream) -> io::Result<(Head, Vec<u8>)> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        more(stream, &mut bytes).await?;
    };
    let head = parse(&String::from_utf8_lossy(&bytes[..end]));
    let length = head.header("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        more(stream, &mut body).await?;
    }
    body.truncate(length);
    Ok((head, body))
}

async fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<()> {
    if bytes.len() > MOST || stream.read_buf(bytes).await? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

fn parse(text: &str) -> Head {
    let mut lines = text.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let target = first.rsplit_once(' ').map_or(first, |(target, _)| target).to_owned();
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    Head { target, headers: lines.filter_map(header).collect() }
}

/// Sends a whole answer.
pub(super) async fn answer(
    stream: &mut TcpStream,
    status: u16,
    retry_after: Option<u64>,
    body: &Value,
) -> io::Result<()> {
    let body = body.to_string();
    let retry = retry_after.map(|seconds| format!("retry-after: {seconds}\r\n")).unwrap_or_default();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\n{retry}content-length: {length}\r\n\
         connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}

/// An answer that is sent in chunks.
pub(super) struct Body<'a>(&'a mut TcpStream);

impl<'a> Body<'a> {
    /// Sends the head.
    pub(super) async fn begin(stream: &'a mut TcpStream, kind: &str) -> io::Result<Self> {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncache-control: no-store\r\ntransfer-encoding: chunked\r\n\
             connection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await?;
        Ok(Self(stream))
    }

    /// Sends one chunk.
    pub(super) async fn send(&mut self, text: &str) -> io::Result<()> {
        let chunk = format!("{:x}\r\n{text}\r\n", text.len());
        self.0.write_all(chunk.as_bytes()).await
    }

    /// Waits, and fails as soon as the client is gone.
    pub(super) async fn pause(&mut self, time: Duration) -> io::Result<()> {
        if time.is_zero() {
            return Ok(());
        }
        match tokio::time::timeout(time, self.until_gone()).await {
            Ok(gone) => gone,
            Err(_) => Ok(()),
        }
    }

    /// Waits until the client is gone, which is an error.
    pub(super) async fn until_gone(&mut self) -> io::Result<()> {
        let mut rest = [0; 64];
        while self.0.read(&mut rest).await? > 0 {}
        Err(io::ErrorKind::ConnectionAborted.into())
    }

    /// Ends the answer.
    pub(super) async fn end(self) -> io::Result<()> {
        self.0.write_all(b"0\r\n\r\n").await?;
        self.0.shutdown().await
    }
}
