//! What came of a play, as text that people read and compare.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use domain::approval::{Decision, Kind};
use domain::call::{Clearance, Rejection, ToolCall};
use domain::compact::{Compacted, Fold};
use domain::context::{CallPolicy, Item, Prompt};
use domain::entry::{Body, Entry, Screened};
use domain::facts::Facts;
use domain::footer::SideEffect;
use domain::model::StopReason;

use super::stage::Played;

/// Entries, prompts and the world, in readable lines. Digests, times and minted names are left out.
pub fn print(played: &Played) -> String {
    let mut out = String::from("entries\n");
    entries(played, &mut out);
    prompts(&played.prompts, &mut out);
    world(played, &mut out);
    out
}

fn entries(played: &Played, out: &mut String) {
    let mut turn = None;
    let mut told = played.told.iter().peekable();
    for (index, entry) in played.entries.iter().enumerate() {
        while let Some((_, text)) = told.next_if(|(after, _)| *after <= index) {
            line(out, &format!("   ~ {text}"));
        }
        if turn.replace(&entry.turn) != Some(&entry.turn) {
            line(out, &format!("  turn {}", entry.turn));
        }
        let inside = entry.frame.call().map(|call| format!("[{call}] ")).unwrap_or_default();
        line(out, &format!("{:3} {inside}{}", entry.number.0, self::entry(entry)));
    }
    told.for_each(|(_, text)| line(out, &format!("   ~ {text}")));
}

/// One entry as one line, and a line more for each row of a footer.
pub fn entry(entry: &Entry) -> String {
    match &entry.body {
        Body::Said(message) if message.text.is_empty() => {
            format!("said {} by the host {:?}", message.id, message.aside.as_deref().unwrap_or_default())
        }
        Body::Said(message) => format!("said {} {:?}", message.id, message.text),
        Body::Withdrawn(message) => format!("withdrawn {message}"),
        Body::Replied(reply) => {
            let forbidden = if reply.forbidden { " (no calls)" } else { "" };
            let cut = match reply.sampled.stop {
                StopReason::Natural | StopReason::Calls => String::new(),
                stop => format!(" ({stop:?})").to_lowercase(),
            };
            let open = if reply.continues { " (goes on)" } else { "" };
            format!(
                "replied{}{open}{forbidden}{cut}{}{}",
                by(&reply.sampled.model),
                said(&reply.sampled.text),
                calls(&reply.sampled.calls)
            )
        }
        Body::Faltered(one) => format!("faltered{} {:?}", by(&one.model), one.fault),
        Body::Held(held) => format!("held: {} {}", held.sentence(), held.next_step()),
        Body::Rejected { call, reason } => format!("rejected {call} {}", rejection(reason)),
        Body::Screened(screened) => self::screened(screened),
        Body::Asked(approval) => {
            let what = match approval.kind {
                Kind::Permission => format!("may it: {}", approval.why),
                Kind::Question => "for words".to_owned(),
            };
            format!("asked {} {:?} {what}", approval.call, approval.label)
        }
        Body::Answered(answer) => match &answer.decision {
            Decision::Approve => "answered approve".to_owned(),
            Decision::Told(words) => format!("answered {words:?}"),
            Decision::Refuse(None) => "answered refuse".to_owned(),
            Decision::Refuse(Some(words)) => format!("answered refuse {words:?}"),
            Decision::RefuseAndStop => "answered refuse and stop".to_owned(),
        },
        Body::Started { call, clearance, .. } => format!("started {call} {}", cleared(clearance)),
        Body::Returned(result) => format!("returned {} {:?} {:?}", result.call, result.status, result.text),
        Body::Resumed => "resumed".to_owned(),
        Body::Stopped => "stopped".to_owned(),
        Body::Ended { outcome, footer } => {
            let rows: String = footer.iter().map(row).collect();
            let next = if outcome.next_step().is_empty() { "" } else { " " };
            format!("ended: {}{next}{}{rows}", outcome.sentence(), outcome.next_step())
        }
        Body::Compacted(compacted) => folded(compacted),
        Body::CompactionAsked => "compaction asked".to_owned(),
        Body::Forked { after } => format!("line forks after {}", after.0),
        Body::Switched { line } => format!("line switched to {}", line.0.0),
        Body::Opened(opened) => format!("opened {} {:?}", opened.path.join(" > "), opened.task),
        Body::Newer(value) => format!("newer {value}"),
    }
}

fn folded(compacted: &Compacted) -> String {
    let Compacted { why, fold, before, after, .. } = compacted;
    let what = match fold {
        Fold::Demoted(demotion) => {
            let names = demotion.calls.iter().map(ToString::to_string);
            let names = names.chain(demotion.messages.iter().map(ToString::to_string));
            format!("demoted {}", names.collect::<Vec<_>>().join(" "))
        }
        Fold::Summarised { cut, pieces, .. } => format!("summarised to {} {} in {pieces}", cut.turn, cut.rounds),
        Fold::Unchanged(unchanged) => format!("{unchanged:?}").to_lowercase(),
    };
    format!("compacted ({why:?}) {what}: {before} -> {after}")
}

