//! Files and notes are made and changed whole, with the hash that was read, and as the facts say.

use domain::facts::{Content, Preview, Root};
use domain::result::Status;
use domain::tool::EffectClass;
use harness::ports::Notes as _;
use serde_json::json;

use crate::room::Room;

#[tokio::test]
async fn a_new_file_is_made_with_its_folders_and_shown_as_a_diff() {
    let room = Room::new();
    let arguments = json!({"path": "~/notes/plan.md", "content": "# Plan\n"});
    let appraisal = room.appraise("file_write", arguments.clone()).await.unwrap();
    assert_eq!(appraisal.label, "Write ~/notes/plan.md");
    let [fact] = &appraisal.facts.paths[..] else { panic!("one path") };
    assert_eq!(
        (fact.path.as_str(), fact.root, fact.class, &fact.now, fact.bytes),
        ("~/notes/plan.md", Root::Home, EffectClass::Create, &Content::Absent, 7)
    );
    assert!(!appraisal.facts.undo);
    let diff = "--- /dev/null\n+++ ~/notes/plan.md\n@@ -0,0 +1 @@\n+# Plan\n".to_owned();
    assert_eq!(appraisal.preview, Some(Preview::Diff { path: "~/notes/plan.md".to_owned(), diff }));
    assert!(!room.home("notes").exists(), "looking changes nothing");
    let text = room.done("file_write", arguments.clone()).await;
    assert_eq!(room.text("notes/plan.md"), "# Plan\n");
    assert!(text.contains(&room.hash("notes/plan.md")), "{text}");
    assert!(room.fails("file_write", arguments).await.contains("exists"));
    assert_eq!(std::fs::read_dir(room.home("notes")).unwrap().count(), 1, "nothing is left beside it");
}

#[tokio::test]
async fn changing_a_file_needs_its_hash() {
    let room = Room::new();
    room.put("a.txt", "one\ntwo\n");
    let replace = |hash: Option<&str>| json!({"path": "a.txt", "content": "new", "mode": "replace", "hash": hash});
    assert!(room.fails("file_write", replace(None)).await.contains("needs the hash"));
    let stale = room.fails("file_write", replace(Some("0123456789abcdef"))).await;
    assert!(stale.contains(&room.hash("a.txt")) && stale.contains("one\ntwo"), "{stale}");
    assert!(room.fails("file_write", replace(Some(""))).await.contains("hash"));
    assert_eq!(room.text("a.txt"), "one\ntwo\n");
    let hash = room.hash("a.txt");
    let appraisal = room.appraise("file_write", replace(Some(&hash))).await.unwrap();
    assert_eq!(appraisal.facts.paths[0].class, EffectClass::Modify);
    room.done("file_write", replace(Some(&hash))).await;
    assert_eq!(room.text("a.txt"), "new\n", "the final line end is kept");
}

#[tokio::test]
async fn read_gives_the_hash_that_edit_takes() {
    let room = Room::new();
    room.put("a.txt", "one\ntwo\nthree\n");
    let read = room.done("file_read", json!({"files": [{"path": "~/a.txt"}]})).await;
    assert!(read.contains("3 lines, utf-8, LF, hash ") && read.contains("    2\ttwo"), "{read}");
    let hash = read.split("hash ").nth(1).unwrap().lines().next().unwrap().to_owned();
    let edit = json!({"path": "~/a.txt", "hash": hash, "edits": [
        {"find": "two", "put": "2"}, {"from": 3, "to": 3, "put": "3"},
    ]});
    let appraisal = room.appraise("file_edit", edit.clone()).await.unwrap();
    let Some(Preview::Diff { diff, .. }) = appraisal.preview else { panic!("a diff") };
    assert_eq!(diff, "--- ~/a.txt\n+++ ~/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n-three\n+2\n+3\n");
    room.done("file_edit", edit.clone()).await;
    assert_eq!(room.text("a.txt"), "one\n2\n3\n");
    assert!(room.fails("file_edit", edit).await.contains("not as it was"));
}

#[tokio::test]
async fn all_edits_are_made_or_none() {
    let room = Room::new();
    room.put("a.txt", "one\ntwo\ntwo\n");
    let edits = |edits: serde_json::Value| json!({"path": "a.txt", "hash": room.hash("a.txt"), "edits": edits});
    let twice = room.fails("file_edit", edits(json!([{"find": "one", "put": "1"}, {"find": "two", "put": "2"}]))).await;
    assert!(twice.contains("edit 2") && twice.contains("lines 2, 3"), "{twice}");
    let miss = room.fails("file_edit", edits(json!([{"find": "tow", "put": "2"}]))).await;
    assert!(miss.contains("nearest line is 2"), "{miss}");
    assert_eq!(room.text("a.txt"), "one\ntwo\ntwo\n");
    assert!(
        room.fails("file_edit", json!({"path": "b.txt", "hash": "x", "edits": [{"find": "a", "put": "b"}]}))
            .await
            .contains("file_write")
    );
}

