//! The worker's end of the channel, on standard input: a thread that reads requests and cancels, and a writer.
//! It knows messages, not models.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::process;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use inference::protocol::{Decoder, Fault, Kind, Message, encode, message};
use serde::Serialize;

/// Requests that somebody wants to end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cancels(Arc<Mutex<HashSet<u64>>>);

impl Cancels {
    /// True if the request shall end.
    pub(crate) fn wants(&self, request: u64) -> bool {
        self.lock().contains(&request)
    }

    /// Forgets a request that ended, and all before it: requests are numbered in order.
    pub(crate) fn forget(&self, request: u64) {
        self.lock().retain(|open| *open > request);
    }

    fn add(&self, request: u64) {
        self.lock().insert(request);
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<u64>> {
        // A set of numbers cannot be half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends messages to the server.
#[derive(Debug)]
pub(crate) struct Outlet {
    socket: File,
}

impl Outlet {
    /// Sends one message.
    pub(crate) fn send(&mut self, message: &Message) -> io::Result<()> {
        let bytes = encode(message).map_err(io::Error::other)?;
        self.socket.write_all(&bytes)
    }

    /// Sends one message with a JSON body.
    pub(crate) fn send_json<T: Serialize>(&mut self, kind: Kind, request: u64, body: &T) -> io::Result<()> {
        self.send(&message::json(kind, request, body))
    }

    /// Sends one message with a text body.
    pub(crate) fn send_text(&mut self, kind: Kind, request: u64, text: &str) -> io::Result<()> {
        self.send(&Message { kind, request, body: text.as_bytes().to_vec() })
    }
}

/// What the server sends.
#[derive(Debug)]
pub(crate) struct Inlet {
    socket: File,
    decoder: Decoder,
}

/// Opens the channel on standard input.
pub(crate) fn open() -> io::Result<(Inlet, Outlet)> {
    let socket = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let inlet = Inlet { socket: socket.try_clone()?, decoder: Decoder::new() };
    Ok((inlet, Outlet { socket }))
}

impl Inlet {
    /// Waits for the first message, before there is a second thread: what this process gives up then binds them all.
    pub(crate) fn first(&mut self) -> io::Result<Message> {
        loop {
            if let Some(message) = self.decoder.next_message().map_err(io::Error::other)? {
                return Ok(message);
            }
            self.read()?;
        }
    }

    /// Reads on in a thread of its own: what is asked, and what is cancelled.
    pub(crate) fn listen(self) -> io::Result<(Receiver<Message>, Cancels)> {
        let cancels = Cancels::default();
        let (requests, asked) = mpsc::channel();
        let noted = cancels.clone();
        thread::Builder::new().name("channel".to_owned()).spawn(move || read_all(self, &requests, &noted))?;
        Ok((asked, cancels))
    }

    fn read(&mut self) -> io::Result<()> {
        let mut buffer = [0; 64 << 10];
        match self.socket.read(&mut buffer) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(length) => {
                self.decoder.push(&buffer[..length]);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Reads until the server is gone, and then ends the process whatever it is doing: nobody wants its work any more.
fn read_all(mut inlet: Inlet, requests: &Sender<Message>, cancels: &Cancels) {
    loop {
        if let Err(fault) = hand_on(&mut inlet.decoder, requests, cancels) {
            // The supervisor reads the reason from the ring.
            let _ = writeln!(io::stderr(), "channel fault: {fault}");
            process::exit(3);
        }
        if inlet.read().is_err() {
            process::exit(0);
        }
    }
}

fn hand_on(decoder: &mut Decoder, requests: &Sender<Message>, cancels: &Cancels) -> Result<(), Fault> {
    while let Some(message) = decoder.next_message()? {
        if message.kind.is_from_worker() {
            return Err(Fault::OutOfOrder(message.kind));
        }
        if message.kind == Kind::Cancel {
            cancels.add(message.request);
        } else if requests.send(message).is_err() {
            process::exit(0);
        }
    }
    Ok(())
}
