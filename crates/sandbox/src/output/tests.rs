//! Cleaning and cutting, checked against whole values.

use super::*;

fn cleaned(pieces: &[&[u8]]) -> String {
    let mut cleaner = Cleaner::default();
    let mut text: String = pieces.iter().map(|piece| cleaner.push(piece)).collect();
    text.push_str(&cleaner.finish());
    text
}

fn captured(chars: usize, text: &str) -> Captured {
    let mut capture = Capture::new(chars, 1024);
    capture.push(text.as_bytes());
    capture.finish().0
}

#[test]
fn no_cut_between_bytes_changes_the_text() {
    let raw = "a\u{1b}[31mrot\u{1b}[0m ä€🦀\r\nb\u{1b}]0;title\u{7}c\u{1b}]8;;x\u{1b}\\d\tе\rf".as_bytes();
    let whole = cleaned(&[raw]);
    assert_eq!(whole, "arot ä€🦀\nbcd\tе\nf");
    for cut in 0..=raw.len() {
        assert_eq!(cleaned(&[&raw[..cut], &raw[cut..]]), whole, "cut at {cut}");
    }
    let bytes: Vec<&[u8]> = raw.chunks(1).collect();
    assert_eq!(cleaned(&bytes), whole);
}

#[test]
fn broken_bytes_become_one_mark_each() {
    assert_eq!(cleaned(&[b"a\xffb"]), "a\u{fffd}b");
    assert_eq!(cleaned(&[b"a\xe2\x82"]), "a\u{fffd}");
    assert_eq!(cleaned(&[b"a\xe2", b"\x82", b"z"]), "a\u{fffd}z");
}

#[test]
fn control_characters_go() {
    assert_eq!(cleaned(&[b"a\x08\x00\x07b\x7f\xc2\x85c"]), "abc");
}

#[test]
fn an_open_sequence_at_the_end_goes() {
    assert_eq!(cleaned(&[b"a\x1b[3"]), "a");
    assert_eq!(cleaned(&[b"a\x1b]0;never ended"]), "a");
}

#[test]
fn an_endless_string_ends_after_its_cap() {
    let raw = ["\u{1b}]0;", &"x".repeat(5000), "\nlate"].concat();
    assert!(cleaned(&[raw.as_bytes()]).ends_with("\nlate"));
}

#[test]
fn what_fits_is_whole() {
    let captured = captured(10, "0123456789");
    assert_eq!((captured.head.as_str(), captured.tail.as_str(), captured.left_out), ("0123", "456789", 0));
    assert_eq!(captured.text(10), "0123456789");
    assert!(captured.is_whole());
}

#[test]
fn the_count_of_what_is_left_out_is_exact() {
    let captured = captured(10, "aaaa€€€bbbbbb");
    assert_eq!((captured.head.as_str(), captured.tail.as_str(), captured.left_out), ("aaaa", "bbbbbb", 9));
    assert_eq!(captured.text(10), "aaaa\n[9 bytes left out]\nbbbbbb");
    assert_eq!(captured.text(5), "aa\n[14 bytes left out]\nbbb");
}

#[test]
fn a_narrower_text_of_a_whole_stream_counts_too() {
    assert_eq!(captured(100, "0123456789").text(5), "01\n[5 bytes left out]\n789");
}

#[test]
fn storing_stops_at_its_cap() {
    let mut capture = Capture::new(4, 3);
    capture.push(b"ab");
    capture.push(b"cd");
    let (captured, _) = capture.finish();
    assert_eq!((captured.stored.as_slice(), captured.bytes), (b"abc".as_slice(), 4));
    assert!(!captured.is_whole());
}

#[test]
fn one_short_stream_leaves_its_room_to_the_other() {
    let output = Output { stdout: captured(10, "0123456789"), stderr: captured(10, "e") };
    assert_eq!(output.texts(11), ("0123456789".to_owned(), "e".to_owned()));
    let both = Output { stdout: captured(10, &"o".repeat(20)), stderr: captured(10, &"e".repeat(20)) };
    let (out, errors) = both.texts(10);
    assert_eq!(out, "oo\n[15 bytes left out]\nooo");
    assert_eq!(errors, "ee\n[15 bytes left out]\neee");
}
