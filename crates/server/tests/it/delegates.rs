//! A delegate through the whole server: the bundled assistant asks the bundled researcher.

use domain::model::Tier;
use serde_json::json;
use testkit::model::{Line, ScriptedModel};

use crate::world::{World, conversation, entries, say, until};

#[tokio::test(flavor = "multi_thread")]
async fn the_assistant_reads_what_the_researcher_found() {
    let model = std::sync::Arc::new(ScriptedModel::new([
        Line::calls("", &[("delegate", r#"{"profile":"researcher","task":"what is in notes.txt"}"#)]),
        Line::calls("", &[("file_write", r#"{"path":"~/x.txt","text":"x"}"#)]),
        Line::text("There is no such file."),
        Line::text("It is not there."),
    ]));
    let world = World::with_models(vec![model.clone()], &[], Tier::Device).await;
    let (_world, anna) = world.and_anna().await;
    let id = conversation(&anna, "conversation-1").await;
    assert_eq!(say(&anna, &id, "message-1", "Look into notes.txt.").await.status, 201);
    until(&anna, &id, "ended").await;
    let all = loop {
        let all = entries(&anna, &id).await;
        if all.last().is_some_and(|last| last["kind"] == "ended" && last.get("frame").is_none()) {
            break all;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    };
    let opened = all.iter().find(|entry| entry["kind"] == "opened").expect("a frame was opened");
    assert_eq!((&opened["profile"], &opened["path"]), (&json!("researcher"), &json!(["assistant", "researcher"])));
    let call = opened["frame"].as_str().expect("it names its call");
    let inside = all.iter().filter(|entry| entry["frame"] == call).map(|entry| entry["kind"].as_str().unwrap_or(""));
    assert_eq!(
        inside.collect::<Vec<_>>(),
        ["opened", "replied", "rejected", "replied", "ended"],
        "it cannot write: {all:#?}"
    );
    let returned = all.iter().find(|entry| entry["kind"] == "returned" && entry["call"] == call).expect("it came back");
    assert_eq!((&returned["status"], &returned["text"]), (&json!("done"), &json!("There is no such file.")));
    let prompts = model.prompts();
    let block = |index: usize| prompts[index].prefix.tools.iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>();
    let tool = |name: &str| prompts[0].prefix.tools.iter().find(|tool| tool.name.as_str() == name).cloned();
    assert!(tool("delegate").expect("it is offered").description.contains("\n- researcher: Looks things up"));
    assert_eq!(
        block(1),
        ["file_find", "file_list", "file_read", "file_search", "recall", "scratchpad_read", "scratchpad_write"]
    );
}
