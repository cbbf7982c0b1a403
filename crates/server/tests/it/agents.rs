//! Profiles and commands that people write: a slip is told with its place and changes nothing, a turn keeps the version
//! that it was said to, an own command expands (LOOP-111, LOOP-113).

use serde_json::{Value, json};
use server::client::{Answer, Client};
use testkit::model::{Line, ScriptedModel};

use crate::world::{World, conversation, entries, say, until};

async fn put(anna: &Client, path: &str, seen: u64, text: &str) -> Answer {
    let form = json!({ "text": text, "seen": seen });
    anna.send("PUT", &format!("/api/v1{path}"), &[], Some(&form)).await.unwrap()
}

async fn get(anna: &Client, path: &str) -> Value {
    anna.get(&format!("/api/v1{path}")).await.unwrap().json()
}

fn agent(prompt: &str) -> String {
    format!("---\nname: Helper\ndescription: Helps.\nicon: \u{1F375}\ntools: [file_read, file_list]\n---\n{prompt}")
}

/// What the model was told in its n-th prompt.
fn system(model: &ScriptedModel, n: usize) -> String {
    model.prompts()[n].prefix.system.clone()
}

async fn choose(anna: &Client, id: &str, profile: &str) -> Answer {
    let path = format!("/api/v1/conversations/{id}/choice");
    anna.send("PATCH", &path, &[], Some(&json!({ "profile": profile }))).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_a_bundled_profile_can_be_changed_and_the_bundled_one_cannot() {
    let (_world, anna) = World::with_anna([]).await;
    let bundled = get(&anna, "/agents/riad/assistant").await;
    let text = bundled["text"].as_str().unwrap();
    assert_eq!((&bundled["own"], &bundled["version"]), (&json!(false), &json!(0)));
    assert_eq!(put(&anna, "/agents/riad/assistant", 0, text).await.status, 403);
    let made = put(&anna, "/agents/me/mine", 0, text).await;
    assert_eq!((made.status, &made.json()["version"]), (200, &json!(1)), "{}", made.json());
    assert_eq!(put(&anna, "/agents/me/mine", 0, text).await.status, 412, "somebody else has made it");
    let list = get(&anna, "/agents").await;
    let ids: Vec<_> = list["items"].as_array().unwrap().iter().map(|each| each["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["riad/assistant", "riad/researcher", "me/mine"]);
    let gone = anna.send("DELETE", "/api/v1/agents/me/mine", &[], Some(&json!({ "seen": 1 }))).await.unwrap();
    assert_eq!(gone.status, 204);
    assert_eq!(anna.get("/api/v1/agents/me/mine").await.unwrap().status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slip_is_told_with_line_and_column_and_the_last_good_version_stays() {
    let (_world, anna) = World::with_anna([]).await;
    assert_eq!(put(&anna, "/agents/me/mine", 0, &agent("One.")).await.status, 200);
    for (text, says) in [
        ("---\nname: x\ntols: []\n---\np", "line 3, column 1: there is no field `tols`"),
        ("---\nname: x\ntools: [file_red]\n---\np", "line 3, column 9: there is no tool `file_red`; near are"),
        ("---\nname: x\nmodel: sold\n---\np", "line 3, column 8: there is no model `sold`"),
        ("---\nname: x\nreasoning: low\n---\np", "line 3, column 1: `reasoning` has no effect yet; leave it out"),
    ] {
        let refused = put(&anna, "/agents/me/mine", 1, text).await;
        let document = refused.json();
        let fault = document["fields"][0]["detail"].as_str().unwrap();
        assert!(refused.status == 422 && fault.starts_with(says), "{document}");
    }
    assert_eq!(get(&anna, "/agents/me/mine").await["text"], json!(agent("One.")));
    let named = put(&anna, "/agents/me/No_Name", 0, &agent("One.")).await;
    assert_eq!((named.status, &named.json()["fields"][0]["pointer"]), (422, &json!("/name")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_counts_from_the_next_turn_and_a_turn_keeps_its_version() {
    let list = json!({ "path": "~/" }).to_string();
    let write = json!({ "path": "~/tea.txt", "content": "green" }).to_string();
    let lines = [
        Line::calls("", &[("file_list", &list)]),
        Line::text("One."),
        Line::calls("", &[("file_write", &write)]),
        Line::text("Two."),
    ];
    let (world, anna) = World::with_anna(lines).await;
    assert_eq!(put(&anna, "/agents/me/mine", 0, &agent("The first text.")).await.status, 200);
    let id = conversation(&anna, "conversation-1").await;
    let chosen = choose(&anna, &id, "me/mine").await.json();
    assert_eq!(chosen["holds"]["profile_title"], "\u{1F375} Helper", "{chosen}");
    let turn = say(&anna, &id, "message-1", "look").await;
    assert_eq!(turn.status, 201);
    until(&anna, &id, "ended").await;
    assert_eq!(
        (system(&world.model, 0), system(&world.model, 1)),
        ("The first text.".into(), "The first text.".into())
    );
    let names: Vec<_> = world.model.prompts()[0].prefix.tools.iter().map(|tool| tool.name.to_string()).collect();
    assert_eq!(names, ["file_list", "file_read"], "a profile only narrows");
    // The next turn rests on a question of the bundled profile, while another one is chosen.
    assert_eq!(choose(&anna, &id, "").await.status, 200);
    say(&anna, &id, "message-2", "write").await;
    until(&anna, &id, "asked").await;
    assert_eq!(choose(&anna, &id, "me/mine").await.status, 200);
    assert_eq!(put(&anna, "/agents/me/mine", 1, &agent("The second text.")).await.status, 200);
    let card = anna.get("/api/v1/inbox").await.unwrap().json()["items"][0].clone();
    let answer = json!({ "digest": card["approval"]["digest"], "decision": "approve" });
    let path = format!("/api/v1/inbox/{}/answer", card["id"].as_str().unwrap());
    assert_eq!(anna.post(&path, "answer-01", &answer).await.unwrap().status, 200);
    while world.model.said() < 4 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    assert!(system(&world.model, 3).starts_with("You are a private assistant"), "the turn keeps who it was said to");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_finds_its_version_after_a_restart_though_the_profile_is_gone() {
    let ask = json!({ "questions": [{ "text": "Which?", "options": ["a", "b"] }] }).to_string();
    let (world, anna) = World::with_anna([Line::calls("", &[("ask_person", &ask)]), Line::text("Done.")]).await;
    let text = "---\nname: Asker\n---\nAsk first.";
    assert_eq!(put(&anna, "/agents/me/asker", 0, text).await.status, 200);
    let id = conversation(&anna, "conversation-1").await;
    assert_eq!(choose(&anna, &id, "me/asker").await.status, 200);
    say(&anna, &id, "message-1", "go").await;
    until(&anna, &id, "asked_question").await;
    let gone = anna.send("DELETE", "/api/v1/agents/me/asker", &[], Some(&json!({ "seen": 1 }))).await.unwrap();
    assert_eq!(gone.status, 204);
    let world = world.restart().await;
    let anna = world.signed_in().await;
    let missing = get(&anna, &format!("/conversations/{id}/choice")).await;
    assert_eq!(
        (&missing["holds"]["profile"], &missing["holds"]["missing"]),
        (&json!("riad/assistant"), &json!("me/asker")),
        "{missing}"
    );
    let item = anna.get("/api/v1/inbox").await.unwrap().json()["items"][0].clone();
    let answer = json!({ "digest": item["question"]["digest"], "answers": [{ "options": [0] }] });
    let path = format!("/api/v1/inbox/{}/answer", item["id"].as_str().unwrap());
    let answered = anna.post(&path, "answer-01", &answer).await.unwrap();
    assert_eq!(answered.status, 200, "{}", answered.json());
    until(&anna, &id, "ended").await;
    assert_eq!(world.model.prompts().last().unwrap().prefix.system, "Ask first.");
}

#[tokio::test(flavor = "multi_thread")]
async fn slash_agent_switches_from_the_next_turn_and_own_commands_expand() {
    let (world, anna) = World::with_anna(["One.", "Two."].map(Line::text)).await;
    let id = conversation(&anna, "conversation-1").await;
    let text = "---\ndescription: Plans the week\nargument_hint: from when\n---\nPlan my week from {{args}} on.";
    let made = put(&anna, "/commands/me/week", 0, text).await;
    assert_eq!(made.status, 200, "{}", made.json());
    let own = "---\ndescription: Mine\n---\nMy own words.";
    assert_eq!(put(&anna, "/commands/me/recap", 0, own).await.status, 200);
    for (name, says) in [("help", "`/help` is a command of Riad"), ("Recap", "a command's name is 1 to 32")] {
        let refused = put(&anna, &format!("/commands/me/{name}"), 0, own).await;
        assert!(refused.status == 422 && refused.json().to_string().contains(says), "{}", refused.json());
    }
    let taken = say(&anna, &id, "request-1", "/agent researcher").await;
    assert_eq!((taken.status, &taken.json()["says"]), (200, &json!("researcher answers here from the next turn on.")));
    assert_eq!(say(&anna, &id, "message-1", "/week Monday").await.status, 201);
    until(&anna, &id, "ended").await;
    let said = entries(&anna, &id).await[0].clone();
    assert_eq!((&said["short"], &said["text"]), (&json!("/week Monday"), &json!("Plan my week from Monday on.")));
    assert!(system(&world.model, 0).starts_with("You look things up"), "{}", system(&world.model, 0));
    let list = get(&anna, "/commands").await;
    let told: Vec<_> =
        list["items"].as_array().unwrap().iter().map(|each| (each["id"].as_str().unwrap(), &each["hidden"])).collect();
    assert_eq!(told, [("riad/recap", &json!(true)), ("me/recap", &json!(false)), ("me/week", &json!(false))]);
    let help = say(&anna, &id, "request-2", "/help").await.json().to_string();
    assert!(help.contains("/week [from when]") && help.contains("Mine"), "{help}");
    assert_eq!(say(&anna, &id, "request-3", "/agent nobody").await.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_person_wrote_is_not_there_for_another() {
    let (world, anna) = World::with_anna([]).await;
    let bert = world.bert().await;
    assert_eq!(put(&anna, "/agents/me/mine", 0, &agent("Secret.")).await.status, 200);
    assert_eq!(bert.get("/api/v1/agents/me/mine").await.unwrap().status, 404);
    assert!(!get(&bert, "/agents").await.to_string().contains("mine"));
    let id = conversation(&bert, "conversation-1").await;
    assert_eq!(choose(&bert, &id, "me/mine").await.status, 422);
}
