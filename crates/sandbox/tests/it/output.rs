//! What a command wrote arrives whole: counted, cut where it must be, and never split.

use crate::place::Place;
use sandbox::*;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn split_characters_and_sequences_arrive_whole() {
    let place = Place::new();
    let pieces = Arc::new(Mutex::new(Vec::new()));
    let running = place.backend.spawn(place.confinement(["/probe", "split"])).await.unwrap();
    let kept = Arc::clone(&pieces);
    let mut live = move |_, text: &str| kept.lock().unwrap().push(text.to_owned());
    let finished = running.capture(&mut live, &CancellationToken::new()).await;
    assert_eq!(finished.output.stdout.text(100), "a€\u{1f980}bе\u{308}\n");
    let pieces = pieces.lock().unwrap();
    assert_eq!(pieces.concat(), "a€\u{1f980}bе\u{308}\n");
    assert!(pieces.len() > 3, "it came live: {pieces:?}");
    assert!(pieces.iter().all(|piece| !piece.contains('\u{fffd}') && !piece.is_empty()));
}

#[tokio::test]
async fn a_flood_is_counted_to_the_byte() {
    const MIB: u64 = 1024 * 1024;
    let place = Place::new();
    let mut confinement = place.confinement(["/probe", "flood", "64"]);
    // Only the count is looked at; a machine that is busy with other tests needs its time for 64 MiB.
    confinement.limits.deadline = Some(Duration::from_secs(120));
    let finished = place.run(confinement).await;
    let out = &finished.output.stdout;
    assert_eq!(out.bytes, 64 * MIB);
    assert_eq!(out.stored.len() as u64, 16 * MIB);
    assert_eq!(out.head.len() as u64 + out.left_out + out.tail.len() as u64, 64 * MIB);
    assert_eq!(out.head.len(), 8192 * 2 / 5);
    let last = format!("{:063}\n", MIB - 1);
    assert!(out.tail.ends_with(&last), "the tail is the end: {:?}", &out.tail[out.tail.len() - 70..]);
    assert_eq!(finished.ended, Some(Ended::Exit(0)));
}

#[tokio::test]
async fn both_streams_flood_at_once() {
    let place = Place::new();
    let finished = place.run(place.shell("/probe flood 8 & /probe flood 8 >&2; wait")).await;
    assert_eq!((finished.output.stdout.bytes, finished.output.stderr.bytes), (8 << 20, 8 << 20));
}

#[tokio::test]
async fn a_late_writer_loses_nothing() {
    let place = Place::new();
    let finished = place.run(place.shell("(sleep 0.4; echo late; echo later >&2) & echo early")).await;
    assert_eq!(finished.output.stdout.text(100), "early\nlate\n");
    assert_eq!(finished.output.stderr.text(100), "later\n");
    assert_eq!(finished.why, Why::Program);
}

#[tokio::test]
async fn a_pipe_held_open_ends_with_the_deadline() {
    let place = Place::new();
    let mut confinement = place.shell("sleep 600 & echo said");
    confinement.limits.deadline = Some(Duration::from_millis(700));
    let since = Instant::now();
    let finished = place.run(confinement).await;
    assert_eq!((finished.why, finished.ended), (Why::Deadline, Some(Ended::Exit(0))));
    assert_eq!(finished.output.stdout.text(100), "said\n");
    assert!(since.elapsed() < Duration::from_secs(3), "{:?}", since.elapsed());
}

#[tokio::test]
async fn exit_codes_and_signals_are_told_apart() {
    let place = Place::new();
    let end = async |line: &str| place.run(place.shell(line)).await.ended;
    assert_eq!(end("exit 0").await, Some(Ended::Exit(0)));
    assert_eq!(end("exit 143").await, Some(Ended::Exit(143)));
    assert_eq!(end("kill -15 $$").await, Some(Ended::Signal(15)));
    assert_eq!(end("kill -9 $$").await, Some(Ended::Signal(9)));
}

#[tokio::test]
async fn stdin_is_empty_unless_given() {
    let place = Place::new();
    assert_eq!(place.run(place.confinement(["cat"])).await.output.stdout.text(100), "");
    let mut confinement = place.confinement(["cat"]);
    confinement.stdin = Stdin::Bytes("x".repeat(256 * 1024).into_bytes());
    assert_eq!(place.run(confinement).await.output.stdout.bytes, 256 * 1024);
}

#[tokio::test]
async fn a_long_lived_command_talks_over_its_pipes() {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    let place = Place::new();
    let mut confinement = place.confinement(["cat"]);
    confinement.stdin = Stdin::Piped;
    let mut running = place.backend.spawn(confinement).await.unwrap();
    let mut stdin = running.stdin.take().unwrap();
    for number in 0..100 {
        stdin.write_all(format!("line {number}\n").as_bytes()).await.unwrap();
        let mut line = String::new();
        BufReader::new(&mut running.stdout).read_line(&mut line).await.unwrap();
        assert_eq!(line, format!("line {number}\n"));
    }
    drop(stdin);
    assert_eq!(running.wait().await, Some(Ended::Exit(0)));
    assert_eq!(running.end_tree(Duration::from_secs(1)).await, Vec::<String>::new());
}

#[tokio::test]
async fn environment_and_folder_are_as_given() {
    let place = Place::new();
    let mut confinement = place.confinement(["env"]);
    confinement.environment = vec![("PATH".into(), "/usr/bin".into()), ("A".into(), "b c".into())];
    assert_eq!(place.run(confinement).await.output.stdout.text(200), "PATH=/usr/bin\nA=b c\n");
    assert_eq!(place.run(place.confinement(["pwd"])).await.output.stdout.text(200), "/home/user\n");
}

#[tokio::test]
async fn what_cannot_be_run_is_refused_by_name() {
    let place = Place::new();
    let refusal = async |confinement| place.backend.spawn(confinement).await.err();
    let reason = "No such file or directory (os error 2)".to_owned();
    let missing = Refusal::NoProgram { program: "no-such-program".into(), reason: reason.clone() };
    assert_eq!(refusal(place.confinement(["no-such-program"])).await, Some(missing));
    let mut nowhere = place.confinement(["true"]);
    nowhere.directory = "/home/user/nowhere".into();
    assert_eq!(refusal(nowhere).await, Some(Refusal::NoFolder { folder: "/home/user/nowhere".into(), reason }));
    place.file("alice/notes", "no program");
    let found = refusal(place.confinement(["/home/user/notes"])).await;
    assert!(matches!(found, Some(Refusal::NoProgram { .. })), "{found:?}");
}
