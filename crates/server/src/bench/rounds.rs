//! What Riad adds to a round by itself: a real vault and a real stream, a model and a tool that answer at once.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use domain::call::{ClearedCall, ToolCall, ValidCall};
use domain::context::{Prefix, Prompt};
use domain::facts::{Appraisal, Facts};
use domain::id::{CallId, ConversationId, MessageId};
use domain::limits::Limits;
use domain::message::Message;
use domain::model::{ModelDescription, SampleFault, Sampled, StopReason, Tier, Usage};
use domain::rule::RuleSet;
use domain::setting::Setting;
use domain::tool::{EffectClass, Replay, Schema, ToolName, ToolSet, ToolSpec};
use harness::act::{Desk, say};
use harness::ports::{Channel, Clock as _, DeltaSink, Model, Ports, Ran, Scope, Settings, Tool};
use harness::run::{Entrance, StopDesk, drive};
use serde::Serialize;
use store::{Vault, VaultKind};
use tokio_util::sync::CancellationToken;

use super::figures::Spread;
use super::scratch;
use crate::clock::SystemClock;
use crate::stream::Hub;

/// Pieces that each reply is streamed in.
const DELTAS: usize = 50;

/// What was measured, in milliseconds but for the deltas.
#[derive(Debug, Serialize)]
pub struct Overhead {
    /// From the model's last byte to the next request, the tool's own time left out.
    pub round_ms: Spread,
    /// From the model's last byte to the start of the tool.
    pub tool_start_ms: Spread,
    /// One piece of a reply, in microseconds.
    pub delta_us: Spread,
}

/// Runs turns of `rounds` rounds in a scratch folder until `turns` are done.
pub async fn measure(folder: &Path, turns: usize, rounds: usize) -> Result<Overhead, String> {
    let instance = scratch::instance(folder).await?;
    let vault = scratch::somebody(&instance, VaultKind::Private).await?;
    let watch = Arc::new(Watch::default());
    let ports = ports(&vault, &watch, rounds)?;
    for turn in 0..turns {
        one_turn(&vault, &ports, turn).await?;
    }
    instance.close().await;
    Ok(watch.overhead())
}

async fn one_turn(vault: &Vault, ports: &Ports, turn: usize) -> Result<(), String> {
    let id = ConversationId::new(format!("bench-{turn}"));
    let made = vault.create_conversation(id.clone(), String::new(), SystemClock.now()).await;
    made.map_err(|fault| fault.to_string())?;
    let message = Message::new(MessageId::new(format!("message-{turn}")), "Go on.".to_owned(), None);
    let desk = Desk { journal: &*ports.journal, observer: &*ports.observer, clock: &*ports.clock };
    say(desk, &id, message.map_err(|fault| fault.to_string())?).await.map_err(|fault| fault.to_string())?;
    drive(ports, &id, Entrance::Woken, &NoDesk).await.map_err(|fault| fault.to_string())?;
    Ok(())
}

fn ports(vault: &Vault, watch: &Arc<Watch>, rounds: usize) -> Result<Ports, String> {
    let tool = LookTool::new(Arc::clone(watch))?;
    let tools = ToolSet::new([tool.spec().clone()]);
    let model = InstantModel { watch: Arc::clone(watch), rounds };
    let setting = Setting {
        prefix: Arc::new(Prefix::new("You are measured.".to_owned(), &tools)),
        tools: Arc::new(tools),
        rules: Arc::new(RuleSet::default()),
        limits: Limits { rounds: rounds + 1, ..Limits::default() },
        model: Arc::new(model.describe()),
        fallbacks: Vec::new(),
        tier: Tier::Device,
        resting: BTreeSet::new(),
        delegation: domain::delegate::Delegation::default(),
    };
    Ok(Ports {
        journal: vault.journal(),
        models: Arc::new([Arc::new(model) as Arc<dyn Model>]),
        rests: Arc::default(),
        settings: Arc::new(Fixed(setting)),
        hooks: Arc::new([]),
        tools: Arc::new([Arc::new(tool) as Arc<dyn Tool>]),
        observer: Arc::new(Hub::new(vault.clone())),
        clock: Arc::new(SystemClock),
    })
}

/// The moments that matter, written down by model and tool.
#[derive(Default)]
struct Watch(Mutex<Moments>);

#[derive(Default)]
struct Moments {
    last_byte: Option<Instant>,
    tool_began: Option<Instant>,
    rounds_ms: Vec<f64>,
    tool_starts_ms: Vec<f64>,
    deltas_us: Vec<f64>,
}

