//! Declared providers through the real binary: one answers, a bad entry costs itself alone, a missing key is named.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use serde_json::json;
use testkit::server::{ScriptedOpenAi, ScriptedReply};

use crate::binary::{Binary, riad};
use crate::world::{conversation, entries, say, until};

/// A data folder with a file of providers: a bad entry, and one that is reached at this address.
fn declared(folder: &Path, base: &str) -> PathBuf {
    let data = folder.join("data");
    std::fs::DirBuilder::new().mode(0o700).create(&data).unwrap();
    let file = data.join("providers.yaml");
    let text = format!(
        "providers:\n  - {{ id: bad, wire: grpc }}\n  - id: own\n    wire: anthropic\n    base_url: {base}\n    \
         key_env: OWN_KEY\n    models: [{{ id: small, window: 32768 }}]\n"
    );
    std::fs::write(&file, text).unwrap();
    file
}

async fn run(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let ended = riad(folder).args(arguments).output().await.unwrap();
    let says = [ended.stdout, ended.stderr].concat();
    (ended.status.code().unwrap(), String::from_utf8(says).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_of_a_declared_provider_answers() {
    let folder = tempfile::tempdir().unwrap();
    let model = ScriptedOpenAi::say([ScriptedReply::text("Hello from elsewhere.")]).await.unwrap();
    declared(folder.path(), &model.base_url());
    let variables = [("RIAD_MODELS_DEFAULT", Path::new("own/small")), ("OWN_KEY", Path::new("secret"))];
    let server = Binary::start_with(folder.path(), "http://127.0.0.1:1/v1", &variables).await;
    assert_eq!(server.set_up().await.status, 201);
    let anna = server.signed_in().await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "hello").await;
    until(&anna, &id, "ended").await;
    let said = json!(entries(&anna, &id).await).to_string();
    assert!(said.contains("Hello from elsewhere."), "{said}");
    let asked = &model.requests()[0];
    assert_eq!((asked.target.as_str(), &asked.body["model"]), ("POST /v1/messages", &json!("small")));
    assert_eq!(server.terminate().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_choice_that_cannot_be_used_is_78_and_named() {
    let folder = tempfile::tempdir().unwrap();
    declared(folder.path(), "http://127.0.0.1:1/v1");
    for (name, says) in [
        (
            "own/small",
            "wants a key: name a file that holds it, mode 0600, with models.key_file, or set the variable OWN_KEY",
        ),
        ("own/large", "names no model `large`; it names own/small"),
        ("bad/model", "line 2: the provider `bad` is left out: `wire` is one of"),
        ("nobody/model", "there is no provider `nobody`; there are anthropic, openai, ollama, own"),
    ] {
        let set = format!("models.default={name}");
        let (code, said) = run(folder.path(), &["serve", "--set", "listen=127.0.0.1:0", "--set", &set]).await;
        assert!(code == 78 && said.contains(says), "{name}: {code} {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_providers_is_checked_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = declared(folder.path(), "http://127.0.0.1:1/v1");
    let check = |file: PathBuf| {
        let folder = folder.path().to_path_buf();
        async move { run(&folder, &["model", "providers", "check", &file.display().to_string()]).await }
    };
    let (code, said) = check(file.clone()).await;
    assert!(code == 1 && said.contains("line 2: the provider `bad` is left out"), "{code} {said}");
    assert!(said.contains("can be used: anthropic, openai, ollama, own"), "{said}");
    let text = std::fs::read_to_string(&file).unwrap().replace("  - { id: bad, wire: grpc }\n", "");
    std::fs::write(&file, text).unwrap();
    let (code, said) = check(file).await;
    assert!(code == 0 && said.contains("The file fits."), "{code} {said}");
    assert_eq!(check(folder.path().join("none.yaml")).await.0, 3);
    let (_, doctor) = run(folder.path(), &["doctor"]).await;
    assert!(doctor.contains("ok       providers"), "{doctor}");
}
