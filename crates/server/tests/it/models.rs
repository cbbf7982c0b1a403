//! Several models: who answers by what was chosen where, how far a conversation travels, who stands in (LOOP-75, LOOP-109).

use std::sync::Arc;

use domain::model::{SampleFault, Tier};
use harness::ports::Model;
use serde_json::{Value, json};
use server::client::{Answer, Client};
use testkit::model::{Line, ScriptedModel};

use crate::cli::Desk;
use crate::world::{World, conversation, entries, say, until};

fn model(name: &str, tier: Tier, lines: impl IntoIterator<Item = Line>) -> Arc<ScriptedModel> {
    let model = ScriptedModel::new(lines);
    model.describe_as(|description| {
        name.clone_into(&mut description.name);
        description.tier = tier;
    });
    Arc::new(model)
}

/// A near model, which is the usual one, and two that are further away.
struct Three {
    world: World,
    anna: Client,
    near: Arc<ScriptedModel>,
    cellar: Arc<ScriptedModel>,
    far: Arc<ScriptedModel>,
}

async fn three(fallbacks: &[&str], farthest: Tier) -> Three {
    let near = model("near", Tier::Device, ["Near.", "Near again."].map(Line::text));
    let cellar = model("cellar/large", Tier::Trusted, ["From the cellar.", "From the cellar again."].map(Line::text));
    let far = model("far/huge", Tier::Any, ["From far away.", "From far away again."].map(Line::text));
    let models: Vec<Arc<dyn Model>> = vec![near.clone(), cellar.clone(), far.clone()];
    let world = World::with_models(models, fallbacks, farthest).await;
    let (world, anna) = world.and_anna().await;
    Three { world, anna, near, cellar, far }
}

async fn choose(anna: &Client, path: &str, choice: Value) -> Answer {
    anna.send("PATCH", &format!("/api/v1{path}"), &[], Some(&choice)).await.unwrap()
}

/// What the conversation's replies said, and who said it.
async fn replies(anna: &Client, id: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let found = entries(anna, id).await;
    let replied = found.iter().filter(|entry| entry["kind"] == "replied");
    replied.map(|entry| (text(&entry["model"]), text(&entry["text"]))).collect()
}

