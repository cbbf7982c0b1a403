//! What a profile's file says, what is wrong with it and where, and which layer's value holds.

use proptest::prelude::*;

use super::{
    Kind, Known, Layers, LimitWishes, Profile, ProfileId, Reasoning, SamplingWishes, Strength, Wishes, read, resolve,
};
use crate::limits::Limits;
use crate::model::Tier;

const FULL: &str = "---
name: Librarian
description: Finds books: old and new # for people
kind: task
model:
  strength: strong
  fallbacks: [qwen:7b, llama]
reasoning: low
sampling: {temperature: 0.2, top_k: 40}
tools: [file.*, note_read]
skills: []
delegates: [my-helper]
hooks: [redact]
limits:
  rounds: 10
  active_ms: 60000
notes: [user-memory/books.md]
answer_schema:
  type: object
  properties: {title: {type: string}, year: {type: integer, minimum: 1}}
  required: [title]
compaction_model: small
locales:
  de: {name: Bibliothekar}
  pt-BR: {description: Encontra livros}
icon: \u{1F4DA}
---

You are a librarian.

Answer: briefly.
";

fn names(profile: &Profile) -> Vec<&str> {
    profile.tools.iter().flatten().map(|named| named.name.as_str()).collect()
}

#[test]
fn every_field_is_read() {
    let profile = read(FULL).unwrap();
    assert_eq!((profile.name.as_str(), profile.kind), ("Librarian", Kind::Task));
    assert_eq!(profile.description, "Finds books: old and new");
    assert_eq!((profile.model.strength, profile.model.pin.is_none()), (Some(Strength::Strong), true));
    assert_eq!(profile.model.fallbacks[0].name, "qwen:7b");
    assert_eq!(profile.reasoning, Some(Reasoning::Low));
    let sampling = SamplingWishes { temperature: Some(0.2), top_k: Some(40), ..SamplingWishes::default() };
    assert_eq!(profile.sampling, sampling);
    assert_eq!(names(&profile), ["file.*", "note_read"]);
    assert_eq!(
        (profile.skills, profile.delegates.len(), profile.hooks.len(), profile.notes.len()),
        (Some(vec![]), 1, 1, 1)
    );
    let limits = LimitWishes { rounds: Some(10), active_ms: Some(60_000), ..LimitWishes::default() };
    assert_eq!(profile.limits, limits);
    let schema = profile.answer_schema.unwrap();
    assert!(schema.misfit(&serde_json::json!({ "title": "x", "year": 0 })).is_some());
    assert!(schema.misfit(&serde_json::json!({ "title": "x", "year": 1 })).is_none());
    assert_eq!(profile.compaction_model.as_deref(), Some("small"));
    assert_eq!(profile.locales["de"].name.as_deref(), Some("Bibliothekar"));
    assert_eq!(profile.icon.as_deref(), Some("\u{1F4DA}"));
    assert_eq!(profile.prompt, "You are a librarian.\n\nAnswer: briefly.");
}

#[test]
fn a_mark_of_byte_order_and_other_ends_of_line_change_nothing() {
    let other = format!("\u{FEFF}{}", FULL.replace('\n', "\r\n"));
    let (plain, other) = (read(FULL).unwrap(), read(&other).unwrap());
    assert_eq!(other.prompt, plain.prompt.replace('\n', "\r\n"));
    assert_eq!(Profile { prompt: String::new(), ..other }, Profile { prompt: String::new(), ..plain });
}

#[test]
fn a_colon_in_a_value_is_text() {
    for (line, expected) in [
        ("description: a: b", "a: b"),
        ("description:   it's: \"so\" # remark", "it's: \"so\""),
        ("description: ends:", "ends:"),
        ("description: http://x/y", "http://x/y"),
        ("description: 'quoted: too'", "quoted: too"),
    ] {
        let profile = read(&format!("---\nname: x\n{line}\n---\nprompt")).unwrap();
        assert_eq!(profile.description, expected, "{line}");
    }
}

fn check(head: &str, line: usize, column: usize, says: &str) {
    let faults = read(&format!("---\n{head}\n---\nprompt")).unwrap_err();
    let found = faults.iter().any(|fault| (fault.line, fault.column) == (line, column) && fault.says.contains(says));
    assert!(found, "{head:?}: {faults:?}");
}

