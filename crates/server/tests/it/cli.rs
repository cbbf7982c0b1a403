//! The commands that speak with a running server, as real processes: piped and at a terminal.

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rustix::termios::{LocalModes, tcgetattr};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::model::Line;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use crate::pty::Pty;
use crate::world::{PASSWORD, World, conversation, entries};

/// Somebody with a home of their own, whose server is a world.
pub(crate) struct Desk {
    pub(crate) world: World,
    pub(crate) home: TempDir,
}

pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Desk {
    /// Anna exists, and is signed in on the terminal.
    pub(crate) async fn with_anna(lines: impl IntoIterator<Item = Line>) -> Self {
        let (world, _) = World::with_anna(lines).await;
        let desk = Self { world, home: tempfile::tempdir().unwrap() };
        let ran = desk.run(&["login", "anna", "--password-stdin"], PASSWORD).await;
        assert_eq!((ran.code, ran.out.as_str()), (0, "Anna is signed in on this terminal.\n"), "{}", ran.err);
        desk
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_riad"));
        command.env_clear().env("HOME", self.home.path()).env("RIAD_DATA_DIR", self.world.data());
        command.args(arguments).kill_on_drop(true);
        command
    }

    /// Runs a command with this input.
    pub(crate) async fn run(&self, arguments: &[&str], input: &str) -> Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = command.spawn().unwrap();
        // A command that does not read its input may be gone before it is written.
        let _ = running.stdin.take().unwrap().write_all(input.as_bytes()).await;
        let output = tokio::time::timeout(Duration::from_secs(60), running.wait_with_output()).await.unwrap().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    pub(crate) fn at_terminal(&self, arguments: &[&str]) -> Pty {
        Pty::start(self.command(arguments))
    }

    /// The folder of anna's files.
    pub(crate) fn files(&self) -> PathBuf {
        let mut homes = std::fs::read_dir(self.world.data().join("homes")).unwrap();
        homes.next().unwrap().unwrap().path()
    }

    fn session_file(&self) -> PathBuf {
        let folder = self.home.path().join(".config/riad/sessions");
        std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
    }
}

fn write(path: &str, content: &str) -> Line {
    Line::calls("I write it.", &[("file_write", &json!({ "path": path, "content": content }).to_string())])
}

