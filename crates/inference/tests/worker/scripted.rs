//! A worker that does what a script says: the last line of the "model" file is a list of words, one for each sample this
//! process gets. It speaks the real channel, so that the supervisor is tested against dying, hanging, flooding and lying
//! workers without any native code.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it floods both streams on purpose")]
#![expect(clippy::disallowed_methods, reason = "it reads its script, counts its lives in a file and dies on purpose")]

mod counting;

use std::fs;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::thread::sleep;
use std::time::Duration;

use inference::dialect::ParsedCall;
use inference::protocol::message::{
    Beat, Counted, Failure, Hello, Load, Loaded, Sample, Sampled, SamplingHints, Stop, Times, Usage, json, read,
};
use inference::protocol::{Decoder, Kind, Message, PROTOCOL, encode};

struct Channel {
    socket: File,
    decoder: Decoder,
}

impl Channel {
    fn send(&mut self, message: &Message) {
        let bytes = encode(message).expect("scripted messages are small");
        if self.socket.write_all(&bytes).is_err() {
            std::process::exit(0);
        }
    }

    fn receive(&mut self) -> Message {
        loop {
            if let Some(message) = self.decoder.next_message().expect("the supervisor sends whole frames") {
                return message;
            }
            let mut buffer = [0; 65536];
            match self.socket.read(&mut buffer) {
                Ok(0) | Err(_) => std::process::exit(0),
                Ok(length) => self.decoder.push(&buffer[..length]),
            }
        }
    }

    fn text(&mut self, request: u64, text: &str) {
        self.send(&Message { kind: Kind::Text, request, body: text.as_bytes().to_vec() });
    }
}

fn main() {
    let socket = File::from(io::stdin().as_fd().try_clone_to_owned().expect("standard input is the channel"));
    let mut channel = Channel { socket, decoder: Decoder::new() };
    channel.send(&json(
        Kind::Hello,
        0,
        &Hello { protocol: PROTOCOL, build: String::new(), engine: "script".to_owned(), devices: Vec::new() },
    ));
    let message = channel.receive();
    let load: Load = read(&message).expect("the first message is a load");
    let life = count_life(&load.path);
    fs::write(format!("{}.pid", load.path), std::process::id().to_string()).expect("the folder can be written");
    let script = script(&load.path);
    let steps = script.get(life).or(script.last()).cloned().unwrap_or_default();
    if steps.first().is_some_and(|step| step == "die-loading") {
        std::process::abort();
    }
    channel.send(&json(Kind::Done, message.request, &loaded()));
    for step in steps.iter().cycle() {
        let message = next_sample(&mut channel, &steps);
        if message.kind == Kind::Sample {
            play(step, &mut channel, &message);
        }
    }
}

/// The next message that is not a count; counts are answered.
fn next_sample(channel: &mut Channel, steps: &[String]) -> Message {
    let has = |word: &str| steps.iter().any(|step| step == word);
    loop {
        let message = channel.receive();
        if message.kind != Kind::Count {
            return message;
        }
        let mut counted = match has("counted") {
            true => counting::count(&read(&message).expect("a count holds a prompt")),
            false => Counted { total: 42, parts: None, cached: 0 },
        };
        if has("miscounted") {
            counted.parts.iter_mut().for_each(|parts| parts.around += 1);
        }
        channel.send(&json(Kind::Done, message.request, &counted));
    }
}

