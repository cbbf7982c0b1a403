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

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_lie_deeper_are_read_by_no_command() {
    for key in [".config/gh/hosts.yml", "proj/.ssh/id_rsa", "a/b/c/d/e/.gnupg/key", ".local/share/keyrings/x"] {
        let room = Room::sandboxed().await;
        room.put("a.txt", "a");
        room.put(key, "the secret");
        let reason = room.appraise("shell", json!({"line": "ls"})).await.unwrap_err();
        assert!(reason.contains("holds keys") && reason.contains("run in work/"), "{key}: {reason}");
        let run = json!({"line": format!("cat /home/user/{key} /home/user/a.txt"), "dir": "work"});
        let text = room.fails("shell", run).await;
        assert!(!text.contains("the secret") && text.contains("the home was not shown to this command"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_keys_is_covered_and_all_else_is_there() {
    let room = Room::sandboxed().await;
    let keys = [".cargo/credentials.toml", "proj/ID_RSA", "docs/store.kdbx", ".netrc"];
    keys.iter().for_each(|key| room.put(key, "the secret"));
    room.put("proj/a.txt", "plain");
    for key in keys {
        let text = room.fails("shell", json!({"line": format!("cat {key} proj/a.txt")})).await;
        assert!(!text.contains("the secret") && text.contains("plain"), "{key}: {text}");
        assert!(text.contains("files of keys in the home were covered"), "{text}");
    }
    let text = room.fails("shell", json!({"line": "grep -r -e secret -e plain ."})).await;
    assert!(!text.contains("the secret") && text.contains("./proj/a.txt:plain"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_home_that_cannot_be_looked_through_is_not_shown() {
    let room = Room::sandboxed().await;
    room.put(&format!("{}a.txt", "d/".repeat(20)), "a");
    let reason = room.appraise("shell", json!({"line": "ls"})).await.unwrap_err();
    assert!(reason.contains("cannot be looked through for keys"), "{reason}");
    let room = Room::sandboxed().await;
    for number in 0..20_001 {
        std::fs::write(room.home(&format!("{number}")), "").unwrap();
    }
    let began = std::time::Instant::now();
    let reason = room.appraise("shell", json!({"line": "ls"})).await.unwrap_err();
    println!("a home of 20,001 files was looked through in {:?}", began.elapsed());
    assert!(reason.contains("more than 20000 files"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_work_folder_takes_no_command_but_those_that_empty_it() {
    let room = Room::sandboxed().await;
    room.done("shell", json!({"line": "truncate -s 200M sparse", "dir": "work"})).await;
    room.done("shell", json!({"line": "ls", "dir": "work"})).await;
    for number in 0..2 {
        std::fs::write(room.work(&format!("big{number}")), vec![1_u8; 130 << 20]).unwrap();
    }
    for line in ["ls", "cp big0 more", "touch x"] {
        let reason = room.appraise("shell", json!({"line": line, "dir": "work"})).await.unwrap_err();
        assert!(reason.contains("of 256 MiB") && reason.contains("rm -r"), "{line}: {reason}");
    }
    room.done("shell", json!({"line": "rm big0", "dir": "work"})).await;
    room.done("shell", json!({"line": "ls", "dir": "work"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_fills_the_work_folder_is_ended() {
    let room = Room::sandboxed().await;
    room.done("file_write", json!({"path": "work/fill.pl", "content":
        "for my $n (0 .. 100000) { open my $f, '>', \"f$n\"; print $f 'x' x (8 << 20); close $f; select(undef, undef, undef, 0.02) }"}))
        .await;
    let text = room.fails("shell", json!({"line": "perl fill.pl", "dir": "work"})).await;
    assert!(text.contains("it was ended since the work folder is full"), "{text}");
}
