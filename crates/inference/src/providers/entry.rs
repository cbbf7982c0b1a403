//! One entry of the file, from its map to a provider or to the first thing that is wrong with it.

use std::path::Path;

use domain::model::Tier;
use domain::profile::Strength;
use domain::yaml::{Node, YamlFault};

use super::address::{self, Reach};
use super::fields::{Fields, fault};
use super::{DeclaredModel, KeyNeed, KeySource, Price, Provider, reasoning};
use crate::remote::{PromptCache, WireKind};

const KEYS: [&str; 15] = [
    "id",
    "name",
    "wire",
    "base_url",
    "lan",
    "key",
    "key_file",
    "key_env",
    "key_header",
    "tier",
    "prompt_cache",
    "listed",
    "models",
    "others",
    "reasoning",
];

const MODEL_KEYS: [&str; 9] =
    ["id", "name", "window", "output_cap", "price", "lineage", "temperature", "dialect", "strength"];

const STRENGTHS: [(&str, Strength); 3] =
    [("light", Strength::Light), ("medium", Strength::Medium), ("strong", Strength::Strong)];

/// The least window that a prompt with tools fits into.
const LEAST_WINDOW: u32 = 2048;
const MOST_TOKENS: u32 = 16_777_216;

/// Reads one entry.
pub(super) fn read(node: &Node) -> Result<Provider, YamlFault> {
    // A tag, an anchor or a repeated key anywhere in it: whoever wrote it meant something that is not read.
    if let Some(fault) = node.first_fault() {
        return Err(fault);
    }
    let fields = Fields::of(node, &KEYS)?;
    let id = id(&fields)?;
    let wire = wire(&fields)?;
    let address = address::read(fields.need_text("base_url")?, fields.truth("lan")?, fields.need("base_url")?.line)?;
    let models = models(&fields)?;
    let others = fields.get("others").map(|node| model(node, Some("*"))).transpose()?;
    if models.is_empty() && others.is_none() {
        return Err(fault(fields.line(), "`models` names no model, and `others` says nothing of any"));
    }
    let need = key_need(&fields)?;
    Ok(Provider {
        name: fields.text("name")?.unwrap_or(&id).to_owned(),
        id,
        wire,
        key: need,
        key_source: key_source(&fields, need)?,
        key_header: key_header(&fields)?,
        tier: tier(&fields, address.reach)?,
        prompt_cache: prompt_cache(&fields, wire)?,
        listed: listed(&fields)?,
        models,
        others,
        reasoning: fields.get("reasoning").map(reasoning::read).transpose()?,
        address,
    })
}

fn id(fields: &Fields<'_>) -> Result<String, YamlFault> {
    let id = fields.need_text("id")?;
    let is_plain = id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !is_plain || id.starts_with('-') || id.len() > 40 {
        let says = "`id` is of small letters, digits and hyphens, up to 40";
        return Err(fault(fields.need("id")?.line, says));
    }
    // Names that mean something else where a model is chosen.
    if id == "remote" {
        return Err(fault(fields.need("id")?.line, "`remote` means the model of models.remote.url; choose another id"));
    }
    Ok(id.to_owned())
}

fn wire(fields: &Fields<'_>) -> Result<WireKind, YamlFault> {
    let all = [WireKind::OpenAiChat, WireKind::OpenAiResponses, WireKind::Anthropic, WireKind::Ollama];
    let words = all.map(|wire| (wire.name(), wire));
    Ok(fields.choice("wire", &words)?.unwrap_or(WireKind::OpenAiChat))
}

fn key_need(fields: &Fields<'_>) -> Result<KeyNeed, YamlFault> {
    let words = [("required", KeyNeed::Required), ("optional", KeyNeed::Optional), ("none", KeyNeed::None)];
    Ok(fields.choice("key", &words)?.unwrap_or(KeyNeed::Required))
}

fn key_source(fields: &Fields<'_>, need: KeyNeed) -> Result<Option<KeySource>, YamlFault> {
    let (file, variable) = (fields.text("key_file")?, fields.text("key_env")?);
    let line = |key: &str| fields.get(key).map_or(fields.line(), |node| node.line);
    match (file, variable) {
        (Some(_), Some(_)) => Err(fault(line("key_env"), "a key is found in a key_file or in a key_env, not in both")),
        (Some(_), None) if need == KeyNeed::None => Err(fault(line("key_file"), "it says that it takes no key")),
        (None, Some(_)) if need == KeyNeed::None => Err(fault(line("key_env"), "it says that it takes no key")),
        (Some(path), None) if !Path::new(path).is_absolute() => {
            Err(fault(line("key_file"), "`key_file` is a whole path that begins with /"))
        }
        (Some(path), None) => Ok(Some(KeySource::File(path.into()))),
        (None, Some(name)) if !is_variable(name) => Err(fault(
            line("key_env"),
            "`key_env` is the name of a variable, in capitals, that does not begin with RIAD_",
        )),
        (None, Some(name)) => Ok(Some(KeySource::Environment(name.to_owned()))),
        (None, None) => Ok(None),
    }
}