fn play(step: &str, channel: &mut Channel, message: &Message) {
    let request = message.request;
    match step {
        "counted" | "miscounted" => {
            channel.text(request, "Hello.");
            let usage = decoded(message);
            channel.send(&json(Kind::Done, request, &Sampled { usage, ..sampled("Hello.", Stop::Natural) }));
        }
        "counted-call" => {
            let asked: Sample = read(message).expect("a sample holds a prompt");
            if asked.prompt.tools.is_empty() {
                // Whoever summarises has no tools.
                return play("counted", channel, message);
            }
            let (calls, usage) = (vec![call()], decoded(message));
            channel.send(&json(Kind::Done, request, &Sampled { calls, usage, ..sampled("", Stop::Calls) }));
        }
        "answer" => {
            channel.text(request, "Hel");
            channel.text(request, "lo.");
            channel.send(&json(Kind::Done, request, &sampled("Hello.", Stop::Natural)));
        }
        "call" => {
            channel.send(&json(Kind::Done, request, &Sampled { calls: vec![call()], ..sampled("", Stop::Calls) }));
        }
        "abort-midway" => {
            channel.text(request, "Hel");
            eprintln!("GGML_ASSERT(false) failed");
            std::process::abort();
        }
        "exit-midway" => {
            channel.text(request, "Hel");
            std::process::exit(7);
        }
        "half-a-frame" => {
            let bytes = encode(&json(Kind::Done, request, &sampled("", Stop::Natural))).expect("it is small");
            let _ = channel.socket.write_all(&bytes[..bytes.len() / 2]);
            std::process::exit(0);
        }
        "garbage" => {
            let _ = channel.socket.write_all(&[0xFF; 64]);
            sleep(Duration::from_secs(600));
        }
        "wrong-request" => channel.send(&json(Kind::Done, request + 100, &sampled("", Stop::Natural))),
        "not-utf8" => channel.send(&Message { kind: Kind::Text, request, body: vec![0xC3, 0x28] }),
        "flood" => {
            // More than a pipe and a ring hold, on both standard streams, before the answer.
            let line = "x".repeat(4095);
            for _ in 0..200 {
                println!("{line}");
                eprintln!("{line}");
            }
            for _ in 0..20_000 {
                channel.text(request, "0123456789");
            }
            channel.send(&json(Kind::Done, request, &sampled(&"0123456789".repeat(20_000), Stop::Natural)));
        }
        "hang" => sleep(Duration::from_secs(600)),
        "hang-beating" => loop {
            channel.send(&json(Kind::Beat, request, &Beat { prompt: 1, decoded: 1 }));
            sleep(Duration::from_millis(200));
        },
        "until-cancelled" => {
            channel.text(request, "Hel");
            let message = channel.receive();
            assert_eq!((message.kind, message.request), (Kind::Cancel, request));
            channel.send(&json(Kind::Cancelled, request, &sampled("Hel", Stop::Cancelled)));
        }
        "too-long" => channel.send(&json(Kind::Failed, request, &Failure::TooLong { needed: 9, window: 8 })),
        other => panic!("the script says {other}"),
    }
}

fn call() -> ParsedCall {
    ParsedCall { name: "read_file".to_owned(), arguments: "{}".to_owned(), ..ParsedCall::default() }
}

/// What a worker with the made-up tokenizer would say that it decoded.
fn decoded(message: &Message) -> Usage {
    let prompt = counting::decoded(&read(message).expect("a sample holds a prompt"));
    Usage { prompt, prefilled: prompt, decoded: 2, ..Usage::default() }
}

/// One line a life, its words in order; the last line also stands for all later lives.
fn script(path: &str) -> Vec<Vec<String>> {
    let bytes = fs::read(path).expect("the model file is there");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let script = text.split_once("SCRIPT\n").map(|(_, script)| script.to_owned()).unwrap_or_default();
    script.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
}

/// How many workers were started on this file before.
fn count_life(path: &str) -> usize {
    let lives = format!("{path}.lives");
    let before = fs::read_to_string(&lives).unwrap_or_default();
    fs::write(&lives, format!("{before}x")).expect("the folder can be written");
    before.len()
}

fn loaded() -> Loaded {
    Loaded {
        name: "script".to_owned(),
        architecture: "llama".to_owned(),
        window: 4096,
        trained_window: 8192,
        dialect: "hermes".to_owned(),
        dialect_source: "roles".to_owned(),
        constrained: true,
        reasoning: false,
        exact_reuse: true,
        sampling: SamplingHints::default(),
        backend: "cpu".to_owned(),
        missing_walls: Vec::new(),
    }
}

fn sampled(text: &str, stop: Stop) -> Sampled {
    Sampled {
        stop,
        text: text.to_owned(),
        reasoning: String::new(),
        calls: Vec::new(),
        foreign: None,
        usage: Usage { prompt: 10, prefilled: 10, decoded: 2, ..Usage::default() },
        times: Times::default(),
    }
}
