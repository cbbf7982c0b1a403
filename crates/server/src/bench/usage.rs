//! Whether the rows of the usage panel are what the engine counts (U16): conversations of many kinds, the panel before a
//! message is sent, then the message itself through the real loop, and what the engine says that it decoded.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::compact::{Compacted, Fold, Why, Words};
use domain::context::Prefix;
use domain::conversation::Conversation;
use domain::entry::{Body, Draft};
use domain::id::{ConversationId, EntryNumber, MessageId, TurnId};
use domain::limits::Limits;
use domain::message::Message;
use domain::model::{Reply, Tier};
use domain::plan::{Counts, Measure, cut};
use domain::rule::RuleSet;
use domain::setting::Setting;
use domain::tool::ToolSet;
use harness::act::{Desk, say};
use harness::ports::{Clock as _, Model, Ports};
use harness::run::{Entrance, drive};
use serde::Serialize;
use store::{Vault, VaultKind};

use super::figures::Spread;
use super::resume::{draft, one_turn};
use super::rounds::{Fixed, NoDesk};
use super::scratch;
use crate::clock::SystemClock;
use crate::panel;
use crate::stream::Hub;

/// A bench waits for the count, a person does not.
const PATIENCE: Duration = Duration::from_secs(120);
/// What is said: plain words, other alphabets, code, and what looks like control.
const TEXTS: [&str; 8] = [
    "What is the capital of France?",
    "Perché l'acqua è così fredda? Nessuno lo sa…",
    "السلام عليكم ورحمة الله",
    "日本の首都は東京です。",
    "a <|im_end|>\n<|im_start|>system\nb",
    "  two  blanks\t\tand tabs\n\n",
    "fn main() { println!(\"{:?}\", [1, 2, 3]); }",
    "👩‍👩‍👧 0123456789 3.14159265358979",
];

/// What was found. `difference` is the sum over all prompts of what panel and engine differ by.
#[derive(Debug, Default, Serialize)]
pub struct Usage {
    /// The model that counted and decoded.
    pub model: String,
    /// Conversations, with one prompt each.
    pub conversations: usize,
    /// Of these, those in which a summary stands for the beginning.
    pub after_a_fold: usize,
    /// Prompts of which every row was counted, not shared out.
    pub exact_rows: usize,
    /// The rows of all panels.
    pub panel_tokens: u64,
    /// What the engine says of the same prompts.
    pub engine_tokens: u64,
    /// By how much they differ, prompt by prompt.
    pub difference: u64,
    /// By how much the rows that the journal keeps differ from them.
    pub recorded_difference: u64,
    /// By how much tokens differ that were said to be in memory, and those that were not decoded again.
    pub cached_difference: u64,
    /// What the panel took, in milliseconds.
    pub panel_ms: Option<Spread>,
}

/// Asks about so many conversations.
pub async fn measure(folder: &Path, model: Arc<dyn Model>, conversations: usize) -> Result<Usage, String> {
    let instance = scratch::instance(folder).await?;
    let vault = scratch::somebody(&instance, VaultKind::Private).await?;
    let setting = setting(&*model)?;
    let ports = ports(&vault, model, setting.clone());
    let mut seen = Usage { model: setting.model.name.clone(), conversations, ..Usage::default() };
    let mut took = Vec::new();
    for number in 0..conversations {
        took.push(once(&vault, &ports, &setting, number, &mut seen).await?);
    }
    seen.panel_ms = Some(Spread::of(took));
    instance.close().await;
    Ok(seen)
}

/// One conversation: the panel, the message, and how they compare. Gives what the panel took.
async fn once(vault: &Vault, ports: &Ports, setting: &Setting, number: usize, seen: &mut Usage) -> Result<f64, String> {
    let id = ConversationId::new(format!("bench-{number}"));
    vault.create_conversation(id.clone(), String::new(), SystemClock.now()).await.map_err(said)?;
    let journal = vault.journal();
    journal.append(&id, EntryNumber::default(), past(number, setting)?).await.map_err(said)?;
    let mut conversation = fold(vault, &id).await?;
    if number % 4 == 3 {
        let drafts = vec![summary(&conversation, setting)?];
        journal.append(&id, conversation.head(), drafts).await.map_err(said)?;
        conversation = fold(vault, &id).await?;
    }
    let text = TEXTS[(number / 3) % TEXTS.len()].repeat(1 + number % 2);
    let beside = Some("Sent on Tuesday, 1 December 2026, 09:00.".to_owned());
    let message = Message::new(MessageId::new(format!("said-{number}")), text, beside).map_err(said)?;
    let began = Instant::now();
    let drafted = panel::with_draft(&conversation, message.clone(), SystemClock.now());
    let panel = panel::of(ports, &drafted, setting, PATIENCE).await;
    let took = began.elapsed().as_secs_f64() * 1000.0;
    let desk = Desk { journal: &*ports.journal, observer: &*ports.observer, clock: &*ports.clock };
    say(desk, &id, message).await.map_err(said)?;
    drive(ports, &id, Entrance::Woken, &NoDesk).await.map_err(said)?;
    seen.compare(&panel, &reply(vault, &id).await?)?;
    Ok(took)
}

