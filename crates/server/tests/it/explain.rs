//! `riad explain` as a process: the tables of cases row by row, batches with bad lines, and what people read.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use crate::binary::riad;

struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
    }
}

/// Runs `riad explain` with these arguments and this input.
async fn explain(arguments: &[&str], input: &str) -> Ran {
    let home = tempfile::tempdir().unwrap();
    let mut command: Command = riad(home.path());
    command.arg("explain").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = command.spawn().unwrap();
    let mut stdin = running.stdin.take().unwrap();
    let input = input.to_owned();
    // A command that does not read its input ends before all of it is written.
    let writing = tokio::spawn(async move { drop(stdin.write_all(input.as_bytes()).await) });
    let output = running.wait_with_output().await.unwrap();
    writing.await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// The cells of a table's rows.
fn rows(file: &str) -> Vec<Vec<String>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// The `fs` rows: path as JSON, operation, verdict.
fn path_rows() -> Vec<[String; 3]> {
    let rows = rows("path-cases.tsv").into_iter().filter(|row| row[4] == "fs");
    let rows: Vec<_> = rows.map(|row| [row[0].clone(), row[1].clone(), row[2].clone()]).collect();
    assert!(rows.len() >= 40, "the table is whole");
    rows
}

fn check(wanted: &[(String, String)], ran: &Ran) {
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines = ran.lines();
    assert_eq!(lines.len(), wanted.len());
    let wrong: Vec<String> = wanted
        .iter()
        .zip(&lines)
        .filter(|((_, verdict), said)| {
            said["verdict"] != **verdict || said["reason"].as_str().is_none_or(str::is_empty)
        })
        .map(|((asked, verdict), said)| format!("{asked} is {verdict}: {said}"))
        .collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), wanted.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn argv_agrees_with_every_row() {
    let rows = rows("argv-cases.tsv");
    let wanted: Vec<_> = rows.iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    assert!(rows.iter().filter(|row| row[3] == "syntax").count() >= 66 && wanted.len() > 90, "the table is whole");
    let input: Vec<&str> = wanted.iter().map(|(line, _)| line.as_str()).collect();
    check(&wanted, &explain(&["argv", "--batch", "--json"], &input.join("\n")).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn args_agrees_with_every_row() {
    let rows = rows("argrepair-cases.tsv");
    assert!(rows.len() > 90, "the table is whole");
    let line = |row: &Vec<String>| format!(r#"{{"schema":{},"raw":{},"level":{:?}}}"#, row[0], row[1], row[4]);
    let input: Vec<String> = rows.iter().map(line).collect();
    let ran = explain(&["args", "--batch", "--json"], &input.join("\n")).await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    let said = ran.lines();
    assert_eq!(said.len(), rows.len());
    for (row, said) in rows.iter().zip(&said) {
        let wanted: Option<Value> = (row[2] != "LEAVE").then(|| serde_json::from_str(&row[2]).unwrap());
        let verdict = if wanted.is_some() { "repaired" } else { "leave" };
        assert_eq!((said["verdict"].as_str(), said.get("value")), (Some(verdict), wanted.as_ref()), "{row:?}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn args_of_one_text_keep_all_digits_and_say_what_was_done() {
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("schema.json");
    std::fs::write(&schema, r#"{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}"#).unwrap();
    let schema = schema.to_str().unwrap();
    let digits = "0.1000000000000000055511151231257827";
    let ran = explain(&["args", "--json", "--schema", schema, &format!("{{'n': \"{digits}\"}}")], "").await;
    assert!(ran.out.contains(&format!("\"value\":{{\"n\":{digits}}}")), "{}", ran.out);
    assert!(ran.out.contains("number read from a text at /n") && ran.out.contains("more digits"), "{}", ran.out);
    let plain = explain(&["args", "--schema", schema, r#"{"n":"x"}"#], "").await;
    assert_eq!((plain.code, plain.out.starts_with("leave: at /n: ")), (0, true), "{}", plain.out);
    let unnamed = explain(&["args", "{}"], "").await;
    assert!(unnamed.code != 0 && unnamed.err.contains("--schema"), "{}", unnamed.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn path_agrees_with_every_row_without_root_and_operation() {
    let wanted: Vec<_> = path_rows().into_iter().map(|[path, _, verdict]| (path, verdict)).collect();
    let input: Vec<&str> = wanted.iter().map(|(line, _)| line.as_str()).collect();
    check(&wanted, &explain(&["path", "--batch", "--json"], &input.join("\n")).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn path_agrees_with_every_row_on_a_given_tree_with_operations() {
    let folder = tempfile::tempdir().unwrap();
    drop(tools::explain::example::lay(folder.path()).unwrap());
    let root = folder.path().to_str().unwrap();
    let (mut wanted, mut input) = (Vec::new(), String::new());
    for [path, op, verdict] in path_rows() {
        let path: String = serde_json::from_str(&path).unwrap();
        let asked = json!({ "path": path.replace("{R}", root), "op": op }).to_string();
        input.push_str(&format!("{asked}\n"));
        wanted.push((asked, verdict));
    }
    let (grant, read) = (format!("{root}/grant"), format!("{root}/grant2"));
    let given = ["path", "--batch", "--json", "--root", &grant, "--read", &read, "--deny", "private"];
    check(&wanted, &explain(&given, &input).await);
}

/// What the text alone can tell is told without any tree, one path a call.
#[tokio::test(flavor = "multi_thread")]
async fn rows_that_text_decides_need_no_tree() {
    let decided = [
        "parent traversal",
        "sibling by traversal",
        "absolute outside",
        "NUL byte",
        "control character in a name",
        "file system root",
        "process environment",
        "proc magic link to the root",
        "proc magic link to cwd",
        "name longer than NAME_MAX 255",
        "path longer than PATH_MAX 4096",
        "dot-dot that stays inside",
        "non-ASCII name",
        "URL is not a path: there is no folder file:",
    ];
    let rows: Vec<_> = rows("path-cases.tsv").into_iter().filter(|row| decided.contains(&row[3].as_str())).collect();
    assert!(rows.len() >= decided.len());
    let wanted: Vec<_> = rows.iter().map(|row| (row[0].replace("{R}", "/tmp/r"), row[2].clone())).collect();
    let input: Vec<&str> = wanted.iter().map(|(line, _)| line.as_str()).collect();
    check(&wanted, &explain(&["path", "--batch", "--json", "--text"], &input.join("\n")).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_line_is_an_error_of_its_own_and_the_rest_goes_on() {
    let input = "\"a.txt\"\nnot json\n\n17\n{\"path\":\"a.txt\",\"op\":\"eat\"}\n\"..\\u0000\"\n\"in/b.txt\"";
    let ran = explain(&["path", "--batch", "--json"], input).await;
    let kinds: Vec<&str> = ran
        .lines()
        .iter()
        .map(|line| {
            if line["error"].is_string() {
                "error"
            } else if line["verdict"] == "allow" {
                "allow"
            } else {
                "block"
            }
        })
        .collect();
    assert_eq!(kinds, ["allow", "error", "error", "error", "error", "block", "allow"], "{}", ran.out);
    assert_eq!(ran.code, 1);
    let plain = explain(&["argv", "--batch"], "\"ls | wc\"\n\"ls\"\n[\"ls\",\"|\"]\nx\n").await;
    let words: Vec<&str> = plain.out.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!((plain.code, words), (1, vec!["block", "allow", "allow", "error"]), "{}", plain.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_value_gives_one_readable_line_and_exit_0_whatever_the_verdict() {
    for (arguments, start) in [
        (vec!["argv", "ls -l"], "allow: plain argv: [\"ls\", \"-l\"]\n"),
        (vec!["argv", "ls | wc"], "block: column 4: "),
        (vec!["argv", "ls", "-l", "a b"], "allow: plain argv: [\"ls\", \"-l\", \"a b\"]\n"),
        (vec!["path", "~/notes/plan.md"], "allow: `~/notes/plan.md`"),
        (vec!["path", "../x", "--op", "read"], "block: "),
        (vec!["path", "--example", "out/secret.txt"], "block: "),
    ] {
        let ran = explain(&arguments, "").await;
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{arguments:?}");
        assert!(ran.out.starts_with(start) && ran.out.lines().count() == 1, "{arguments:?}: {}", ran.out);
    }
    let ran = explain(&["argv", "ls -l", "--json"], "").await;
    assert_eq!(ran.lines(), [json!({ "schema": 1, "verdict": "allow", "reason": "plain argv: [\"ls\", \"-l\"]" })]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_built_says_so_and_bad_use_is_exit_2() {
    for arguments in [&["url", "http://127.0.0.1/"][..], &["cron", "--json", "0 8 * * *"]] {
        let ran = explain(arguments, "\"x\"\n").await;
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (1, "", "riad: not built yet\n"), "{arguments:?}");
    }
    for arguments in [
        &["path"][..],
        &["argv", "--json"],
        &["weather"],
        &["path", "x", "--op", "eat"],
        &["path", "x", "--root", "/nonexistent/folder"],
        &["path", "x", "--deny", "y"],
        &["path", "x", "--batch"],
        &["call", "no json"],
        &["call", "{\"tool\":\"shell\"}"],
    ] {
        let ran = explain(arguments, "").await;
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}: {}", ran.err);
        assert!(!ran.err.is_empty());
    }
}

fn call(tool: &str, arguments: &Value) -> String {
    json!({ "tool": tool, "arguments": arguments }).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_told_with_class_facts_and_verdict() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("there.md"), "old\n").unwrap();
    let home: &Path = home.path();
    let hash = domain::digest::Digest::of_bytes(b"old\n").hex();
    let edit = json!({ "path": "~/there.md", "hash": hash, "edits": [{ "find": "old", "put": "new" }] });
    let write = |path: &str| json!({ "path": path, "content": "new\n" });
    for (asked, verdict, class) in [
        (call("file_write", &write("~/fresh.md")), "ask", "create"),
        (call("file_edit", &edit), "ask", "modify"),
        (call("file_write", &write("user-memory/me.md")), "allow", "create"),
        (call("file_read", &json!({ "files": [{ "path": "~/there.md" }] })), "allow", "read"),
        (call("shell", &json!({ "line": "true" })), "allow", "execute"),
    ] {
        let ran = explain(&["call", "--json", "--home", home.to_str().unwrap(), &asked], "").await;
        assert_eq!(ran.code, 0, "{asked}: {}", ran.err);
        let said = &ran.lines()[0];
        assert_eq!((&said["verdict"], &said["classes"]), (&json!(verdict), &json!([class])), "{asked}: {said}");
        assert!(said["facts"].is_object() && said["label"].is_string(), "{said}");
    }
    let plain = explain(&["call", &call("file_write", &write("~/fresh.md"))], "").await;
    assert!(
        plain.out.contains("\n  class    create\n  place    ~/fresh.md (create, not there yet)\n"),
        "{}",
        plain.out
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_cannot_be_are_blocked_with_the_sentence_a_model_reads() {
    let input = [
        call("file_write", &json!({ "path": "../x", "content": "" })),
        call("file_wrote", &json!({})),
        call("file_write", &json!("{\"path\":")),
        json!(call("shell", &json!({ "line": "curl http://127.0.0.1 | sh" }))).to_string(),
    ];
    let ran = explain(&["call", "--batch", "--json"], &input.join("\n")).await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    let said = ran.lines();
    assert!(said.iter().all(|said| said["verdict"] == "block"), "{}", ran.out);
    assert!(said[1]["reason"].as_str().unwrap().contains("file_write"), "the nearest name is given: {}", said[1]);
}
