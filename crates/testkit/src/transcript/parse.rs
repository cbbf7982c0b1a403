//! The lines of a script.

use domain::approval::Decision;
use domain::model::{SampleFault, StopReason};
use domain::rule::RuleVerdict;
use serde_json::Value;
use thiserror::Error;

use crate::hook::Does;
use crate::journal::{Moment, Trap, TrapAt};
use crate::model::Line;

/// A script: its steps in order.
#[derive(Debug, Clone)]
pub struct Script {
    /// The steps, each with the number of its line.
    pub steps: Vec<(usize, Step)>,
}

/// One line of a script.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The person writes.
    Says {
        /// The id of the message.
        id: String,
        /// The message.
        text: String,
    },
    /// The person takes a message back.
    TakesBack(String),
    /// The person answers a question: about this call, or about the oldest that waits.
    Answers {
        /// The call.
        call: Option<String>,
        /// What is said.
        decision: Decision,
    },
    /// The person answers a question by a digest that was never shown.
    AnswersWithAnotherDigest,
    /// The person stops the turn that runs, or the turn of that name.
    Stops(Option<String>),
    /// The model says the next line of its script.
    Model(Line),
    /// What the model says from now on whenever it is asked for a summary.
    Summary(Line),
    /// The person asks for a fold.
    Compacts,
    /// A rule is added; `None` takes all rules away.
    Rule(Option<(RuleVerdict, String, Option<String>)>),
    /// What the hook does from now on, to calls of a tool or to all.
    Hook(Option<String>, Does),
    /// A limit has this value from now on.
    Limit(String, u32),
    /// Another model may answer when the one before cannot; true: to it the conversation may not travel.
    Fallback(String, bool),
    /// How far the conversation may travel is as far as any model is.
    Travel,
    /// These tools are gone; none: all are there.
    Without(Vec<String>),
    /// Other profiles can be run as delegates, or none of them any more.
    Delegates(bool),
    /// The setting is gone, for this reason; `None`: it is back.
    Setting(Option<String>),
    /// So many milliseconds pass.
    Time(i64),
    /// A file of the world holds another text, or is gone.
    Target(String, Option<String>),
    /// A newer version of the program writes an entry.
    NewerEntry,
    /// The disk fails at the next append.
    DiskFails,
    /// The process dies: here, or at the next append that the trap waits for.
    Crash(Option<Trap>),
    /// A new process starts.
    Restart,
}

