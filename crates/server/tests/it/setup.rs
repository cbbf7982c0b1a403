//! The first account: one case table for web and terminal, fifty at once, and a process that is killed midway.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::counts;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use crate::world::{PASSWORD, World};

/// Field, value, and whether it is taken. The rest of the form is good.
const CASES: &[(&str, &str, bool)] = &[
    ("handle", "anna", true),
    ("handle", "a1", true),
    ("handle", "anna-maria", true),
    ("handle", "abcdefghijklmnopqrstuvwxyz01234", true),
    ("handle", "abcdefghijklmnopqrstuvwxyz012345", false),
    ("handle", "a", false),
    ("handle", "", false),
    ("handle", "Anna", false),
    ("handle", "1anna", false),
    ("handle", "-anna", false),
    ("handle", "an na", false),
    ("handle", "änna", false),
    ("handle", "anna.b", false),
    ("handle", "admin", false),
    ("handle", "shared", false),
    ("handle", "user-memory", false),
    ("name", "Anna", true),
    ("name", "  Anna Ä.  ", true),
    ("name", "安娜", true),
    ("name", "", false),
    ("name", "   ", false),
    ("name", "A\u{7}nna", false),
    ("name", "A\u{202e}nna", false),
    ("name", "ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé", false),
    ("locale", "en", true),
    ("locale", "de-AT", true),
    ("locale", "zh-Hant-TW", true),
    ("locale", "", false),
    ("locale", "e", false),
    ("locale", "english!", false),
    ("locale", "de_AT", false),
    ("zone", "UTC", true),
    ("zone", "Europe/Vienna", true),
    ("zone", "America/Argentina/Buenos_Aires", true),
    ("zone", "", false),
    ("zone", "Europe/", false),
    ("zone", "../etc", false),
    ("zone", "Europe/Vienna/x/y", false),
    ("preset", "home", true),
    ("preset", "team", true),
    ("preset", "care", true),
    ("preset", "", false),
    ("preset", "school", false),
    ("preset", "Home", false),
    ("vault", "private", true),
    ("vault", "open", true),
    ("vault", "", false),
    ("vault", "closed", false),
    ("vault", "Private", false),
    ("password", "correct horse battery", true),
    ("password", "twelve chars", true),
    ("password", "ä ö ü ß é è ê", true),
    ("password", "eleven char", false),
    ("password", "", false),
    ("password", "annaannaanna1", false),
    ("password", "my name is Anna!", false),
    ("password", "aaaaaaaaaaaa", false),
    ("password", "abcabcabcabc", false),
    ("password", "passwordpassword", false),
    ("password", "123456789012", false),
];

fn form(world: &World, field: &str, value: &str) -> Value {
    let mut form = world.form();
    form[field] = json!(value);
    form
}

