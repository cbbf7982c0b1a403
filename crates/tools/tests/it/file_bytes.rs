//! A change keeps encoding, mark, line ends, final newline and mode, and is whole or not there at all.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::room::Room;

/// Before, the edit, after; bytes.
const KEPT: &[(&[u8], &str, &str, &[u8])] = &[
    (b"a\nb\n", "b", "c", b"a\nc\n"),
    (b"a\nb", "b", "c", b"a\nc"),
    (b"a\r\nb\r\n", "a\nb", "a\nx\nb", b"a\r\nx\r\nb\r\n"),
    (b"\xEF\xBB\xBFa\r\nb", "b", "c", b"\xEF\xBB\xBFa\r\nc"),
    (b"\xFF\xFEa\0\n\0b\0", "b", "é", b"\xFF\xFEa\0\n\0\xE9\0"),
    (b"\xFE\xFF\0a\0\r\0\n\0b", "a", "c\nd", b"\xFE\xFF\0c\0\r\0\n\0d\0\r\0\n\0b"),
    (b"caf\xE9 b", "b", "\u{20ac}", b"caf\xE9 \x80"),
    (b"a\r\nb\nc\r", "b", "x", b"a\r\nx\nc\r"),
];

#[tokio::test]
async fn encodings_and_line_ends_are_kept() {
    let room = Room::new();
    for (before, find, put, after) in KEPT {
        room.put("f", before);
        let edit = json!({"path": "f", "hash": room.hash("f"), "edits": [{"find": find, "put": put}]});
        room.done("file_edit", edit).await;
        assert_eq!(room.bytes("f"), *after, "{before:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_kept_is_rejected() {
    let room = Room::new();
    room.put("latin", b"caf\xE9");
    room.put("binary", b"a\0b");
    room.put("broken", b"\xFF\xFEa");
    for (file, find) in [("latin", "caf"), ("binary", "a"), ("broken", "a")] {
        let before = room.bytes(file);
        let edit = json!({"path": file, "hash": room.hash(file), "edits": [{"find": find, "put": "→"}]});
        room.fails("file_edit", edit).await;
        assert_eq!(room.bytes(file), before, "{file}");
    }
    room.put("large", vec![b'a'; 8 * 1024 * 1024 + 1]);
    let write = json!({"path": "large", "content": "x", "mode": "replace", "hash": room.hash("large")});
    assert!(room.fails("file_write", write).await.contains("bytes"));
}

#[tokio::test]
async fn mode_is_kept_and_no_file_gains_rights() {
    let room = Room::new();
    room.put("run.sh", "a\n");
    for (before, after) in [(0o755, 0o755), (0o640, 0o640), (0o4755, 0o755), (0o2750, 0o750)] {
        std::fs::set_permissions(room.home("run.sh"), std::fs::Permissions::from_mode(before)).unwrap();
        let edit =
            json!({"path": "run.sh", "hash": room.hash("run.sh"), "edits": [{"from": 1, "put": format!("{before}")}]});
        room.done("file_edit", edit).await;
        assert_eq!(std::fs::metadata(room.home("run.sh")).unwrap().permissions().mode() & 0o7777, after);
    }
}

#[tokio::test]
async fn a_write_that_fails_leaves_the_old_file_and_nothing_else() {
    let room = Room::new();
    room.put("sub/a.txt", "old\n");
    let cleared = room
        .clear(
            "file_write",
            json!({"path": "sub/a.txt", "content": "new", "mode": "replace", "hash": room.hash("sub/a.txt")}),
        )
        .await
        .unwrap();
    // The file becomes one with two names between the yes and the write.
    std::fs::hard_link(room.home("sub/a.txt"), room.home("sub/b.txt")).unwrap();
    assert_eq!(room.run(&cleared).await.status, domain::result::Status::Failed);
    assert_eq!(room.text("sub/a.txt"), "old\n");
    let mut names: Vec<_> =
        std::fs::read_dir(room.home("sub")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.txt", "b.txt"]);
}

#[tokio::test]
async fn what_a_cut_run_left_is_taken_up() {
    let room = Room::new();
    let cleared = room.clear("file_write", json!({"path": "a.txt", "content": "new\n"})).await.unwrap();
    std::fs::write(room.home(&format!(".riad-{}.new", &cleared.key()[..16])), "half").unwrap();
    assert_eq!(room.landed(&cleared).await, None);
    room.run(&cleared).await;
    assert_eq!(room.text("a.txt"), "new\n");
    assert_eq!(std::fs::read_dir(room.home("")).unwrap().count(), 1);
}
