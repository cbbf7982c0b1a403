//! After a cut run the tool looks whether its work is there.

use domain::result::Status;
use serde_json::{Value, json};

use crate::room::Room;

async fn landed_before_and_after(room: &Room, tool: &str, arguments: Value) {
    let cleared = room.clear(tool, arguments.clone()).await.unwrap();
    assert_eq!(room.landed(&cleared).await, None, "{tool} {arguments}: before");
    assert_eq!(room.run(&cleared).await.status, Status::Done);
    let landed = room.landed(&cleared).await.unwrap_or_else(|| panic!("{tool} {arguments}: after"));
    assert_eq!(landed.status, Status::Done, "{tool} {arguments}: {}", landed.text);
}

#[tokio::test]
async fn a_write_that_landed_is_recognised() {
    let room = Room::new();
    landed_before_and_after(&room, "file_write", json!({"path": "a", "content": "one\n"})).await;
    let hash = room.hash("a");
    landed_before_and_after(
        &room,
        "file_write",
        json!({"path": "a", "content": "two", "mode": "replace", "hash": hash}),
    )
    .await;
    let hash = room.hash("a");
    landed_before_and_after(
        &room,
        "file_write",
        json!({"path": "a", "content": "x\n", "mode": "append", "hash": hash}),
    )
    .await;
    let hash = room.hash("a");
    let edits = json!([{"find": "two", "put": "x"}, {"find": "x\n", "put": ""}]);
    landed_before_and_after(&room, "file_edit", json!({"path": "a", "hash": hash, "edits": edits})).await;
    landed_before_and_after(&room, "file_write", json!({"path": "user-memory/n.md", "content": "n\n"})).await;
}

#[tokio::test]
async fn what_somebody_else_wrote_is_not_taken_for_it() {
    let room = Room::new();
    room.put("a", "one\n");
    let edit = json!({"path": "a", "hash": room.hash("a"), "edits": [{"find": "one", "put": "two"}]});
    let cleared = room.clear("file_edit", edit).await.unwrap();
    room.put("a", "three\n");
    assert_eq!(room.landed(&cleared).await.map(|ran| ran.status), Some(Status::Failed));
    let cleared = room.clear("file_write", json!({"path": "b", "content": "mine"})).await.unwrap();
    room.put("b", "theirs");
    assert_eq!(room.landed(&cleared).await.map(|ran| ran.status), Some(Status::Failed));
}
