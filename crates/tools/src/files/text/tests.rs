//! Encodings and line ends at their borders.

use super::{Encoding, LineEnds, Text, TextFault};

fn form(bytes: &[u8]) -> (Encoding, bool, LineEnds, String) {
    let read = Text::decode(bytes).unwrap_or_else(|fault| panic!("{bytes:?}: {fault}"));
    (read.form.encoding, read.form.mark, read.form.ends, read.text)
}

#[test]
fn encodings_are_told_apart_and_come_out_as_they_went_in() {
    assert_eq!(form("é\n".as_bytes()), (Encoding::Utf8, false, LineEnds::Lf, "é\n".to_owned()));
    assert_eq!(form(b"\xEF\xBB\xBFa\r\n"), (Encoding::Utf8, true, LineEnds::CrLf, "a\n".to_owned()));
    assert_eq!(form(b"\xFF\xFEa\0\r\0\n\0"), (Encoding::Utf16Le, true, LineEnds::CrLf, "a\n".to_owned()));
    assert_eq!(form(b"\xFE\xFF\0a\x20\xAC"), (Encoding::Utf16Be, true, LineEnds::Lf, "a€".to_owned()));
    assert_eq!(form(b"caf\xE9 \x80\n"), (Encoding::Windows1252, false, LineEnds::Lf, "café €\n".to_owned()));
    assert_eq!(form(b"a\r\nb\n"), (Encoding::Utf8, false, LineEnds::Mixed, "a\r\nb\n".to_owned()));
    assert_eq!(form(b""), (Encoding::Utf8, false, LineEnds::Lf, String::new()));
}

#[test]
fn what_is_no_text_is_said() {
    assert_eq!(Text::decode(b"a\0b"), Err(TextFault::Binary));
    assert_eq!(Text::decode(b"\xFF\xFEa"), Err(TextFault::NoRoundTrip("utf-16le")));
    assert_eq!(Text::decode(b"\xFF\xFE\x00\xD8"), Err(TextFault::NoRoundTrip("utf-16le")));
    assert_eq!(Text::decode(b"\xEF\xBB\xBF\xE9"), Err(TextFault::NoRoundTrip("utf-8")));
}

#[test]
fn a_character_that_the_encoding_lacks_is_named() {
    let read = Text::decode(b"caf\xE9").expect("windows-1252");
    assert_eq!(read.form.encode("café → œ"), Err(TextFault::Lacks("windows-1252", '→')));
    assert_eq!(read.form.encode("café œ"), Ok(b"caf\xE9 \x9C".to_vec()));
}

#[test]
fn every_single_byte_comes_out_as_it_went_in() {
    for byte in 0x80..=0xFF_u8 {
        let bytes = [b'a', byte, b'b'];
        let read = Text::decode(&bytes).expect("one byte above ASCII is windows-1252");
        assert_eq!(read.form.encode(&read.text), Ok(bytes.to_vec()));
    }
}
