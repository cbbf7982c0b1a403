//! GGUF headers: sound ones, damaged ones at every byte, and claims that are larger than the file.

use inference::gguf::{HeaderError, Value, read_header};
use proptest::prelude::*;

use crate::support::gguf_file;

fn read(bytes: &[u8]) -> Result<inference::gguf::Header, HeaderError> {
    read_header(&mut &bytes[..], bytes.len() as u64)
}

fn sound() -> Vec<u8> {
    gguf_file(&[("general.name", "Small"), ("tokenizer.chat_template", "{{ messages }}")])
}

#[test]
fn a_sound_header_gives_its_values() {
    let header = read(&sound()).unwrap();
    assert_eq!(header.text("general.name"), Some("Small"));
    assert_eq!(header.whole("llama.context_length"), Some(8192));
    assert_eq!(header.values.get("general.name"), Some(&Value::Text("Small".to_owned())));
}

#[test]
fn a_header_cut_at_any_byte_is_refused_with_its_place() {
    let bytes = sound();
    for cut in 0..bytes.len() {
        let error = read(&bytes[..cut]).unwrap_err();
        assert!(error.at <= cut as u64, "cut at {cut}: {error}");
    }
}

#[test]
fn claims_are_refused_before_memory_is_taken() {
    let mut many_keys = sound();
    many_keys[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(read(&many_keys).unwrap_err().reason.contains("too many"));
    let mut long_key = sound();
    long_key[24..32].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(read(&long_key).unwrap_err().reason.contains("too long"));
    let mut other = sound();
    other[..4].copy_from_slice(b"GGML");
    assert_eq!(read(&other).unwrap_err().to_string(), "not a GGUF file: it does not begin with GGUF at byte 0");
    let mut version = sound();
    version[4] = 9;
    assert!(read(&version).unwrap_err().reason.contains("version 9"));
}

proptest! {
    #[test]
    fn a_flipped_byte_never_panics(at in 0usize..200, value: u8) {
        let mut bytes = sound();
        let at = at % bytes.len();
        bytes[at] = value;
        let _ = read(&bytes);
    }

    #[test]
    fn random_bytes_never_panic(tail in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut bytes = b"GGUF\x03\0\0\0".to_vec();
        bytes.extend(tail);
        let _ = read(&bytes);
    }
}
