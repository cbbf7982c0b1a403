//! Event streams of servers: any bytes, cut anywhere, give the same events as in one piece.
#![no_main]

use inference::sse::EventReader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Vec<u8>, u8)| {
    let (bytes, step) = input;
    let whole = events(bytes.chunks(bytes.len().max(1)));
    assert_eq!(events(bytes.chunks(usize::from(step).max(1))), whole, "the events depend on how the stream is cut");
});

fn events<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<Vec<u8>> {
    let mut reader = EventReader::new();
    let mut events = Vec::new();
    for piece in pieces {
        let (more, end) = reader.push(piece);
        events.extend(more);
        if end.is_err() {
            return events;
        }
    }
    events.extend(reader.finish());
    events
}
