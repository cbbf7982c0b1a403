//! The client against scripted servers and resolvers on loopback.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "tests run servers on loopback")]

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use domain::address::Class;
use egress::{Client, EgressError, Grant, Limits, Method, Phase, Purpose, Request, Resolve, SystemResolver};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Answers each connection with these bytes, after its request came, and then holds it open.
async fn server(answer: &'static [u8], close: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = vec![0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(answer).await;
                if !close {
                    tokio::time::sleep(Duration::from_secs(600)).await;
                }
            });
        }
    });
    address
}

struct Answers(Vec<IpAddr>, AtomicUsize);

#[async_trait]
impl Resolve for Answers {
    async fn lookup(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        self.1.fetch_add(1, Ordering::SeqCst);
        Ok(self.0.clone())
    }
}

fn limits() -> Limits {
    Limits {
        connect: Duration::from_secs(2),
        head: Duration::from_millis(500),
        idle: Duration::from_millis(500),
        body: 1000,
    }
}

fn client(grants: &[(&str, u16)]) -> Client {
    let grants = grants.iter().map(|(host, port)| Grant { host: (*host).to_owned(), port: *port }).collect();
    Client::new(Purpose::Provider, limits(), Arc::new(SystemResolver), grants)
}

fn get(url: String) -> Request {
    Request { method: Method::Get, url, headers: Vec::new(), body: Vec::new() }
}

async fn fetch(client: &Client, url: String) -> Result<String, EgressError> {
    let never = CancellationToken::new();
    let mut response = client.send(get(url), &never).await?;
    let mut text = String::new();
    while let Some(bytes) = response.body.next().await? {
        text.push_str(&String::from_utf8_lossy(&bytes));
    }
    Ok(text)
}

#[tokio::test]
async fn loopback_answers_only_where_it_was_granted() {
    let address = server(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", false).await;
    let url = format!("http://{address}/");
    let granted = client(&[("127.0.0.1", address.port())]);
    assert_eq!(fetch(&granted, url.clone()).await, Ok("hello".to_owned()));
    let other_port = client(&[("127.0.0.1", 1)]);
    assert!(matches!(fetch(&other_port, url).await, Err(EgressError::BadUrl(_))));
    let secure = fetch(&client(&[]), format!("https://{address}/")).await;
    assert!(matches!(secure, Err(EgressError::Blocked(refused)) if refused.class == Class::Loopback), "{secure:?}");
}

#[tokio::test]
async fn no_grant_opens_metadata() {
    let granted = client(&[("169.254.169.254", 80), ("metadata.goog", 80)]);
    for url in ["http://169.254.169.254/", "http://metadata.goog/", "http://0xA9FEA9FE/"] {
        assert!(matches!(fetch(&granted, url.to_owned()).await, Err(EgressError::Blocked(_))), "{url}");
    }
}

#[tokio::test]
async fn one_address_that_is_not_public_refuses_the_whole_answer() {
    let resolver =
        Arc::new(Answers(vec!["8.8.8.8".parse().unwrap(), "10.0.0.1".parse().unwrap()], AtomicUsize::new(0)));
    let client = Client::new(Purpose::Provider, limits(), resolver.clone(), Vec::new());
    let answer = fetch(&client, "https://half.inside.com/".to_owned()).await;
    assert!(matches!(answer, Err(EgressError::Blocked(refused)) if refused.class == Class::Private), "{answer:?}");
    assert_eq!(resolver.1.load(Ordering::SeqCst), 1, "one lookup");
}

#[tokio::test]
async fn a_granted_name_goes_to_the_address_of_its_one_lookup() {
    let address = server(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", false).await;
    let resolver = Arc::new(Answers(vec![address.ip()], AtomicUsize::new(0)));
    let grant = Grant { host: "box.lan".to_owned(), port: address.port() };
    let client = Client::new(Purpose::Provider, limits(), resolver.clone(), vec![grant]);
    let url = format!("http://box.lan:{}/", address.port());
    assert_eq!(fetch(&client, url).await, Ok("ok".to_owned()));
    assert_eq!(resolver.1.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn redirects_end_the_call() {
    let address =
        server(b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n", false).await;
    let client = client(&[("127.0.0.1", address.port())]);
    assert_eq!(fetch(&client, format!("http://{address}/")).await, Err(EgressError::Redirected));
}

#[tokio::test]
async fn too_many_bytes_too_long_silences_and_broken_ends_are_told_apart() {
    let huge = server(b"HTTP/1.1 200 OK\r\ncontent-length: 1200\r\n\r\n0123456789", false).await;
    let client_of = |address: SocketAddr| client(&[("127.0.0.1", address.port())]);
    let silent_body = fetch(&client_of(huge), format!("http://{huge}/")).await;
    assert_eq!(silent_body, Err(EgressError::Timeout(Phase::Reading)));
    let silent = server(b"", false).await;
    assert_eq!(fetch(&client_of(silent), format!("http://{silent}/")).await, Err(EgressError::Timeout(Phase::Waiting)));
    let broken = server(b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n0123456789", true).await;
    assert!(matches!(fetch(&client_of(broken), format!("http://{broken}/")).await, Err(EgressError::Broken(_))));
    static FLOOD: [u8; 3000] = [b'x'; 3000];
    let long: &'static [u8] = [b"HTTP/1.1 200 OK\r\ncontent-length: 3000\r\n\r\n".as_slice(), &FLOOD].concat().leak();
    let flood = server(long, false).await;
    assert_eq!(fetch(&client_of(flood), format!("http://{flood}/")).await, Err(EgressError::TooLarge(1000)));
}

#[tokio::test]
async fn a_cancel_ends_waiting_within_200_ms() {
    let silent = server(b"", false).await;
    let client = client(&[("127.0.0.1", silent.port())]);
    let cancel = CancellationToken::new();
    let canceller = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        cancel.cancel();
        Instant::now()
    };
    let (answer, at) = tokio::join!(client.send(get(format!("http://{silent}/")), &cancel), canceller);
    assert!(matches!(answer, Err(EgressError::Cancelled)));
    assert!(at.elapsed() < Duration::from_millis(200));
}

#[tokio::test]
async fn headers_of_framing_are_not_the_callers() {
    let client = client(&[("127.0.0.1", 1)]);
    for (name, value) in [("Host", "a"), ("transfer-encoding", "chunked"), ("x", "a\r\nb: c"), ("proxy-x", "1")] {
        let request =
            Request { headers: vec![(name.to_owned(), value.to_owned())], ..get("http://127.0.0.1:1/".to_owned()) };
        let answer = client.send(request, &CancellationToken::new()).await;
        assert!(matches!(answer, Err(EgressError::BadUrl(_) | EgressError::Connect(_))), "{name}");
    }
}

#[test]
fn every_url_of_the_cases_is_judged_as_they_say() {
    let cases =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/cases/ssrf-cases.tsv")).unwrap();
    let rows = cases.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let rows: Vec<_> = rows.filter(|row| row[3] == "url").collect();
    let wrong = |row: &&Vec<&str>| egress::judge_url(row[0]).is_ok() != (row[1] == "allow");
    let wrong: Vec<_> = rows.iter().filter(wrong).map(|row| (row[0], row[1], row[2])).collect();
    assert!(rows.len() > 150 && wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), rows.len());
}
