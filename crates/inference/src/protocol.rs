//! The framed channel between `riad` and a worker process: frames, their codec and its faults (ENGINE-6, ENGINE-7).
//! Pure bytes in, frames out: no sockets, no processes, no meaning. What the bodies say is in `message`.
//!
//! A frame is `length: u32 LE | kind: u16 LE | request: u64 LE | body`, where `length` counts the body alone and is at
//! most 1 MiB. A body that is longer travels in pieces: all but the last carry the `MORE` bit in `kind`, and no other
//! frame of that side stands between them. Memory grows with the bytes that came, never with what a header claims.

pub mod message;

/// The version of the channel. Both sides must agree on it to the number.
pub const PROTOCOL: u32 = 2;
/// The largest body of one frame, in bytes (ENGINE-6).
pub const FRAME_LIMIT: usize = 1 << 20;
/// The largest message, joined from its pieces, in bytes (ENGINE-6: a prompt).
pub const MESSAGE_LIMIT: usize = 64 << 20;
/// Bytes before the body.
pub const HEADER: usize = 14;

const MORE: u16 = 0x8000;

/// What a message is. The numbers are the wire; a new kind takes a new number and old ones are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum Kind {
    /// To the worker: open a model.
    Load = 1,
    /// To the worker: count a prompt.
    Count = 2,
    /// To the worker: sample a reply.
    Sample = 3,
    /// To the worker: stop that request. Unknown and finished requests are ignored.
    Cancel = 4,
    /// To the worker: time the bare engine.
    Probe = 5,
    /// From the worker, first and unasked: who it is.
    Hello = 16,
    /// From the worker: how far a load is.
    Progress = 17,
    /// From the worker: a piece of the answer's text, as UTF-8.
    Text = 18,
    /// From the worker: a piece of reasoning, as UTF-8.
    Reasoning = 19,
    /// From the worker: a call began.
    Call = 20,
    /// From the worker: a piece of the newest call's arguments, as UTF-8.
    Arguments = 21,
    /// From the worker: work goes on.
    Beat = 22,
    /// From the worker: the request is done; the body depends on the request.
    Done = 23,
    /// From the worker: the request failed.
    Failed = 24,
    /// From the worker: the request was cancelled; the body is what a finished one would have had.
    Cancelled = 25,
}

const KINDS: [Kind; 15] = [
    Kind::Load,
    Kind::Count,
    Kind::Sample,
    Kind::Cancel,
    Kind::Probe,
    Kind::Hello,
    Kind::Progress,
    Kind::Text,
    Kind::Reasoning,
    Kind::Call,
    Kind::Arguments,
    Kind::Beat,
    Kind::Done,
    Kind::Failed,
    Kind::Cancelled,
];

impl Kind {
    fn from_wire(number: u16) -> Option<Kind> {
        KINDS.into_iter().find(|kind| *kind as u16 == number)
    }

    /// True for what a worker may send.
    #[must_use]
    pub fn is_from_worker(self) -> bool {
        self as u16 >= Kind::Hello as u16
    }

    /// True for the one message that ends a request.
    #[must_use]
    pub fn ends_request(self) -> bool {
        matches!(self, Kind::Done | Kind::Failed | Kind::Cancelled)
    }
}

/// One whole message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// What it is.
    pub kind: Kind,
    /// The request it belongs to; 0 belongs to none.
    pub request: u64,
    /// JSON or UTF-8, by kind.
    pub body: Vec<u8>,
}

/// Why bytes are not messages. Each of them ends the channel: there is no resynchronising.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A header claims more than a frame may hold.
    #[error("a frame of {0} bytes is over the limit")]
    FrameTooLong(usize),
    /// The pieces of one message sum to more than it may hold.
    #[error("a message over {MESSAGE_LIMIT} bytes")]
    MessageTooLong,
    /// A kind that this version does not know.
    #[error("unknown message kind {0}")]
    UnknownKind(u16),
    /// A frame of another message between the pieces of one.
    #[error("a message was interrupted by another one")]
    Interrupted,
    /// The bytes ended inside a message.
    #[error("the channel ended inside a message")]
    Truncated,
    /// A body that is not what its kind says.
    #[error("a body does not fit its kind {kind:?}: {reason}")]
    BadBody {
        /// The kind of the message.
        kind: Kind,
        /// What the parser said.
        reason: String,
    },
    /// A message that cannot stand where it does.
    #[error("message {0:?} is out of order")]
    OutOfOrder(Kind),
}

