//! What a frame may do and what its caller reads of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::context::Prefix;
use crate::footer::{EffectState, SideEffect};
use crate::outcome::Outcome;
use crate::result::Status;
use crate::setting::Setting;
use crate::time::Timestamp;
use crate::tool::{Replay, Schema, ToolSet, ToolSpec};
use crate::turn::tests::setting;

fn spec(name: &str) -> ToolSpec {
    ToolSpec {
        name: ToolName::new(name),
        description: format!("It is {name}."),
        schema: Schema::new(json!({ "type": "object" })).expect("it is a schema"),
        replay: Replay::Again,
        parallel: true,
        asks_person: false,
        uses: None,
        deadline_ms: 1000,
    }
}

fn profile(id: &str, tools: Option<&[&str]>, delegates: &[&str]) -> DelegateProfile {
    DelegateProfile {
        id: id.to_owned(),
        description: format!("{id} does its work"),
        system: format!("You are {id}."),
        tools: tools.map(|names| names.iter().map(|name| ToolName::new(*name)).collect::<BTreeSet<_>>()),
        delegates: delegates.iter().map(|id| (*id).to_owned()).collect(),
        limits: LimitWishes { rounds: Some(3), ..LimitWishes::default() },
        model: Arc::clone(&setting().model),
        fallbacks: Vec::new(),
    }
}

fn with(profiles: Vec<DelegateProfile>, allowed: &[&str]) -> Setting {
    let tools = ToolSet::new(["read", "act", TOOL].map(spec));
    let prefix = Arc::new(Prefix::new("You are outer.".to_owned(), &tools));
    let setting = Setting { tools: Arc::new(tools), prefix, ..setting() };
    setting.delegating(Delegation {
        path: vec!["outer".to_owned()],
        allowed: allowed.iter().map(|id| (*id).to_owned()).collect(),
        profiles: profiles.into(),
        ..Delegation::default()
    })
}

fn tools(setting: &Setting) -> Vec<&str> {
    setting.tools.iter().map(|spec| spec.name.as_str()).collect()
}

#[test]
fn a_delegate_has_the_tools_that_both_have_and_a_prefix_of_its_own() {
    let outer = with(vec![profile("a", Some(&["read", "gone", TOOL]), &[])], &["a"]);
    let inner = outer.inside("a").expect("it may be run");
    assert_eq!(tools(&inner), ["read"], "there is nobody whom it could run, so the tool for that is not shown");
    assert_eq!(inner.prefix.system, "You are a.");
    assert_ne!(inner.prefix.hash, outer.prefix.hash);
    assert_eq!(
        (inner.limits.rounds, inner.purse()),
        (3, &outer.limits),
        "its own purse is small, the common one stays"
    );
}

#[test]
fn a_tool_that_the_caller_has_lost_is_lost_and_the_prefix_stays() {
    let outer = with(vec![profile("a", None, &[])], &["a"]);
    let before = outer.inside("a").expect("it may be run").prefix.hash;
    let without: ToolSet = outer.tools.iter().filter(|spec| spec.name.as_str() != "act").cloned().collect();
    let inner = Setting { tools: Arc::new(without), ..outer }.inside("a").expect("it may be run");
    assert_eq!((tools(&inner), inner.prefix.hash), (vec!["read"], before));
}

#[test]
fn only_profiles_that_are_allowed_and_not_at_work_can_be_run_and_the_tool_names_them() {
    let all = vec![profile("a", None, &["b", "outer"]), profile("b", None, &["a", "b"]), profile("outer", None, &[])];
    let outer = with(all, &["a", "c"]);
    assert!(outer.delegate("b").is_none() && outer.delegate("c").is_none());
    let inner = outer.inside("a").expect("it may be run");
    let names = |setting: &Setting| setting.delegates().iter().map(|one| one.id.clone()).collect::<Vec<_>>();
    assert_eq!(names(&inner), ["b"]);
    assert_eq!(names(&inner.inside("b").expect("it may be run")), Vec::<String>::new());
    let tool = inner.tools.get(&ToolName::new(TOOL)).expect("it is there");
    assert_eq!(tool.description, "It is delegate.\n\nProfiles:\n- b: b does its work");
}

#[test]
fn five_frames_fit_below_the_outer_one() {
    let ids = ["a", "b", "c", "d", "e", "f"];
    let all: Vec<_> = ids.iter().map(|id| profile(id, None, &ids)).collect();
    let mut deep = with(all, &ids);
    for id in &ids[..5] {
        deep = deep.inside(id).expect("it may be run");
    }
    assert!(deep.inside("f").is_none() && !tools(&deep).contains(&TOOL));
}

fn opened() -> Opened {
    Opened {
        call: CallId::new("c1"),
        caller: FrameId::outer(),
        path: vec!["outer".to_owned(), "a".to_owned()],
        profile: "a".to_owned(),
        model: "m".to_owned(),
        task: "look".to_owned(),
        mode: Mode::Wait,
    }
}

#[test]
fn an_answer_names_what_was_made_and_a_failure_says_which_kind_it_is() {
    let effect = SideEffect {
        call: CallId::new("c2"),
        tool: ToolName::new("write"),
        classes: BTreeSet::new(),
        target: "c.txt".to_owned(),
        key: "k".to_owned(),
        started: Timestamp(1),
        ended: None,
        state: EffectState::Done,
        made: vec!["~/c.txt".to_owned()],
        undo: true,
    };
    let done = report(&opened(), &Outcome::Answered, " There. ", &[effect], 32_768);
    assert_eq!((done.status, done.text.as_str()), (Status::Done, "There.\n[made: ~/c.txt]"));
    let told = |outcome: Outcome, said: &str| {
        let result = report(&opened(), &outcome, said, &[], 32_768);
        (result.status, result.text)
    };
    let cases = [
        (Outcome::Answered, Status::Failed, "(silence)"),
        (Outcome::Mute, Status::Failed, "(silence)"),
        (Outcome::BudgetSpent, Status::Failed, "(limit)"),
        (Outcome::Stopped, Status::Cancelled, "(stop)"),
        (Outcome::Failed("it broke".to_owned()), Status::Failed, "(crash)"),
    ];
    for (outcome, status, kind) in cases {
        let (got, text) = told(outcome, "");
        assert!(got == status && text.contains(kind), "{text}");
    }
    assert!(told(Outcome::TimeLimit, "So far this.").1.ends_with("It said last: So far this."));
}

#[test]
fn an_answer_over_four_thousand_tokens_is_cut_and_says_so() {
    let long: String = (0..6_000).map(|n| format!("line {n}\n")).collect();
    let result = report(&opened(), &Outcome::Answered, &long, &[], 131_072);
    let view = result.view.expect("it is shown shorter");
    assert!(crate::context::estimate::tokens(&view) <= ANSWER_TOKENS && view.contains("recall c1"), "{view}");
    assert!(result.text.ends_with("line 5999"), "the whole stays readable");
}
