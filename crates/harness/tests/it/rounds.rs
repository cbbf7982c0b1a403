//! LOOP-105: the figures of each round, computed from entries and without any text of a message.

use domain::rounds::{self, Verdicts};
use testkit::transcript::{Script, Stage};

const SCRIPT: &str = "\
rule: allow ring
user: a secret message
model: fault busy
model: fault network
model: tokens 70 call read {\"path\":\"a.txt\"}
  call ring {\"for\":\"dinner\"}
  call reed {}
  call write {\"path\":\"a.txt\",\"text\":\"a secret text\"}
  call send {\"to\":\"ada\",\"text\":\"a secret letter\"}
person c4: approve
person c5: refuse
model: tokens 5 A secret answer.
user: and now?
model: fault unauthorised
user: again
model: Yes.
";

#[tokio::test(start_paused = true)]
async fn each_round_tells_what_it_took() {
    let played = Stage::play(&Script::parse(SCRIPT).expect("the script can be read"), None).await;
    let rounds = rounds::of(&played.entries);
    let tokens: Vec<_> = rounds.iter().map(|round| round.usage.decoded).collect();
    assert_eq!(tokens, [Some(70), Some(5), None], "what is unknown is not 0");
    let verdicts = Verdicts { rejected: 1, by_class: 1, by_rule: 1, by_approval: 1, unrun: 1 };
    assert_eq!(rounds[0].verdicts, verdicts);
    assert_eq!(rounds[1].verdicts, Verdicts::default());
    let statuses: Vec<_> = rounds[0].statuses.iter().map(|(word, count)| (*word, *count)).collect();
    assert_eq!(statuses, [("done", 3), ("refused", 1)]);
    let retries: Vec<usize> = rounds.iter().map(|round| round.retries.values().sum()).collect();
    assert_eq!(retries, [2, 0, 0], "a fault of a turn that ended is none of the next one");
    assert!(rounds.iter().all(|round| round.prefix == rounds[0].prefix && round.counted.is_some()));
    let text = serde_json::to_string(&rounds).expect("figures are plain data");
    assert!(!text.contains("secret"), "{text}");
}
