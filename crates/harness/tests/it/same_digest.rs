//! B3: in random turns with edits of targets, rules and hooks, stops and crashes, nothing runs with another digest than
//! its clearance, no effect is doubled, and each call has one result.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::thread;

use domain::approval::Decision;
use domain::call::Clearance;
use domain::entry::Body;
use domain::rule::RuleVerdict;
use serde_json::json;
use testkit::counts;
use testkit::hook::Does;
use testkit::journal::{Moment, Trap, TrapAt};
use testkit::model::Line;
use testkit::random::Random;
use testkit::transcript::{Played, Reached, Stage, Step, print};
use testkit::world::RunSeen;

use crate::cut_anywhere::{each_call_has_one_result, no_effect_is_doubled};

#[test]
fn nothing_runs_with_another_digest_than_its_clearance() {
    let tally = Tally::default();
    // Plays know nothing of each other, so each core plays its own.
    thread::scope(|threads| {
        (0..thread::available_parallelism().map_or(1, usize::from))
            .for_each(|_| drop(threads.spawn(|| play_on(&tally))));
    });
    let (turns, runs) = (tally.turns.into_inner(), tally.runs.into_inner());
    assert!(runs > turns / 4, "{runs} runs in {turns} turns show little");
}

/// What all threads have played so far.
#[derive(Default)]
struct Tally {
    seeds: AtomicU64,
    turns: AtomicUsize,
    runs: AtomicUsize,
}

fn play_on(tally: &Tally) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime without input and output needs nothing of the system");
    while tally.turns.load(SeqCst) < counts::random_turns() {
        let seed = tally.seeds.fetch_add(1, SeqCst);
        let played = runtime.block_on(random_play(seed));
        if let Err(reason) = holds(&played) {
            panic!("seed {seed}: {reason}\n{}", print(&played));
        }
        let ended = played.entries.iter().filter(|entry| matches!(entry.body, Body::Ended { .. })).count();
        tally.turns.fetch_add(ended, SeqCst);
        tally.runs.fetch_add(played.runs.len(), SeqCst);
    }
}

fn holds(played: &Played) -> Result<(), String> {
    each_call_has_one_result(played)?;
    no_effect_is_doubled(played)?;
    if let Some(turn) = played.conversation.live() {
        return Err(format!("turn {} is still open", turn.id()));
    }
    played.runs.iter().enumerate().try_for_each(|(index, run)| was_cleared(played, index, run))
}

fn was_cleared(played: &Played, index: usize, run: &RunSeen) -> Result<(), String> {
    let started = played.entries.iter().find_map(|entry| match &entry.body {
        Body::Started { call, digest, clearance, .. } if *call == run.call && *digest == run.digest => Some(clearance),
        _ => None,
    });
    let clearance = started.ok_or_else(|| format!("{run:?} was never started under this digest"))?;
    if let Clearance::Approval(id) = clearance {
        let asked = played
            .entries
            .iter()
            .any(|entry| matches!(&entry.body, Body::Asked(asked) if asked.id == *id && asked.digest == run.digest));
        let approved = played.entries.iter().any(|entry| {
            matches!(&entry.body, Body::Answered(answer) if answer.approval == *id
                && answer.digest == run.digest
                && answer.decision == Decision::Approve)
        });
        if !asked || !approved {
            return Err(format!("{run:?} ran by an approval that was never given"));
        }
    }
    // A keyed run that is repeated may find that its first try changed the target.
    let repeated = played.runs[..index].iter().any(|earlier| earlier.call == run.call);
    if run.acted && !repeated && run.now != Some(run.digest) {
        return Err(format!("{run:?} acted, though what it would do has changed"));
    }
    Ok(())
}

async fn random_play(seed: u64) -> Played {
    let mut random = Random::new(seed);
    let mut stage = Stage::forgiving();
    let mut messages = 0;
    for _ in 0..12 + random.below(12) {
        let reached = stage.look().await;
        for step in next_steps(&mut random, reached, &stage.asked(), &mut messages) {
            stage.step(0, &step).await;
        }
    }
    wind_up(&mut stage).await;
    stage.played()
}

/// Lets everything come to its end.
async fn wind_up(stage: &mut Stage) {
    loop {
        let step = match stage.look().await {
            Reached::Death => Step::Restart,
            Reached::Run => Step::Stops(None),
            Reached::Sample => Step::Model(Line::text("That is all.")),
            Reached::Rest if stage.asked().is_empty() => return,
            Reached::Rest => Step::Answers { call: None, decision: Decision::RefuseAndStop },
        };
        stage.step(0, &step).await;
    }
}