/// A name that no key itself could be taken for.
fn is_variable(name: &str) -> bool {
    let plain = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    plain && !name.starts_with(|first: char| first.is_ascii_digit()) && !name.starts_with("RIAD_")
}

fn key_header(fields: &Fields<'_>) -> Result<Option<String>, YamlFault> {
    let Some(header) = fields.text("key_header")? else { return Ok(None) };
    let taken = ["host", "content-length", "content-type", "connection", "transfer-encoding", "accept", "cookie"];
    let lower = header.to_ascii_lowercase();
    let plain = lower.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !plain || taken.contains(&lower.as_str()) {
        return Err(fault(fields.need("key_header")?.line, "`key_header` is the name of a header such as x-api-key"));
    }
    Ok(Some(lower))
}

fn tier(fields: &Fields<'_>, reach: Reach) -> Result<Tier, YamlFault> {
    let words = [("device", Tier::Device), ("trusted", Tier::Trusted), ("any", Tier::Any)];
    let usual = if reach == Reach::Machine { Tier::Device } else { Tier::Any };
    let tier = fields.choice("tier", &words)?.unwrap_or(usual);
    if tier == Tier::Device && reach != Reach::Machine {
        return Err(fault(fields.need("tier")?.line, "only what is on this machine can have the tier `device`"));
    }
    Ok(tier)
}

fn prompt_cache(fields: &Fields<'_>, wire: WireKind) -> Result<PromptCache, YamlFault> {
    let words = [("none", PromptCache::None), ("automatic", PromptCache::Automatic), ("marked", PromptCache::Marked)];
    let usual = if wire == WireKind::Anthropic { PromptCache::Marked } else { PromptCache::Automatic };
    let chosen = fields.choice("prompt_cache", &words)?.unwrap_or(usual);
    let can_mark = match wire {
        WireKind::OpenAiChat | WireKind::Anthropic => true,
        WireKind::OpenAiResponses | WireKind::Ollama => false,
    };
    if chosen == PromptCache::Marked && !can_mark {
        return Err(fault(fields.need("prompt_cache")?.line, "this wire has no marks for a cache"));
    }
    Ok(chosen)
}

fn listed(fields: &Fields<'_>) -> Result<Option<String>, YamlFault> {
    let Some(day) = fields.text("listed")? else { return Ok(None) };
    if day.len() != 10 || day.parse::<jiff::civil::Date>().is_err() {
        return Err(fault(fields.need("listed")?.line, "`listed` is a day such as 2026-11-30"));
    }
    Ok(Some(day.to_owned()))
}

fn models(fields: &Fields<'_>) -> Result<Vec<DeclaredModel>, YamlFault> {
    let Some(node) = fields.get("models") else { return Ok(Vec::new()) };
    if node.get("endpoint").is_some() {
        return Err(fault(node.line, "asking a provider for its models is not built yet; name them in a list"));
    }
    let Some(list) = node.list() else { return Err(fault(node.line, "`models` is a list")) };
    let mut models: Vec<DeclaredModel> = Vec::new();
    for node in list {
        let model = model(node, None)?;
        if models.iter().any(|known| known.id == model.id) {
            return Err(fault(node.line, &format!("the model `{}` stands twice", model.id)));
        }
        models.push(model);
    }
    Ok(models)
}

fn model(node: &Node, others: Option<&str>) -> Result<DeclaredModel, YamlFault> {
    let fields = Fields::of(node, &MODEL_KEYS)?;
    let id = match (others, fields.get("id")) {
        (None, _) => fields.need_text("id")?,
        (Some(_), Some(id)) => {
            return Err(fault(id.line, "`others` has no id: it holds for models that are not named"));
        }
        (Some(any), None) => any,
    };
    let window = fields.whole("window", LEAST_WINDOW, MOST_TOKENS)?;
    let window = window.ok_or_else(|| fault(fields.line(), "`window` is missing"))?;
    let output_cap = fields.whole("output_cap", 256, window)?;
    fields.choice("dialect", &[("native", ())]).map_err(|wrong| {
        fault(wrong.line, "`dialect` is native: calls written as text are not read from remote engines yet")
    })?;
    Ok(DeclaredModel {
        id: id.to_owned(),
        name: fields.text("name")?.unwrap_or(id).to_owned(),
        window,
        output_cap,
        price: fields.get("price").map(price).transpose()?,
        lineage: fields.text("lineage")?.map(str::to_owned),
        temperature: fields.number("temperature", 0.0, 2.0)?.map(narrow),
        strength: fields.choice("strength", &STRENGTHS)?,
    })
}

#[expect(clippy::cast_possible_truncation, reason = "a temperature between 0 and 2")]
fn narrow(temperature: f64) -> f32 {
    temperature as f32
}

fn price(node: &Node) -> Result<Price, YamlFault> {
    let fields = Fields::of(node, &["input", "cached", "output"])?;
    let number = |key: &str| fields.number(key, 0.0, 1e6);
    let need = |key: &str| number(key)?.ok_or_else(|| fault(fields.line(), &format!("`{key}` is missing")));
    Ok(Price { input: need("input")?, cached: number("cached")?, output: need("output")? })
}
