//! A17: a turn that ends after an effect, whatever its outcome and wherever it was cut, lists every effect of the
//! journal in its footer.

use std::collections::BTreeMap;

use domain::entry::Body;
use domain::footer::{EffectState, SideEffect};
use domain::id::CallId;
use domain::outcome::Outcome;
use domain::result::Status;
use testkit::journal::{Moment, Trap, TrapAt};
use testkit::transcript::{Played, Script, Stage, print};

/// Two effects that are done, one that failed, one that is not known, and a read that is none.
const EFFECTS: &str = "\
rule: allow ring
rule: allow breaks
user: go
model: call write {\"path\":\"c.txt\",\"text\":\"new\"}
  call append {\"path\":\"d.txt\",\"text\":\"new\"}
  call breaks {\"in\":\"run\"}
  call read {\"path\":\"a.txt\"}
model: call ring {\"for\":\"dinner\"}
crash before returned
restart
";

/// How a turn goes on to its end, and whether the outcome it then has is the right one.
type End = (&'static str, fn(&Outcome) -> bool);

const ENDS: [End; 9] = [
    ("model: Done.", |outcome| *outcome == Outcome::Answered),
    ("model: mute\nmodel: mute\nmodel: mute", |outcome| *outcome == Outcome::Mute),
    ("limit: rounds 3\nmodel: call read {\"path\":\"a.txt\"}\nmodel: That is all.", |outcome| {
        *outcome == Outcome::RoundLimit
    }),
    ("model: fault too long", |outcome| matches!(outcome, Outcome::Overflow { .. })),
    ("stop", |outcome| *outcome == Outcome::Stopped),
    ("model: call slow {}\nstop", |outcome| *outcome == Outcome::Stopped),
    ("model: call send {\"to\":\"ada\",\"text\":\"hello\"}\nperson: refuse-and-stop", |outcome| {
        *outcome == Outcome::Stopped
    }),
    ("model: fault unauthorised", |outcome| matches!(outcome, Outcome::ModelUnavailable(_))),
    ("setting: gone no store\nmodel: call read {\"path\":\"a.txt\"}", |outcome| matches!(outcome, Outcome::Failed(_))),
];

#[tokio::test(start_paused = true)]
async fn the_footer_lists_every_effect_whatever_the_outcome() {
    for (end, fits) in ENDS {
        let script = Script::parse(&format!("{EFFECTS}{end}\n")).expect("the script can be read");
        let whole = Stage::play(&script, None).await;
        let (outcome, footer) = last_end(&whole);
        assert!(fits(&outcome), "{end}: it ended as {outcome:?}");
        let states: Vec<_> = footer.iter().map(|row| (row.call.as_str(), row.state)).collect();
        let (done, failed, unknown) = (EffectState::Done, EffectState::Failed, EffectState::Unknown);
        assert_eq!(states, [("c1", done), ("c2", done), ("c3", failed), ("c5", unknown)], "{end}");
        assert_eq!(footer, rows(&whole), "{end}");
        cut(&script, &whole, end).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_footer_of_a_turn_cut_three_times_lists_its_effects() {
    let crashes = "crash\nrestart\n".repeat(3);
    let script = Script::parse(&format!("{EFFECTS}model: call slow {{}}\n{crashes}")).expect("it can be read");
    let played = Stage::play(&script, None).await;
    let (outcome, footer) = last_end(&played);
    assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
    assert_eq!(footer.len(), 4);
    assert_eq!(footer, rows(&played));
}

async fn cut(script: &Script, whole: &Played, end: &str) {
    for append in 1..=whole.appends {
        for moment in [Moment::Before, Moment::After] {
            let played = Stage::play(script, Some(Trap { at: TrapAt::Append(append), moment })).await;
            let (_, footer) = last_end(&played);
            assert_eq!(footer, rows(&played), "{end}, cut {moment:?} append {append}\n{}", print(&played));
            for done in &played.done {
                let listed = footer.iter().any(|row| row.call == done.call && row.state != EffectState::Failed);
                assert!(listed, "{end}, cut {moment:?} append {append}: {done:?} is not in {footer:?}");
            }
        }
    }
}

fn last_end(played: &Played) -> (Outcome, Vec<SideEffect>) {
    let ended = played.entries.iter().rev().find_map(|entry| match &entry.body {
        Body::Ended { outcome, footer } => Some((outcome.clone(), footer.clone())),
        _ => None,
    });
    ended.unwrap_or_else(|| panic!("no turn has ended\n{}", print(played)))
}

/// The rows as they follow from the journal alone, found without the fold.
fn rows(played: &Played) -> Vec<SideEffect> {
    let mut rows: BTreeMap<CallId, SideEffect> = BTreeMap::new();
    let mut screened = BTreeMap::new();
    let mut order = Vec::new();
    for entry in &played.entries {
        match &entry.body {
            Body::Replied(reply) => {
                order.extend(reply.sampled.calls.iter().map(|call| (call.id.clone(), call.tool.clone())))
            }
            Body::Screened(seen) => drop(screened.insert(seen.call.clone(), seen.clone())),
            Body::Started { call, key, .. } if !screened[call].facts.only_reads() => {
                let seen = &screened[call];
                let tool =
                    order.iter().find(|(id, _)| id == call).map(|(_, tool)| tool.clone()).expect("it was called");
                rows.entry(call.clone()).or_insert_with(|| SideEffect {
                    call: call.clone(),
                    tool,
                    classes: seen.facts.classes.clone(),
                    target: seen.label.clone(),
                    key: key.clone(),
                    started: entry.at,
                    ended: None,
                    state: EffectState::Unknown,
                    made: Vec::new(),
                    undo: seen.facts.undo,
                });
            }
            Body::Returned(result) => {
                if let Some(row) = rows.get_mut(&result.call) {
                    row.ended = Some(entry.at);
                    row.made.clone_from(&result.made);
                    row.state = match result.status {
                        Status::Done => EffectState::Done,
                        Status::Failed | Status::Refused => EffectState::Failed,
                        Status::Cancelled | Status::Interrupted => EffectState::Unknown,
                    };
                }
            }
            _ => {}
        }
    }
    order.into_iter().filter_map(|(call, _)| rows.remove(&call)).collect()
}
