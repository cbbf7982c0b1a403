//! Frames, cut at every byte, oversized, swapped, unknown, and random.

use inference::protocol::{Decoder, FRAME_LIMIT, Fault, HEADER, Kind, MESSAGE_LIMIT, Message, encode};
use proptest::prelude::*;

fn message(kind: Kind, request: u64, body: &[u8]) -> Message {
    Message { kind, request, body: body.to_vec() }
}

fn conversation() -> Vec<Message> {
    vec![
        message(Kind::Hello, 0, b"{}"),
        message(Kind::Text, 7, "héllo".as_bytes()),
        message(Kind::Beat, 7, b""),
        message(Kind::Done, u64::MAX, &vec![b'x'; 3000]),
    ]
}

fn decode_all(pieces: &[&[u8]]) -> Result<Vec<Message>, Fault> {
    let mut decoder = Decoder::new();
    let mut messages = Vec::new();
    for piece in pieces {
        decoder.push(piece);
        while let Some(message) = decoder.next_message()? {
            messages.push(message);
        }
    }
    decoder.finish()?;
    Ok(messages)
}

fn bytes_of(messages: &[Message]) -> Vec<u8> {
    messages.iter().flat_map(|message| encode(message).unwrap()).collect()
}

#[test]
fn every_cut_gives_the_same_messages() {
    let messages = conversation();
    let bytes = bytes_of(&messages);
    for cut in 0..=bytes.len() {
        assert_eq!(decode_all(&[&bytes[..cut], &bytes[cut..]]), Ok(messages.clone()), "cut at {cut}");
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(decode_all(&single), Ok(messages));
}

#[test]
fn an_end_inside_a_message_is_truncated() {
    let bytes = bytes_of(&conversation()[..1]);
    for cut in 1..bytes.len() {
        assert_eq!(decode_all(&[&bytes[..cut]]), Err(Fault::Truncated), "cut at {cut}");
    }
}

#[test]
fn a_long_body_travels_in_pieces_and_arrives_whole() {
    for length in [FRAME_LIMIT - 1, FRAME_LIMIT, FRAME_LIMIT + 1, 3 * FRAME_LIMIT] {
        let long = message(Kind::Sample, 3, &vec![b'p'; length]);
        let bytes = encode(&long).unwrap();
        assert_eq!(bytes.len(), length + HEADER * length.div_ceil(FRAME_LIMIT));
        assert_eq!(decode_all(&[&bytes]), Ok(vec![long]));
    }
}

#[test]
fn a_frame_that_claims_too_much_is_refused_before_its_bytes() {
    let mut bytes = u32::MAX.to_le_bytes().to_vec();
    bytes.extend([0; HEADER - 4]);
    assert_eq!(decode_all(&[&bytes]), Err(Fault::FrameTooLong(u32::MAX as usize)));
}

#[test]
fn a_message_over_its_limit_is_refused_on_both_sides() {
    let huge = message(Kind::Sample, 1, &vec![0; MESSAGE_LIMIT + 1]);
    assert_eq!(encode(&huge), Err(Fault::MessageTooLong));
    let mut decoder = Decoder::new();
    let piece = open_piece(1, FRAME_LIMIT);
    let fault = (0..=MESSAGE_LIMIT / FRAME_LIMIT).find_map(|_| {
        decoder.push(&piece);
        decoder.next_message().err()
    });
    assert_eq!(fault, Some(Fault::MessageTooLong));
}

#[test]
fn pieces_of_two_messages_may_not_be_mixed() {
    let mut swapped = open_piece(1, 10);
    swapped.extend(open_piece(2, 10));
    assert_eq!(decode_all(&[&swapped]), Err(Fault::Interrupted));
    let mut other_kind = open_piece(1, 10);
    other_kind.extend(encode(&message(Kind::Beat, 1, b"{}")).unwrap());
    assert_eq!(decode_all(&[&other_kind]), Err(Fault::Interrupted));
}

#[test]
fn an_unknown_kind_is_a_fault() {
    let mut bytes = encode(&message(Kind::Beat, 1, b"")).unwrap();
    bytes[4] = 0x77;
    assert_eq!(decode_all(&[&bytes]), Err(Fault::UnknownKind(0x77)));
}

/// A frame of a `Sample` that says more will follow.
fn open_piece(request: u64, length: usize) -> Vec<u8> {
    let mut bytes = encode(&message(Kind::Sample, request, &vec![b'p'; length])).unwrap();
    bytes[5] |= 0x80;
    bytes
}

proptest! {
    #[test]
    fn random_bytes_never_panic_and_never_grow_memory(bytes in prop::collection::vec(any::<u8>(), 0..2000), cut in 0usize..2000) {
        let cut = cut.min(bytes.len());
        let _ = decode_all(&[&bytes[..cut], &bytes[cut..]]);
    }

    #[test]
    fn what_was_encoded_decodes(request: u64, body in prop::collection::vec(any::<u8>(), 0..500)) {
        let sent = message(Kind::Text, request, &body);
        prop_assert_eq!(decode_all(&[&encode(&sent).unwrap()]), Ok(vec![sent]));
    }
}
