//! A15: random faults over three models of several windows. Nothing is sent to a model to which the conversation may not
//! travel and nothing that was not planned for its window, no model is tried more often than it may be, and the turn comes to an end that names who failed.

use std::sync::Arc;

use domain::conversation::Conversation;
use domain::entry::{Body, Entry};
use domain::id::{ConversationId, MessageId, TurnId};
use domain::message::Message;
use domain::model::{SampleFault, StopReason, Tier};
use domain::outcome::Outcome;
use domain::setting::MOST_FALLBACKS;
use harness::act::{self, Desk};
use harness::ports::{Model as _, Ports};
use harness::run::{Entrance, StopDesk, drive};
use testkit::clock::FixedClock;
use testkit::counts;
use testkit::journal::MemoryJournal;
use testkit::model::{Line, ScriptedModel};
use testkit::observer::Collect;
use testkit::random::Random;
use testkit::setting::FixedSetting;
use testkit::transcript::entry;
use testkit::world::World;
use tokio_util::sync::CancellationToken;

const NAMES: [&str; 3] = ["first", "second", "third"];
const TIERS: [Tier; 3] = [Tier::Device, Tier::Trusted, Tier::Any];

struct Nobody;

impl StopDesk for Nobody {
    fn running(&self, _: &TurnId, _: &CancellationToken) {}
}

struct Played {
    entries: Vec<Entry>,
    models: Vec<Arc<ScriptedModel>>,
    tier: Tier,
}

#[tokio::test(start_paused = true)]
async fn random_faults_reach_no_model_that_may_not_be_asked() {
    let (mut answered, mut unavailable, mut held) = (0, 0, 0);
    for seed in 0..counts::fault_scripts() as u64 {
        let played = play(seed).await;
        if let Err(reason) = holds(&played).await {
            let lines: Vec<_> = played.entries.iter().map(entry).collect();
            panic!("seed {seed}: {reason}\n{}", lines.join("\n"));
        }
        match &played.entries.last().expect("something was recorded").body {
            Body::Ended { outcome: Outcome::ModelUnavailable(_), .. } => unavailable += 1,
            Body::Ended { .. } => answered += 1,
            _ => held += 1,
        }
    }
    assert!(answered > 20 && unavailable > 20 && held > 20, "{answered}, {unavailable} and {held} show little");
}

async fn play(seed: u64) -> Played {
    let mut random = Random::new(seed);
    let id = ConversationId::new("c");
    let (world, journal) = (World::new(), Arc::new(MemoryJournal::with(&id)));
    let (observer, clock) = (Arc::new(Collect::default()), Arc::new(FixedClock::default()));
    let models: Vec<_> = NAMES.iter().map(|name| Arc::new(model(&mut random, name))).collect();
    let setting = Arc::new(FixedSetting::new(world.tool_set()));
    let tier = *random.pick(&TIERS);
    let described: Vec<_> = models.iter().map(|model| Arc::new(model.describe())).collect();
    setting.change(|setting| {
        setting.model = Arc::clone(&described[0]);
        setting.fallbacks = described[1..].to_vec();
        setting.tier = tier;
    });
    let ports = Ports {
        journal: Arc::clone(&journal) as _,
        models: models.iter().map(|model| Arc::clone(model) as _).collect(),
        rests: Arc::default(),
        settings: setting,
        hooks: Arc::new([]),
        tools: world.tools(),
        observer: Arc::clone(&observer) as _,
        clock: Arc::clone(&clock) as _,
    };
    let desk = Desk { journal: journal.as_ref(), observer: observer.as_ref(), clock: clock.as_ref() };
    for turn in 0..2 {
        let text = "go on ".repeat(1 + random.below(900));
        let message = Message::new(MessageId::new(format!("m{turn}")), text, None).expect("it may be said");
        act::say(desk, &id, message).await.expect("it is said");
        drive(&ports, &id, Entrance::Woken, &Nobody).await.expect("the journal works");
    }
    Played { entries: journal.entries(&id), models, tier }
}

fn model(random: &mut Random, name: &str) -> ScriptedModel {
    let lines: Vec<_> = (0..40).map(|_| line(random)).collect();
    let model = ScriptedModel::new(lines);
    let (tier, window) = (*random.pick(&TIERS), *random.pick(&[2_048, 4_096, 32_768]));
    model.describe_as(|description| {
        name.clone_into(&mut description.name);
        (description.tier, description.window) = (tier, window);
    });
    model
}

