//! Real `kill -9` of the real binary at random instants of turns that read, write, ask and run (A2): what was
//! acknowledged is there once, every call has one result, nothing happened twice, what is said to be done is done, and
//! nothing of a dead server lives on.

mod checks;
mod person;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::counts;
use testkit::random::Random;
use testkit::server::{Script, ScriptedCall, ScriptedOpenAi, ScriptedReply};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::binary::Binary;
use crate::remains::{self, Process};
use crate::world::conversation;
use person::Person;

/// After how long nothing of a dead server may live.
const DYING: Duration = Duration::from_secs(2);

/// What the model does about message `n`: a command; a file that is asked about; a note and then a command; all of it.
fn replies(n: usize) -> Vec<ScriptedReply> {
    let call = |name: &str, arguments| ScriptedCall { name: name.to_owned(), arguments, id: None };
    let tee = || {
        let line = format!("line {n:03}\n");
        call("shell", json!({ "argv": ["tee", "-a", "log.txt"], "dir": "work", "stdin": line }))
    };
    let file = || call("file_write", json!({ "path": format!("~/n-{n:03}.txt"), "content": format!("file {n:03}\n") }));
    let note = || {
        let path = format!("user-memory/n-{n:03}.md");
        call("file_write", json!({ "path": path, "content": format!("note {n:03}\n") }))
    };
    let read = || call("file_read", json!({ "files": [{ "path": "~/seed.txt" }] }));
    let sleep = || call("shell", json!({ "argv": ["sleep", "0.15"] }));
    let reply =
        |when: String, calls| ScriptedReply { when: Some(when), delay_ms: 2, calls, ..ScriptedReply::default() };
    let asked = format!("do {n:03}.");
    match n % 4 {
        0 => vec![reply(asked, vec![tee()])],
        1 => vec![reply(asked, vec![read(), file()])],
        2 => vec![reply(asked, vec![note()]), reply(format!("Made `user-memory/n-{n:03}.md`"), vec![tee()])],
        _ => vec![reply(asked, vec![note(), file(), sleep(), tee()])],
    }
}

fn script(messages: usize) -> Script {
    let mut replies: Vec<_> = (0..messages).flat_map(replies).collect();
    replies.push(ScriptedReply { delay_ms: 2, ..ScriptedReply::text("It is all written down.") });
    Script { replies, again: true }
}

/// When a server is killed: at something that is seen or done, and a little later.
#[derive(Debug)]
struct Moment {
    at: &'static str,
    later: Duration,
}

/// `saying` and `answering`: the request is on its way. `live`: the server has just come up. The others are entries.
const MOMENTS: &[&str] = &[
    "saying",
    "said",
    "replied",
    "screened",
    "asked",
    "answering",
    "answered",
    "started",
    "returned",
    "ended",
    "live",
];

fn moment(random: &mut Random) -> Moment {
    let at = *random.pick(MOMENTS);
    let micros = match random.below(3) {
        0 => 0,
        1 => random.below(4_000),
        _ => random.below(60_000),
    };
    Moment { at, later: Duration::from_micros(micros as u64) }
}

/// Kills at the moment; at the latest when nothing like it came for some seconds.
async fn kill_at(moment: Moment, mut moments: UnboundedReceiver<String>, kill: impl FnOnce()) {
    let come = async { while moments.recv().await.is_some_and(|seen| seen != moment.at) {} };
    let _ = tokio::time::timeout(Duration::from_secs(3), come).await;
    // The timer of the runtime counts whole milliseconds.
    let until = Instant::now() + moment.later;
    while Instant::now() < until {
        tokio::task::yield_now().await;
    }
    kill();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn killed_anywhere_nothing_is_lost_and_nothing_happens_twice() {
    let kills = counts::kills();
    let folder = tempfile::Builder::new().prefix("riad-kill-nine-").tempdir().unwrap();
    let model = ScriptedOpenAi::start(script(kills * 8)).await.unwrap();
    let mut random = Random::new(9);
    let (mut server, mut person) = first_start(folder.path(), &model).await;

    let mut hit = Vec::new();
    for _ in 0..kills {
        let (moments, seen) = unbounded_channel();
        let anna = server.signed_in().await;
        let moment = moment(&mut random);
        println!("entry {}: {moment:?}", person.page.entries.len());
        tokio::select! {
            () = kill_at(moment, seen, server.killer()) => {}
            () = person.talk(&anna, Some(&moments)) => {}
        }
        server.kill_nine().await;
        hit.push(person.last_seen());
        let left = remains::of(folder.path());
        if random.once_in(2) {
            assert_none(remains::gone_within(DYING, left).await);
            server = Binary::start(folder.path(), &model.base_url()).await;
        } else {
            // At once, while the dying may still die.
            let since = Instant::now();
            server = Binary::start(folder.path(), &model.base_url()).await;
            assert_none(remains::gone_within(DYING.saturating_sub(since.elapsed()), left).await);
        }
    }

    let anna = server.signed_in().await;
    person.finish_after(4);
    tokio::time::timeout(Duration::from_secs(60), person.talk(&anna, None)).await.expect("it all comes to its end");
    let recorded = checks::recorded(&anna, &person.id).await;
    assert_eq!(server.terminate().await, 0);
    assert_none(remains::gone_within(DYING, remains::of(folder.path())).await);

    // Read by whoever looks for the cause of a failure; else nobody sees it.
    recorded.iter().for_each(|entry| println!("{entry}"));
    checks::stream(&person, &recorded);
    checks::messages(&person, &recorded);
    checks::answers(&person, &recorded);
    checks::outcomes(&recorded);
    checks::results(&recorded);
    checks::effects(&folder.path().join("data"), &recorded).await;
    hit.sort();
    println!("{kills} kills; the last thing seen before each: {:?}", tally(&hit));
    println!("{} messages, {} entries, {} requests", person.acknowledged.len(), recorded.len(), model.count());
}

/// A server with somebody in it, who has a file and a conversation.
async fn first_start(folder: &Path, model: &ScriptedOpenAi) -> (Binary, Person) {
    let server = Binary::start(folder, &model.base_url()).await;
    assert_eq!(server.set_up().await.status, 201);
    let anna = server.signed_in().await;
    let id = conversation(&anna, "conversation-1").await;
    let mut homes = std::fs::read_dir(server.data.join("homes")).unwrap();
    std::fs::write(homes.next().unwrap().unwrap().path().join("seed.txt"), "seed\n").unwrap();
    (server, Person::new(id))
}

fn assert_none(left: BTreeSet<Process>) {
    assert!(left.is_empty(), "what a dead server left lives on: {left:?}");
}

fn tally(words: &[String]) -> Vec<String> {
    words.chunk_by(|one, other| one == other).map(|same| format!("{} {}", same.len(), same[0])).collect()
}
