//! What a cut leaves is well-formed.

use super::Thread;
use crate::compact::Cut;
use crate::context::{Item, MadeCall, Part, Place};
use crate::id::{CallId, TurnId};
use crate::tool::ToolName;

fn reply(text: &str, calls: &[&str]) -> Item {
    let made = |id: &&str| MadeCall { id: CallId::new(*id), tool: ToolName::new("read"), arguments: "{}".to_owned() };
    Item::Model { text: text.to_owned(), calls: calls.iter().map(made).collect(), signed: None }
}

#[test]
fn a_cut_inside_a_reply_that_went_on_leaves_no_result_without_its_call() {
    let place = |round, part| Place::new(TurnId::new("t"), round, part);
    let call = CallId::new("c");
    let mut thread = Thread::default();
    thread.push(place(1, Part::Reply), reply("It ", &[]));
    thread.go_on(place(2, Part::Reply), reply("is so.", &["c"]));
    let result = Item::Result { call: call.clone(), tool: ToolName::new("read"), text: "done".to_owned() };
    thread.push(place(2, Part::Result(call)), result.clone());
    thread.cut(&Cut { turn: TurnId::new("t"), rounds: 1 });
    let left: Vec<_> = thread.items().iter().map(|item| (**item).clone()).collect();
    assert_eq!(left, [reply("It is so.", &["c"]), result]);
    thread.cut(&Cut { turn: TurnId::new("t"), rounds: 2 });
    assert!(thread.items().is_empty());
}
