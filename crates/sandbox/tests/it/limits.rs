//! Bombs against each limit, with a control group where this host has one and without.

use crate::place::{Place, processes_with, unique_sleep};
use sandbox::*;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const MIB: u64 = 1024 * 1024;

/// The control groups that a server of that pid has left.
pub(crate) fn groups_of(pid: u32) -> Vec<PathBuf> {
    let name = format!("riad-{pid}-");
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
                if entry.file_name().to_string_lossy().starts_with(&name) {
                    found.push(entry.path());
                }
            }
        }
    }
    found
}

fn both() -> [(&'static str, Place); 2] {
    [("with groups", Place::new()), ("without groups", Place::without_groups())]
}

fn limited<const N: usize>(place: &Place, arguments: [&str; N], change: impl FnOnce(&mut Limits)) -> Confinement {
    let mut confinement = place.confinement(arguments);
    change(&mut confinement.limits);
    confinement
}

#[tokio::test]
async fn memory_of_one_process() {
    for (name, place) in both() {
        let finished = place.run(limited(&place, ["/probe", "hoard", "400"], |l| l.memory_bytes = 128 * MIB)).await;
        assert_ne!(finished.ended, Some(Ended::Exit(0)), "{name}");
        let enough = place.run(limited(&place, ["/probe", "hoard", "64"], |l| l.memory_bytes = 128 * MIB)).await;
        assert_eq!((enough.why, enough.ended), (Why::Program, Some(Ended::Exit(0))), "{name}");
    }
}

#[tokio::test]
async fn memory_of_all_together() {
    for (name, place) in both() {
        let bomb = limited(&place, ["/probe", "hoard-in-forks", "4", "100"], |l| l.memory_bytes = 256 * MIB);
        let finished = place.run(bomb).await;
        assert_eq!(finished.why, Why::Memory, "{name}: {:?}", finished.ended);
        let shared = limited(&place, ["/probe", "share-in-forks", "100", "8"], |l| l.memory_bytes = 256 * MIB);
        let finished = place.run(shared).await;
        assert_eq!((finished.why, finished.ended), (Why::Program, Some(Ended::Exit(0))), "{name}");
    }
}

#[tokio::test]
async fn memory_in_files_without_a_name() {
    for (name, place) in both() {
        let finished =
            place.run(limited(&place, ["/probe", "hoard-files", "512"], |l| l.memory_bytes = 128 * MIB)).await;
        assert_ne!(finished.ended, Some(Ended::Exit(0)), "{name}");
    }
}

#[tokio::test]
async fn processes() {
    for (name, place) in both() {
        let bomb = limited(&place, ["/probe", "fork-bomb", "500"], |l| l.processes = 40);
        let finished = place.run(bomb).await;
        assert_eq!(finished.ended, Some(Ended::Exit(1)), "{name}");
        let text = finished.output.stdout.text(200);
        let made: u64 = text.lines().next().unwrap().strip_prefix("made ").unwrap().parse().unwrap();
        assert!((30..=40).contains(&made), "{name}: {made}");
    }
}

#[tokio::test]
async fn a_shell_fork_bomb_ends_with_its_call() {
    for (name, place) in both() {
        let mark = unique_sleep();
        let line = format!("bomb() {{ bomb | bomb & sleep {mark}; }}; bomb");
        let mut confinement = place.shell(&line);
        confinement.limits.deadline = Some(Duration::from_millis(1500));
        confinement.limits.grace = Duration::from_millis(200);
        let since = Instant::now();
        let finished = place.run(confinement).await;
        assert!(since.elapsed() < Duration::from_secs(5), "{name}: {:?}", since.elapsed());
        assert_eq!(processes_with(&mark), Vec::<String>::new(), "{name}");
        assert!(finished.output.stderr.bytes > 0, "{name}: the shell said that it cannot fork");
        // The host goes on: the next call works.
        assert!(place.run(place.shell("true")).await.is_success(), "{name}");
    }
}

#[tokio::test]
async fn file_size_descriptors_and_core() {
    for (name, place) in both() {
        let big = limited(&place, ["/probe", "fill", "/home/user/big", "40"], |l| l.file_bytes = 8 * MIB);
        let finished = place.run(big).await;
        assert_ne!(finished.ended, Some(Ended::Exit(0)), "{name}");
        assert!(std::fs::metadata(place.path("alice/big")).unwrap().len() <= 8 * MIB, "{name}");
        let many = limited(&place, ["/probe", "open-many", "500"], |l| l.descriptors = 100);
        let finished = place.run(many).await;
        assert_eq!(finished.ended, Some(Ended::Exit(1)), "{name}");
        assert!(
            finished.output.stdout.text(200).starts_with("opened 9"),
            "{name}: {:?}",
            finished.output.stdout.text(200)
        );
        assert_eq!(place.run(place.shell("ulimit -c")).await.output.stdout.text(10), "0\n", "{name}");
    }
}

#[tokio::test]
async fn memory_backed_folders() {
    for (name, place) in both() {
        for (folder, mib) in [("/tmp", 64), ("/dev/shm", 64), ("/home/user/work", 4), ("/var/tmp", 64)] {
            let path = format!("{folder}/fill");
            let mut confinement = place.confinement(["/probe", "fill", &path, "200"]);
            place_work(&place, &mut confinement);
            let finished = place.run(confinement).await;
            assert_eq!(finished.ended, Some(Ended::Exit(1)), "{name} {folder}");
            let text = finished.output.stdout.text(200);
            let written: u64 = text.lines().next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
            assert!(written >= mib - 1 && written <= mib, "{name} {folder}: {text}");
        }
    }
}

fn place_work(place: &Place, confinement: &mut Confinement) {
    if !place.path("alice/work").exists() {
        place.folder("alice/work");
    }
    let source = Source::Scratch(4 * MIB);
    confinement.mounts.push(Mount { source, place: "/home/user/work".into(), access: Access::ReadWrite });
}

#[tokio::test]
async fn processors() {
    let there = std::thread::available_parallelism().unwrap().get();
    assert!(there >= 2, "on one processor a limit of one cannot be told from none: run the tests on two");
    for (name, place) in both() {
        let spin = limited(&place, ["/probe", "spin", "4", "1500"], |l| l.processors = 1);
        let used: u64 = place.run(spin).await.output.stdout.text(20).trim().parse().unwrap();
        assert!(used <= 1500 * 13 / 10, "{name}: {used} ms of processor time in 1500 ms");
    }
}

#[tokio::test]
async fn time() {
    let place = Place::new();
    let mut confinement = place.shell("while :; do :; done");
    confinement.limits.deadline = Some(Duration::from_millis(500));
    let since = Instant::now();
    assert_eq!(place.run(confinement).await.why, Why::Deadline);
    assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
}