impl Watch {
    fn with(&self, note: impl FnOnce(&mut Moments)) {
        note(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn overhead(&self) -> Overhead {
        let mut moments = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = std::mem::take(&mut *moments);
        Overhead {
            round_ms: Spread::of(std::mem::take(&mut taken.rounds_ms)),
            tool_start_ms: Spread::of(std::mem::take(&mut taken.tool_starts_ms)),
            delta_us: Spread::of(std::mem::take(&mut taken.deltas_us)),
        }
    }
}

fn millis(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64() * 1000.0
}

/// Asks for one call in each round but the last, at once.
struct InstantModel {
    watch: Arc<Watch>,
    rounds: usize,
}

#[async_trait]
impl Model for InstantModel {
    fn describe(&self) -> ModelDescription {
        ModelDescription {
            name: "instant".to_owned(),
            fingerprint: "instant".to_owned(),
            window: 1 << 20,
            output_cap: None,
            dialect: "native".to_owned(),
            constrained: false,
            continues: false,
            tier: Tier::Device,
        }
    }

    async fn count(&self, _: &Prompt) -> Result<Option<u32>, SampleFault> {
        Ok(None)
    }

    async fn sample(
        &self,
        prompt: &Prompt,
        deltas: &dyn DeltaSink,
        _: &CancellationToken,
    ) -> Result<Sampled, SampleFault> {
        let asked = Instant::now();
        self.watch.with(|moments| {
            if let (Some(last), Some(_)) = (moments.last_byte.take(), moments.tool_began.take()) {
                moments.rounds_ms.push(millis(last, asked));
            }
        });
        let before = Instant::now();
        (0..DELTAS).for_each(|_| deltas.delta(Channel::Text, "word "));
        let each = before.elapsed().as_secs_f64() * 1e6 / DELTAS as f64;
        // Opening, then two items a round.
        let round = prompt.items.len() / 2;
        let calls = if round < self.rounds { vec![call(prompt.seen.0)] } else { Vec::new() };
        self.watch.with(|moments| {
            moments.deltas_us.push(each);
            moments.last_byte = Some(Instant::now());
        });
        let stop = if calls.is_empty() { StopReason::Natural } else { StopReason::Calls };
        let (text, model) = ("word ".repeat(DELTAS), "instant".to_owned());
        Ok(Sampled { text, reasoning: String::new(), calls, stop, usage: Usage::default(), model, signed: None })
    }
}

fn call(seen: u64) -> ToolCall {
    ToolCall {
        id: CallId::new(format!("call-{seen}")),
        tool: ToolName::new("look"),
        arguments: "{}".to_owned(),
        fault: None,
        wire_id: None,
        recovered: false,
    }
}

/// Looks at nothing and is done.
struct LookTool {
    spec: ToolSpec,
    watch: Arc<Watch>,
}

impl LookTool {
    fn new(watch: Arc<Watch>) -> Result<Self, String> {
        let schema = Schema::new(serde_json::json!({ "type": "object", "additionalProperties": false }));
        let spec = ToolSpec {
            name: ToolName::new("look"),
            description: "Looks.".to_owned(),
            schema: schema.map_err(|fault| fault.to_string())?,
            replay: Replay::Again,
            parallel: true,
            asks_person: false,
            uses: None,
            deadline_ms: 120_000,
        };
        Ok(Self { spec, watch })
    }
}

#[async_trait]
impl Tool for LookTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn appraise(&self, _: &ValidCall, _: &Scope) -> Result<Appraisal, String> {
        Ok(Appraisal { facts: Facts::of(EffectClass::Read), label: "Look".to_owned(), preview: None })
    }

    async fn run(&self, _: &ClearedCall, _: &Scope) -> Ran {
        let now = Instant::now();
        self.watch.with(|moments| {
            moments.tool_starts_ms.extend(moments.last_byte.map(|last| millis(last, now)));
            moments.tool_began = Some(now);
        });
        Ran::done("seen")
    }
}

pub(super) struct Fixed(pub(super) Setting);

#[async_trait]
impl Settings for Fixed {
    async fn current(&self, _: &ConversationId, _: Option<&domain::turn::Turn>) -> Result<Setting, String> {
        Ok(self.0.clone())
    }
}

pub(super) struct NoDesk;

impl StopDesk for NoDesk {
    fn running(&self, _: &domain::id::TurnId, _: &CancellationToken) {}
}
