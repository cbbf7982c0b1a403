//! A made-up template and a made-up tokenizer, so that counts of parts can be tested without a model. The tokenizer knows
//! nothing of parts: its tokens are one to six bytes long and stand across every border. It shows that parts are told
//! apart and add up, not how any real model counts.

use inference::protocol::message::{Count, Counted, Prompt, Sample, Turn};
use inference::segments::{Marks, Part, Parts};

/// Counts by marks, as a worker does.
pub(crate) fn count(asked: &Count) -> Counted {
    let prompt = &asked.prompt;
    let plain = render(prompt, &|_, text| text.to_owned());
    let marks = Marks::unused_in(&plain, prompt.turns.len()).expect("no test writes private letters");
    let marked = render(prompt, &|part, text| marks.put(part, text));
    let borders = marks.borders(&marked, &plain).expect("this template only copies texts");
    let parts = Parts::count(&borders, starts(&plain), prompt.turns.len());
    Counted { total: tokens(&plain), parts: Some(parts), cached: 0 }
}

/// What would be decoded: the tokens of the plain text alone.
pub(crate) fn decoded(asked: &Sample) -> u32 {
    tokens(&render(&asked.prompt, &|_, text| text.to_owned()))
}

fn tokens(text: &str) -> u32 {
    u32::try_from(starts(text).len()).expect("prompts of tests are short")
}

/// Where tokens begin: the length of each follows from its place.
fn starts(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = 0;
    while at < text.len() {
        starts.push(at);
        at += 1 + at * 7 % 6;
    }
    starts
}

fn render(prompt: &Prompt, write: &dyn Fn(Part, &str) -> String) -> String {
    let tools: Vec<String> = prompt.tools.iter().map(|tool| format!("{}: {}", tool.name, tool.schema)).collect();
    let mut text = format!("<<system {}", write(Part::System, &prompt.system));
    text += &format!(" tools {}", write(Part::Tools, &tools.join(", ")));
    text += &format!(" before {}>>", write(Part::Summary, &prompt.summary));
    for (index, turn) in prompt.turns.iter().enumerate() {
        let (who, words) = words(turn);
        text += &format!("<<{who} {}>>", write(Part::Turn(index), &words));
    }
    text + "<<model "
}

fn words(turn: &Turn) -> (&'static str, String) {
    match turn {
        Turn::Person { text } => ("person", text.clone()),
        Turn::Model { text, calls } => {
            let calls: String = calls.iter().map(|call| format!(" [{} {}]", call.name, call.arguments)).collect();
            ("model", format!("{text}{calls}"))
        }
        Turn::Result { tool, text, .. } => ("result", format!("{tool}: {text}")),
    }
}