/// Turns a message into the bytes of its frames.
///
/// # Errors
/// `MessageTooLong` if the body is over the limit.
pub fn encode(message: &Message) -> Result<Vec<u8>, Fault> {
    if message.body.len() > MESSAGE_LIMIT {
        return Err(Fault::MessageTooLong);
    }
    let pieces = message.body.len().div_ceil(FRAME_LIMIT).max(1);
    let mut bytes = Vec::with_capacity(message.body.len() + pieces * HEADER);
    for piece in 0..pieces {
        let start = piece * FRAME_LIMIT;
        let end = (start + FRAME_LIMIT).min(message.body.len());
        let more = if piece + 1 < pieces { MORE } else { 0 };
        put_frame(&mut bytes, message.kind as u16 | more, message.request, &message.body[start..end]);
    }
    Ok(bytes)
}

fn put_frame(bytes: &mut Vec<u8>, kind: u16, request: u64, body: &[u8]) {
    let length = u32::try_from(body.len()).expect("a piece is at most FRAME_LIMIT bytes");
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&kind.to_le_bytes());
    bytes.extend_from_slice(&request.to_le_bytes());
    bytes.extend_from_slice(body);
}

/// One piece of a message, and whether more of it follows.
struct Frame {
    piece: Message,
    more: bool,
}

/// Turns bytes, however they are cut, into messages.
#[derive(Debug, Default)]
pub struct Decoder {
    unread: Vec<u8>,
    taken: usize,
    open: Option<Message>,
}

impl Decoder {
    /// A decoder at the start of a channel.
    #[must_use]
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// Adds bytes as they came.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.taken > 0 {
            self.unread.drain(..self.taken);
            self.taken = 0;
        }
        self.unread.extend_from_slice(bytes);
    }

    /// The next whole message, if its bytes are here.
    ///
    /// # Errors
    /// The first fault; after it the channel must be closed.
    pub fn next_message(&mut self) -> Result<Option<Message>, Fault> {
        while let Some(frame) = self.next_frame()? {
            if let Some(message) = self.join(frame)? {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    /// Says whether the bytes may end here.
    ///
    /// # Errors
    /// `Truncated` if a message has begun and is not whole.
    pub fn finish(&self) -> Result<(), Fault> {
        let at_border = self.taken == self.unread.len() && self.open.is_none();
        if at_border { Ok(()) } else { Err(Fault::Truncated) }
    }

    fn next_frame(&mut self) -> Result<Option<Frame>, Fault> {
        let rest = &self.unread[self.taken..];
        let Some((header, after)) = rest.split_first_chunk::<HEADER>() else { return Ok(None) };
        let length = u32::from_le_bytes([header[0], header[1], header[2], header[3]]) as usize;
        if length > FRAME_LIMIT {
            return Err(Fault::FrameTooLong(length));
        }
        let number = u16::from_le_bytes([header[4], header[5]]);
        let kind = Kind::from_wire(number & !MORE).ok_or(Fault::UnknownKind(number))?;
        let Some(body) = after.get(..length) else { return Ok(None) };
        let mut request = [0; 8];
        request.copy_from_slice(&header[6..]);
        let piece = Message { kind, request: u64::from_le_bytes(request), body: body.to_vec() };
        let frame = Frame { piece, more: number & MORE != 0 };
        self.taken += HEADER + length;
        Ok(Some(frame))
    }

    fn join(&mut self, Frame { piece, more }: Frame) -> Result<Option<Message>, Fault> {
        let whole = match self.open.take() {
            None => piece,
            Some(open) if open.kind == piece.kind && open.request == piece.request => extend(open, &piece.body)?,
            Some(_) => return Err(Fault::Interrupted),
        };
        if more {
            self.open = Some(whole);
            return Ok(None);
        }
        Ok(Some(whole))
    }
}

fn extend(mut open: Message, body: &[u8]) -> Result<Message, Fault> {
    if open.body.len() + body.len() > MESSAGE_LIMIT {
        return Err(Fault::MessageTooLong);
    }
    open.body.extend_from_slice(body);
    Ok(open)
}
