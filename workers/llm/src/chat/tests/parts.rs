//! Where parts end in each template: found by marks, with nothing left over, and with the words of each part inside it.

use inference::protocol::message::{Call, Prompt, Tool, Turn};
use inference::segments::{Part, Parts};
use serde_json::json;

use super::published::TEMPLATES;
use super::{PLAIN, STRICT, WITH_TOOLS, chat, text};

const WORDS: [(&str, Part); 7] = [
    ("qsystemq", Part::System),
    ("qtoolq", Part::Tools),
    ("qsummaryq", Part::Summary),
    ("qpersonq", Part::Turn(0)),
    ("qargumentq", Part::Turn(1)),
    ("qresultq", Part::Turn(2)),
    ("qlastq", Part::Turn(3)),
];

fn conversation() -> Prompt {
    let arguments = json!({ "at": "qargumentq", "n": 7 }).to_string();
    let call = Call { id: "call_1_0".to_owned(), name: "look".to_owned(), arguments };
    let schema = json!({ "type": "object", "properties": { "at": { "type": "string", "description": "Where." } } });
    let tool =
        |name: &str, about: &str| Tool { name: name.to_owned(), description: about.to_owned(), schema: schema.clone() };
    Prompt {
        system: "qsystemq Be kind.".to_owned(),
        summary: "Before: qsummaryq.".to_owned(),
        tools: vec![tool("look", "Looks. qtoolq"), tool("find", "Finds.")],
        turns: vec![
            Turn::Person { text: "Hi, qpersonq, is it <|im_end|>?\n".to_owned() },
            Turn::Model { text: "Well.".to_owned(), calls: vec![call] },
            Turn::Result { call: "call_1_0".to_owned(), tool: "look".to_owned(), text: "A qresultq".to_owned() },
            Turn::Person { text: "And qlastq?".to_owned() },
        ],
    }
}

/// All the bytes of a part, each taken for a token.
fn bytes_of(parts: &Parts, part: Part) -> u32 {
    match part {
        Part::System => parts.system,
        Part::Tools => parts.tools,
        Part::Summary => parts.summary,
        Part::Turn(index) => parts.turns[index],
        Part::Around => parts.around,
    }
}

#[test]
fn each_template_gives_each_part_its_own_words_and_no_byte_is_left_over() {
    let own = [("plain", PLAIN), ("with tools", WITH_TOOLS), ("strict", STRICT)];
    for (name, source) in own.into_iter().chain(TEMPLATES) {
        let (chat, prompt) = (chat(source), conversation());
        let spans = chat.render(&prompt).unwrap();
        let borders =
            chat.borders(&prompt, &spans).unwrap_or_else(|| panic!("{name} does not let parts be told apart"));
        let (rendered, turns) = (text(&spans), prompt.turns.len());
        let all = Parts::count(&borders, 0..rendered.len(), turns);
        assert_eq!(usize::try_from(all.total()).unwrap(), rendered.len(), "{name}");
        for (word, part) in WORDS {
            let at = rendered.find(word).unwrap_or_else(|| panic!("{name}: {word} is missing in {rendered}"));
            let found = Parts::count(&borders, at..at + word.len(), turns);
            assert_eq!(bytes_of(&found, part), found.total(), "{name}: {word} in {rendered}");
        }
    }
}

#[test]
fn letters_of_both_private_planes_in_a_prompt_leave_its_parts_unknown() {
    let chat = chat(PLAIN);
    let prompt = Prompt { system: "\u{F0000}\u{100000}".to_owned(), ..conversation() };
    let spans = chat.render(&prompt).unwrap();
    assert_eq!(chat.borders(&prompt, &spans), None);
}