#[test]
fn every_slip_has_its_line_and_column() {
    check("name: x\ntols: [a]", 3, 1, "there is no field `tols`; near are `tools`");
    check("name: x\nmode: skip-all", 3, 1, "there is no field `mode`");
    check("name: x\npermissions: all", 3, 1, "there is no field `permissions`");
    check("name: x\nkind: task\nname: y", 4, 1, "the key `name` stands twice; it stands first in line 2");
    check("name: [x]", 2, 7, "`name` is a text");
    check("name: x\nkind: tasks", 3, 7, "`kind` is one of: chat, task, system");
    check("name: x\ntools: file_read", 3, 8, "`tools` is a list");
    check("name: x\ntools: [a, [b]]", 3, 12, "each item of `tools` is a name");
    check("name: x\ntools: [a, b, a]", 3, 15, "`a` stands twice");
    check("name: x\nlimits:\n  rounds: 0", 4, 11, "`rounds` is a number from 1 to 200");
    check("name: x\nlimits:\n  round: 3", 4, 3, "there is no field `round`; near are `rounds`");
    check("name: x\nlimits: {rounds: '3'}", 3, 18, "`rounds` is a number");
    check("name: x\nlimits: 3", 3, 9, "a list of fields");
    check("name: x\nsampling: {temperature: nan}", 3, 25, "`temperature` is a number from 0 to 2");
    check("name: x\nmodel: {pin: a, strength: light}", 3, 8, "either pinned or chosen");
    check("name: x\nanswer_schema: {type: strin}", 3, 16, "schema");
    check("name: x\nlocales: {german!: {name: y}}", 3, 11, "no language");
    check("name: x\ndelegates: [My Helper]", 3, 13, "not `My Helper`");
    check("name: &a x", 2, 7, "an anchor is not taken");
    check("name: x\nicon: [", 4, 1, "");
    check("kind: chat", 1, 1, "the field `name` is missing");
    check("- a", 2, 1, "the head is a list of fields");
}

#[test]
fn all_slips_are_told_at_once_in_order() {
    let faults = read("---\nname: x\nkind: y\ntols: []\nlimits: {rounds: no}\n---\n").unwrap_err();
    assert_eq!(faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [3, 4, 5, 7], "{faults:?}");
}

#[test]
fn a_file_without_head_or_prompt_or_of_any_length_is_refused() {
    for text in ["", "prompt", "---\nname: x", "---\nname: x\n---\n \n", "--- #\nname: x\n---\nprompt"] {
        assert!(read(text).is_err(), "{text:?}");
    }
    assert!(read(&format!("---\nname: x\n---\n{}", "y".repeat(32 * 1024))).is_ok());
    assert!(read(&format!("---\nname: x\n---\n{}", "y".repeat(32 * 1024 + 1))).is_err());
    assert!(read(&"[".repeat(1_000_000)).is_err());
}