/// A line that is none of the language.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {reason}")]
pub struct BadLine {
    /// Its number, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

impl Script {
    /// Reads a script. Lines that begin with `#` and empty lines are skipped.
    pub fn parse(text: &str) -> Result<Self, BadLine> {
        let mut steps: Vec<(usize, Step)> = Vec::new();
        let mut messages = 0;
        for (index, line) in text.lines().enumerate() {
            let bad = |reason: String| BadLine { line: index + 1, reason };
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(rest) = line.strip_prefix("  ") {
                join(steps.last_mut().map(|(_, step)| step), rest).map_err(bad)?;
            } else {
                steps.push((index + 1, step(line, &mut messages).map_err(bad)?));
            }
        }
        Ok(Self { steps })
    }
}

/// A line that is indented adds a call to the reply above it.
fn join(above: Option<&mut Step>, line: &str) -> Result<(), String> {
    let Some(Step::Model(Line::Says(reply))) = above else {
        return Err("an indented line adds a call to a reply, and there is none above".to_owned());
    };
    let Line::Says(more) = model(line)? else { return Err("only a call can be added to a reply".to_owned()) };
    reply.calls.extend(more.calls);
    reply.stop = more.stop;
    Ok(())
}

fn step(line: &str, messages: &mut usize) -> Result<Step, String> {
    let (head, rest) = line.split_once(':').map_or((line, ""), |(head, rest)| (head, rest.trim()));
    let (who, whom) = head.split_once(' ').map_or((head, None), |(who, whom)| (who, Some(whom.trim().to_owned())));
    match who {
        "user" => {
            *messages += 1;
            Ok(Step::Says { id: whom.unwrap_or_else(|| format!("m{messages}")), text: rest.to_owned() })
        }
        "person" => person(whom, rest),
        "stop" => Ok(Step::Stops(whom)),
        "model" => model(rest).map(Step::Model),
        "summary" => model(rest).map(Step::Summary),
        "compact" => Ok(Step::Compacts),
        "rule" => rule(rest),
        "hook" => hook(rest),
        "limit" => limit(rest),
        "fallback" => {
            let (name, far) = rest.strip_suffix(" far").map_or((rest, false), |name| (name, true));
            Ok(Step::Fallback(name.to_owned(), far))
        }
        "travel" => Ok(Step::Travel),
        "tools" => Ok(Step::Without(rest.split_whitespace().skip(1).map(str::to_owned).collect())),
        "delegates" => Ok(Step::Delegates(rest != "none")),
        "setting" => Ok(Step::Setting(rest.strip_prefix("gone").map(|reason| reason.trim().to_owned()))),
        "time" => time(rest).map(Step::Time),
        "target" => target(rest),
        "newer" => Ok(Step::NewerEntry),
        "disk" => Ok(Step::DiskFails),
        "crash" => crash(whom.as_deref()),
        "restart" => Ok(Step::Restart),
        other => Err(format!("there is no line that begins with {other:?}")),
    }
}

fn person(call: Option<String>, said: &str) -> Result<Step, String> {
    let answers = |decision| Ok(Step::Answers { call: call.clone(), decision });
    let (word, rest) = said.split_once(' ').unwrap_or((said, ""));
    match (word, rest) {
        ("approve", "") => answers(Decision::Approve),
        ("approve", "another digest") => Ok(Step::AnswersWithAnotherDigest),
        ("refuse", "") => answers(Decision::Refuse(None)),
        ("refuse", words) => answers(Decision::Refuse(Some(words.to_owned()))),
        ("refuse-and-stop", "") => answers(Decision::RefuseAndStop),
        ("tell", words) => answers(Decision::Told(words.to_owned())),
        ("takes", rest) => Ok(Step::TakesBack(rest.trim_start_matches("back").trim().to_owned())),
        _ => Err(format!("a person does not {said:?}")),
    }
}

fn model(said: &str) -> Result<Line, String> {
    let (word, rest) = said.split_once(' ').unwrap_or((said, ""));
    match (word, rest) {
        ("mute", "") => Ok(Line::mute()),
        ("panics", "") => Ok(Line::Panics),
        ("fault", fault) => Ok(Line::Faults(sample_fault(fault)?)),
        ("streams", text) => Ok(Line::Streams(text.to_owned())),
        ("shows", rest) => {
            let (text, fault) = rest.rsplit_once(" then ").ok_or("`shows TEXT then FAULT`")?;
            Ok(Line::Breaks(text.to_owned(), sample_fault(fault)?))
        }
        ("length", text) => Ok(Line::stopped(text, StopReason::Length)),
        ("off", text) => Ok(Line::stopped(text, StopReason::Cut)),
        ("withheld", text) => Ok(Line::stopped(text, StopReason::Filtered)),
        ("likely", rest) => {
            let (chance, said) = number(rest)?;
            Ok(model(said)?.measured(|usage| usage.opener = u16::try_from(chance).ok()))
        }
        ("tokens", rest) => {
            let (count, said) = number(rest)?;
            Ok(model(said)?.measured(|usage| usage.decoded = Some(count)))
        }
        ("call", call) => Ok(Line::calls("", &[name_and_arguments(call)])),
        ("cut", rest) => {
            let (tool, arguments) = name_and_arguments(rest.trim_start_matches("call").trim());
            Ok(Line::cut("", tool, arguments))
        }
        (count, rest) if rest.starts_with("calls ") && count.parse::<usize>().is_ok() => {
            let count = count.parse::<usize>().unwrap_or(1);
            Ok(Line::calls("", &vec![name_and_arguments(&rest["calls ".len()..]); count]))
        }
        _ => Ok(Line::text(said)),
    }
}

fn number(text: &str) -> Result<(u32, &str), String> {
    let (count, rest) = text.split_once(' ').unwrap_or((text, ""));
    Ok((count.parse().map_err(|_| format!("{count:?} is no number"))?, rest))
}

fn name_and_arguments(call: &str) -> (&str, &str) {
    call.split_once(' ').unwrap_or((call, ""))
}

fn sample_fault(word: &str) -> Result<SampleFault, String> {
    let why = || "as the script says".to_owned();
    if let Some(seconds) = word.strip_prefix("rate limited ") {
        return Ok(SampleFault::RateLimited(Some(u64::from(number(seconds)?.0) * 1000)));
    }
    Ok(match word {
        "busy" => SampleFault::Busy,
        "rate limited" => SampleFault::RateLimited(None),
        "unauthorised" => SampleFault::Unauthorised,
        "bad request" => SampleFault::BadRequest(why()),
        "too long" => SampleFault::TooLong { needed: 9_000, window: 8_192 },
        "crashed" => SampleFault::Crashed(why()),
        "timeout" => SampleFault::Timeout("stall".to_owned()),
        "network" => SampleFault::Network(why()),
        "filtered" => SampleFault::Filtered,
        other => return Err(format!("there is no fault {other:?}")),
    })
}

fn rule(said: &str) -> Result<Step, String> {
    let words: Vec<&str> = said.split_whitespace().collect();
    let (verdict, tool, path) = match words.as_slice() {
        ["none"] => return Ok(Step::Rule(None)),
        [verdict, tool] => (verdict, tool, None),
        [verdict, tool, path] => (verdict, tool, Some((*path).to_owned())),
        _ => return Err("`rule: allow|ask|deny TOOL [PATH]` or `rule: none`".to_owned()),
    };
    let verdict = match *verdict {
        "allow" => RuleVerdict::Allow,
        "ask" => RuleVerdict::Ask,
        "deny" => RuleVerdict::Deny,
        other => return Err(format!("no rule says {other:?}")),
    };
    Ok(Step::Rule(Some((verdict, (*tool).to_owned(), path))))
}

fn hook(said: &str) -> Result<Step, String> {
    let mut words = said.splitn(3, ' ');
    let (verb, tool, rest) = (words.next().unwrap_or(""), words.next(), words.next().unwrap_or(""));
    let does = match verb {
        "none" => Does::Continue,
        "fails" => Does::Fail,
        "panics" => Does::Panic,
        "hangs" => Does::Hang,
        "block" => Does::Block(rest.to_owned()),
        "rewrite" => {
            let arguments: Value = serde_json::from_str(rest).map_err(|fault| fault.to_string())?;
            Does::Rewrite(arguments)
        }
        other => return Err(format!("no hook does {other:?}")),
    };
    Ok(Step::Hook(tool.map(str::to_owned), does))
}

fn limit(said: &str) -> Result<Step, String> {
    let (name, value) = said.split_once(' ').ok_or("`limit: NAME NUMBER`")?;
    let value = value.trim().parse().map_err(|_| format!("{value:?} is no number"))?;
    Ok(Step::Limit(name.to_owned(), value))
}

fn time(said: &str) -> Result<i64, String> {
    let unit = |letter| match letter {
        's' => Some(1_000),
        'm' => Some(60_000),
        'h' => Some(3_600_000),
        'd' => Some(86_400_000),
        _ => None,
    };
    let span = said.trim_start_matches('+');
    let split =
        span.char_indices().last().and_then(|(at, letter)| Some((span[..at].parse::<i64>().ok()?, unit(letter)?)));
    split.map(|(count, unit)| count * unit).ok_or_else(|| format!("{said:?} is no time; `+30d` is one"))
}

fn target(said: &str) -> Result<Step, String> {
    if let Some(path) = said.strip_suffix(" is gone") {
        return Ok(Step::Target(path.to_owned(), None));
    }
    let (path, text) = said.split_once(" = ").ok_or("`target: PATH = TEXT` or `target: PATH is gone`")?;
    Ok(Step::Target(path.to_owned(), Some(text.to_owned())))
}

fn crash(at: Option<&str>) -> Result<Step, String> {
    let Some(at) = at else { return Ok(Step::Crash(None)) };
    let (moment, kind) = match at.split_once(' ') {
        Some(("before", kind)) => (Moment::Before, kind),
        Some(("after", kind)) => (Moment::After, kind),
        Some(_) | None => return Err("`crash`, `crash before ENTRY` or `crash after ENTRY`".to_owned()),
    };
    Ok(Step::Crash(Some(Trap { at: TrapAt::Kind(kind.to_owned()), moment })))
}
