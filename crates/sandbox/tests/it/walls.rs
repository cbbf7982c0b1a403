//! Each wall broken in turn: the helper inside notices, and no command runs.

use crate::place::{Place, host_uid, is_root};
use sandbox::*;
use std::sync::{Arc, Mutex};

/// Every wall that can be left out of bubblewrap's arguments, and the wall that is reported first for it.
const BROKEN: [(Wall, Wall); 18] = [
    (Wall::Namespaces, Wall::Namespaces),
    (Wall::Session, Wall::Session),
    (Wall::Death, Wall::Death),
    (Wall::Identity, Wall::Identity),
    (Wall::Capabilities, Wall::Capabilities),
    (Wall::Hostname, Wall::Hostname),
    (Wall::Environment, Wall::Environment),
    (Wall::Network, Wall::Namespaces),
    (Wall::Root, Wall::Root),
    (Wall::Image, Wall::Image),
    (Wall::Etc, Wall::Etc),
    (Wall::Proc, Wall::Proc),
    (Wall::Devices, Wall::Devices),
    (Wall::Tmp, Wall::Tmp),
    (Wall::Mounts, Wall::Mounts),
    (Wall::Sockets, Wall::Sockets),
    (Wall::Calls, Wall::Sockets),
    (Wall::Nested, Wall::Nested),
];

#[tokio::test]
async fn walls_broken_in_turn_run_nothing() {
    let place = Place::new();
    for (broken, reported) in BROKEN {
        let settings = Settings { state: place.path("state"), ledger: Arc::new(NoLedger), groups: true };
        let backend = Bubblewrap::new(settings).unwrap().without(broken);
        let refusal = backend.spawn(place.shell("touch /home/user/ran; touch /tmp/ran")).await.err();
        let wall = match &refusal {
            Some(Refusal::WallMissing { wall, .. }) => Some(*wall),
            _ => None,
        };
        // Without a /proc the helper itself cannot be started by its descriptor.
        let is_unstartable = broken == Wall::Proc && matches!(refusal, Some(Refusal::System { .. }));
        assert!(wall == Some(reported) || is_unstartable, "{broken}: {refusal:?}");
        assert!(!place.path("alice/ran").exists(), "{broken}");
        // The probe asks for no mounts, so it cannot miss them.
        assert!(broken == Wall::Mounts || !backend.probe().await.is_usable(), "{broken}");
    }
    assert!(place.run(place.shell("touch /home/user/ran")).await.is_success());
    assert!(place.path("alice/ran").exists(), "the control runs");
}

#[tokio::test]
async fn walls_that_were_refused_say_what_to_do() {
    for wall in WALLS {
        let text = Refusal::WallMissing { wall, reason: "seen".into() }.to_string();
        assert!(text.contains(wall.name()) && text.contains(wall.fix()) && !wall.fix().is_empty(), "{text}");
        assert_eq!(Wall::named(wall.name()), Some(wall));
    }
}

#[tokio::test]
async fn walls_of_identity() {
    let place = Place::new();
    let mut confinement = place.confinement(["true"]);
    if is_root() {
        confinement.host_uid = None;
        assert_eq!(place.backend.spawn(confinement).await.err(), Some(Refusal::RootWithoutUid));
        let running = place.backend.spawn(place.confinement(["sleep", "5"])).await.unwrap();
        let pid = running.spawned().pid;
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let uid = host_uid().unwrap();
        assert!(status.contains(&format!("Uid:\t{uid}\t{uid}\t{uid}\t{uid}")), "{status}");
        assert!(status.contains(&format!("Gid:\t{uid}\t{uid}\t{uid}\t{uid}")), "{status}");
        assert!(status.lines().any(|line| line.trim_end() == "Groups:"), "{status}");
    } else {
        confinement.host_uid = Some(12_345);
        assert_eq!(place.backend.spawn(confinement).await.err(), Some(Refusal::CannotBecome(12_345)));
    }
}

/// A ledger that keeps all it hears, or refuses.
#[derive(Default)]
struct Kept {
    refuse: bool,
    words: Mutex<Vec<(&'static str, Spawned)>>,
}

impl Ledger for Kept {
    fn started(&self, spawned: &Spawned) -> Result<(), String> {
        self.words.lock().unwrap().push(("started", spawned.clone()));
        if self.refuse { Err("disk full".into()) } else { Ok(()) }
    }
    fn ended(&self, spawned: &Spawned) {
        self.words.lock().unwrap().push(("ended", spawned.clone()));
    }
}

#[tokio::test]
async fn what_is_not_recorded_does_not_run() {
    let ledger = Arc::new(Kept { refuse: true, ..Kept::default() });
    let given = Arc::clone(&ledger);
    let place = Place::with(|settings| Settings { ledger: given, ..settings });
    let refusal = place.backend.spawn(place.shell("touch /home/user/ran")).await.err();
    assert_eq!(refusal, Some(Refusal::NotRecorded("disk full".into())));
    assert!(!place.path("alice/ran").exists());
}

#[tokio::test]
async fn each_start_and_end_is_recorded_once() {
    let ledger = Arc::new(Kept::default());
    let given = Arc::clone(&ledger);
    let place = Place::with(|settings| Settings { ledger: given, ..settings });
    assert!(place.run(place.shell("true")).await.is_success());
    let running = place.backend.spawn(place.shell("sleep 600")).await.unwrap();
    let second = running.spawned().clone();
    assert!(second.lives());
    running.end_tree(std::time::Duration::ZERO).await;
    assert!(!second.lives());
    let words = ledger.words.lock().unwrap();
    let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    assert_eq!(names, ["started", "ended", "started", "ended"]);
    assert_eq!((&words[2].1, &words[3].1), (&second, &second));
    assert_eq!(second.purpose, "test");
}