#[test]
fn names_that_do_not_exist_are_told_with_their_place() {
    let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let known = Known { tools: set(&["file_read", "note_read"]), models: set(&["qwen"]), ..Known::default() };
    let unknown = |head: &str| {
        let profile = read(&format!("---\nname: x\n{head}\n---\nprompt")).unwrap();
        profile.unknown(&known).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(unknown("tools: [file.*, note_read]\nmodel: qwen"), Vec::<String>::new());
    assert_eq!(
        unknown("tools: [file_red, fil.*]"),
        [
            "line 3, column 9: there is no tool `file_red`; near are `file_read`, `note_read`",
            "line 3, column 19: there is no tool `fil.*`; near are `file_read`, `note_read`",
        ]
    );
    assert_eq!(unknown("skills: [mail]"), ["line 3, column 10: there is no skill `mail`; there are none"]);
    assert_eq!(unknown("model: {pin: gpt}").len(), 1);
    assert_eq!(unknown("model: {fallbacks: [gpt, qwen]}").len(), 1);
}

#[test]
fn ids_are_short_and_plain() {
    for good in ["a", "my-helper", "7", &"x".repeat(64)] {
        assert!(ProfileId::new(good).is_some(), "{good}");
    }
    for bad in ["", "A", "a_b", "a/b", "..", "ä", &"x".repeat(65)] {
        assert!(ProfileId::new(bad).is_none(), "{bad}");
    }
}

#[test]
fn of_values_the_first_that_is_set_wins() {
    let sets = |reasoning, temperature, top_p| Wishes {
        reasoning,
        sampling: SamplingWishes { temperature, top_p, ..SamplingWishes::default() },
        ..Wishes::default()
    };
    let layers = Layers {
        conversation: sets(None, Some(0.5), None),
        person: sets(Some(Reasoning::Off), Some(1.0), None),
        profile: sets(Some(Reasoning::High), None, Some(0.9)),
        instance: sets(Some(Reasoning::Low), Some(0.1), Some(0.1)),
        ..Layers::default()
    };
    let found = resolve(&layers);
    assert_eq!(found.reasoning, Some(Reasoning::Off));
    assert_eq!((found.sampling.temperature, found.sampling.top_p, found.sampling.top_k), (Some(0.5), Some(0.9), None));
}

#[test]
fn a_layer_that_only_narrows_the_tools_leaves_what_all_leave() {
    let tools =
        |names: &[&str]| Wishes { tools: Some(names.iter().map(|&n| n.to_owned()).collect()), ..Wishes::default() };
    let layers =
        Layers { message: tools(&["file.*", "shell"]), role: tools(&["file_read", "note_read"]), ..Layers::default() };
    let found = resolve(&layers);
    let left: Vec<_> =
        ["file_read", "file_write", "shell", "note_read"].into_iter().filter(|t| found.permits(t)).collect();
    assert_eq!(left, ["file_read"]);
    assert!(resolve(&Layers::default()).permits("shell"));
    assert!(!resolve(&Layers { profile: tools(&[]), ..Layers::default() }).permits("shell"));
}

fn layer() -> impl Strategy<Value = Wishes> {
    let tier = prop_oneof![Just(None), Just(Some(Tier::Device)), Just(Some(Tier::Trusted)), Just(Some(Tier::Any))];
    (proptest::option::of(1_usize..200), proptest::option::of(1_u32..9000), tier).prop_map(
        |(rounds, reply_tokens, tier)| Wishes {
            limits: LimitWishes { rounds, reply_tokens, ..LimitWishes::default() },
            tier,
            ..Wishes::default()
        },
    )
}

proptest! {
    #[test]
    fn of_limits_and_tier_the_strictest_holds_whatever_the_order(wishes in proptest::collection::vec(layer(), 6)) {
        let of = |order: [usize; 6]| {
            let [message, conversation, person, role, profile, instance] = order.map(|index| wishes[index].clone());
            let found = resolve(&Layers { message, conversation, person, role, profile, instance });
            (found.limits.lower(Limits::default()), found.tier)
        };
        let (limits, tier) = of([0, 1, 2, 3, 4, 5]);
        prop_assert_eq!(&of([5, 3, 1, 0, 2, 4]), &(limits.clone(), tier));
        for wish in &wishes {
            prop_assert!(wish.limits.rounds.is_none_or(|rounds| limits.rounds <= rounds));
            prop_assert!(wish.limits.reply_tokens.is_none_or(|tokens| limits.reply_tokens <= tokens));
            prop_assert!(wish.tier.is_none_or(|most| tier.is_some_and(|tier| tier <= most)));
        }
        prop_assert!(limits.rounds <= Limits::default().rounds && limits.reply_tokens <= Limits::default().reply_tokens);
    }

    #[test]
    fn no_text_breaks_the_reader(text in "\\PC{0,200}", head in "([a-z_]{1,8}: [\\PC\n]{0,20}\n){0,6}", body in "\\PC{0,40}") {
        for text in [text, format!("---\n{head}---\n{body}"), format!("---\n{head}")] {
            let lines = text.lines().count().max(1) + 1;
            if let Err(faults) = read(&text) {
                prop_assert!(!faults.is_empty());
                prop_assert!(faults.iter().all(|fault| (1..=lines).contains(&fault.line) && fault.column > 0), "{:?}", faults);
            }
        }
    }

    #[test]
    fn a_cut_or_altered_profile_never_breaks_the_reader(at in 0_usize..900, letter in any::<char>()) {
        let letters: Vec<char> = FULL.chars().collect();
        let at = at.min(letters.len());
        let cut: String = letters[..at].iter().collect();
        let altered: String = letters[..at].iter().chain([&letter]).chain(&letters[at..]).collect();
        drop((read(&cut), read(&altered)));
    }
}