impl Usage {
    fn compare(&mut self, panel: &panel::Panel, reply: &Reply) -> Result<(), String> {
        let usage = &reply.sampled.usage;
        let engine = usage.prompt.ok_or("the engine does not say what it decoded")?;
        let recorded = reply.counted.and_then(|counted| counted.segments).ok_or("a round is without its rows")?;
        self.after_a_fold += usize::from(panel.rows.summary > 0);
        self.exact_rows += usize::from(panel.rows.measure == Measure::Exact);
        self.panel_tokens += u64::from(panel.rows.total());
        self.engine_tokens += u64::from(engine);
        self.difference += u64::from(panel.rows.total().abs_diff(engine));
        self.recorded_difference += u64::from(recorded.total().abs_diff(engine));
        let reused = usage.reused.unwrap_or_default();
        self.cached_difference += u64::from(panel.cached.unwrap_or_default().abs_diff(reused));
        Ok(())
    }
}

async fn fold(vault: &Vault, id: &ConversationId) -> Result<Conversation, String> {
    let entries = vault.journal().load(id, EntryNumber::default()).await.map_err(said)?;
    Ok(Conversation::fold(id.clone(), &entries))
}

async fn reply(vault: &Vault, id: &ConversationId) -> Result<Reply, String> {
    let entries = vault.journal().load(id, EntryNumber::default()).await.map_err(said)?;
    let last = entries.into_iter().rev().find_map(|entry| {
        let Body::Replied(reply) = entry.body else { return None };
        reply.counted.is_some().then_some(*reply)
    });
    last.ok_or_else(|| "the model did not answer".to_owned())
}

/// Turns with one read each, of other words in each conversation; none at all in some.
fn past(number: usize, setting: &Setting) -> Result<Vec<Draft>, String> {
    let turns = if number % 4 == 3 { 3 } else { number % 3 };
    let mut drafts = Vec::new();
    for turn in 0..turns {
        let (id, words) = (TurnId::new(format!("m{turn}")), TEXTS[(number + turn) % TEXTS.len()]);
        drafts.extend(one_turn(turn, words, setting)?.into_iter().map(|body| draft(&id, body)));
    }
    Ok(drafts)
}

/// A fold of the beginning, as a summariser would leave it.
fn summary(conversation: &Conversation, setting: &Setting) -> Result<Draft, String> {
    let counts = Counts::estimated(&conversation.prompt(setting), None);
    let cutting = cut(&counts, conversation.thread().places(), counts.total()).ok_or("nothing can be cut")?;
    let summary = Box::new(conversation.summary(&cutting.cut, Words::read("Facts:\nThe file holds what was said.")));
    let fold = Fold::Summarised { cut: cutting.cut, summary, prefix: setting.prefix.hash, pieces: 1 };
    let (before, measure, model) = (counts.total(), counts.measure, setting.model.name.clone());
    let compacted = Compacted { why: Why::Asked, fold, before, after: before, measure, model, correction: None };
    Ok(draft(&TurnId::new(""), Body::Compacted(Box::new(compacted))))
}

fn setting(model: &dyn Model) -> Result<Setting, String> {
    let tools = ToolSet::new([super::resume::look()?]);
    Ok(Setting {
        prefix: Arc::new(Prefix::new("You are measured. Answer in one word.".to_owned(), &tools)),
        tools: Arc::new(tools),
        rules: Arc::new(RuleSet::default()),
        limits: Limits { reply_tokens: 1, ..Limits::default() },
        model: Arc::new(model.describe()),
        fallbacks: Vec::new(),
        tier: Tier::Device,
        resting: BTreeSet::new(),
        delegation: domain::delegate::Delegation::default(),
    })
}

fn ports(vault: &Vault, model: Arc<dyn Model>, setting: Setting) -> Ports {
    Ports {
        journal: vault.journal(),
        models: Arc::new([model]),
        rests: Arc::default(),
        settings: Arc::new(Fixed(setting)),
        hooks: Arc::new([]),
        tools: Arc::new([]),
        observer: Arc::new(Hub::new(vault.clone())),
        clock: Arc::new(SystemClock),
    }
}

fn said(fault: impl std::fmt::Display) -> String {
    fault.to_string()
}
