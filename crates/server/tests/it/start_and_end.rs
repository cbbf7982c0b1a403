//! Starts that must not happen end with their code and one sentence; a part that is missing is said and the rest goes on;
//! an end loses nothing.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::model::Line;
use testkit::server::{ScriptedOpenAi, ScriptedReply};

use crate::binary::{Binary, riad};
use crate::world::{World, conversation, entries, say, until};

/// Code and last line of standard error of `riad serve` that is not to start.
async fn refused(folder: &Path, set: &[&str], variable: Option<(&str, &str)>) -> (i32, String) {
    let mut command = riad(folder);
    command.arg("serve").args(["--set", "listen=127.0.0.1:0"]);
    set.iter().for_each(|set| {
        command.args(["--set", set]);
    });
    if let Some((name, value)) = variable {
        command.env(name, value);
    }
    let ended = tokio::time::timeout(Duration::from_secs(20), command.output()).await.expect("it ended").unwrap();
    let says = String::from_utf8(ended.stderr).unwrap();
    (ended.status.code().unwrap(), says.trim_end().to_owned())
}

fn check(found: &(i32, String), code: i32, words: &str) {
    assert!(found.0 == code && found.1.contains(words), "wanted {code} and {words:?}, found {found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_configuration_is_78_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    check(&refused(here, &["lisen=x"], None).await, 78, "the nearest is `listen`");
    check(&refused(here, &["listen=everywhere"], None).await, 78, "`listen` is an address with port");
    check(&refused(here, &["listen=0.0.0.0:7423"], None).await, 78, "needs TLS");
    check(&refused(here, &["data.dir=relative"], None).await, 78, "whole path");
    check(&refused(here, &["models.remote.url=http://127.0.0.1:1/v1"], None).await, 78, "models.remote.name");
    check(&refused(here, &[], Some(("RIAD_LISTENN", "x"))).await, 78, "RIAD_LISTEN");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = format!("listen={}", taken.local_addr().unwrap());
    check(&refused(here, &[&listen], None).await, 78, "cannot be listened on");
    let key = here.join("key");
    std::fs::write(&key, "secret").unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let remote = [
        "models.remote.url=http://127.0.0.1:1/v1",
        "models.remote.name=x",
        &format!("models.remote.key_file={}", key.display()),
    ];
    check(&refused(here, &remote, None).await, 78, "open to others");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_open_in_use_or_without_its_key_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let model = ScriptedOpenAi::say([]).await.unwrap();
    let server = Binary::start(folder.path(), &model.base_url()).await;
    check(&refused(folder.path(), &[], None).await, 75, "Another server");
    assert_eq!(server.terminate().await, 0);
    let data = folder.path().join("data");
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    check(&refused(folder.path(), &[], None).await, 78, "chmod 700");
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o700)).unwrap();
    std::fs::rename(data.join("instance.key"), folder.path().join("kept")).unwrap();
    check(&refused(folder.path(), &[], None).await, 78, "instance.key");
    std::fs::rename(folder.path().join("kept"), data.join("instance.key")).unwrap();
    assert_eq!(Binary::start(folder.path(), &model.base_url()).await.terminate().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_that_can_be_used_everything_else_works_and_a_turn_says_why() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("models")).unwrap();
    std::fs::write(folder.path().join("models/bad.gguf"), "this is no model").unwrap();
    let config = server::config::Config {
        model: server::config::ModelChoice::Local(folder.path().join("models/bad.gguf")),
        ..crate::world::config(&folder.path().join("data"))
    };
    let models = server::wiring::Models::open(&config);
    let answering = models.usual().clone();
    let trouble = answering.trouble.clone().unwrap();
    assert!(trouble.contains("not a GGUF file") && trouble.contains("Download it again"), "{trouble}");
    let world = World::with_model(answering.model).await;
    assert_eq!(world.set_up().await.status, 201);
    let anna = world.signed_in().await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "hello").await;
    until(&anna, &id, "ended").await;
    let ended = entries(&anna, &id).await.pop().unwrap();
    assert_eq!(ended["outcome"], json!("model_unavailable"));
    assert!(ended["sentence"].as_str().unwrap().contains("not a GGUF file"), "{ended}");
    assert!(!ended["next_step"].as_str().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_is_nearly_done_is_heard_out_before_the_end() {
    let slow = ScriptedReply { delay_ms: 60, ..ScriptedReply::text("One word after the other, and then it is done.") };
    let folder = tempfile::tempdir().unwrap();
    let model = ScriptedOpenAi::say([slow]).await.unwrap();
    let server = Binary::start(folder.path(), &model.base_url()).await;
    assert_eq!(server.set_up().await.status, 201);
    let anna = server.signed_in().await;
    let id = conversation(&anna, "conversation-1").await;
    assert_eq!(say(&anna, &id, "message-1", "go").await.status, 201);
    while model.count() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(server.terminate().await, 0);
    let server = Binary::start(folder.path(), &model.base_url()).await;
    let recorded = entries(&server.signed_in().await, &id).await;
    assert_eq!(recorded.last().unwrap()["outcome"], json!("answered"), "{recorded:?}");
    assert_eq!(model.count(), 1, "the model was not asked again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_without_end_holds_the_end_up_for_five_seconds_at_most() {
    let (mut world, anna) = World::with_anna([Line::Streams("Without end".to_owned()), Line::text("Again.")]).await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "go").await;
    while world.model.said() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let began = Instant::now();
    world.stop().await;
    let took = began.elapsed();
    assert!((Duration::from_secs(4)..Duration::from_secs(10)).contains(&took), "{took:?}");
    let world = world.restart().await;
    let anna = world.signed_in().await;
    until(&anna, &id, "ended").await;
    assert_eq!(entries(&anna, &id).await.last().unwrap()["outcome"], json!("answered"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vault_that_nobody_uses_for_a_day_is_locked_and_one_in_use_is_not() {
    let (world, anna) = World::with_anna([]).await;
    let hours = |hours: i64| domain::time::Timestamp(world.app.now().0 + hours * 60 * 60 * 1000);
    world.app.lock_idle(hours(23)).await;
    assert_eq!(anna.get("/api/v1/session").await.unwrap().json()["vault"], json!("open"));
    world.app.lock_idle(hours(25)).await;
    assert_eq!(anna.get("/api/v1/session").await.unwrap().json()["vault"], json!("locked"));
    let locked = anna.get("/api/v1/conversations").await.unwrap();
    assert_eq!((locked.status, locked.code().as_str()), (423, "vault_locked"));
}
