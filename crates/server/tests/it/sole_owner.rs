//! One folder, one server; a vault of another one stays shut (O20).

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use server::boot::Boot;
use server::clock::SystemClock;
use server::config::LogFormat;
use server::exit::Exit;
use server::serve::{Parts, start};
use store::KdfPolicy;
use testkit::counts;

use crate::world::{PASSWORD, World, config};

#[tokio::test(flavor = "multi_thread")]
async fn the_second_server_on_a_folder_ends_with_75() {
    let world = World::empty([]).await;
    for _ in 0..counts::pick(10, 100) {
        let parts = Parts {
            config: config(&world.data()),
            listener: None,
            policy: KdfPolicy::CHEAPEST,
            models: Vec::new(),
            clock: Arc::new(SystemClock),
        };
        let mut lines = Vec::new();
        let Err(ended) = start(parts, &mut Boot::new(&mut lines, LogFormat::Text)).await else {
            panic!("a second server started");
        };
        assert_eq!(ended.exit, Exit::Busy);
        assert!(ended.says.contains("Another server"), "{}", ended.says);
    }
    assert_eq!(world.client().get("/readyz").await.unwrap().status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vault_that_was_copied_from_another_server_stays_shut() {
    let ((mut mine, _), (mut other, _)) = (World::with_anna([]).await, World::with_anna([]).await);
    mine.stop().await;
    other.stop().await;
    std::fs::copy(vault(&other), vault(&mine)).unwrap();
    let mine = mine.restart().await;
    for _ in 0..counts::pick(5, 100) {
        let mut anna = mine.client();
        let answer = anna.sign_in("anna", PASSWORD, true).await.unwrap();
        assert_eq!((answer.status, &answer.json()["vault"]), (201, &json!("locked")), "{}", answer.json());
        assert_eq!(anna.get("/api/v1/conversations").await.unwrap().status, 423);
    }
    let mut anna = mine.signed_in().await;
    let answer = anna.unlock(PASSWORD).await.unwrap();
    assert_eq!((answer.status, answer.code().as_str()), (409, "vault_fault"), "{}", answer.json());
}

fn vault(world: &World) -> PathBuf {
    let files = world.data().join("vaults").read_dir().unwrap().map(|file| file.unwrap().path());
    let files: Vec<_> = files.collect();
    let [vault] = files.as_slice() else { panic!("one vault file expected: {files:?}") };
    vault.clone()
}