#[tokio::test]
async fn a_file_that_changes_after_the_yes_is_not_written() {
    let room = Room::new();
    room.put("a.txt", "one\n");
    let hash = room.hash("a.txt");
    let cleared = room
        .clear("file_edit", json!({"path": "a.txt", "hash": hash, "edits": [{"find": "one", "put": "1"}]}))
        .await
        .unwrap();
    room.put("a.txt", "one, by somebody else\n");
    let ran = room.run(&cleared).await;
    assert_eq!(ran.status, Status::Failed);
    assert_eq!(room.text("a.txt"), "one, by somebody else\n");
    let cleared = room.clear("file_write", json!({"path": "b.txt", "content": "mine"})).await.unwrap();
    room.put("b.txt", "theirs");
    assert_eq!(room.run(&cleared).await.status, Status::Failed);
    assert_eq!(room.text("b.txt"), "theirs");
}

#[tokio::test]
async fn a_link_changed_after_the_yes_moves_nothing() {
    let room = Room::new();
    room.put("one/a.txt", "old\n");
    room.put("two/a.txt", "old\n");
    std::os::unix::fs::symlink("one", room.home("link")).unwrap();
    let hash = room.hash("one/a.txt");
    let write = json!({"path": "link/a.txt", "content": "new\n", "mode": "replace", "hash": hash});
    let appraisal = room.appraise("file_write", write.clone()).await.unwrap();
    assert_eq!(appraisal.facts.paths[0].path, "~/one/a.txt", "facts name the real place");
    let cleared = room.clear("file_write", write).await.unwrap();
    std::fs::remove_file(room.home("link")).unwrap();
    std::os::unix::fs::symlink("two", room.home("link")).unwrap();
    assert_eq!(room.run(&cleared).await.status, Status::Failed);
    assert_eq!((room.text("one/a.txt"), room.text("two/a.txt")), ("old\n".to_owned(), "old\n".to_owned()));
}

#[tokio::test]
async fn append_begins_a_line_of_its_own() {
    let room = Room::new();
    let append = |hash: Option<String>| json!({"path": "log.txt", "content": "next\n", "mode": "append", "hash": hash});
    room.done("file_write", append(None)).await;
    assert_eq!(room.text("log.txt"), "next\n");
    room.put("log.txt", "no end");
    room.done("file_write", append(Some(room.hash("log.txt")))).await;
    assert_eq!(room.text("log.txt"), "no end\nnext\n");
}

#[tokio::test]
async fn work_folders_are_one_a_conversation() {
    let mut room = Room::new();
    room.done("file_write", json!({"path": "work/a.csv", "content": "1,2\n"})).await;
    assert_eq!(std::fs::read_to_string(room.work("a.csv")).unwrap(), "1,2\n");
    assert!(room.done("file_list", json!({"path": "work/"})).await.contains("a.csv  4 bytes"));
    room.scope.conversation = domain::id::ConversationId::new("../c2");
    assert_eq!(room.done("file_list", json!({"path": "work"})).await, "(empty)");
}

#[tokio::test]
async fn notes_go_through_the_vault_and_can_be_undone() {
    let room = Room::new();
    let write = json!({"path": "user-memory/me.md", "content": "Likes tea.\n"});
    let appraisal = room.appraise("file_write", write.clone()).await.unwrap();
    assert!(appraisal.facts.undo && appraisal.facts.paths[0].root == Root::Notes);
    room.done("file_write", write).await;
    assert_eq!(room.notes.read("me.md").await.unwrap().as_deref(), Some("Likes tea.\n"));
    let read = room.done("file_read", json!({"files": [{"path": "user-memory/me.md"}]})).await;
    let hash = read.split("hash ").nth(1).unwrap().lines().next().unwrap().to_owned();
    room.done(
        "file_edit",
        json!({"path": "user-memory/me.md", "hash": hash, "edits": [{"find": "tea", "put": "coffee"}]}),
    )
    .await;
    assert_eq!(room.notes.versions("me.md"), ["Likes tea.\n", "Likes coffee.\n"]);
    assert_eq!(room.done("file_list", json!({"path": "user-memory/"})).await, "me.md  14 bytes");
    assert!(
        room.done("file_search", json!({"any": ["coffee"], "path": "user-memory/"})).await.contains("1:Likes coffee.")
    );
    assert_eq!(
        room.done("file_find", json!({"glob": "*.md", "path": "user-memory/"})).await,
        "user-memory/me.md  14 bytes"
    );
    let long = json!({"path": "user-memory/long.md", "content": "x".repeat(65_537)});
    assert!(room.fails("file_write", long).await.contains("64 KiB"));
}

#[tokio::test]
async fn what_may_not_be_written_is_said_before_anybody_is_asked() {
    let room = Room::new();
    room.put(".git/config", "x");
    std::os::unix::fs::symlink("/etc/passwd", room.home("out")).unwrap();
    std::os::unix::fs::symlink("nowhere", room.home("dangling")).unwrap();
    std::os::unix::fs::symlink(room.folder.path().join("data"), room.home("data")).unwrap();
    std::os::unix::fs::symlink("../data", room.home("data2")).unwrap();
    for path in [
        "~/.git/hooks/x",
        "~/.ssh/authorized_keys",
        "~/.bashrc",
        "out",
        "dangling",
        "data/x",
        "data2/x",
        "../x",
        "/etc/x",
        "shared/x",
        "work/../x",
        "~/work",
        "skills/x",
        "~/skills/x",
        "~/a\u{202e}b",
    ] {
        let write = json!({"path": path, "content": "x"});
        assert!(room.appraise("file_write", write).await.is_err(), "{path}");
    }
    assert!(room.done("file_read", json!({"files": [{"path": "~/.git/config"}]})).await.contains("1\tx"));
}
