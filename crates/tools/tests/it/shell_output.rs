//! What a command gives back: exit code, both streams whole or with counts, live output, and a clean end.

use std::time::{Duration, Instant};

use domain::result::Status;
use serde_json::json;

use crate::room::Room;

#[tokio::test(flavor = "multi_thread")]
async fn a_command_runs_where_it_was_told_and_says_so() {
    let room = Room::sandboxed().await;
    room.put("notes/plan.md", "plan one\nplan two\n");
    let text = room.done("shell", json!({"line": "grep -rn 'plan two' notes"})).await;
    assert!(text.starts_with("exit code 0 (") && text.contains("in ~/)"), "{text}");
    assert!(text.contains("--- stdout ---\nnotes/plan.md:2:plan two"), "{text}");
    assert_eq!(*room.live.0.lock().unwrap(), "notes/plan.md:2:plan two\n");
    let text = room.done("shell", json!({"argv": ["pwd"], "dir": "~/notes"})).await;
    assert!(text.contains("/home/user/notes"), "{text}");
    let text = room.done("shell", json!({"argv": ["tr", "a-z", "A-Z"], "stdin": "abc $x\n"})).await;
    assert!(text.contains("ABC $X"), "{text}");
    let missed = room.fails("shell", json!({"line": "grep nothing notes/plan.md"})).await;
    assert!(missed.starts_with("exit code 1"), "{missed}");
    let both = room.fails("shell", json!({"line": "ls notes none"})).await;
    assert!(both.contains("--- stdout ---\nnotes:") && both.contains("--- stderr ---\nls: "), "{both}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_work_folder_is_written_and_the_home_is_not() {
    let room = Room::sandboxed().await;
    room.put("a.txt", "a\n");
    room.done("shell", json!({"line": "cp a.txt work/b.txt"})).await;
    assert_eq!(std::fs::read_to_string(room.work("b.txt")).unwrap(), "a\n");
    assert!(room.done("file_read", json!({"files": [{"path": "work/b.txt"}]})).await.contains("1\ta"));
    room.done("shell", json!({"line": "touch c.txt", "dir": "work"})).await;
    assert!(room.work("c.txt").exists());
    room.fails("shell", json!({"line": "touch c.txt"})).await;
    room.fails("shell", json!({"line": "rm a.txt"})).await;
    assert_eq!(room.text("a.txt"), "a\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_is_counted_and_no_character_is_split() {
    let room = Room::sandboxed().await;
    room.put("big.txt", "zeile mit ümlaut\n".repeat(200_000));
    let text = room.done("shell", json!({"line": "cat big.txt"})).await;
    assert!(text.chars().count() < 9_000 && !text.contains('\u{FFFD}'), "{}", text.chars().count());
    let left_out: usize = text.split('[').nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let shown = text.split("--- stdout ---\n").nth(1).unwrap();
    let kept: usize = shown.lines().filter(|line| !line.starts_with('[')).map(|line| line.len() + 1).sum();
    let whole = "zeile mit ümlaut\n".len() * 200_000;
    assert!((whole - left_out).abs_diff(kept) <= 2, "{whole} {left_out} {kept}");
}

#[tokio::test(flavor = "multi_thread")]
async fn time_and_stop_end_a_command_and_keep_its_output() {
    let room = Room::sandboxed().await;
    let began = Instant::now();
    let late = room.fails("shell", json!({"line": "tail -n +1 -f /etc/passwd", "timeout_s": 1})).await;
    assert!(late.contains("it was ended after 1 s") && late.contains("user:"), "{late}");
    assert!(began.elapsed() < Duration::from_secs(5));
    let cancel = room.scope.cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(500)).await;
        cancel.cancel();
    });
    let cleared = room.clear("shell", json!({"line": "sleep 60"})).await.unwrap();
    let ran = room.run(&cleared).await;
    assert_eq!(ran.status, Status::Cancelled, "{}", ran.text);
    assert!(began.elapsed() < Duration::from_secs(9));
}
