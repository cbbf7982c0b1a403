//! Stored entries: any text decodes or is refused, what decodes encodes to itself, and any entries fold.
#![no_main]

use domain::conversation::Conversation;
use domain::entry::{Body, Entry, VERSION};
use domain::id::{ConversationId, EntryNumber, FrameId, TurnId};
use domain::time::Timestamp;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut conversation = Conversation::new(ConversationId::new("c"));
    for (line, number) in text.lines().zip(1..) {
        let Ok(body) = Body::decode(EntryNumber(number), VERSION, line) else { continue };
        let again = Body::decode(EntryNumber(number), VERSION, &body.encode());
        assert_eq!(again.ok().as_ref(), Some(&body), "an entry does not survive being stored");
        let turn = conversation.live().map_or_else(|| TurnId::new("t"), |turn| turn.id().clone());
        let (at, frame, version) = (Timestamp(0), FrameId::outer(), VERSION);
        conversation.apply(&Entry { number: EntryNumber(number), version, at, turn, frame, body });
    }
    let _ = conversation.pending();
});
