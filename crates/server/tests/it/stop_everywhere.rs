//! Stop reaches everything, soon (A11): a sample before and in the middle of its reply, programs that do not want to
//! end, cards, what waits behind. Measured on the real binary, from the press to the end as a page sees it.
#![expect(clippy::print_stdout, reason = "figures for whoever runs it by hand")]

mod scene;

use std::time::Duration;

use serde_json::{Value, json};
use testkit::counts;
use testkit::random::Random;
use testkit::server::{ScriptedReply, StreamEnd};

use crate::remains;
use scene::{Scene, of_kind};

/// While nothing has to be killed.
const SOON: Duration = Duration::from_secs(1);
/// When a program must be killed.
const KILLED: Duration = Duration::from_secs(3);

const LONG: &str = "word after word after word ";

fn when(words: &str, reply: ScriptedReply) -> ScriptedReply {
    ScriptedReply { when: Some(words.to_owned()), ..reply }
}

/// Prints and checks how long stops took: 99 of 100 within the limit.
fn check_times(what: &str, mut times: Vec<Duration>, limit: Duration) {
    times.sort();
    let at = |hundredths: usize| times[(times.len() * hundredths).div_ceil(100) - 1];
    println!("{what}: {} stops, p50 {:?}, p99 {:?}, longest {:?}", times.len(), at(50), at(99), at(100));
    assert!(at(99) <= limit, "{what}: {times:?}");
}

