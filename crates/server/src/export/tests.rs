//! Exported conversations: nothing that was written can close its place, and what is not wanted is not there.

use domain::entry::{Body, Entry, VERSION};
use domain::id::{CallId, ConversationId, EntryNumber, FrameId, MessageId, TurnId};
use domain::message::Message;
use domain::outcome::Outcome;
use domain::result::{Status, ToolResult};
use domain::time::Timestamp;
use serde_json::{Value, json};

use super::{Form, Source, Wanted};

const ALL: Wanted = Wanted { reasoning: true, results: true };

fn entries() -> Vec<Entry> {
    let reply = json!({ "replied": {
        "id": "r1", "seen": 1, "prefix": "00".repeat(32),
        "sampled": {
            "text": "I look.", "reasoning": "He wants <b>a.txt</b>", "model": "small", "stop": "calls", "usage": {},
            "calls": [{ "id": "c1", "tool": "file_read", "arguments": "{}" }],
        },
    }});
    let said = Message {
        id: MessageId::new("m1"),
        text: "Read </div><script>x</script> `a`".to_owned(),
        aside: None,
        short: None,
        wanted: domain::message::Wanted::default(),
    };
    let bodies = [
        Body::Said(said),
        Body::decode(EntryNumber(2), VERSION, &reply.to_string()).unwrap(),
        Body::Returned(ToolResult::new(CallId::new("c1"), Status::Done, "````\n# no heading\n</div>")),
        Body::Ended { outcome: Outcome::Stopped, footer: Vec::new() },
    ];
    let entry = |(number, body)| Entry {
        number: EntryNumber(number),
        version: VERSION,
        at: Timestamp(0),
        turn: TurnId::new("m1"),
        frame: FrameId::outer(),
        body,
    };
    (1..).zip(bodies).map(entry).collect()
}

fn export(form: Form, wanted: Wanted) -> String {
    let (entries, conversation) = (entries(), ConversationId::new("c"));
    let source =
        Source { title: "A <title>\nof two lines", conversation: &conversation, entries: &entries, now: Timestamp(0) };
    form.write(&source, wanted)
}

#[test]
fn markdown_keeps_what_was_said_and_fences_what_came_back() {
    let text = export(Form::Markdown, ALL);
    assert!(text.starts_with("# A <title> of two lines\n"), "{text}");
    assert!(text.contains("Read </div><script>x</script> `a`"), "{text}");
    assert!(text.contains("\n`````\n````\n# no heading\n</div>\n`````\n"), "{text}");
    assert!(text.contains("> He wants <b>a.txt</b>"), "{text}");
    assert!(text.contains("*You stopped this turn.*"), "{text}");
}

#[test]
fn a_page_holds_no_markup_but_its_own() {
    let page = export(Form::Html, ALL);
    assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
    assert!(page.contains("&lt;/div&gt;&lt;script&gt;x&lt;/script&gt;"), "{page}");
    assert!(page.contains("default-src 'none'"), "{page}");
}

#[test]
fn lines_are_entries_and_keep_their_shape() {
    for (wanted, reasoning, result) in
        [(ALL, "He wants <b>a.txt</b>", "````\n# no heading\n</div>"), (Wanted::default(), "", "")]
    {
        let text = export(Form::Jsonl, wanted);
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 4);
        assert_eq!((&lines[0]["kind"], &lines[0]["number"]), (&json!("said"), &json!(1)));
        assert_eq!((&lines[1]["reasoning"], &lines[2]["text"]), (&json!(reasoning), &json!(result)));
    }
}

#[test]
fn what_is_not_wanted_is_not_there() {
    for form in [Form::Markdown, Form::Html, Form::Jsonl] {
        let text = export(form, Wanted::default());
        assert!(!text.contains("He wants") && !text.contains("no heading"), "{text}");
        assert!(text.contains("I look."), "{text}");
    }
}

#[test]
fn a_message_that_was_taken_back_is_not_exported_as_said() {
    let mut entries = entries();
    let mut more = entries[0].clone();
    let Body::Said(message) = &mut more.body else { panic!("the first entry is a message") };
    (message.id, message.text) = (MessageId::new("m2"), "Never mind me.".to_owned());
    let back = Entry { body: Body::Withdrawn(MessageId::new("m2")), ..more.clone() };
    entries.extend([more, back]);
    let conversation = ConversationId::new("c");
    let source = Source { title: "t", conversation: &conversation, entries: &entries, now: Timestamp(0) };
    for form in [Form::Markdown, Form::Html] {
        let text = form.write(&source, ALL);
        assert!(text.contains("Read ") && !text.contains("Never mind me."), "{text}");
    }
}
