//! Frames of a dialect that is not the model's (LOOP-38): whole calls of known tools are recovered and marked, outside
//! fences and quotations, only when the reply has no frame of its own and the model ended it.

use inference::dialect::{Dialect, Ending, Parsed, Parser};
use inference::protocol::message::Tool;

const CALL: &str = "<tool_call>{\"name\": \"look\", \"arguments\": {\"n\": 1}}</tool_call>";

fn parse(dialect: Dialect, reply: &str, ending: Ending) -> Parsed {
    let tool = Tool { name: "look".to_owned(), description: String::new(), schema: serde_json::json!({}) };
    let mut parser = Parser::new(dialect, &[tool], false);
    parser.push(reply);
    parser.finish(ending).1
}

#[test]
fn a_whole_call_of_a_known_tool_is_recovered_in_every_other_dialect() {
    for own in Dialect::ALL {
        // The others share an opener or a closer with some dialect, where the frame is then one of its own.
        for written in [Dialect::Kimi, Dialect::MistralArgs, Dialect::Harmony, Dialect::Dsml, Dialect::Json] {
            let call = inference::protocol::message::Call {
                id: String::new(),
                name: "look".to_owned(),
                arguments: "{\"n\": 1}".to_owned(),
            };
            let reply = written.reply("Sure.", &[call], &[]);
            let parsed = parse(own, &reply, Ending::Natural);
            assert_eq!(parsed.calls.len(), 1, "{} written for {}: {parsed:?}", written.name(), own.name());
            let call = &parsed.calls[0];
            assert!(call.fault.is_none() && call.name == "look", "{} for {}: {call:?}", written.name(), own.name());
            assert!(
                call.recovered || parse(own, &reply, Ending::Cut).calls.len() == 1,
                "{} for {}",
                written.name(),
                own.name()
            );
        }
    }
}

#[test]
fn the_frame_leaves_the_text_and_the_call_is_marked() {
    let parsed = parse(Dialect::Llama, &format!("Sure. {CALL} So."), Ending::Natural);
    assert_eq!(parsed.text, "Sure.  So.");
    assert!(parsed.calls[0].recovered && parsed.calls[0].arguments == "{\"n\": 1}");
}

#[test]
fn what_is_quoted_stays_text() {
    let quoted = [
        format!("Write `{CALL}` then."),
        format!("Write \"{CALL}\" then."),
        format!("Write “{CALL}” then."),
        format!("> {CALL}\n\nThat is how."),
        format!("So:\n```\n{CALL}\n```\nThat is how."),
        "So:\n```json\n{\"name\": \"look\", \"arguments\": {}}\n```\nThat is how.".to_owned(),
    ];
    for reply in quoted {
        let parsed = parse(Dialect::Gemma, &reply, Ending::Natural);
        assert_eq!((parsed.calls, parsed.text, parsed.foreign), (Vec::new(), reply.clone(), None), "{reply}");
    }
}

#[test]
fn what_is_not_whole_or_not_known_stays_text_and_is_noted() {
    for reply in ["<tool_call>{\"name\": \"look\", ", &CALL.replace("look", "leave")] {
        let parsed = parse(Dialect::Llama, reply, Ending::Natural);
        assert_eq!((parsed.calls.len(), parsed.text.as_str()), (0, reply));
        assert!(parsed.foreign.is_some(), "{reply}");
    }
}

#[test]
fn a_reply_with_a_frame_of_its_own_or_a_cut_one_recovers_nothing() {
    let own = Dialect::MistralArgs.reply("", &[], &[]) + "[TOOL_CALLS]look[ARGS]{}";
    let parsed = parse(Dialect::MistralArgs, &format!("{CALL} {own}"), Ending::Natural);
    assert_eq!(parsed.calls.len(), 1);
    assert!(!parsed.calls[0].recovered && parsed.text.contains("<tool_call>"));
    let cut = parse(Dialect::MistralArgs, CALL, Ending::Cut);
    assert_eq!((cut.calls.len(), cut.text.as_str()), (0, CALL));
}
