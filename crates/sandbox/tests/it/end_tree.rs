//! The end of a call is the end of everything in it, whatever its processes do against it.

use crate::place::{Place, processes_with, unique_sleep, within};
use sandbox::*;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Trees that try to stay: each line is run by a shell, with `N` for a number by which its sleepers are found.
const TREES: [(&str, &str); 8] = [
    ("one that obeys", "sleep N"),
    ("forks", "sleep N & sleep N & (sleep N & sleep N) & wait"),
    ("sessions of their own", "setsid sleep N & setsid sh -c 'sleep N & sleep N' & sleep N"),
    ("traps", "trap '' TERM INT HUP; sleep N & while :; do sleep N; done"),
    ("nohup", "nohup sleep N >/dev/null 2>&1 & nohup sh -c 'trap \"\" TERM; sleep N' >/dev/null 2>&1 & sleep N"),
    ("orphans", "(setsid sh -c '(setsid sleep N &) &' &) ; sleep N"),
    ("stopped ones", "sleep N & kill -STOP $!; sleep N"),
    (
        "many",
        "i=0; while [ $i -lt 100 ]; do setsid sleep N & i=$((i+1)); done; trap '' TERM; echo made; while :; do sleep N; done",
    ),
];

fn tree(place: &Place, line: &str) -> (Confinement, String) {
    let mark = unique_sleep();
    (place.shell(&format!("echo begun; {}", line.replace('N', &mark))), mark)
}

#[tokio::test]
async fn end_tree_at_the_deadline() {
    let place = Place::new();
    for (name, line) in TREES {
        let (mut confinement, mark) = tree(&place, line);
        confinement.limits.deadline = Some(Duration::from_millis(600));
        confinement.limits.grace = Duration::from_millis(500);
        let since = Instant::now();
        let finished = place.run(confinement).await;
        assert_eq!(finished.why, Why::Deadline, "{name}");
        assert!(finished.output.stdout.text(100).starts_with("begun\n"), "{name}: {:?}", finished.output);
        assert!(since.elapsed() < Duration::from_millis(3600), "{name}: {:?}", since.elapsed());
        assert_eq!(processes_with(&mark), Vec::<String>::new(), "{name}");
    }
}

#[tokio::test]
async fn end_tree_when_cancelled() {
    let place = Place::new();
    for (name, line) in TREES {
        let (confinement, mark) = tree(&place, line);
        let running = place.backend.spawn(confinement).await.unwrap();
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        let stopper = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(400)).await;
            stop.cancel();
            Instant::now()
        });
        let finished = running.capture(&mut |_, _| {}, &cancel).await;
        let took = stopper.await.unwrap().elapsed();
        assert_eq!(finished.why, Why::Cancelled, "{name}");
        assert!(took < Duration::from_secs(3), "{name}: {took:?}");
        assert_eq!(processes_with(&mark), Vec::<String>::new(), "{name}");
    }
}

#[tokio::test]
async fn end_tree_when_dropped() {
    let place = Place::new();
    for (name, line) in TREES {
        let (confinement, mark) = tree(&place, line);
        let running = place.backend.spawn(confinement).await.unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        assert!(within(Duration::from_secs(5), || !processes_with(&mark).is_empty()), "{name} never began");
        drop(running);
        assert!(
            within(Duration::from_secs(2), || processes_with(&mark).is_empty()),
            "{name}: {:?}",
            processes_with(&mark)
        );
    }
}

#[tokio::test]
async fn end_tree_when_the_program_ends_names_what_is_left() {
    let place = Place::new();
    let mark = unique_sleep();
    let line =
        format!("setsid sleep {mark} >/dev/null 2>&1 & nohup tail -f /dev/null >/dev/null 2>&1 & sleep 0.2; echo done");
    let mut finished = place.run(place.shell(&line)).await;
    finished.left.sort();
    assert_eq!((finished.why, finished.ended), (Why::Program, Some(Ended::Exit(0))));
    assert_eq!(finished.left, ["sleep", "tail"]);
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[tokio::test]
async fn end_tree_of_a_hundred_is_quick_after_kill() {
    let place = Place::new();
    let (confinement, mark) = tree(&place, TREES[7].1);
    let running = place.backend.spawn(confinement).await.unwrap();
    assert!(within(Duration::from_secs(10), || processes_with(&mark).len() >= 100), "{}", processes_with(&mark).len());
    let since = Instant::now();
    let left = running.end_tree(Duration::ZERO).await;
    let took = since.elapsed();
    assert_eq!(processes_with(&mark), Vec::<String>::new());
    assert!(took < Duration::from_secs(1), "{took:?} {left:?}");
}

#[tokio::test]
async fn a_program_that_obeys_ends_before_the_grace() {
    let place = Place::new();
    let line = "trap 'echo goodbye; exit 7' TERM; echo ready; while :; do sleep 0.05; done";
    let mut confinement = place.shell(line);
    confinement.limits.deadline = Some(Duration::from_millis(500));
    confinement.limits.grace = Duration::from_secs(10);
    let since = Instant::now();
    let finished = place.run(confinement).await;
    assert_eq!((finished.why, finished.ended), (Why::Deadline, Some(Ended::Exit(7))));
    assert_eq!(finished.output.stdout.text(100), "ready\ngoodbye\n");
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
}

#[tokio::test]
async fn signals_reach_the_program() {
    let place = Place::new();
    let line = "trap 'echo interrupted' INT; trap 'exit 3' HUP; echo ready; while :; do sleep 0.05; done";
    let mut running = place.backend.spawn(place.shell(line)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    running.signal(Signal::Interrupt).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    running.signal(Signal::Hangup).await;
    let finished = running.capture(&mut |_, _| {}, &CancellationToken::new()).await;
    assert_eq!(finished.ended, Some(Ended::Exit(3)));
    assert_eq!(finished.output.stdout.text(100), "ready\ninterrupted\n");
}

#[test]
fn end_tree_when_the_server_is_killed() {
    for (name, line) in TREES {
        let place = Place::new();
        let mark = unique_sleep();
        let mut server = Command::new(place.path("probe"))
            .args(["serve", place.path("state").to_str().unwrap(), &line.replace('N', &mark)])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let began =
            within(Duration::from_secs(10), || processes_with(&mark).iter().any(|found| found.starts_with("sleep")));
        server.kill().unwrap();
        server.wait().unwrap();
        assert!(began, "{name} never began");
        assert!(
            within(Duration::from_secs(2), || processes_with(&mark).is_empty()),
            "{name}: {:?}",
            processes_with(&mark)
        );
        drop(Place::new());
        assert_eq!(crate::limits::groups_of(server.id()), Vec::<std::path::PathBuf>::new(), "{name}");
    }
}