#[tokio::test(flavor = "multi_thread")]
async fn the_web_judges_every_case_and_names_the_bad_field() {
    let (mut world, mut used) = (World::empty([]).await, 0);
    for (index, (field, value, taken)) in CASES.iter().enumerate() {
        // What is taken needs a new instance for the next case, so without `RIAD_SLOW=1` only some of it is tried.
        if *taken && index % counts::pick(3, 1) != 0 {
            continue;
        }
        let form = form(&world, field, value);
        let answer = world.client().send("POST", "/api/v1/setup", &[], Some(&form)).await.unwrap();
        if *taken {
            assert_eq!(answer.status, 201, "{field} {value:?}: {}", answer.json());
            used += 1;
            world = World::empty([]).await;
        } else {
            assert_eq!((answer.status, answer.code().as_str()), (422, "invalid"), "{field} {value:?}");
            assert_eq!(answer.json()["fields"][0]["pointer"], format!("/{field}"), "{value:?}");
        }
    }
    assert!(used >= 5 && CASES.len() >= 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_terminal_judges_every_case_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for (index, (field, value, taken)) in CASES.iter().enumerate() {
        // A password that is taken costs a second of derivation, so without `RIAD_SLOW=1` only some of them are tried.
        if *taken && index % counts::pick(5, 1) != 0 {
            continue;
        }
        let data = folder.path().join(format!("d{index}"));
        let code = terminal(folder.path(), &data, field, value).await;
        assert_eq!(code, if *taken { 0 } else { 2 }, "{field} {value:?}");
        assert_eq!(data.join("vaults").read_dir().is_ok_and(|mut files| files.next().is_some()), *taken);
    }
}

async fn terminal(home: &Path, data: &Path, field: &str, value: &str) -> i32 {
    let given = |name: &str, usual: &str| if name == field { value.to_owned() } else { usual.to_owned() };
    let mut command = Command::new(env!("CARGO_BIN_EXE_riad"));
    command.env_clear().env("HOME", home).env("RIAD_DATA_DIR", data).stdin(Stdio::piped()).stderr(Stdio::null());
    command.stdout(Stdio::null()).args(["setup", "--password-stdin"]);
    let usual = [
        ("handle", "anna"),
        ("name", "Anna"),
        ("locale", "en"),
        ("zone", "UTC"),
        ("preset", "home"),
        ("vault", "private"),
    ];
    for (name, usual) in usual {
        command.arg(format!("--{name}={}", given(name, usual)));
    }
    let mut running = command.spawn().unwrap();
    let password = given("password", PASSWORD);
    running.stdin.take().unwrap().write_all(format!("{password}\n").as_bytes()).await.unwrap();
    running.wait().await.unwrap().code().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_fifty_at_once_one_becomes_the_administrator() {
    let world = World::empty([]).await;
    let tries = (0..50).map(|n| {
        let (client, mut form) = (world.client(), world.form());
        form["handle"] = json!(format!("person{n}"));
        tokio::spawn(async move { client.send("POST", "/api/v1/setup", &[], Some(&form)).await.unwrap() })
    });
    let answers = futures::future::join_all(tries.collect::<Vec<_>>()).await;
    let statuses: Vec<u16> = answers.into_iter().map(|answer| answer.unwrap().status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [201, 404, 409].contains(status)), "{statuses:?}");
    assert_eq!(world.app.instance.people().await.unwrap().len(), 1);
    let again = world.set_up().await;
    assert_eq!(again.status, 404);
    assert_eq!(world.client().get("/api/v1/setup").await.unwrap().json(), json!({ "needed": false }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_loses_a_setup_is_told_that_it_is_done() {
    let world = World::empty([]).await;
    let tries = (0..3).map(|_| {
        let (client, form) = (world.client(), world.form());
        tokio::spawn(async move { client.send("POST", "/api/v1/setup", &[], Some(&form)).await.unwrap().status })
    });
    let statuses = futures::future::join_all(tries.collect::<Vec<_>>()).await;
    let mut statuses: Vec<u16> = statuses.into_iter().map(|status| status.unwrap()).collect();
    statuses.sort_unstable();
    // One that comes when all is over finds nothing to set up.
    assert!(statuses[0] == 201 && statuses[1..].iter().all(|status| [404, 409].contains(status)), "{statuses:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_is_refused_and_after_five_the_right_one_too() {
    let world = World::empty([]).await;
    let client = world.client();
    for _ in 0..5 {
        let form = form(&world, "token", "00000000000000000000000000000000");
        let answer = client.send("POST", "/api/v1/setup", &[], Some(&form)).await.unwrap();
        assert_eq!((answer.status, answer.code().as_str()), (403, "setup_token_wrong"));
    }
    let answer = client.send("POST", "/api/v1/setup", &[], Some(&world.form())).await.unwrap();
    assert_eq!((answer.status, answer.code().as_str()), (403, "setup_token_void"));
    assert!(world.app.instance.needs_setup().await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_field_is_named_and_a_wrong_type_too() {
    let world = World::empty([]).await;
    let mut form = world.form();
    form["handle"] = json!(5);
    let answer = world.client().send("POST", "/api/v1/setup", &[], Some(&form)).await.unwrap();
    assert_eq!((answer.status, answer.json()["fields"][0]["pointer"].as_str()), (422, Some("/handle")));
    let mut form = world.form();
    form["role"] = json!("admin");
    let answer = world.client().send("POST", "/api/v1/setup", &[], Some(&form)).await.unwrap();
    assert_eq!(answer.status, 422, "{}", answer.json());
    assert!(answer.json()["detail"].as_str().unwrap().contains("role"), "{}", answer.json());
}

/// Real kills of `riad setup` at 12 instants (50 with `RIAD_SLOW=1`): afterwards setup is done, or as if never begun.
#[tokio::test(flavor = "multi_thread")]
async fn killed_anywhere_setup_is_done_or_never_happened() {
    let folder = tempfile::tempdir().unwrap();
    let kills = counts::pick(12, 50) as u64;
    let mut finished = 0;
    for kill in 0..kills {
        let data = folder.path().join(format!("k{kill}"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_riad"));
        command.env_clear().env("HOME", folder.path()).env("RIAD_DATA_DIR", &data).stdin(Stdio::piped());
        command.stdout(Stdio::null()).stderr(Stdio::null()).args([
            "setup",
            "--password-stdin",
            "--handle=anna",
            "--name=Anna",
        ]);
        let mut running = command.kill_on_drop(true).spawn().unwrap();
        running.stdin.take().unwrap().write_all(format!("{PASSWORD}\n").as_bytes()).await.unwrap();
        // The last one gets all the time that it needs, so that both ends are met.
        let patience = if kill + 1 == kills { 20_000 } else { 1300 * kill / kills };
        let _ = tokio::time::timeout(Duration::from_millis(patience), running.wait()).await;
        let _ = running.kill().await;
        let check = Command::new(env!("CARGO_BIN_EXE_riad"))
            .env_clear()
            .env("HOME", folder.path())
            .env("RIAD_DATA_DIR", &data)
            .args(["setup", "--check"])
            .output();
        let done = check.await.unwrap().status.code() == Some(0);
        finished += usize::from(done);
        let vaults = data.join("vaults").read_dir().map_or(0, |files| files.count());
        assert_eq!(vaults > 0, done, "after kill {kill}: {vaults} vault files, done {done}");
    }
    assert!(finished >= 1, "no setup was ever finished");
}
