//! An approval that is answered after a kill and 30 days runs its call once; if its target has changed meanwhile, it is
//! asked again, and what was shown before approves nothing (B14). With the real binary, whose clock is set forward.

mod clock;

use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::digest::Digest;
use serde_json::{Value, json};
use server::client::{Answer, Client};
use tempfile::TempDir;
use testkit::server::{Script, ScriptedOpenAi, ScriptedReply};

use crate::binary::Binary;
use crate::world::{conversation, entries, say, until};
use clock::Later;

const DAYS: u64 = 30;

/// A person who was asked something.
struct Asked {
    folder: TempDir,
    model: ScriptedOpenAi,
    server: Binary,
    anna: Client,
    conversation: String,
    item: Value,
}

impl Asked {
    /// Asked about this call; the files lie in the home before.
    async fn about(arguments: Value, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::Builder::new().prefix("riad-later-").tempdir().unwrap();
        let call = ScriptedReply { when: Some("write".to_owned()), ..ScriptedReply::call("file_write", arguments) };
        let script = Script { replies: vec![call, ScriptedReply::text("Done.")], again: true };
        let model = ScriptedOpenAi::start(script).await.unwrap();
        let server = Binary::start(folder.path(), &model.base_url()).await;
        assert_eq!(server.set_up().await.status, 201);
        let anna = server.signed_in().await;
        for (name, text) in files {
            std::fs::write(home(folder.path()).join(name), text).unwrap();
        }
        let conversation = conversation(&anna, "conversation-1").await;
        assert_eq!(say(&anna, &conversation, "message-1", "write the plan").await.status, 201);
        until(&anna, &conversation, "asked").await;
        let item = only_item(&anna).await;
        Self { folder, model, server, anna, conversation, item }
    }

    /// The server is killed; another one starts so many days later, and the person signs in.
    async fn killed_and_later(self, days: u64) -> Self {
        let Self { folder, model, server, conversation, item, .. } = self;
        server.kill_nine().await;
        let later = Later::days(folder.path(), days);
        let server = Binary::start_with(folder.path(), &model.base_url(), &[later.variable()]).await;
        let anna = server.signed_in().await;
        Self { folder, model, server, anna, conversation, item }
    }

    async fn answer(&self, item: &Value, key: &str, decision: &str) -> Answer {
        self.answer_with(item, &item["approval"]["digest"], key, decision).await
    }

    async fn answer_with(&self, item: &Value, digest: &Value, key: &str, decision: &str) -> Answer {
        let path = format!("/api/v1/inbox/{}/answer", item["id"].as_str().unwrap());
        let form = json!({ "digest": digest, "decision": decision, "surface": "web" });
        self.anna.post(&path, key, &form).await.unwrap()
    }

    async fn recorded(&self, kind: &str) -> Vec<Value> {
        let all = entries(&self.anna, &self.conversation).await;
        all.into_iter().filter(|entry| entry["kind"] == kind).collect()
    }

    async fn until(&self, kind: &str) {
        until(&self.anna, &self.conversation, kind).await;
    }

    fn file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(home(self.folder.path()).join(name)).ok()
    }

    fn put(&self, name: &str, text: &str) {
        std::fs::write(home(self.folder.path()).join(name), text).unwrap();
    }
}

fn home(folder: &Path) -> PathBuf {
    let mut homes = std::fs::read_dir(folder.join("data/homes")).unwrap();
    homes.next().unwrap().unwrap().path()
}

async fn only_item(anna: &Client) -> Value {
    let items = anna.get("/api/v1/inbox").await.unwrap().json()["items"].clone();
    assert_eq!(items.as_array().map(Vec::len), Some(1), "{items}");
    items[0].clone()
}

fn outcome(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}

