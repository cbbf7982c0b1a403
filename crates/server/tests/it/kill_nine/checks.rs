//! What must hold after any number of kills: of the journal, and of the world beside it.
#![expect(clippy::print_stdout, reason = "figures for whoever runs it by hand")]

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use domain::account::TypedPassword;
use harness::ports::Clock as _;
use serde_json::{Value, json};
use server::client::Client;
use server::clock::SystemClock;
use store::{Instance, Options, SignIn};

use super::person::{Person, words};
use crate::world::{PASSWORD, entries};

/// All entries, numbered from 1 without a gap.
pub(super) async fn recorded(anna: &Client, id: &str) -> Vec<Value> {
    let recorded = entries(anna, id).await;
    let numbers: Vec<_> = recorded.iter().map(|entry| entry["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=recorded.len() as u64).collect::<Vec<_>>());
    recorded
}

/// What the stream showed is what is recorded: nothing was shown that was lost.
pub(super) fn stream(person: &Person, recorded: &[Value]) {
    let without_place = |entry: &Value| {
        let mut entry = entry.clone();
        entry.as_object_mut().unwrap().remove("seq");
        entry
    };
    let shown: Vec<_> = person.page.entries.iter().map(without_place).collect();
    assert_eq!(shown, recorded);
}

/// Every acknowledged message stands once, where it was said to be, and every turn came to its end.
pub(super) fn messages(person: &Person, recorded: &[Value]) {
    let said: Vec<_> =
        of_kind(recorded, "said").map(|entry| (entry["number"].clone(), entry["text"].clone())).collect();
    let wanted: Vec<_> =
        person.acknowledged.iter().enumerate().map(|(n, entry)| (json!(entry), json!(words(n)))).collect();
    assert_eq!(said, wanted);
    assert_eq!(of_kind(recorded, "ended").count(), wanted.len());
}

/// A turn is answered; only one that was cut three times without getting any further may be given up.
pub(super) fn outcomes(recorded: &[Value]) {
    let mut cuts = 0;
    for entry in recorded {
        match entry["kind"].as_str().unwrap() {
            "resumed" => cuts += 1,
            "said" | "replied" | "screened" | "answered" => cuts = 0,
            "ended" => assert!(entry["outcome"] == "answered" || cuts >= 3, "{entry}"),
            _ => {}
        }
    }
}

/// Every question has one answer, and those that were acknowledged stand where they were said to be.
pub(super) fn answers(person: &Person, recorded: &[Value]) {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let asked: Vec<_> = of_kind(recorded, "asked").map(|entry| text(&entry["approval"]["id"])).collect();
    let answered: Vec<_> =
        of_kind(recorded, "answered").map(|entry| (text(&entry["approval"]), entry["number"].clone())).collect();
    let by_id: BTreeMap<_, _> = answered.iter().cloned().collect();
    assert_eq!(by_id.len(), answered.len(), "an approval was answered twice");
    assert_eq!(by_id.keys().cloned().collect::<BTreeSet<_>>(), asked.into_iter().collect::<BTreeSet<_>>());
    for (id, entry) in &person.answered {
        assert_eq!(by_id[id], json!(entry));
    }
    println!("{} answers, of which {} were recorded unheard", by_id.len(), person.answered_unheard);
}

/// Every call has exactly one result, and what cannot be repeated started at most once.
pub(super) fn results(recorded: &[Value]) {
    for call in calls(recorded) {
        let of_call = |kind| of_kind(recorded, kind).filter(|entry| entry["call"] == call.id).count();
        assert_eq!(of_call("returned") + of_call("rejected"), 1, "{call:?}");
        assert!(call.tool != "shell" || of_call("started") <= 1, "{call:?} started twice");
        assert!(call.status.is_some(), "{call:?}");
    }
}

/// What was done is there once; what was cut is there once or not at all; nothing else is there.
pub(super) async fn effects(data: &Path, recorded: &[Value]) {
    let calls = calls(recorded);
    let (mut lines, mut files, mut notes) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for call in &calls {
        let text = |name: &str| call.arguments[name].as_str().unwrap_or_default().to_owned();
        let before = match (call.tool.as_str(), text("path")) {
            ("shell", _) if call.arguments["stdin"].is_string() => lines.insert(text("stdin"), call),
            ("file_write", path) if path.starts_with("~/") => files.insert(path[2..].to_owned(), call),
            ("file_write", path) => notes.insert(path["user-memory/".len()..].to_owned(), call),
            _ => None,
        };
        assert!(before.is_none(), "{call:?} was asked for twice");
    }
    check_lines(data, &lines);
    check_files(data, &files);
    check_notes(data, &notes).await;
    let count = |status: &str| calls.iter().filter(|call| call.status.as_deref() == Some(status)).count();
    println!("{} calls: {} done, {} interrupted", calls.len(), count("done"), count("interrupted"));
    assert!(count("done") * 2 > calls.len(), "most were cut: the test kills too early to mean anything");
}

/// How often something may be there after its call.
fn fits(call: &Call, times: usize) -> bool {
    match call.status.as_deref() {
        Some("done") => times == 1,
        Some("interrupted" | "cancelled") => times <= 1,
        _ => times == 0,
    }
}

fn check_lines(data: &Path, calls: &BTreeMap<String, &Call>) {
    let log = find(&data.join("works"), "log.txt").expect("something was written");
    let text = std::fs::read_to_string(log).unwrap();
    for (line, call) in calls {
        let times = text.split_inclusive('\n').filter(|found| found == line).count();
        assert!(fits(call, times), "{line:?} stands {times} times: {call:?}");
    }
    assert!(text.split_inclusive('\n').all(|line| calls.contains_key(line)), "{text}");
}

fn check_files(data: &Path, calls: &BTreeMap<String, &Call>) {
    let mut homes = std::fs::read_dir(data.join("homes")).unwrap();
    let home = homes.next().unwrap().unwrap().path();
    for (name, call) in calls {
        let text = std::fs::read_to_string(home.join(name)).ok();
        assert!(fits(call, usize::from(text.is_some())), "{name}: {call:?}");
        assert!(text.is_none_or(|text| json!(text) == call.arguments["content"]), "{name} is not whole: {call:?}");
    }
    let names = std::fs::read_dir(&home).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    // The folder `work` is where commands in the home find theirs.
    let strange: Vec<_> =
        names.filter(|name| !calls.contains_key(name) && !["seed.txt", "work"].contains(&name.as_str())).collect();
    assert!(strange.is_empty(), "left in the home: {strange:?}");
}

async fn check_notes(data: &Path, calls: &BTreeMap<String, &Call>) {
    let now = SystemClock.now();
    let instance = Instance::open(Options::new(data), now).await.unwrap();
    let form = SignIn {
        handle: "anna".to_owned(),
        password: TypedPassword::new(PASSWORD.to_owned()),
        address: IpAddr::from(Ipv4Addr::LOCALHOST),
        device: None,
        device_name: "test".to_owned(),
        lasting: false,
        replaces: None,
    };
    let vault = instance.sign_in(form, now).await.unwrap().vault.unwrap();
    for (name, call) in calls {
        let versions = vault.note_versions(name.clone()).await.unwrap();
        assert!(fits(call, versions.len()), "{name}: {versions:?}, {call:?}");
        for version in versions {
            assert_eq!(version.call.map(|id| json!(id)), Some(json!(call.id)));
            assert_eq!(json!(version.text), call.arguments["content"]);
        }
    }
    drop(vault);
    instance.close().await;
}

/// A call with its end.
#[derive(Debug)]
struct Call {
    id: String,
    tool: String,
    arguments: Value,
    /// The status of its result; none while there is no result.
    status: Option<String>,
    /// The text of its result.
    #[expect(dead_code, reason = "shown when a check fails")]
    said: String,
}

fn calls(recorded: &[Value]) -> Vec<Call> {
    let made = of_kind(recorded, "replied").flat_map(|entry| entry["calls"].as_array().unwrap());
    let call = |call: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let end = of_kind(recorded, "returned").find(|entry| entry["call"] == call["id"]);
        Call {
            id: text(&call["id"]),
            tool: text(&call["tool"]),
            arguments: serde_json::from_str(&text(&call["arguments"])).unwrap(),
            status: end.map(|end| text(&end["status"])),
            said: end.map(|end| text(&end["text"])).unwrap_or_default(),
        }
    };
    made.map(call).collect()
}

fn of_kind<'a>(recorded: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    recorded.iter().filter(move |entry| entry["kind"] == kind)
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.into_iter().find_map(|path| match path.is_dir() {
        true => find(&path, name),
        false => (path.file_name()? == name).then_some(path),
    })
}