/// Who answered, unless it is the model that usually does.
fn by(model: &str) -> String {
    if model == "scripted" { String::new() } else { format!(" by {model}") }
}

fn said(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" {text:?}") }
}

fn calls(calls: &[ToolCall]) -> String {
    calls.iter().map(|call| format!(" | {} {} {}", call.id, call.tool, call.arguments)).collect()
}

fn rejection(reason: &Rejection) -> String {
    match reason {
        Rejection::BadArguments { path, reason, .. } => format!("bad arguments at {path:?}: {reason}"),
        other => format!("{other:?}"),
    }
}

fn screened(screened: &Screened) -> String {
    let hooks: String = screened.hooks.iter().map(|note| format!(" | {}: {}", note.hook, note.did)).collect();
    let blocked = screened.blocked.as_ref().map(|reason| format!(" | blocked: {reason}")).unwrap_or_default();
    let as_written = screened.hooks.is_empty() && screened.repairs.is_empty();
    let arguments = if as_written { String::new() } else { format!(" {}", screened.arguments) };
    let hooks = screened.repairs.iter().map(|step| format!(" | {step}")).collect::<String>() + &hooks;
    format!("screened {} {:?}{}{arguments}{hooks}{blocked}", screened.call, screened.label, facts(&screened.facts))
}

fn facts(facts: &Facts) -> String {
    let classes: BTreeSet<String> = facts.classes.iter().map(|class| format!("{class:?}").to_lowercase()).collect();
    let known = if facts.known { "" } else { ", unknown" };
    format!(" {}{known}", classes.into_iter().collect::<Vec<_>>().join("+"))
}

fn cleared(clearance: &Clearance) -> String {
    match clearance {
        Clearance::Class => "by class".to_owned(),
        Clearance::Rule(rule) => format!("by rule {rule}"),
        Clearance::Approval(_) => "by approval".to_owned(),
    }
}

fn row(effect: &SideEffect) -> String {
    let made = if effect.made.is_empty() { String::new() } else { format!(", made {}", effect.made.join(", ")) };
    format!("\n      {:?} {} {:?}{made}", effect.state, effect.call, effect.target)
}

/// The system text of a turn itself.
const USUAL: &str = "You work for one person.";

/// Each prompt as what it adds to the one before of the same profile, since a prompt only grows at its end; one that does not is marked.
fn prompts(prompts: &[Prompt], out: &mut String) {
    let mut all: BTreeMap<&str, &[Arc<Item>]> = BTreeMap::new();
    for (index, prompt) in prompts.iter().enumerate() {
        let before = all.insert(&prompt.prefix.system, &prompt.items).unwrap_or_default();
        let who = if prompt.prefix.system == USUAL { String::new() } else { format!(" {:?}", prompt.prefix.system) };
        let grows = prompt.items.starts_with(before);
        let anew = if grows { "" } else { " anew" };
        let calls = match prompt.calls {
            CallPolicy::Free => "",
            CallPolicy::Forbidden => " (no calls)",
            CallPolicy::Forced => " (a call)",
        };
        let open = if prompt.open { " (goes on)" } else { "" };
        let varied = if prompt.variation > 0 { format!(" (variation {})", prompt.variation) } else { String::new() };
        line(out, &format!("prompt {}{who}{anew}{open}{calls}{varied}", index + 1));
        let new = if grows { &prompt.items[before.len()..] } else { &prompt.items[..] };
        new.iter().for_each(|item| line(out, &format!("    {}", self::item(item))));
    }
}

fn item(item: &Item) -> String {
    match item {
        Item::Summary { text } => format!("summary {text:?}"),
        Item::Person { text, .. } => format!("person {text:?}"),
        Item::Model { text, calls, .. } => {
            let calls: String =
                calls.iter().map(|call| format!(" | {} {} {}", call.id, call.tool, call.arguments)).collect();
            format!("model{}{calls}", said(text))
        }
        Item::Result { call, tool, text } => format!("result {call} {tool} {text:?}"),
    }
}

fn world(played: &Played, out: &mut String) {
    line(out, "world");
    played.files.iter().for_each(|(path, text)| line(out, &format!("    {path} = {text:?}")));
    played.done.iter().for_each(|done| line(out, &format!("    did {} {} {}", done.tool, done.call, done.what)));
    if played.most_reading > 1 {
        line(out, &format!("    {} reads at once", played.most_reading));
    }
}

fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("writing to a string cannot fail");
}