fn refused(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

fn made_plan() -> Value {
    json!({ "path": "~/plan.md", "content": "tea\n" })
}

#[tokio::test(flavor = "multi_thread")]
async fn answered_after_a_kill_and_thirty_days_it_runs_once() {
    let asked = Asked::about(made_plan(), &[]).await;
    let asked = asked.killed_and_later(DAYS).await;
    assert_eq!(only_item(&asked.anna).await, asked.item, "the same item, before and after");
    assert_eq!((asked.file("plan.md"), asked.model.count()), (None, 1), "nothing went on by itself");

    assert_eq!(asked.answer(&asked.item, "answer-01", "approve").await.status, 200);
    asked.until("ended").await;
    assert_eq!(asked.file("plan.md").as_deref(), Some("tea\n"));
    let one = |found: Vec<Value>| assert_eq!(found.len(), 1, "{found:?}");
    for kind in ["asked", "answered", "started", "returned", "ended"] {
        one(asked.recorded(kind).await);
    }
    let (first, answered) = (asked.recorded("asked").await, asked.recorded("answered").await);
    let passed = clock::days_between(&first[0], &answered[0]);
    // It may be midnight now.
    assert!((DAYS..=DAYS + 1).contains(&passed), "the clock was set forward by {passed} days");

    // What was done is not done again, whoever answers once more, and whenever.
    asked.put("plan.md", "changed by hand\n");
    let asked = asked.killed_and_later(2 * DAYS).await;
    let repeated = asked.answer(&asked.item, "answer-02", "refuse").await;
    assert_eq!(outcome(&repeated), refused(409, "already_answered"));
    let told = repeated.json();
    assert_eq!((&told["who"], &told["what"], &told["when"]), (&json!("you"), &json!("approve"), &answered[0]["at"]));
    assert_eq!(asked.file("plan.md").as_deref(), Some("changed by hand\n"));
    one(asked.recorded("started").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_answer_again_is_told_the_same_and_does_nothing() {
    let asked = Asked::about(made_plan(), &[]).await.killed_and_later(0).await;
    let first = asked.answer(&asked.item, "answer-01", "approve").await;
    let again = asked.answer(&asked.item, "answer-01", "approve").await;
    assert_eq!((first.status, again.status), (200, 200));
    assert_eq!((again.json(), again.header("idempotent-replayed")), (first.json(), Some("true")));
    let another = asked.answer(&asked.item, "answer-01", "refuse").await;
    assert_eq!(outcome(&another), refused(422, "key_reused"));
    asked.until("ended").await;
    assert_eq!(asked.recorded("answered").await.len(), 1);
    assert_eq!(asked.recorded("started").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_is_gone_meanwhile_is_asked_about_again() {
    let hash = &Digest::of_bytes(b"coffee\n").hex()[..16];
    let call = json!({ "path": "~/plan.md", "content": "tea\n", "mode": "replace", "hash": hash });
    let asked = Asked::about(call, &[("plan.md", "coffee\n")]).await.killed_and_later(DAYS).await;
    std::fs::remove_file(home(asked.folder.path()).join("plan.md")).unwrap();

    // The person says yes to what was shown; what would run now is something else.
    assert_eq!(asked.answer(&asked.item, "answer-01", "approve").await.status, 200);
    let card = loop {
        let cards = asked.recorded("asked").await;
        if let [_, second] = cards.as_slice() {
            break second["approval"].clone();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!((asked.file("plan.md"), asked.recorded("started").await.len()), (None, 0));
    let item = only_item(&asked.anna).await;
    assert_eq!(item["approval"], card);
    assert_ne!((&card["id"], &card["digest"]), (&asked.item["id"], &asked.item["approval"]["digest"]));
    assert_eq!((&card["targets"][0]["class"], &card["targets"][0]["exists"]), (&json!("create"), &json!(false)));

    // What was shown before approves nothing any more.
    let stale = asked.answer_with(&item, &asked.item["approval"]["digest"], "answer-02", "approve").await;
    assert_eq!(outcome(&stale), refused(409, "digest_differs"));
    let old = asked.answer(&asked.item, "answer-03", "approve").await;
    assert_eq!(outcome(&old), refused(409, "already_answered"));
    assert_eq!((asked.file("plan.md"), asked.recorded("started").await.len()), (None, 0));

    // The new question outlives a kill as the old one did.
    let asked = asked.killed_and_later(2 * DAYS).await;
    assert_eq!(only_item(&asked.anna).await, item);
    assert_eq!(asked.answer(&item, "answer-04", "approve").await.status, 200);
    asked.until("ended").await;
    assert_eq!(asked.file("plan.md").as_deref(), Some("tea\n"));
    assert_eq!(asked.recorded("started").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_somebody_else_has_made_is_not_written_over() {
    let asked = Asked::about(made_plan(), &[]).await.killed_and_later(DAYS).await;
    asked.put("plan.md", "somebody else's\n");
    assert_eq!(asked.answer(&asked.item, "answer-01", "approve").await.status, 200);
    asked.until("ended").await;
    assert_eq!(asked.file("plan.md").as_deref(), Some("somebody else's\n"), "what was approved was another file");
    assert_eq!(asked.recorded("started").await.len(), 0);
    let returned = asked.recorded("returned").await;
    assert_eq!(returned.iter().map(|entry| &entry["status"]).collect::<Vec<_>>(), ["refused"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_digest_another_item_and_no_decision_are_refused() {
    let asked = Asked::about(made_plan(), &[]).await.killed_and_later(DAYS).await;
    let forged = asked.answer_with(&asked.item, &json!("0".repeat(64)), "answer-01", "approve").await;
    assert_eq!(outcome(&forged), refused(409, "digest_differs"));
    let unknown = json!({ "id": "0".repeat(32), "approval": asked.item["approval"] });
    assert_eq!(outcome(&asked.answer(&unknown, "answer-02", "approve").await), refused(404, "not_found"));
    let path = format!("/api/v1/inbox/{}/answer", asked.item["id"].as_str().unwrap());
    let form = json!({ "digest": asked.item["approval"]["digest"] });
    assert_eq!(asked.anna.post(&path, "answer-03", &form).await.unwrap().status, 422);
    assert_eq!(only_item(&asked.anna).await, asked.item, "none of this was an answer");
    assert_eq!((asked.file("plan.md"), asked.recorded("answered").await.len()), (None, 0));

    // Withdrawn by its turn's end, it is gone.
    let turn = asked.recorded("said").await[0]["turn"].clone();
    let stop = format!("/api/v1/conversations/{}/stop", asked.conversation);
    assert_eq!(asked.anna.post(&stop, "press-001", &json!({ "turn": turn })).await.unwrap().status, 202);
    asked.until("ended").await;
    assert_eq!(outcome(&asked.answer(&asked.item, "answer-04", "approve").await), refused(410, "expired"));
    assert_eq!(asked.file("plan.md"), None);
}
