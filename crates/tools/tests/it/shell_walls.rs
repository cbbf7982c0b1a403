//! What the tool itself keeps out, before any wall of the sandbox is met; and that without walls nothing runs.

use domain::facts::Preview;
use domain::tool::EffectClass;
use serde_json::json;

use crate::room::Room;

#[tokio::test]
async fn without_a_sandbox_nothing_runs_and_the_answer_says_why() {
    let room = Room::new();
    let reason = room.appraise("shell", json!({"line": "ls"})).await.unwrap_err();
    assert_eq!(reason, "Commands cannot run here: there is no sandbox in this test.");
}

#[tokio::test(flavor = "multi_thread")]
async fn facts_say_program_walls_and_folder() {
    let room = Room::sandboxed().await;
    room.put("notes/a", "");
    let appraisal = room.appraise("shell", json!({"line": "grep 'a b' c", "dir": "notes"})).await.unwrap();
    let command = appraisal.facts.command.clone().unwrap();
    assert_eq!(command.argv, ["grep", "a b", "c"]);
    assert_eq!(command.program.as_deref(), Some("/usr/bin/grep"));
    assert!(command.quiet && appraisal.facts.known);
    assert_eq!(appraisal.facts.classes.iter().collect::<Vec<_>>(), [&EffectClass::Execute]);
    assert_eq!(appraisal.facts.paths[0].path, "~/notes");
    assert_eq!(appraisal.label, "Run grep a b c");
    assert_eq!(appraisal.preview, Some(Preview::Command { argv: command.argv }));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_plain_command_never_reaches_the_gate() {
    let room = Room::sandboxed().await;
    room.put("a.txt", "");
    for (arguments, says) in [
        (json!({"line": "ls | wc"}), "one program a call"),
        (json!({"line": "ls > x"}), "`stdin`"),
        (json!({"line": "echo $HOME"}), "write the value itself"),
        (json!({"line": "sh -c id"}), "closed here"),
        (json!({"argv": ["/bin/ls"]}), "does not name a program plainly"),
        (json!({"argv": ["python3", "x.py"]}), "tool of its own"),
        (json!({"line": "find . -delete"}), "take files away"),
        (json!({"line": "grpe x"}), "Near names: grep"),
        (json!({"line": "ls", "argv": ["ls"]}), "not both"),
        (json!({}), "Give the program"),
        (json!({"line": "ls", "dir": "user-memory/"}), "not in the sandbox"),
        (json!({"line": "ls", "dir": "a.txt"}), "this is a file"),
        (json!({"line": "ls", "dir": "none"}), "no such folder"),
        (json!({"line": "ls", "dir": "/etc"}), "absolute paths"),
    ] {
        let reason = room.appraise("shell", arguments.clone()).await.unwrap_err();
        assert!(reason.contains(says), "{arguments}: {reason}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_home_with_keys_at_its_top_is_not_shown() {
    let room = Room::sandboxed().await;
    room.put("a.txt", "a");
    room.put(".ssh/id_ed25519", "key");
    let reason = room.appraise("shell", json!({"line": "ls"})).await.unwrap_err();
    assert!(reason.contains("holds keys"), "{reason}");
    let list = room.fails("shell", json!({"line": "ls /home/user/.ssh /home/user/a.txt", "dir": "work"})).await;
    assert!(!list.contains("id_ed25519") && list.contains("cannot access '/home/user/a.txt'"), "{list}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_starts_no_program_and_the_environment_is_made() {
    let room = Room::sandboxed().await;
    let text = room.done("shell", json!({"line": "printenv"})).await;
    for wanted in ["PATH=/usr/bin:/bin", "HOME=/home/user", "GIT_CONFIG_GLOBAL=/dev/null", "LANG=C.UTF-8"] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
    assert!(!text.contains("CARGO") && !text.contains("RIAD"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_runs_as_it_was_when_it_was_cleared() {
    let room = Room::sandboxed().await;
    room.put("job.pl", "print 6 * 7, qq(\\n);\n");
    let run = json!({"line": "perl -w job.pl"});
    let appraisal = room.appraise("shell", run.clone()).await.unwrap();
    let [_, script] = &appraisal.facts.paths[..] else { panic!("{:?}", appraisal.facts.paths) };
    let hash = domain::digest::Digest::of_bytes(&room.bytes("job.pl"));
    assert_eq!((script.path.as_str(), &script.now), ("~/job.pl", &domain::facts::Content::Hash(hash)));
    let text = room.done("shell", run.clone()).await;
    assert!(text.contains("42"), "{text}");
    let cleared = room.clear("shell", run).await.unwrap();
    room.put("job.pl", "print 'other';\n");
    let ran = room.run(&cleared).await;
    assert!(ran.text.contains("nothing was run"), "{}", ran.text);
    room.done("file_write", json!({"path": "work/a.pl", "content": "print 'from work';\n"})).await;
    for (line, dir) in [("perl work/a.pl", "~/"), ("perl a.pl", "work/"), ("perl ./a.pl", "work")] {
        let text = room.done("shell", json!({"line": line, "dir": dir})).await;
        assert!(text.contains("from work"), "{text}");
    }
    for line in ["perl none.pl", "perl /etc/hostname", "perl ../x.pl", "perl -e 1"] {
        assert!(room.appraise("shell", json!({"line": line})).await.is_err(), "{line}");
    }
}
