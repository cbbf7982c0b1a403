//! A12: random conversations in windows of 2,048 to 131,072 tokens, planned and folded until they fit: no prompt that is
//! sent is over its window, and the parts of every count add up to the whole prompt.
//!
//! The model here is a toy that knows its tokens exactly: one for each two bytes, and a fixed frame around each part. It
//! counts a prompt in parts for the planner, and as one text for the check.

use std::sync::Arc;

use domain::compact::{Compacted, Fold, Unchanged, Why, Words, is_smaller};
use domain::context::{Item, Prefix, Prompt};
use domain::conversation::Conversation;
use domain::effect::Effect;
use domain::entry::Body;
use domain::id::{CallId, MessageId, ReplyId};
use domain::message::{Message, Wanted};
use domain::model::{ModelDescription, Reply, SampleFault, Sampled, StopReason, Usage};
use domain::plan::{Budget, Counted, Counts, Measure, Plan, plan};
use domain::result::{Status, ToolResult};
use domain::setting::Setting;
use domain::tool::ToolName;

use crate::random::{self, Random, entry, times};

/// What opens a prompt and a reply.
const OPENER: &str = "\u{1}begin\u{1}reply";

/// Tokens of a text by this model: a marker is one, and each two bytes up to the next marker.
fn tokens(text: &str) -> u32 {
    let between = text.split('\u{1}').map(|piece| piece.len().div_ceil(2)).sum::<usize>();
    u32::try_from(between + text.matches('\u{1}').count()).expect("texts of this test are short")
}

/// One part as its template writes it: a marker and the words.
fn rendered(item: &Item) -> String {
    match item {
        Item::Summary { text } | Item::Person { text, .. } => format!("\u{1}{text}"),
        Item::Result { call, text, .. } => format!("\u{1}{call}\u{1}{text}"),
        Item::Model { text, calls, .. } => {
            let calls = calls.iter().map(|call| format!("\u{1}{} {} {}", call.id, call.tool, call.arguments));
            format!("\u{1}{text}{}", calls.collect::<String>())
        }
    }
}

fn tools(prompt: &Prompt) -> String {
    prompt.prefix.tools.iter().map(|tool| format!("\u{1}{} {}", tool.name, tool.schema.json())).collect()
}

fn counts(prompt: &Prompt) -> Counts {
    Counts {
        system: tokens(&format!("\u{1}{}", prompt.prefix.system)),
        tools: tokens(&tools(prompt)),
        items: prompt.items.iter().map(|item| tokens(&rendered(item))).collect(),
        around: tokens(OPENER),
        ..Counts::default()
    }
}

/// The tokens of the prompt as one text.
fn whole(prompt: &Prompt) -> u32 {
    let items: String = prompt.items.iter().map(|item| rendered(item)).collect();
    tokens(&format!("\u{1}{}{}{items}{OPENER}", prompt.prefix.system, tools(prompt)))
}

struct Talk {
    random: Random,
    setting: Setting,
    conversation: Conversation,
    sent: usize,
    folds: [usize; 3],
    overflows: usize,
}