async fn ask(anna: &Client, id: &str, key: &str) -> (String, String) {
    let before = ended(anna, id).await;
    assert_eq!(say(anna, id, key, key).await.status, 201);
    for _ in 0..500 {
        if ended(anna, id).await > before {
            return replies(anna, id).await.pop().unwrap();
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{key} was not answered: {:?}", entries(anna, id).await);
}

async fn ended(anna: &Client, id: &str) -> usize {
    entries(anna, id).await.iter().filter(|entry| entry["kind"] == "ended").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn all_models_are_listed_with_their_place() {
    let three = three(&[], Tier::Any).await;
    let list = three.anna.get("/api/v1/models").await.unwrap().json();
    let rows: Vec<_> = list["models"].as_array().unwrap().iter().collect();
    let told: Vec<_> = rows.iter().map(|row| (row["name"].as_str().unwrap(), row["tier"].as_str().unwrap())).collect();
    assert_eq!(told, [("near", "device"), ("cellar/large", "trusted"), ("far/huge", "any")]);
    assert_eq!(
        (&rows[0]["usual"], &rows[1]["usual"], &rows[1]["resting"]),
        (&json!(true), &json!(false), &json!(false))
    );
    assert_eq!(three.anna.get("/api/v1/session").await.unwrap().json()["models"], list["models"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_far_model_answers_only_where_the_conversation_may_travel() {
    let three = three(&[], Tier::Any).await;
    let anna = &three.anna;
    let id = conversation(anna, "conversation-1").await;
    let path = format!("/conversations/{id}/choice");
    let refused = choose(anna, &path, json!({ "model": "far/huge" })).await;
    let says = refused.json();
    assert_eq!((refused.status, &says["fields"][0]["pointer"]), (422, &json!("/model")), "{says}");
    assert!(says["detail"].as_str().unwrap().contains("stays on this machine"), "{says}");
    let taken = choose(anna, &path, json!({ "model": "far/huge", "tier": "any" })).await;
    assert_eq!(taken.status, 200, "{}", taken.json());
    assert_eq!(taken.json()["holds"]["model"], "far/huge");
    assert_eq!(ask(anna, &id, "message-1").await, ("far/huge".to_owned(), "From far away.".to_owned()));
    let tightened = choose(anna, &path, json!({ "tier": "device" })).await.json();
    assert_eq!((&tightened["model"], &tightened["holds"]["model"]), (&Value::Null, &json!("near")), "{tightened}");
    assert_eq!(ask(anna, &id, "message-2").await.0, "near");
    let other = conversation(anna, "conversation-2").await;
    assert_eq!(ask(anna, &other, "message-3").await, ("near".to_owned(), "Near again.".to_owned()));
    assert_eq!((three.near.said(), three.cellar.said(), three.far.said()), (2, 0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_nearest_layer_that_says_something_wins_and_the_strictest_tier_holds() {
    let three = three(&[], Tier::Trusted).await;
    let anna = &three.anna;
    let beyond = choose(anna, "/choice", json!({ "tier": "any" })).await;
    assert!(beyond.status == 422 && beyond.json().to_string().contains("the operator allows"), "{}", beyond.json());
    assert_eq!(choose(anna, "/choice", json!({ "model": "cellar/large", "tier": "trusted" })).await.status, 200);
    let id = conversation(anna, "conversation-1").await;
    let path = format!("/conversations/{id}/choice");
    assert_eq!(ask(anna, &id, "message-1").await.0, "cellar/large");
    assert_eq!(choose(anna, &path, json!({ "model": "near" })).await.status, 200);
    assert_eq!(ask(anna, &id, "message-2").await.0, "near");
    let form = json!({ "text": "once", "model": "cellar/large" });
    let said = anna.post(&format!("/api/v1/conversations/{id}/messages"), "message-3", &form).await.unwrap();
    assert_eq!(said.status, 201, "{}", said.json());
    while ended(anna, &id).await < 3 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(replies(anna, &id).await.pop().unwrap(), ("cellar/large".into(), "From the cellar again.".into()));
    assert_eq!(choose(anna, "/choice", json!({ "tier": "device" })).await.json()["model"], Value::Null);
    let held = anna.get(&format!("/api/v1{path}")).await.unwrap().json();
    assert_eq!((&held["holds"]["tier"], &held["holds"]["most"]), (&json!("device"), &json!("device")), "{held}");
    let far = anna.post(&format!("/api/v1/conversations/{id}/messages"), "message-4", &form).await.unwrap();
    assert_eq!((far.status, &far.json()["fields"][0]["pointer"]), (422, &json!("/model")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_choice_stands_after_a_restart() {
    let three = three(&[], Tier::Any).await;
    let id = conversation(&three.anna, "conversation-1").await;
    let path = format!("/conversations/{id}/choice");
    choose(&three.anna, &path, json!({ "model": "cellar/large", "tier": "trusted" })).await;
    let world = three.world.restart_with(vec![three.near.clone(), three.cellar.clone()]).await;
    let anna = world.signed_in().await;
    let found = anna.get(&format!("/api/v1{path}")).await.unwrap().json();
    assert_eq!((&found["model"], &found["tier"]), (&json!("cellar/large"), &json!("trusted")), "{found}");
    assert_eq!(ask(&anna, &id, "message-1").await.0, "cellar/large");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stand_in_answers_when_the_usual_model_cannot_and_never_from_too_far() {
    let broken = || Line::Faults(SampleFault::Unauthorised);
    let three = three(&["far/huge", "cellar/large"], Tier::Any).await;
    let anna = &three.anna;
    for _ in 0..2 {
        three.near.push(broken());
    }
    three.near.rewind(2);
    let id = conversation(anna, "conversation-1").await;
    say(anna, &id, "message-1", "hello").await;
    until(anna, &id, "held").await;
    let held = entries(anna, &id).await.into_iter().find(|entry| entry["kind"] == "held").unwrap();
    assert!(held["sentence"].as_str().unwrap().contains("may not travel that far"), "{held}");
    assert_eq!((three.cellar.said(), three.far.said()), (0, 0));
    choose(anna, &format!("/conversations/{id}/choice"), json!({ "tier": "trusted" })).await;
    until(anna, &id, "ended").await;
    let found = replies(anna, &id).await;
    assert_eq!(found, [("cellar/large".to_owned(), "From the cellar.".to_owned())], "the held turn goes on by itself");
    assert_eq!(three.far.said(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn slash_model_lists_and_chooses() {
    let three = three(&[], Tier::Trusted).await;
    let anna = &three.anna;
    let id = conversation(anna, "conversation-1").await;
    let listed = say(anna, &id, "request-1", "/model").await.json();
    let told = listed["rows"].to_string();
    assert!(told.contains("near") && told.contains("may not travel there"), "{told}");
    let far = say(anna, &id, "request-2", "/model large").await;
    assert_eq!((far.status, &far.json()["fields"][0]["pointer"]), (422, &json!("/text")), "{}", far.json());
    choose(anna, &format!("/conversations/{id}/choice"), json!({ "tier": "trusted" })).await;
    let taken = say(anna, &id, "request-3", "/model large").await;
    assert_eq!((taken.status, &taken.json()["says"]), (200, &json!("cellar/large answers here from now on.")));
    assert_eq!(ask(anna, &id, "message-1").await.0, "cellar/large");
    assert_eq!(say(anna, &id, "request-4", "/model usual").await.status, 200);
    assert_eq!(ask(anna, &id, "message-2").await.0, "near");
    let none = say(anna, &id, "request-5", "/model sold").await.json();
    assert!(none["detail"].as_str().unwrap().contains("There is no model sold here. Near are near, "), "{none}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_conversation_is_made_with_what_was_chosen_for_it() {
    let three = three(&[], Tier::Any).await;
    let form = json!({ "title": "Tea", "choice": { "model": "cellar/large", "tier": "trusted" } });
    let made = three.anna.post("/api/v1/conversations", "conversation-1", &form).await.unwrap();
    assert_eq!(made.status, 201, "{}", made.json());
    let id = made.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(ask(&three.anna, &id, "message-1").await.0, "cellar/large");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_figures_of_rounds_hold_no_text_of_a_message() {
    let three = three(&[], Tier::Any).await;
    let id = conversation(&three.anna, "conversation-1").await;
    ask(&three.anna, &id, "a-secret-word").await;
    let document = three.anna.get(&format!("/api/v1/conversations/{id}/rounds")).await.unwrap().json();
    let round = &document["rounds"][0];
    assert_eq!((&document["schema"], &round["model"], &round["cost"]), (&json!(1), &json!("near"), &Value::Null));
    assert_eq!(
        (&round["stop"], &round["folds"], &round["verdicts"]["by_rule"]),
        (&json!("natural"), &json!(0), &json!(0))
    );
    let text = document["rounds"].to_string().replace(round["turn"].as_str().unwrap(), "");
    assert!(!text.contains("secret") && !text.contains("Near."), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_terminal_prints_the_figures_of_rounds() {
    let desk = Desk::with_anna([Line::text("Hello.")]).await;
    let asked = desk.run(&["ask", "--json", "hi"], "").await;
    let document: Value = serde_json::from_str(&asked.out).unwrap();
    let ran = desk.run(&["rounds", document["conversation"].as_str().unwrap(), "--json"], "").await;
    let figures: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, figures["rounds"].as_array().unwrap().len()), (0, 1), "{figures}");
    assert_eq!(desk.run(&["rounds", "none", "--json"], "").await.code, 3);
    assert_eq!(desk.run(&["rounds", "../x", "--json"], "").await.code, 3);
}
