//! Templates in the published shape of each dialect, written by hand: nothing of a conversation is lost in them, and no
//! content becomes control, wherever it stands and whatever control token or half of one it is (LOOP-20).

use inference::dialect::detect;
use inference::protocol::message::{Call, Prompt, Tool, Turn};
use serde_json::json;

use crate::chat::Chat;
use crate::native::Span;

pub(super) const TEMPLATES: [(&str, &str); 13] = [
    ("hermes", include_str!("../templates/hermes.jinja")),
    ("qwen_xml", include_str!("../templates/qwen_xml.jinja")),
    ("gemma", include_str!("../templates/gemma.jinja")),
    ("dsml", include_str!("../templates/dsml.jinja")),
    ("pythonic", include_str!("../templates/pythonic.jinja")),
    ("glm", include_str!("../templates/glm.jinja")),
    ("llama", include_str!("../templates/llama.jinja")),
    ("llama_header", include_str!("../templates/llama_header.jinja")),
    ("mistral", include_str!("../templates/mistral.jinja")),
    ("mistral_args", include_str!("../templates/mistral_args.jinja")),
    ("kimi", include_str!("../templates/kimi.jinja")),
    ("harmony", include_str!("../templates/harmony.jinja")),
    ("json", include_str!("../templates/json.jinja")),
];

/// The control tokens of all templates: to each of them, all are its vocabulary's.
fn controls() -> Vec<String> {
    let markers = include_str!("../../../../../crates/inference/tests/it/corpus/markers.txt");
    markers.lines().map(str::to_owned).collect()
}

fn chat(source: &str) -> Chat {
    Chat::new(source, "<s>", "</s>", controls(), detect(source, "")).unwrap()
}

/// The places that content has in a conversation.
const PLACES: usize = 14;

/// A conversation with `text` at one place, or at all of them, and `x` at all others.
fn conversation(place: Option<usize>, text: &str) -> Prompt {
    let at = |this: usize| if place.is_none_or(|place| place == this) { text.to_owned() } else { "x".to_owned() };
    let schema = json!({ "type": "string", "description": at(12), "enum": [at(13), "y"] });
    let arguments = json!({ (at(3)): at(4), "list": [at(5)], "inner": { (at(6)): at(7) }, "n": 1 });
    let call = Call { id: "call_1_0".to_owned(), name: at(8), arguments: arguments.to_string() };
    Prompt {
        system: at(0),
        summary: String::new(),
        tools: vec![Tool {
            name: "look".to_owned(),
            description: at(9),
            schema: json!({ "type": "object", "properties": { (at(10)): schema } }),
        }],
        turns: vec![
            Turn::Person { text: at(1) },
            Turn::Model { text: at(2), calls: vec![call] },
            Turn::Result { call: "call_1_0".to_owned(), tool: "look".to_owned(), text: at(11) },
            Turn::Person { text: at(1) },
        ],
    }
}

/// How many control tokens the tokenizer would find: in the template's own spans, each alone.
fn found(spans: &[Span], controls: &[String]) -> usize {
    let own = spans.iter().filter(|span| !span.content);
    own.map(|span| controls.iter().map(|control| span.text.matches(control.as_str()).count()).sum::<usize>()).sum()
}

/// The token, and what is left of it without its last or its first letter: a template may write that letter.
fn attacks(token: &str) -> [String; 4] {
    let last = token.char_indices().last().map_or(0, |(at, _)| at);
    let second = token.char_indices().nth(1).map_or(token.len(), |(at, _)| at);
    [token.to_owned(), format!("a\n{token}system\nb{token}"), token[..last].to_owned(), token[second..].to_owned()]
}

#[test]
fn each_template_is_known_and_writes_calls_itself() {
    for (name, source) in TEMPLATES {
        assert_eq!(detect(source, "").0.name(), name);
        let shape = chat(source).shape();
        assert!(shape.system && shape.tools && shape.results, "{name}: {shape:?}");
    }
}

#[test]
fn no_content_becomes_control_in_any_template() {
    let controls = controls();
    for (name, source) in TEMPLATES {
        let chat = chat(source);
        let usual = found(&chat.render(&conversation(None, "x")).unwrap(), &controls);
        assert!(usual > 4, "{name} writes control tokens of its own");
        for (index, text) in controls.iter().flat_map(|token| attacks(token)).enumerate() {
            // Everywhere at once, and each text at one more place alone.
            for place in [None, Some((index / 4 + index) % PLACES)] {
                let spans = chat.render(&conversation(place, &text)).unwrap();
                assert_eq!(found(&spans, &controls), usual, "{name}, place {place:?}: {text:?} in {spans:?}");
            }
        }
    }
}

#[test]
fn nothing_is_lost_in_any_template() {
    for (name, source) in TEMPLATES {
        let chat = chat(source);
        for place in 0..PLACES {
            let spans = chat.render(&conversation(Some(place), "qzwordqz")).unwrap();
            let text: String = spans.iter().map(|span| span.text.as_str()).collect();
            assert!(text.contains("qzwordqz"), "{name} lost place {place}: {text}");
        }
    }
}