impl Talk {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let window = 2_048 << random.below(7);
        let mut setting = random::setting();
        let system = "word ".repeat(random.below(usize::try_from(window).expect("it is small") / 16));
        setting.prefix = Arc::new(Prefix::new(system, &setting.tools));
        let model = ModelDescription { window, ..(*setting.model).clone() };
        setting.model = Arc::new(model);
        setting.limits.rounds = 1_000;
        setting.limits.calls = 1_000;
        let conversation = Conversation::new(random::conversation());
        Self { random, setting, conversation, sent: 0, folds: [0; 3], overflows: 0 }
    }

    fn add(&mut self, body: Body) {
        let draft = self.conversation.draft(domain::time::Timestamp(0), body);
        let number = self.conversation.head().next();
        self.conversation.apply(&entry(number.0, draft.turn, draft.body));
    }

    /// Words for up to one part in `of` of the window; now and then far more.
    fn words(&mut self, of: usize) -> String {
        let window = usize::try_from(self.setting.model.window).expect("it is small");
        let most = if self.random.once_in(40) { window * 4 } else { window * 2 / of };
        let length = self.random.below(most + 1);
        let piece = ["word ", "è così ", "line\n", "漢字", "{\"a\":[1,2]}\n"][self.random.below(5)];
        piece.repeat(length / piece.len() + 1)
    }

    fn budget(&self) -> Budget {
        Budget::new(self.setting.model.window, self.setting.model.output_cap, self.setting.limits.reply_tokens)
    }

    /// Does what the loop asks for, one effect after the other, until the turn is over.
    fn turn(&mut self, number: usize) {
        let (id, text) = (MessageId::new(format!("m{number}")), self.words(8));
        self.add(Body::Said(Message { id, text, aside: None, short: None, wanted: Wanted::default() }));
        for _ in 0..400 {
            match self.conversation.next(&self.setting) {
                Effect::Sample(request) => self.sample(&request.prompt),
                Effect::Note(bodies) => bodies.into_iter().for_each(|body| self.add(body)),
                Effect::Screen(calls) => {
                    for call in calls {
                        let screened = random::screened_read(&call);
                        self.add(screened);
                    }
                }
                Effect::Run(calls) => {
                    for call in calls {
                        let id = call.call().id().clone();
                        let (digest, clearance, key) = (call.digest(), call.clearance().clone(), call.key().to_owned());
                        self.add(Body::Started { call: id.clone(), digest, clearance, key });
                        let text = self.words(3);
                        let result = ToolResult::new(id, Status::Done, &text).viewed(self.setting.model.window);
                        self.add(Body::Returned(result));
                    }
                }
                Effect::Compact(why) => self.compact(why),
                Effect::End { outcome, footer } => self.add(Body::Ended { outcome, footer }),
                Effect::Ask(_) => panic!("reads are not asked about"),
                Effect::Delegate(_) => panic!("nobody can be asked to"),
                Effect::Rest => return,
            }
        }
        panic!("the turn does not end");
    }

    fn sample(&mut self, prompt: &Prompt) {
        let counts = counts(prompt);
        assert_eq!(counts.total(), whole(prompt), "the parts add up to the whole");
        let thread = self.conversation.thread();
        assert_eq!(thread.items(), prompt.items, "places belong to the items of the prompt");
        let may_summarise = self.conversation.standing().may_summarise(counts.total());
        match plan(&counts, &self.budget(), thread.places(), may_summarise) {
            Plan::Fits { tokens, left } => self.send(prompt, tokens, left),
            Plan::Demote(demotion) => {
                self.folds[0] += 1;
                self.fold(Why::Needed, Fold::Demoted(demotion), &counts);
            }
            Plan::Summarise(cutting) => self.summarise(Why::Needed, &cutting.cut, &counts),
            Plan::Overflow { needed, window } => {
                self.overflows += 1;
                self.falter(SampleFault::Overflow { needed, window });
            }
            Plan::TooSmall { prefix, window } => {
                assert!(prefix > window / 2, "windows of this test are large enough");
                self.falter(SampleFault::TooSmall { prefix, window });
            }
        }
    }

    fn falter(&mut self, fault: SampleFault) {
        let model = self.setting.model.name.clone();
        self.add(Body::Faltered(domain::model::Faltered::new(model, fault)));
    }

    fn send(&mut self, prompt: &Prompt, planned: u32, left: u32) {
        let window = self.setting.model.window;
        assert!(whole(prompt) + self.budget().reserve <= window, "{planned} of {window}: it was sent and does not fit");
        assert_eq!(left, window - whole(prompt));
        self.sent += 1;
        let count = if self.random.once_in(3) { 0 } else { 1 + self.random.below(3) };
        let calls = (0..count).map(|index| domain::call::ToolCall {
            id: CallId::new(format!("c{}_{index}", self.conversation.head().0)),
            tool: ToolName::new("read"),
            arguments: format!(r#"{{"path":"a{}_{index}"}}"#, self.conversation.head().0),
            fault: None,
            wire_id: None,
            recovered: false,
        });
        let calls: Vec<_> = calls.collect();
        let text = if self.random.once_in(2) || calls.is_empty() { self.words(20) } else { String::new() };
        let text: String = text.chars().take(usize::try_from(prompt.max_tokens.min(left)).expect("small")).collect();
        let stop = if calls.is_empty() { StopReason::Natural } else { StopReason::Calls };
        let usage = Usage { prompt: Some(planned), decoded: Some(tokens(&text)), ..Usage::default() };
        let (reasoning, model) = (String::new(), self.setting.model.name.clone());
        let sampled = Sampled { text, reasoning, calls, stop, usage, model, signed: None };
        let (id, seen) = (ReplyId::new("r"), prompt.seen);
        let counted = Some(Counted::new(planned, Measure::Exact));
        let prefix = prompt.prefix.hash;
        let reply = Reply { id, seen, prefix, forbidden: false, continues: false, counted, sampled };
        self.add(Body::Replied(Box::new(reply)));
    }

    fn compact(&mut self, why: Why) {
        let counts = counts(&self.conversation.prompt(&self.setting));
        let room = self.budget().room(Measure::Exact);
        match domain::plan::cut(&counts, self.conversation.thread().places(), room) {
            Some(cutting) => self.summarise(why, &cutting.cut, &counts),
            None => self.fold(why, Fold::Unchanged(Unchanged::Nothing), &counts),
        }
    }

    /// A summariser that sometimes fails, sometimes writes too much and is mostly short.
    fn summarise(&mut self, why: Why, cut: &domain::compact::Cut, counts: &Counts) {
        let room = self.budget().room(Measure::Exact);
        let task = self.conversation.task(cut, room);
        if task.is_none() || self.random.once_in(8) {
            return self.fold(why, Fold::Unchanged(Unchanged::Failed("it was to fail".to_owned())), counts);
        }
        let wordy = if self.random.once_in(8) { 40 } else { 1 };
        let words = Words::read(&format!("Facts:\n{}", "it was so. ".repeat(self.random.below(20) * wordy)));
        let summary = Box::new(self.conversation.summary(cut, words));
        let prefix = self.setting.prefix.hash;
        let fold = Fold::Summarised { cut: cut.clone(), summary, prefix, pieces: 1 };
        let after = self.after(why, &fold, counts);
        if !is_smaller(counts.total() - counts.prefix(), after.saturating_sub(counts.prefix())) {
            return self.fold(why, Fold::Unchanged(Unchanged::NotSmaller), counts);
        }
        self.folds[1] += 1;
        self.fold(why, fold, counts);
    }

    fn after(&self, why: Why, fold: &Fold, counts: &Counts) -> u32 {
        let mut folded = self.conversation.clone();
        let body = compacted(why, fold.clone(), counts.total(), 0);
        folded.apply(&entry(folded.head().next().0, domain::id::TurnId::new(""), body));
        whole(&folded.prompt(&self.setting))
    }

    fn fold(&mut self, why: Why, fold: Fold, counts: &Counts) {
        self.folds[2] += usize::from(matches!(fold, Fold::Unchanged(_)));
        let after = self.after(why, &fold, counts);
        self.add(compacted(why, fold, counts.total(), after));
    }
}

fn compacted(why: Why, fold: Fold, before: u32, after: u32) -> Body {
    let (measure, model) = (Measure::Exact, "m".to_owned());
    Body::Compacted(Box::new(Compacted { why, fold, before, after, measure, model, correction: None }))
}

#[test]
fn no_prompt_is_sent_that_does_not_fit() {
    let (mut sent, mut folds, mut overflows) = (0, [0; 3], 0);
    for seed in 0..times(60, 1_000) as u64 {
        let mut talk = Talk::new(seed);
        for number in 0..1 + talk.random.below(12) {
            talk.turn(number);
        }
        sent += talk.sent;
        overflows += talk.overflows;
        (0..3).for_each(|kind| folds[kind] += talk.folds[kind]);
    }
    println!("{sent} prompts sent, {folds:?} demotions, summaries and vain tries, {overflows} overflows");
    assert!(sent > 200 && folds.iter().all(|count| *count > 5), "{sent} prompts and {folds:?} folds show little");
    assert!(overflows * 10 < sent, "{overflows} overflows of {sent} prompts: folding hardly helps");
}
