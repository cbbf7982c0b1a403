//! Event streams as servers write them, cut at every byte.

use inference::sse::{EventReader, LINE_LIMIT};
use proptest::prelude::*;

fn read(pieces: &[&[u8]]) -> Vec<String> {
    let mut reader = EventReader::new();
    let mut events: Vec<Vec<u8>> = pieces.iter().flat_map(|piece| reader.push(piece).0).collect();
    events.extend(reader.finish());
    events.into_iter().map(|event| String::from_utf8(event).unwrap()).collect()
}

fn check(stream: &str, expected: &[&str]) {
    for ending in ["\n", "\r\n", "\r"] {
        let stream = stream.replace('\n', ending);
        for cut in 0..=stream.len() {
            let pieces = [&stream.as_bytes()[..cut], &stream.as_bytes()[cut..]];
            assert_eq!(read(&pieces), expected, "{stream:?} cut at {cut}");
        }
    }
}

#[test]
fn what_servers_write_is_read() {
    check("data: one\n\ndata: two\n\n", &["one", "two"]);
    check("data:one\ndata: two\n\n", &["one\ntwo"]);
    check(": keep-alive\n\n:\ndata: one\n: glued\ndata: more\n\n", &["one\nmore"]);
    check("id: 7\n\nevent: ping\nretry: 10\n\ndata: one\n\n", &["one"]);
    check("data: one\n\ndata: last without its blank line", &["one", "last without its blank line"]);
    check("data: one\n\ndata: last\n", &["one", "last"]);
    check("data\n\ndata:\n\n", &["", ""]);
    check("data:  two blanks\ndatabase: no\n\n", &[" two blanks"]);
    check("data: h\u{e9} \u{1d11e}\n\n", &["h\u{e9} \u{1d11e}"]);
    check("\u{feff}data: after a mark\n\n", &["after a mark"]);
    check("", &[]);
}

#[test]
fn a_line_may_be_long_but_not_endless() {
    let mut reader = EventReader::new();
    let long = vec![b'x'; LINE_LIMIT - 6];
    assert!(reader.push(b"data: ").1.is_ok() && reader.push(&long).1.is_ok());
    let (events, sound) = reader.push(b"\n\ndata: next\n\n");
    assert_eq!((events.len(), events[0].len(), sound.is_ok()), (2, long.len(), true));
    let mut reader = EventReader::new();
    let (events, sound) = reader.push(&[b"data: one\n\n".as_slice(), &vec![b'x'; LINE_LIMIT + 1]].concat());
    assert_eq!((events, sound.is_err()), (vec![b"one".to_vec()], true));
}

proptest! {
    #[test]
    fn any_bytes_are_the_same_at_any_cut(stream in "(data: [a-z]{0,4}|:|id: 1|\r|\n|\r\n|x){0,30}", cut in 0usize..200) {
        let bytes = stream.as_bytes();
        let cut = cut.min(bytes.len());
        prop_assert_eq!(read(&[&bytes[..cut], &bytes[cut..]]), read(&[bytes]));
    }
}