fn next_steps(random: &mut Random, reached: Reached, asked: &[String], messages: &mut usize) -> Vec<Step> {
    let mut steps = Vec::new();
    if random.once_in(3) {
        steps.push(change(random));
    }
    match reached {
        Reached::Death => steps.push(Step::Restart),
        Reached::Run if random.once_in(2) => steps.push(Step::Stops(None)),
        Reached::Run => steps.push(Step::Crash(None)),
        Reached::Rest if asked.is_empty() => steps.push(says(messages)),
        Reached::Rest => steps.push(answer(random, asked, messages)),
        Reached::Sample if random.once_in(12) => steps.push(says(messages)),
        Reached::Sample if random.once_in(12) => steps.push(Step::Stops(None)),
        Reached::Sample => steps.push(Step::Model(reply(random))),
    }
    if random.once_in(4) && reached != Reached::Death && steps.last() != Some(&Step::Crash(None)) {
        steps.push(crash(random));
    }
    steps
}

fn says(messages: &mut usize) -> Step {
    *messages += 1;
    Step::Says { id: format!("m{messages}"), text: "go on".to_owned() }
}

fn answer(random: &mut Random, asked: &[String], messages: &mut usize) -> Step {
    let call = Some(random.pick(asked).clone());
    match random.below(12) {
        0 => Step::AnswersWithAnotherDigest,
        1 => says(messages),
        2 => Step::Stops(None),
        3 => Step::Answers { call, decision: Decision::Refuse(None) },
        4 => Step::Answers { call, decision: Decision::Told("as you like".to_owned()) },
        _ => Step::Answers { call, decision: Decision::Approve },
    }
}

fn reply(random: &mut Random) -> Line {
    if random.once_in(6) {
        return if random.once_in(3) { Line::mute() } else { Line::text("Done.") };
    }
    let calls: Vec<(&str, String)> = (0..=random.below(4)).map(|_| call(random)).collect();
    let calls: Vec<(&str, &str)> = calls.iter().map(|(tool, arguments)| (*tool, arguments.as_str())).collect();
    Line::calls("I go on.", &calls)
}

fn call(random: &mut Random) -> (&'static str, String) {
    let path = *random.pick(&["a.txt", "b.txt", "new.txt"]);
    let text = *random.pick(&["one", "two"]);
    match random.below(16) {
        0 => ("reed", json!({ "path": path }).to_string()),
        1 => ("write", json!({ "path": path }).to_string()),
        2 => ("slow", "{}".to_owned()),
        3 => ("ask_person", json!({ "question": "Which?" }).to_string()),
        4 | 5 => ("ring", json!({ "for": text }).to_string()),
        6 | 7 => ("send", json!({ "to": "ada", "text": text }).to_string()),
        8 | 9 => ("append", json!({ "path": path, "text": text }).to_string()),
        10 | 11 => ("read", json!({ "path": path }).to_string()),
        _ => ("write", json!({ "path": path, "text": text }).to_string()),
    }
}

/// Something changes outside: a file, a rule, the hook.
fn change(random: &mut Random) -> Step {
    let path = (*random.pick(&["a.txt", "b.txt", "new.txt"])).to_owned();
    let tool = (*random.pick(&["write", "send", "append", "ring", "read"])).to_owned();
    let verdict = *random.pick(&[RuleVerdict::Allow, RuleVerdict::Allow, RuleVerdict::Ask, RuleVerdict::Deny]);
    let rewritten = json!({ "path": path, "text": "tidy" });
    match random.below(8) {
        0 => Step::Target(path, None),
        1..=3 => Step::Target(path, Some(format!("by hand {}", random.below(3)))),
        4 => Step::Rule(None),
        5 => Step::Rule(Some((verdict, tool, None))),
        6 => Step::Hook(None, Does::Continue),
        _ => Step::Hook(Some("write".to_owned()), Does::Rewrite(rewritten)),
    }
}

fn crash(random: &mut Random) -> Step {
    let kinds = ["replied", "screened", "asked", "answered", "started", "started", "returned", "returned", "ended"];
    let moment = if random.once_in(2) { Moment::Before } else { Moment::After };
    let at = TrapAt::Kind((*random.pick(&kinds)).to_owned());
    Step::Crash(if random.once_in(5) { None } else { Some(Trap { at, moment }) })
}
