//! The list of conversations and its pages, one conversation under its tag, and the person's files.

use std::collections::HashSet;

use serde_json::{Value, json};
use server::client::Client;
use testkit::model::Line;

use crate::world::{World, conversation, say, until};

async fn page(client: &Client, cursor: Option<&str>) -> Value {
    let cursor = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
    let answer = client.get(&format!("/api/v1/conversations?limit=7{cursor}")).await.unwrap();
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn paging_while_rows_come_shows_none_twice_and_skips_none_that_stayed() {
    let (_world, anna) = World::with_anna([]).await;
    let mut stayed = HashSet::new();
    for n in 0..30 {
        stayed.insert(conversation(&anna, &format!("conversation-{n}")).await);
    }
    let (mut seen, mut cursor, mut late) = (Vec::new(), None, 0);
    loop {
        let found = page(&anna, cursor.as_deref()).await;
        seen.extend(found["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()));
        conversation(&anna, &format!("late-conversation-{late}")).await;
        late += 1;
        match found["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    let once: HashSet<_> = seen.iter().cloned().collect();
    assert_eq!(once.len(), seen.len(), "a row came twice");
    assert!(stayed.is_subset(&once), "a row that stayed was skipped");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_altered_or_foreign_cursor_and_a_limit_out_of_range_are_refused() {
    let (world, anna) = World::with_anna([]).await;
    for n in 0..9 {
        conversation(&anna, &format!("conversation-{n}")).await;
    }
    let cursor = page(&anna, None).await["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(page(&anna, Some(&cursor)).await["items"].as_array().unwrap().len(), 2);
    let bert = world.bert().await;
    for (client, query) in [
        (&anna, format!("cursor={cursor}0")),
        (&anna, format!("cursor=9{cursor}")),
        (&anna, format!("archived=true&cursor={cursor}")),
        (&anna, "cursor=nonsense".to_owned()),
        (&anna, "limit=0".to_owned()),
        (&anna, "limit=201".to_owned()),
        (&bert, format!("cursor={cursor}")),
    ] {
        let answer = client.get(&format!("/api/v1/conversations?{query}")).await.unwrap();
        assert_eq!((answer.status, answer.code().as_str()), (422, "invalid"), "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_needs_the_tag_of_what_it_changes() {
    let (_world, anna) = World::with_anna([]).await;
    let path = format!("/api/v1/conversations/{}", conversation(&anna, "conversation-1").await);
    let tag = anna.get(&path).await.unwrap().header("etag").unwrap().to_owned();
    let known = anna.send("GET", &path, &[("if-none-match", &tag)], None).await.unwrap();
    assert_eq!((known.status, known.body.len()), (304, 0));
    let rename = json!({ "title": "Coffee" });
    let bare = anna.send("PATCH", &path, &[], Some(&rename)).await.unwrap();
    assert_eq!((bare.status, bare.code().as_str()), (428, "precondition_required"));
    let renamed = anna.send("PATCH", &path, &[("if-match", &tag)], Some(&rename)).await.unwrap();
    assert_eq!((renamed.status, &renamed.json()["title"]), (200, &json!("Coffee")));
    let stale = anna.send("PATCH", &path, &[("if-match", &tag)], Some(&json!({ "title": "Milk" }))).await.unwrap();
    assert_eq!((stale.status, stale.code().as_str()), (412, "stale"));
    assert_eq!(stale.header("etag"), renamed.header("etag"), "the tag of what is there now");
    for title in ["x".repeat(201), "two\nlines".to_owned(), "turned\u{202E}round".to_owned()] {
        let bad = anna.send("PATCH", &path, &[("if-match", &tag)], Some(&json!({ "title": title }))).await.unwrap();
        assert_eq!((bad.status, &bad.json()["fields"][0]["pointer"]), (422, &json!("/title")));
    }
    let tag = renamed.header("etag").unwrap().to_owned();
    let archive = anna.send("PATCH", &path, &[("if-match", &tag)], Some(&json!({ "archived": true }))).await.unwrap();
    assert_eq!(archive.json()["archived"], json!(true));
    assert_eq!(anna.get("/api/v1/conversations").await.unwrap().json()["items"], json!([]));
    let archived = anna.get("/api/v1/conversations?archived=true").await.unwrap().json();
    assert_eq!(archived["items"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_eight_changes_at_once_under_one_tag_one_is_made() {
    let (_world, anna) = World::with_anna([]).await;
    let path = format!("/api/v1/conversations/{}", conversation(&anna, "conversation-1").await);
    let tag = anna.get(&path).await.unwrap().header("etag").unwrap().to_owned();
    let tries = (0..8).map(|n| {
        let (anna, path, tag) = (anna.clone(), path.clone(), tag.clone());
        let form = json!({ "title": format!("Title {}", n % 2), "archived": n % 3 == 0 });
        tokio::spawn(async move { anna.send("PATCH", &path, &[("if-match", &tag)], Some(&form)).await.unwrap().status })
    });
    let statuses = futures::future::join_all(tries.collect::<Vec<_>>()).await;
    let mut statuses: Vec<u16> = statuses.into_iter().map(|status| status.unwrap()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412, 412, 412, 412, 412, 412, 412]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_a_large_and_an_unreadable_message_are_refused_by_name() {
    let (_world, anna) = World::with_anna([]).await;
    let id = conversation(&anna, "conversation-1").await;
    for (text, status, code) in [
        ("", 422, "invalid"),
        ("  \n ", 422, "invalid"),
        ("a\0b", 422, "invalid"),
        (&*"x".repeat(256 * 1024 + 1), 413, "too_large"),
    ] {
        let answer = say(&anna, &id, "message-1", text).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{} bytes", text.len());
    }
    let path = format!("/api/v1/conversations/{id}/messages");
    let headers = [
        ("origin", &*format!("http://{}", anna.address)),
        ("content-type", "application/json"),
        ("cookie", anna.cookie.as_deref().unwrap()),
        ("x-riad-csrf", anna.csrf.as_deref().unwrap()),
        ("idempotency-key", "message-1"),
    ];
    let cut = anna.bare("POST", &path, &headers, b"{\"text\":").await.unwrap();
    assert_eq!((cut.status, cut.code().as_str()), (400, "bad_json"));
    let unknown = anna.post(&path, "message-1", &json!({ "text": "hello", "model": "x" })).await.unwrap();
    assert_eq!(unknown.status, 422, "{}", unknown.json());
    assert_eq!(anna.get(&format!("/api/v1/conversations/{id}")).await.unwrap().json()["head"], json!(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_waits_can_be_taken_back_and_one_that_was_read_cannot() {
    let (world, anna) = World::with_anna([Line::Streams("Thinking".to_owned()), Line::text("Done.")]).await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "go").await;
    while world.model.said() == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    say(&anna, &id, "message-2", "and this").await;
    let take_back = |message: &'static str| {
        let path = format!("/api/v1/conversations/{id}/messages/{message}");
        let anna = anna.clone();
        async move { anna.send("DELETE", &path, &[], Some(&json!({}))).await.unwrap() }
    };
    assert_eq!(take_back("message-2").await.status, 204);
    assert_eq!(take_back("message-3").await.status, 404);
    let read = take_back("message-1").await;
    assert_eq!((read.status, read.code().as_str()), (409, "already_read"));
    let stop = format!("/api/v1/conversations/{id}/stop");
    anna.post(&stop, "stopping-1", &json!({ "turn": "message-1" })).await.unwrap();
    let kinds = until(&anna, &id, "ended").await;
    assert!(kinds.contains(&"withdrawn".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_shown_below_the_home_and_nowhere_else() {
    let (world, anna) = World::with_anna([]).await;
    let home = std::fs::read_dir(world.data().join("homes")).unwrap().next().unwrap().unwrap().path();
    std::fs::create_dir(home.join("notes")).unwrap();
    std::fs::write(home.join("notes/tea.md"), "green\n").unwrap();
    std::fs::write(home.join("bytes.bin"), [0xff, 0xfe, 0]).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", home.join("out")).unwrap();
    std::os::unix::fs::symlink("../../instance.key", home.join("key")).unwrap();
    let list = anna.get("/api/v1/files?path=~/").await.unwrap().json();
    let names: Vec<_> = list["entries"].as_array().unwrap().iter().map(|item| item["name"].clone()).collect();
    assert!(names.contains(&json!("notes")) && names.contains(&json!("bytes.bin")), "{names:?}");
    let text = anna.get("/api/v1/files/content?path=~/notes/tea.md").await.unwrap();
    assert_eq!((text.status, text.body.as_slice()), (200, b"green\n".as_slice()));
    assert_eq!(text.header("content-type"), Some("text/plain; charset=utf-8"));
    let tag = text.header("etag").unwrap().to_owned();
    let known = anna.send("GET", "/api/v1/files/content?path=~/notes/tea.md", &[("if-none-match", &tag)], None).await;
    assert_eq!(known.unwrap().status, 304);
    let bytes = anna.get("/api/v1/files/content?path=~/bytes.bin").await.unwrap();
    assert_eq!(bytes.header("content-disposition"), Some("attachment"));
    for path in [
        "~/out",
        "~/key",
        "~/../x",
        "~/notes/../../x",
        "/etc/passwd",
        "~/nothing",
        "~/notes",
        "user-memory/a.md",
        "work/a",
        "~/%00",
        "",
    ] {
        let answer = anna.get(&format!("/api/v1/files/content?path={path}")).await.unwrap();
        assert!([404, 422].contains(&answer.status), "{path}: {}", answer.status);
    }
}
