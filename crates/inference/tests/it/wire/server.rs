//! A server that sends prepared bytes, and the model that asks it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::model::{SampleFault, Sampled, Tier};
use egress::{Client, Grant, Limits, Purpose, SystemResolver};
use harness::ports::Model as _;
use inference::remote::{ApiKey, RemoteModel, RemoteOptions, WireKind};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::support::{Kept, prompt, read_file};

/// What a connection does after it got its request.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Send(Vec<u8>),
    Wait(Duration),
    /// Keeps the connection open without a word.
    Hold,
}

/// Plays one script a connection, in turn, and gives what it was asked: the head and the body.
pub(crate) async fn server(scripts: Vec<Vec<Step>>) -> (SocketAddr, mpsc::UnboundedReceiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (send, receive) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for script in scripts {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = send.send(request(&mut stream).await);
            tokio::spawn(play(stream, script));
        }
    });
    (address, receive)
}

async fn play(mut stream: TcpStream, script: Vec<Step>) {
    for step in script {
        match step {
            Step::Send(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            Step::Wait(time) => sleep(time).await,
            Step::Hold => sleep(Duration::from_secs(600)).await,
        }
    }
}

async fn request(stream: &mut TcpStream) -> (String, String) {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            if body.len() >= length.parse().unwrap() {
                return (head.to_owned(), body.to_owned());
            }
        }
        let mut buffer = [0; 4096];
        let length = stream.read(&mut buffer).await.unwrap();
        bytes.extend_from_slice(&buffer[..length]);
    }
}

pub(crate) fn chunk(bytes: &[u8]) -> Vec<u8> {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    chunk
}

pub(crate) fn head() -> Vec<u8> {
    b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n".to_vec()
}

/// The answer in these pieces, each in a chunk of its own, with the end of the body where `ends`.
pub(crate) fn answer(pieces: &[&[u8]], ends: bool) -> Vec<Step> {
    let mut bytes = head();
    pieces.iter().filter(|piece| !piece.is_empty()).for_each(|piece| bytes.extend(chunk(piece)));
    if ends {
        bytes.extend_from_slice(b"0\r\n\r\n");
    }
    vec![Step::Send(bytes)]
}

pub(crate) fn refused(status: u16, headers: &str, body: &Value) -> Vec<Step> {
    let body = body.to_string();
    let answer = format!("HTTP/1.1 {status} No\r\n{headers}content-length: {}\r\n\r\n{body}", body.len());
    vec![Step::Send(answer.into_bytes())]
}

pub(crate) fn options(wire: WireKind, address: SocketAddr) -> RemoteOptions {
    RemoteOptions {
        key: Some(ApiKey::new("secret-key")),
        output_cap: Some(50),
        lineage: "small".to_owned(),
        first_token: Duration::from_millis(700),
        stall: Duration::from_millis(700),
        ..RemoteOptions::new(wire, &format!("http://{address}/v1"), "small", 8192, Tier::Any)
    }
}

pub(crate) fn model(options: RemoteOptions, address: SocketAddr) -> RemoteModel {
    let grant = Grant { host: address.ip().to_string(), port: address.port() };
    let limits = Limits { connect: Duration::from_secs(2), ..inference::remote::limits() };
    RemoteModel::new(options, Client::new(Purpose::Provider, limits, Arc::new(SystemResolver), vec![grant]))
}

/// What a model of this wire makes of one script.
pub(crate) async fn sample(wire: WireKind, script: Vec<Step>) -> (Kept, Result<Sampled, SampleFault>) {
    let (address, _asked) = server(vec![script]).await;
    let (kept, asked) = (Kept::default(), prompt("Hello", vec![read_file()]));
    let reply = model(options(wire, address), address).sample(&asked, &kept, &CancellationToken::new()).await;
    (kept, reply)
}