fn line(random: &mut Random) -> Line {
    let why = || "why".to_owned();
    match random.below(14) {
        0 => Line::text("Done."),
        1 => Line::calls("", &[("read", r#"{"path":"a.txt"}"#)]),
        2 => Line::stopped("Do", StopReason::Cut),
        3 => Line::Breaks("Do".to_owned(), SampleFault::Network(why())),
        4 => Line::Panics,
        5 => Line::Faults(SampleFault::Unauthorised),
        6 => Line::Faults(SampleFault::Gone(why())),
        7 => Line::Faults(SampleFault::Crashed(why())),
        8 => Line::Faults(SampleFault::RateLimited(Some(1000 * random.below(90) as u64))),
        9 => Line::Faults(SampleFault::BadRequest(why())),
        10 => Line::Faults(SampleFault::Timeout(why())),
        _ => Line::Faults(SampleFault::Busy),
    }
}

async fn holds(played: &Played) -> Result<(), String> {
    for model in &played.models {
        let description = model.describe();
        for prompt in model.prompts() {
            let tokens = model.count(&prompt).await.ok().flatten().unwrap_or(u32::MAX);
            if tokens.saturating_add(prompt.max_tokens) > description.window {
                return Err(format!("{} was sent {tokens} tokens that were not planned for it", description.name));
            }
        }
        if description.tier > played.tier && !model.prompts().is_empty() {
            return Err(format!("{} was asked, to which the conversation may not travel", description.name));
        }
    }
    let mut tries: Vec<String> = Vec::new();
    for entry in &played.entries {
        match &entry.body {
            Body::Faltered(one) => tries.push(one.model.clone()),
            Body::Replied(reply) if reply.counted.is_none() => {
                return Err("a prompt was sent without a plan".to_owned());
            }
            Body::Replied(reply) => {
                tries.push(reply.sampled.model.clone());
                each_once(&tries)?;
                tries.clear();
            }
            Body::Ended { outcome: Outcome::ModelUnavailable(failed), .. } => {
                each_once(&tries)?;
                let asked = in_order(&tries);
                let named: Vec<_> = failed.iter().map(|one| one.model.clone()).collect();
                if asked != named {
                    return Err(format!("{asked:?} failed and {named:?} are named"));
                }
                tries.clear();
            }
            Body::Said(_) | Body::Ended { .. } => tries.clear(),
            _ => {}
        }
    }
    let conversation = Conversation::fold(ConversationId::new("c"), &played.entries);
    let held = matches!(played.entries.last().map(|entry| &entry.body), Some(Body::Held(_)));
    if conversation.live().is_some() == held {
        Ok(())
    } else {
        Err("the turn is open and nobody is told why".to_owned())
    }
}

/// Each model is tried in one go, five times at most, and three others than the first at most.
fn each_once(tries: &[String]) -> Result<(), String> {
    let models = in_order(tries);
    let goes = tries.chunk_by(|one, other| one == other);
    if models.len() > MOST_FALLBACKS + 1 || goes.clone().count() != models.len() || goes.clone().any(|go| go.len() > 5)
    {
        return Err(format!("the models were tried in the order {tries:?}"));
    }
    Ok(())
}

fn in_order(tries: &[String]) -> Vec<String> {
    let mut models: Vec<String> = Vec::new();
    for model in tries {
        if !models.contains(model) {
            models.push(model.clone());
        }
    }
    models
}

#[tokio::test(start_paused = true)]
async fn a_model_that_failed_three_times_is_passed_over_until_it_has_rested() {
    let id = ConversationId::new("c");
    let (world, journal) = (World::new(), Arc::new(MemoryJournal::with(&id)));
    let (observer, clock) = (Arc::new(Collect::default()), Arc::new(FixedClock::default()));
    let named = |name: &str, lines: Vec<Line>| {
        let model = Arc::new(ScriptedModel::new(lines));
        model.describe_as(|description| name.clone_into(&mut description.name));
        model
    };
    let busy = vec![Line::Faults(SampleFault::Busy); 5];
    let first = named("first", busy.into_iter().chain([Line::text("Here again.")]).collect());
    let second = named("second", vec![Line::text("I stand in."), Line::text("And again.")]);
    let setting = Arc::new(FixedSetting::new(world.tool_set()));
    setting.change(|setting| {
        setting.model = Arc::new(first.describe());
        setting.fallbacks = vec![Arc::new(second.describe())];
    });
    let ports = Ports {
        journal: Arc::clone(&journal) as _,
        models: Arc::new([Arc::clone(&first) as _, Arc::clone(&second) as _]),
        rests: Arc::default(),
        settings: setting,
        hooks: Arc::new([]),
        tools: world.tools(),
        observer: Arc::clone(&observer) as _,
        clock: Arc::clone(&clock) as _,
    };
    let desk = Desk { journal: journal.as_ref(), observer: observer.as_ref(), clock: clock.as_ref() };
    let mut asked = Vec::new();
    for turn in 0..3 {
        let message = Message::new(MessageId::new(format!("m{turn}")), "go".to_owned(), None).expect("it may be said");
        act::say(desk, &id, message).await.expect("it is said");
        drive(&ports, &id, Entrance::Woken, &Nobody).await.expect("the journal works");
        asked.push((first.said(), second.said()));
        // Five failures rest a model for two minutes.
        clock.advance(if turn == 0 { 119_000 } else { 1_000 });
    }
    assert_eq!(asked, [(5, 1), (5, 2), (6, 2)]);
}
