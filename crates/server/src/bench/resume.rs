//! How long a long conversation takes to come back: loading it from a vault, folding it, the first effect, and the
//! prompts after that (A3). The entries are those that turns with one read leave; they are made here, not played.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use domain::call::{Clearance, ToolCall, ValidCall};
use domain::context::Prefix;
use domain::conversation::Conversation;
use domain::effect::Effect;
use domain::entry::{Body, Draft, Entry, Screened};
use domain::facts::Facts;
use domain::id::{CallId, ConversationId, EntryNumber, FrameId, MessageId, ReplyId, TurnId};
use domain::limits::Limits;
use domain::message::{Message, Wanted};
use domain::model::{ModelDescription, Reply, Sampled, StopReason, Tier, Usage};
use domain::outcome::Outcome;
use domain::result::{Status, ToolResult};
use domain::rule::RuleSet;
use domain::setting::Setting;
use domain::time::Timestamp;
use domain::tool::{EffectClass, Replay, Schema, ToolName, ToolSet, ToolSpec};
use harness::ports::Clock as _;
use serde::Serialize;
use store::VaultKind;

use super::figures::Spread;
use super::scratch;
use crate::clock::SystemClock;

/// Entries of one turn.
const A_TURN: usize = 7;
const WORDS: &str = "What a person says and a model answers is a few lines long. ";

/// What was measured, in milliseconds.
#[derive(Debug, Serialize)]
pub struct Resume {
    /// Entries of the conversation.
    pub entries: usize,
    /// From the sealed vault to entries in memory.
    pub load_ms: Spread,
    /// The fold of all of them.
    pub fold_ms: Spread,
    /// The fold of the first half: a fold is linear if this is half of the above.
    pub fold_half_ms: Spread,
    /// The first prompt after the fold.
    pub first_prompt_ms: f64,
    /// A prompt after that.
    pub prompt_ms: Spread,
    /// From the sealed vault to the first effect, all in all.
    pub first_effect_ms: Spread,
}

/// Measures a conversation of about so many entries.
pub async fn measure(folder: &Path, entries: usize, repeats: usize) -> Result<Resume, String> {
    let setting = setting()?;
    let drafts = conversation(entries, &setting)?;
    let instance = scratch::instance(folder).await?;
    let vault = scratch::somebody(&instance, VaultKind::Private).await?;
    let id = ConversationId::new("bench-resume");
    let made = vault.create_conversation(id.clone(), String::new(), SystemClock.now()).await;
    made.map_err(|fault| fault.to_string())?;
    let journal = vault.journal();
    journal.append(&id, EntryNumber::default(), drafts).await.map_err(|fault| fault.to_string())?;
    let mut taken = Taken::default();
    for _ in 0..repeats {
        let began = Instant::now();
        let entries = journal.load(&id, EntryNumber::default()).await.map_err(|fault| fault.to_string())?;
        taken.load.push(millis(began));
        taken.once(&id, &entries, &setting, began)?;
    }
    instance.close().await;
    Ok(taken.resume(entries))
}

#[derive(Default)]
struct Taken {
    load: Vec<f64>,
    fold: Vec<f64>,
    half: Vec<f64>,
    first: Vec<f64>,
    prompt: Vec<f64>,
    effect: Vec<f64>,
}

impl Taken {
    fn once(
        &mut self,
        id: &ConversationId,
        entries: &[Entry],
        setting: &Setting,
        began: Instant,
    ) -> Result<(), String> {
        let folding = Instant::now();
        let conversation = Conversation::fold(id.clone(), entries);
        self.fold.push(millis(folding));
        let sampling = Instant::now();
        let Effect::Sample(request) = conversation.next(setting) else {
            return Err("the conversation does not wait for a reply".to_owned());
        };
        self.first.push(millis(sampling));
        self.effect.push(millis(began));
        drop(request);
        let again = Instant::now();
        drop(conversation.next(setting));
        self.prompt.push(millis(again));
        let folding = Instant::now();
        drop(Conversation::fold(id.clone(), &entries[..entries.len() / 2]));
        self.half.push(millis(folding));
        Ok(())
    }

    fn resume(self, entries: usize) -> Resume {
        Resume {
            entries,
            load_ms: Spread::of(self.load),
            fold_ms: Spread::of(self.fold),
            fold_half_ms: Spread::of(self.half),
            first_prompt_ms: self.first.first().copied().unwrap_or_default(),
            prompt_ms: Spread::of(self.prompt),
            first_effect_ms: Spread::of(self.effect),
        }
    }
}

fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

/// A tool that looks at a file.
pub(super) fn look() -> Result<ToolSpec, String> {
    let schema = serde_json::json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    Ok(ToolSpec {
        name: ToolName::new("look"),
        description: "Looks.".to_owned(),
        schema: Schema::new(schema).map_err(|fault| fault.to_string())?,
        replay: Replay::Again,
        parallel: true,
        asks_person: false,
        deadline_ms: 1_000,
        uses: None,
    })
}

fn setting() -> Result<Setting, String> {
    let tools = ToolSet::new([look()?]);
    let model = ModelDescription {
        name: "none".to_owned(),
        fingerprint: "none".to_owned(),
        window: 1 << 30,
        output_cap: None,
        dialect: "native".to_owned(),
        constrained: false,
        continues: false,
        tier: Tier::Device,
    };
    Ok(Setting {
        prefix: Arc::new(Prefix::new("You are measured.".to_owned(), &tools)),
        tools: Arc::new(tools),
        rules: Arc::new(RuleSet::default()),
        limits: Limits::default(),
        model: Arc::new(model),
        fallbacks: Vec::new(),
        tier: Tier::Device,
        resting: BTreeSet::new(),
        delegation: domain::delegate::Delegation::default(),
    })
}

/// Turns with one read each, and a last message that waits for its reply.
fn conversation(entries: usize, setting: &Setting) -> Result<Vec<Draft>, String> {
    let mut drafts = Vec::with_capacity(entries + A_TURN);
    for turn in 0..entries / A_TURN {
        let id = TurnId::new(format!("m{turn}"));
        let bodies = one_turn(turn, &WORDS.repeat(6), setting)?;
        drafts.extend(bodies.into_iter().map(|body| draft(&id, body)));
    }
    let turn = TurnId::new("last");
    drafts.push(draft(&turn, said("last", "And now?")));
    Ok(drafts)
}

/// A turn in which something is looked at, with these words in it.
pub(super) fn one_turn(turn: usize, words: &str, setting: &Setting) -> Result<[Body; A_TURN], String> {
    let made = ToolCall {
        id: CallId::new(format!("c{turn}")),
        tool: ToolName::new("look"),
        arguments: format!(r#"{{"path":"~/notes/{turn}.md"}}"#),
        fault: None,
        wire_id: None,
        recovered: false,
    };
    let call = ValidCall::check(&made, &setting.tools).map_err(|reason| reason.text())?;
    let facts = Facts::of(EffectClass::Read);
    let digest = call.digest(&facts);
    let screened = Screened {
        call: made.id.clone(),
        arguments: call.arguments().clone(),
        facts,
        digest,
        label: "Look".to_owned(),
        preview: None,
        repairs: Vec::new(),
        hooks: Vec::new(),
        blocked: None,
    };
    let id = made.id.clone();
    Ok([
        said(&format!("m{turn}"), words),
        Body::Replied(Box::new(reply(setting, String::new(), vec![made]))),
        Body::Screened(Box::new(screened)),
        Body::Started { call: id.clone(), digest, clearance: Clearance::Class, key: digest.hex() },
        Body::Returned(ToolResult::new(id, Status::Done, &words.repeat(2))),
        Body::Replied(Box::new(reply(setting, words.to_owned(), Vec::new()))),
        Body::Ended { outcome: Outcome::Answered, footer: Vec::new() },
    ])
}

fn said(id: &str, text: &str) -> Body {
    Body::Said(Message {
        id: MessageId::new(id),
        text: text.to_owned(),
        aside: None,
        short: None,
        wanted: Wanted::default(),
    })
}

fn reply(setting: &Setting, text: String, calls: Vec<ToolCall>) -> Reply {
    let stop = if calls.is_empty() { StopReason::Natural } else { StopReason::Calls };
    let (reasoning, usage, model) = (String::new(), Usage::default(), setting.model.name.clone());
    let sampled = Sampled { text, reasoning, calls, stop, usage, model, signed: None };
    let (id, prefix, seen) = (ReplyId::new("r"), setting.prefix.hash, EntryNumber(u64::MAX >> 1));
    Reply { id, seen, prefix, forbidden: false, continues: false, counted: None, sampled }
}

pub(super) fn draft(turn: &TurnId, body: Body) -> Draft {
    Draft { at: Timestamp(1_796_061_600_000), turn: turn.clone(), frame: FrameId::outer(), body }
}