#[tokio::test(flavor = "multi_thread")]
async fn who_signs_in_keeps_a_session_that_others_cannot_read() {
    let desk = Desk::with_anna([Line::text("Hello, Anna.")]).await;
    let file = desk.session_file();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(!kept.contains(PASSWORD) && kept.contains("anna"));

    let ran = desk.run(&["ask", "hello"], "").await;
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "Hello, Anna.\n", ""));

    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    let ran = desk.run(&["ask", "hello"], "").await;
    assert_eq!(ran.code, 78, "{}", ran.err);
    assert!(ran.err.contains("open to others"), "{}", ran.err);
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();

    let ran = desk.run(&["logout"], "").await;
    assert_eq!((ran.code, file.exists()), (0, false), "{}", ran.err);
    let ran = desk.run(&["ask", "hello"], "").await;
    assert_eq!((ran.code, ran.out.as_str()), (4, ""), "{}", ran.err);
    assert!(ran.err.contains("riad login"), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_and_a_missing_server_have_their_codes() {
    let mut desk = Desk::with_anna([]).await;
    let ran = desk.run(&["login", "anna", "--password-stdin"], "quite another one").await;
    assert_eq!((ran.code, ran.out.as_str()), (4, ""), "{}", ran.err);
    let ran = desk.run(&["login", "anna"], "").await;
    assert_eq!(ran.code, 2, "without a terminal nothing is asked: {}", ran.err);
    desk.world.stop().await;
    for arguments in [&["ask", "hello"][..], &["chat"], &["login", "anna", "--password-stdin"]] {
        let ran = desk.run(arguments, PASSWORD).await;
        assert_eq!((ran.code, ran.out.as_str()), (7, ""), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains("riad serve"), "{}", ran.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_typed_unseen() {
    let desk = Desk::with_anna([]).await;
    desk.run(&["logout"], "").await;
    let mut pty = desk.at_terminal(&["login", "anna"]);
    pty.until("Password of anna: ").await;
    pty.line(PASSWORD);
    let (code, screen) = pty.end().await;
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("Anna is signed in") && !screen.contains(PASSWORD), "{screen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_echoes_again_whatever_ended_the_question_for_a_password() {
    let echoes = |terminal: &File| tcgetattr(terminal).unwrap().local_modes.contains(LocalModes::ECHO);
    for signal in ["-INT", "-TERM", "-HUP"] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_riad"));
        command.env("HOME", folder.path()).args(["setup", "--handle", "anna", "--name", "Anna", "--preset", "home"]);
        command.args(["--locale", "en", "--zone", "UTC", "--vault", "private"]);
        let mut pty = Pty::start(command);
        pty.until("Password (12 to 128 characters): ").await;
        let terminal = pty.terminal();
        assert!(!echoes(&terminal), "{signal}");
        pty.signal(signal).await;
        let (code, screen) = pty.end().await;
        assert_eq!(code, 130, "{signal}: {screen}");
        assert!(echoes(&terminal), "{signal}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ask_takes_words_and_standard_input_and_prints_json() {
    let desk = Desk::with_anna((0..5).map(|n| Line::text(&format!("Answer {n}."))).collect::<Vec<_>>()).await;
    assert_eq!(desk.run(&["ask"], "from the pipe\n").await.out, "Answer 0.\n");
    assert_eq!(desk.run(&["ask", "what is", "this:", "-"], "a list\n").await.out, "Answer 1.\n");
    let ran = desk.run(&["ask", "--json", "hello"], "").await;
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&document["answer"], &document["outcome"]), (&json!("Answer 2."), &json!("answered")));
    let id = document["conversation"].as_str().unwrap();
    assert_eq!(desk.run(&["ask", "--conversation", id, "go on"], "").await.out, "Answer 3.\n");
    let anna = desk.world.signed_in().await;
    let said: Vec<String> =
        entries(&anna, id).await.iter().filter_map(|entry| Some(entry["text"].as_str()?.to_owned())).collect();
    assert_eq!(said, ["hello", "Answer 2.", "go on", "Answer 3."]);
    for (arguments, code) in [
        (&["ask", "--conversation", "nowhere", "x"][..], 3),
        (&["ask", "--conversation", "../x", "x"], 3),
        (&["ask"], 2),
    ] {
        let ran = desk.run(arguments, "").await;
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{arguments:?}: {}", ran.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_fails_ends_ask_with_the_sentence_and_no_answer() {
    let desk = Desk::with_anna([Line::mute(), Line::mute(), Line::mute(), Line::mute()]).await;
    let ran = desk.run(&["ask", "hello"], "").await;
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("no answer"), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_terminal_what_must_be_approved_ends_ask_with_the_items_id() {
    let desk = Desk::with_anna([write("~/plan.md", "tea\n"), write("~/plan2.md", "tea\n")]).await;
    let ran = desk.run(&["ask", "write the plan"], "").await;
    let anna = desk.world.signed_in().await;
    let item = anna.get("/api/v1/inbox").await.unwrap().json()["items"][0].clone();
    assert_eq!((ran.code, ran.out.trim()), (5, item["id"].as_str().unwrap()), "{}", ran.err);
    assert!(ran.err.contains(item["id"].as_str().unwrap()) && ran.err.contains("Write ~/plan.md"), "{}", ran.err);
    assert!(!desk.files().join("plan.md").exists());
    let ran = desk.run(&["ask", "--json", "again"], "").await;
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &document["waits"]["kind"]), (5, &json!("approval")), "{}", ran.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn at_a_terminal_the_whole_card_is_shown_and_a_yes_runs_the_call() {
    let desk = Desk::with_anna([write("~/plan.md", "tea\nand more tea\n"), Line::text("It is written.")]).await;
    let mut pty = desk.at_terminal(&["ask", "write the plan"]);
    let card = pty.until("approve, refuse [why], or stop? ").await;
    // What is typed in the first half second does not count.
    pty.line("approve");
    pty.until("too soon").await;
    let anna = desk.world.signed_in().await;
    let item = anna.get("/api/v1/inbox").await.unwrap().json()["items"][0].clone();
    let digest = item["approval"]["digest"].as_str().unwrap();
    for part in [
        "Write ~/plan.md",
        "file_write",
        "create",
        digest,
        "  | +tea",
        "  | +and more tea",
        "nothing leaves this machine",
    ] {
        assert!(card.contains(part), "{part} is missing:\n{card}");
    }
    tokio::time::sleep(Duration::from_millis(600)).await;
    pty.line("sure");
    pty.until("Type approve").await;
    assert!(!desk.files().join("plan.md").exists());
    pty.line("approve");
    let (code, screen) = pty.end().await;
    assert_eq!(code, 0, "{screen}");
    assert!(screen.trim_end().ends_with("It is written."), "{screen}");
    assert_eq!(std::fs::read_to_string(desk.files().join("plan.md")).unwrap(), "tea\nand more tea\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_shows_tools_takes_a_refusal_with_its_reason_and_goes_on() {
    let desk =
        Desk::with_anna([write("~/plan.md", "tea\n"), Line::text("As you like."), Line::text("Good bye.")]).await;
    let mut pty = desk.at_terminal(&["chat"]);
    pty.until("> ").await;
    pty.line("write the plan");
    let screen = pty.until("approve, refuse [why], or stop? ").await;
    assert!(screen.contains("* Write ~/plan.md [create]") && screen.contains("  I write it."), "{screen}");
    tokio::time::sleep(Duration::from_millis(600)).await;
    pty.line("no, coffee first");
    pty.until("Type approve").await;
    pty.line("no coffee first");
    pty.until("  As you like.").await;
    pty.until("> ").await;
    pty.line("bye");
    pty.until("  Good bye.").await;
    pty.until("> ").await;
    pty.end_of_input();
    let (code, screen) = pty.end().await;
    assert_eq!(code, 0, "{screen}");
    assert!(!desk.files().join("plan.md").exists());
    let anna = desk.world.signed_in().await;
    let list = anna.get("/api/v1/conversations").await.unwrap().json();
    let told = entries(&anna, list["items"][0]["id"].as_str().unwrap()).await;
    let answered = told.iter().find(|entry| entry["kind"] == "answered").unwrap();
    assert_eq!((&answered["words"], &answered["surface"]), (&json!("coffee first"), &json!("cli")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_stops_the_turn_and_a_second_one_leaves() {
    let desk = Desk::with_anna([Line::Streams("Once upon a time".to_owned()), Line::text("Yes?")]).await;
    let mut pty = desk.at_terminal(&["chat"]);
    pty.until("> ").await;
    pty.line("tell me a story");
    pty.until("  Once upon a time").await;
    pty.interrupt().await;
    pty.until("You stopped this turn.").await;
    pty.until("> ").await;
    pty.line("still there?");
    pty.until("  Yes?").await;
    pty.until("> ").await;
    pty.interrupt().await;
    pty.until("Ctrl-C again leaves.").await;
    pty.interrupt().await;
    assert_eq!(pty.end().await.0, 130);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_by_number_or_words() {
    let ask =
        json!({ "questions": [{ "text": "Which tea?", "options": ["green", "black"], "other": true }] }).to_string();
    let desk = Desk::with_anna([Line::calls("", &[("ask_person", &ask)]), Line::text("Black it is.")]).await;
    let mut pty = desk.at_terminal(&["ask", "make tea"]);
    let screen = pty.until("number, or your own words: ").await;
    assert!(screen.contains("  | Which tea?") && screen.contains("  2: black"), "{screen}");
    tokio::time::sleep(Duration::from_millis(600)).await;
    pty.line("2");
    let (code, screen) = pty.end().await;
    assert_eq!(code, 0, "{screen}");
    assert!(screen.trim_end().ends_with("Black it is."), "{screen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_finds_a_server_that_was_started_again_unlocks_and_shows_what_it_missed() {
    let desk = Desk::with_anna([Line::text("One."), Line::text("Two."), Line::text("Three.")]).await;
    let anna = desk.world.signed_in().await;
    let id = conversation(&anna, "conversation-1").await;
    let mut pty = desk.at_terminal(&["chat", "--conversation", &id]);
    pty.until("> ").await;
    pty.line("first");
    pty.until("  One.").await;
    pty.until("> ").await;
    let Desk { world, home } = desk;
    let desk = Desk { world: world.restart().await, home };
    pty.until("Password of anna: ").await;
    pty.line(PASSWORD);
    pty.until("> ").await;
    pty.line("second");
    pty.until("  Two.").await;
    pty.until("> ").await;
    pty.end_of_input();
    let (code, screen) = pty.end().await;
    assert_eq!(code, 0, "{screen}");
    assert!(!screen.contains(PASSWORD) && screen.matches("  One.").count() == 1, "{screen}");
    // The new session was kept, and the whole conversation is shown again.
    let ran = desk.run(&["chat", "--last"], "third\n").await;
    assert_eq!(ran.out, "you:\n  first\n  One.\nyou:\n  second\n  Two.\nyou:\n  third\n  Three.\n", "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn piped_lines_are_said_one_after_the_other() {
    let desk = Desk::with_anna([Line::text("One."), Line::text("Two."), write("~/plan.md", "x")]).await;
    let ran = desk.run(&["chat"], "first\n\nsecond\n").await;
    assert_eq!((ran.code, ran.out.as_str()), (0, "you:\n  first\n  One.\nyou:\n  second\n  Two.\n"), "{}", ran.err);
    let ran = desk.run(&["chat"], "write\n").await;
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert!(ran.err.contains("Write ~/plan.md"), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_names_each_finding_with_one_fix() {
    let desk = Desk::with_anna([]).await;
    let look = async |more: &[&str]| {
        let ran = desk.run(&[more, &["doctor", "--json"]].concat(), "").await;
        let document: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{} {}", ran.out, ran.err));
        let findings = document["checks"].as_array().unwrap().iter().filter(|check| check["ok"] == false);
        let findings: Vec<(String, String)> = findings
            .map(|check| (check["name"].as_str().unwrap().to_owned(), check["fix"].as_str().unwrap().to_owned()))
            .collect();
        assert_eq!((document["healthy"] == true, ran.code), (findings.is_empty(), i32::from(!findings.is_empty())));
        findings.into_iter().collect::<std::collections::BTreeMap<_, _>>()
    };
    let found = look(&[]).await;
    assert!(
        found.contains_key("model") && !found.contains_key("data folder") && !found.contains_key("clock"),
        "{found:?}"
    );
    assert!(found["model"].contains("GGUF") && !found.contains_key("sandbox"), "{found:?}");

    let remote = ["--set", "models.remote.url=http://127.0.0.1:9/v1", "--set", "models.remote.name=large"];
    assert!(!look(&remote).await.contains_key("model"));
    std::fs::write(desk.home.path().join("bad.gguf"), "no model").unwrap();
    let bad = format!("models.default={}", desk.home.path().join("bad.gguf").display());
    let found = look(&["--set", &bad, "--set", "models.worker=/usr/bin/env"]).await;
    assert!(found.contains_key("model") && !found.contains_key("worker"), "{found:?}");
    let found = look(&["--set", &bad]).await;
    assert!(found.contains_key("worker"), "{found:?}");

    std::fs::set_permissions(desk.world.data(), PermissionsExt::from_mode(0o755)).unwrap();
    let found = look(&[]).await;
    assert!(found["data folder"].starts_with("chmod"), "{found:?}");
    let found = look(&["--set", "listen=nowhere"]).await;
    assert!(found.contains_key("configuration"), "{found:?}");
    let ran = desk.run(&["doctor"], "").await;
    assert!(
        ran.code == 1 && ran.out.contains("FINDING  data folder") && ran.out.contains("  fix: chmod"),
        "{}",
        ran.out
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_behind_the_walls_gives_output_and_exit_code() {
    let desk = Desk::with_anna([]).await;
    let ran = desk
        .run(&["sandbox", "run", "--", "sh", "-c", "pwd; ls; printf '\\033[31mred\\a'; echo no >&2; exit 3"], "")
        .await;
    assert_eq!((ran.code, ran.out.as_str()), (1, "/home/user/work\nred"), "{}", ran.err);
    assert_eq!(ran.err, "no\nriad: exit code 3\n");
    let ran = desk.run(&["sandbox", "run", "--json", "--", "touch", "made"], "").await;
    let document: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{} {}", ran.out, ran.err));
    assert_eq!((ran.code, &document["exit_code"]), (0, &json!(0)), "{}", ran.err);
    let ran = desk.run(&["sandbox", "run", "--", "no-such-program-here"], "").await;
    assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{}", ran.err);
    let ran = desk.run(&["sandbox", "run", "--timeout", "1", "--", "sleep", "30"], "").await;
    assert!(ran.code == 1 && ran.err.contains("its time was over"), "{}", ran.err);
    let secret = desk.world.data().join("instance.key");
    let ran = desk.run(&["sandbox", "run", "cat", secret.to_str().unwrap()], "").await;
    assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn completions_know_the_commands() {
    let desk = Desk::with_anna([]).await;
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let ran = desk.run(&["completions", shell], "").await;
        assert!(ran.code == 0 && ran.out.contains("doctor"), "{shell}: {}", ran.err);
    }
    assert_eq!(desk.run(&["completions", "csh"], "").await.code, 2);
}