fn ended_stopped(turn: &[Value]) {
    assert_eq!(
        turn.last().map(|entry| (&entry["kind"], &entry["outcome"])),
        Some((&json!("ended"), &json!("stopped")))
    );
    assert_eq!(of_kind(turn, "stopped").count(), 1, "{turn:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn before_the_first_token() {
    let reply = ScriptedReply { first_ms: 120_000, ..ScriptedReply::text("Never said.") };
    let mut scene = Scene::new([when("go", reply)]).await;
    let (mut random, mut times) = (Random::new(1), Vec::new());
    for _ in 0..counts::stops() {
        let turn = scene.say("go").await;
        // From before the model is asked to long after.
        let wait = random.below(3) * random.below(30);
        tokio::time::sleep(Duration::from_millis(wait as u64)).await;
        times.push(scene.stop(&turn).await);
        let recorded = scene.turn(&turn);
        ended_stopped(&recorded);
        assert_eq!(of_kind(&recorded, "replied").count(), 0, "nothing was shown: {recorded:?}");
    }
    check_times("before the first token", times, SOON);
    scene.model_is_left_alone().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn after_some_tokens_the_part_that_was_shown_stands() {
    let reply = ScriptedReply { delay_ms: 3, ..ScriptedReply::text(&LONG.repeat(300)) };
    let mut scene = Scene::new([when("go", reply)]).await;
    let (mut random, mut times) = (Random::new(2), Vec::new());
    for _ in 0..counts::stops() {
        let turn = scene.say("go").await;
        let reply = scene.see_text(1 + random.below(200)).await;
        times.push(scene.stop(&turn).await);
        let recorded = scene.turn(&turn);
        ended_stopped(&recorded);
        let cut: Vec<_> = of_kind(&recorded, "replied").collect();
        let ([cut], shown) = (cut.as_slice(), &scene.page.drafts[&reply]) else { panic!("{recorded:?}") };
        assert_eq!((&cut["stop"], &cut["reply_id"]), (&json!("cancelled"), &json!(reply)));
        let text = cut["text"].as_str().unwrap();
        assert!(!shown.is_empty() && text.starts_with(shown.as_str()), "{shown:?} was shown, {text:?} stands");
        assert!(LONG.repeat(300).starts_with(text) && text.len() < LONG.len() * 300);
    }
    check_times("after some tokens", times, SOON);
    scene.model_is_left_alone().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn while_the_model_stalls() {
    let reply = ScriptedReply { end: StreamEnd::Stall, ..ScriptedReply::text("The beginning of") };
    let mut scene = Scene::new([when("go", reply)]).await;
    let mut times = Vec::new();
    for _ in 0..counts::stops() {
        let turn = scene.say("go").await;
        scene.see_text("The beginning of".len()).await;
        times.push(scene.stop(&turn).await);
        let recorded = scene.turn(&turn);
        ended_stopped(&recorded);
        let texts: Vec<_> = of_kind(&recorded, "replied").map(|entry| entry["text"].clone()).collect();
        assert_eq!(texts, ["The beginning of"]);
    }
    check_times("while the model stalls", times, SOON);
    scene.model_is_left_alone().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn while_it_waits_to_ask_a_busy_model_again() {
    let busy = ScriptedReply::status(503, json!({ "error": { "message": "too much to do" } }));
    let mut scene = Scene::new([when("go", busy)]).await;
    let (mut random, mut times) = (Random::new(4), Vec::new());
    for n in 0..counts::stops() {
        let turn = scene.say("go").await;
        scene.see("faltered").await;
        tokio::time::sleep(Duration::from_millis(random.below(500) as u64)).await;
        times.push(scene.stop(&turn).await);
        ended_stopped(&scene.turn(&turn));
        assert_eq!(scene.model.count(), n + 1, "the model was asked again");
    }
    check_times("between two tries", times, SOON);
}

/// Ignores every signal that can be ignored.
const STUBBORN: &str =
    "$SIG{$_} = 'IGNORE' for qw(TERM INT HUP QUIT USR1); $| = 1; print \"begun\\n\"; sleep 1 while 1;";

/// Leaves sessions and orphans behind, all of which ignore TERM.
const FORKS: &str = "use POSIX 'setsid'; $| = 1; $SIG{TERM} = 'IGNORE'; \
    for (1 .. 3) { next if fork; setsid(); fork; fork and exit; $0 = 'quiet'; sleep 1 while 1; } \
    print \"begun\\n\"; sleep 1 while 1;";

async fn a_program_ends(what: &str, script: &str) {
    let call = |arguments| ScriptedReply::call("shell", arguments);
    let write = call(json!({ "argv": ["tee", "script.pl"], "dir": "work", "stdin": script }));
    let run = call(json!({ "argv": ["perl", "script.pl"], "dir": "work" }));
    let mut scene = Scene::new([when("write it", write), when("run it", run), ScriptedReply::text("Written.")]).await;
    scene.say("write it").await;
    scene.see("ended").await;
    let (mut random, mut times) = (Random::new(3), Vec::new());
    let mut began = 0;
    for n in 0..counts::stops() / 2 {
        scene.renew().await;
        let before = remains::of(scene.folder());
        let turn = scene.say("run it").await;
        if n % 3 == 2 {
            // Somewhere between the start of a call and that of its program.
            scene.see("started").await;
            tokio::time::sleep(Duration::from_millis(random.below(120) as u64)).await;
        } else {
            scene.see_output("begun").await;
            began += 1;
        }
        times.push(scene.stop(&turn).await);
        let left = remains::gone_within(Duration::ZERO, &remains::of(scene.folder()) - &before).await;
        assert!(left.is_empty(), "{what} leaves {left:?}");
        let recorded = scene.turn(&turn);
        ended_stopped(&recorded);
        let last = of_kind(&recorded, "returned").last().unwrap();
        assert_eq!(last["status"], "cancelled", "{last}");
        assert_eq!(of_kind(&recorded, "returned").count(), 1, "{recorded:?}");
    }
    assert!(began > 0);
    check_times(what, times, KILLED);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_program_that_ignores_signals_ends() {
    a_program_ends("a program that ignores signals", STUBBORN).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_program_that_forks_ends_with_all_of_it() {
    a_program_ends("a program that forks", FORKS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_program_that_is_just_being_started_ends() {
    let run = ScriptedReply::call("shell", json!({ "argv": ["sleep", "600"] }));
    let mut scene = Scene::new([when("run it", run)]).await;
    let (mut random, mut times) = (Random::new(5), Vec::new());
    for _ in 0..counts::stops() {
        scene.renew().await;
        let before = remains::of(scene.folder());
        let turn = scene.say("run it").await;
        scene.see("started").await;
        tokio::time::sleep(Duration::from_micros(random.below(60_000) as u64)).await;
        times.push(scene.stop(&turn).await);
        // What never ran is told to go and not waited for: the kernel may take a moment.
        let left = remains::gone_within(Duration::from_millis(500), &remains::of(scene.folder()) - &before).await;
        assert!(left.is_empty(), "left of a program that was being started: {left:?}");
        ended_stopped(&scene.turn(&turn));
    }
    check_times("a program that is just being started", times, KILLED);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_card_that_waits_is_withdrawn() {
    let call = ScriptedReply::call("file_write", json!({ "path": "~/a.txt", "content": "a" }));
    let mut scene = Scene::new([when("write", call)]).await;
    let mut times = Vec::new();
    for _ in 0..counts::stops() {
        let turn = scene.say("write").await;
        let card = scene.see("asked").await["approval"].clone();
        times.push(scene.stop(&turn).await);
        let recorded = scene.turn(&turn);
        ended_stopped(&recorded);
        let statuses: Vec<_> = of_kind(&recorded, "returned").map(|entry| entry["status"].clone()).collect();
        assert_eq!(statuses, ["cancelled"]);
        assert_eq!(scene.anna.get("/api/v1/inbox").await.unwrap().json(), json!({ "items": [] }));
        let answered = scene.answer(&card, "approve").await;
        assert_eq!((answered.status, answered.code().as_str()), (410, "expired"));
        assert_eq!(scene.turn(&turn), recorded, "the late answer changed something");
    }
    assert!(!scene.home().join("a.txt").exists());
    check_times("a card that waits", times, SOON);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn what_was_said_meanwhile_comes_next_and_no_late_stop_meets_it() {
    let first = ScriptedReply { delay_ms: 3, ..ScriptedReply::text(&LONG.repeat(300)) };
    let second = ScriptedReply { delay_ms: 20, ..ScriptedReply::text("This is said in full, whatever comes late.") };
    let mut scene = Scene::new([when("first", first), when("second", second)]).await;
    let mut times = Vec::new();
    for _ in 0..counts::stops() / 2 {
        let turn = scene.say("first").await;
        scene.see_text(20).await;
        let next = scene.say("second").await;
        times.push(scene.stop(&turn).await);
        ended_stopped(&scene.turn(&turn));
        // Pressed again while the next one speaks.
        scene.see_text(8).await;
        for late in [turn.as_str(), "nothing", ""] {
            assert_eq!(scene.press(late).await, 202);
        }
        scene.see("ended").await;
        let recorded = scene.turn(&next);
        let texts: Vec<_> = of_kind(&recorded, "replied").map(|entry| entry["text"].clone()).collect();
        assert_eq!(texts, ["This is said in full, whatever comes late."]);
        assert_eq!(recorded.last().unwrap()["outcome"], "answered");
        // And once more when all is quiet.
        let head = scene.page.seq;
        for late in [&turn, &next] {
            assert_eq!(scene.press(late).await, 202);
        }
        assert_eq!(scene.head().await, head, "a stop of what is over was recorded");
    }
    check_times("with a message that waits", times, SOON);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_stop_that_was_acknowledged_outlives_the_server() {
    let reply = ScriptedReply { delay_ms: 3, ..ScriptedReply::text(&LONG.repeat(300)) };
    let mut scene = Scene::new([when("go", reply)]).await;
    for _ in 0..counts::stops() / 3 {
        let turn = scene.say("go").await;
        scene.see_text(20).await;
        assert_eq!(scene.press(&turn).await, 202);
        scene.kill().await;
        let asked = scene.model.count();
        scene.see_end_of(&turn).await;
        ended_stopped(&scene.turn(&turn));
        assert_eq!(scene.model.count(), asked, "the model was asked again");
    }
}
