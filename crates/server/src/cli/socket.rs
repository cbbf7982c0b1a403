//! The terminal's end of the event stream: a WebSocket (RFC 6455) over one connection to loopback, text frames only.
//! What the frames say is not looked at here.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::{Client, head};

/// The longest frame or head that is taken (4 MiB).
const LONGEST: usize = 4 * 1024 * 1024;

/// An open stream.
pub(super) struct Socket {
    stream: TcpStream,
    /// What came and was not taken yet.
    buffer: Vec<u8>,
    /// The pieces of a message whose end has not come yet.
    message: Vec<u8>,
}

/// Why there is no stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoStream {
    /// The server answered with this status.
    Status(u16),
    /// No connection.
    Cut,
}

/// Why a stream ended: the code that the server gave, if it gave one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Closed(pub(super) Option<u16>);

struct Frame {
    last: bool,
    kind: u8,
    payload: Vec<u8>,
}

const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

impl Socket {
    /// Opens the stream of a signed-in client.
    pub(super) async fn open(client: &Client, path: &str) -> Result<Self, NoStream> {
        let mut stream = client.connect().await.map_err(|_| NoStream::Cut)?;
        let address = client.address;
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\nconnection: Upgrade\r\n\
             upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-protocol: riad.v1\r\n\
             sec-websocket-key: {}\r\ncookie: {}\r\n\r\n",
            base64(&random::<16>()),
            client.cookie.as_deref().unwrap_or_default(),
        );
        stream.write_all(request.as_bytes()).await.map_err(|_| NoStream::Cut)?;
        let mut socket = Self { stream, buffer: Vec::new(), message: Vec::new() };
        match socket.status().await.map_err(|_| NoStream::Cut)? {
            101 => Ok(socket),
            status => Err(NoStream::Status(status)),
        }
    }

    /// The status of the answer; what follows its head stays in the buffer.
    async fn status(&mut self) -> io::Result<u16> {
        loop {
            if let Some(head) = head(&self.buffer) {
                let (answer, length) = head?;
                self.buffer.drain(..length);
                return Ok(answer.status);
            }
            self.read_more().await?;
        }
    }

    /// Sends a text.
    pub(super) async fn send(&mut self, text: &str) -> io::Result<()> {
        self.write(TEXT, text.as_bytes()).await
    }

    /// The next text. Safe to drop while nothing came: what was read stays in the buffer.
    pub(super) async fn next(&mut self) -> Result<String, Closed> {
        loop {
            match self.take().map_err(|_| Closed(None))? {
                Some(frame) => {
                    if let Some(text) = self.meet(frame).await? {
                        return Ok(text);
                    }
                }
                None => self.read_more().await.map_err(|_| Closed(None))?,
            }
        }
    }

    async fn meet(&mut self, frame: Frame) -> Result<Option<String>, Closed> {
        match frame.kind {
            TEXT | CONTINUATION => {
                self.message.extend(frame.payload);
                if self.message.len() > LONGEST {
                    return Err(Closed(None));
                }
                let whole = frame.last.then(|| std::mem::take(&mut self.message));
                whole.map(|bytes| String::from_utf8(bytes).map_err(|_| Closed(None))).transpose()
            }
            PING => self.write(PONG, &frame.payload).await.map(|()| None).map_err(|_| Closed(None)),
            CLOSE => Err(Closed(frame.payload.first_chunk().map(|code| u16::from_be_bytes(*code)))),
            _ => Ok(None),
        }
    }

    /// A frame from the buffer, once all of it is there.
    fn take(&mut self) -> io::Result<Option<Frame>> {
        let [first, second, rest @ ..] = self.buffer.as_slice() else { return Ok(None) };
        let (length, start) = match (second & 0x7f, rest) {
            (126, [a, b, ..]) => (u64::from(u16::from_be_bytes([*a, *b])), 4),
            (127, [a, b, c, d, e, f, g, h, ..]) => (u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]), 10),
            (126 | 127, _) => return Ok(None),
            (short, _) => (u64::from(short), 2),
        };
        let length = usize::try_from(length).ok().filter(|length| *length <= LONGEST);
        // A server never masks.
        let length = length.filter(|_| second & 0x80 == 0).ok_or_else(|| io::Error::other("no frame of a server"))?;
        if self.buffer.len() < start + length {
            return Ok(None);
        }
        let (last, kind) = (first & 0x80 != 0, first & 0x0f);
        let payload = self.buffer.drain(..start + length).skip(start).collect();
        Ok(Some(Frame { last, kind, payload }))
    }

    async fn read_more(&mut self) -> io::Result<()> {
        if self.buffer.len() > LONGEST + 16 || self.stream.read_buf(&mut self.buffer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// One whole frame, masked as a client's frames are (5.3).
    async fn write(&mut self, kind: u8, payload: &[u8]) -> io::Result<()> {
        let mut frame = vec![0x80 | kind];
        match payload.len() {
            short @ 0..=125 => frame.push(0x80 | short as u8),
            middle @ 126..=0xffff => {
                frame.push(0x80 | 126);
                frame.extend((middle as u16).to_be_bytes());
            }
            long => {
                frame.push(0x80 | 127);
                frame.extend((long as u64).to_be_bytes());
            }
        }
        let mask = random::<4>();
        frame.extend(mask);
        frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        self.stream.write_all(&frame).await
    }
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("a system without random numbers cannot run a client");
    bytes
}

/// RFC 4648, 4.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = char::from(LETTERS[(bits >> (18 - 6 * place) & 63) as usize]);
            text.push(if place <= three.len() { letter } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    /// RFC 4648, 10.
    #[test]
    fn base64_is_that_of_its_standard() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
