//! Reads the header of a GGUF file before native code sees it (ENGINE-21): versions 2 and 3, counts, keys, strings and
//! tensor places within bounds. It takes bytes and gives facts; it opens no file and reads no weights.

use std::collections::BTreeMap;
use std::io::{self, Read};

const MOST_ITEMS: u64 = 65_536;
const MOST_HEADER: u64 = 256 << 20;
const MOST_TEXT: u64 = 16 << 20;
const DEEPEST_ARRAY: u32 = 4;

/// What the header says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Header {
    /// Single values by key; arrays are checked and skipped.
    pub values: BTreeMap<String, Value>,
    /// How many tensors follow.
    pub tensors: u64,
    /// Bytes of the header.
    pub length: u64,
}

/// One single value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Any whole number.
    Whole(i128),
    /// Any fraction.
    Fraction(f64),
    /// Yes or no.
    Truth(bool),
    /// A text.
    Text(String),
}

/// Why the bytes are no usable GGUF file, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a GGUF file: {reason} at byte {at}")]
pub struct HeaderError {
    /// What is wrong.
    pub reason: String,
    /// Where.
    pub at: u64,
}

impl Header {
    /// A text of the metadata.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.values.get(key)? {
            Value::Text(text) => Some(text),
            Value::Whole(_) | Value::Fraction(_) | Value::Truth(_) => None,
        }
    }

    /// A whole number of the metadata.
    #[must_use]
    pub fn whole(&self, key: &str) -> Option<u64> {
        match self.values.get(key)? {
            Value::Whole(number) => u64::try_from(*number).ok(),
            Value::Fraction(_) | Value::Truth(_) | Value::Text(_) => None,
        }
    }
}

/// Reads a header. `length` is the length of the whole file: tensors must lie in it.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read_header(input: &mut dyn Read, length: u64) -> Result<Header, HeaderError> {
    let mut reader = Reader { input, at: 0 };
    if &reader.bytes::<4>()? != b"GGUF" {
        return Err(HeaderError { reason: "it does not begin with GGUF".to_owned(), at: 0 });
    }
    let version = reader.u32()?;
    if version != 2 && version != 3 {
        return Err(reader.wrong(format!("version {version} is not 2 or 3")));
    }
    let tensors = reader.count("tensors")?;
    let keys = reader.count("keys")?;
    let mut values = BTreeMap::new();
    for _ in 0..keys {
        let key = reader.text()?;
        let kind = reader.u32()?;
        if let Some(value) = reader.value(kind, 0)? {
            values.insert(key, value);
        }
    }
    let offsets = (0..tensors).map(|_| reader.tensor()).collect::<Result<Vec<u64>, HeaderError>>()?;
    let header_length = reader.at;
    if let Some(outside) = offsets.into_iter().find(|offset| header_length.saturating_add(*offset) > length) {
        return Err(reader.wrong(format!("a tensor at offset {outside} lies behind the end of the file")));
    }
    Ok(Header { values, tensors, length: header_length })
}

struct Reader<'a> {
    input: &'a mut dyn Read,
    at: u64,
}

impl Reader<'_> {
    fn wrong(&self, reason: String) -> HeaderError {
        HeaderError { reason, at: self.at }
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], HeaderError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), HeaderError> {
        self.input.read_exact(bytes).map_err(|error| {
            let ended = error.kind() == io::ErrorKind::UnexpectedEof;
            self.wrong(if ended { "it ends inside the header".to_owned() } else { error.to_string() })
        })?;
        self.at += bytes.len() as u64;
        if self.at > MOST_HEADER {
            return Err(self.wrong("the header is larger than 256 MiB".to_owned()));
        }
        Ok(())
    }

    fn u32(&mut self) -> Result<u32, HeaderError> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn u64(&mut self) -> Result<u64, HeaderError> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    fn count(&mut self, what: &str) -> Result<u64, HeaderError> {
        let count = self.u64()?;
        if count > MOST_ITEMS { Err(self.wrong(format!("{count} {what} are too many"))) } else { Ok(count) }
    }

    fn text(&mut self) -> Result<String, HeaderError> {
        let length = self.u64()?;
        if length > MOST_TEXT {
            return Err(self.wrong(format!("a text of {length} bytes is too long")));
        }
        // The length is a claim: memory grows with the bytes that are really there.
        let mut bytes = Vec::new();
        let read = self.input.take(length).read_to_end(&mut bytes).map_err(|error| self.wrong(error.to_string()))?;
        self.at += read as u64;
        if read as u64 != length {
            return Err(self.wrong("it ends inside a text".to_owned()));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn value(&mut self, kind: u32, depth: u32) -> Result<Option<Value>, HeaderError> {
        let value = match kind {
            0 => Value::Whole(i128::from(self.bytes::<1>()?[0])),
            1 => Value::Whole(i128::from(i8::from_le_bytes(self.bytes()?))),
            2 => Value::Whole(i128::from(u16::from_le_bytes(self.bytes()?))),
            3 => Value::Whole(i128::from(i16::from_le_bytes(self.bytes()?))),
            4 => Value::Whole(i128::from(self.u32()?)),
            5 => Value::Whole(i128::from(i32::from_le_bytes(self.bytes()?))),
            6 => Value::Fraction(f64::from(f32::from_le_bytes(self.bytes()?))),
            7 => Value::Truth(self.bytes::<1>()?[0] != 0),
            8 => Value::Text(self.text()?),
            9 => return self.array(depth).map(|()| None),
            10 => Value::Whole(i128::from(self.u64()?)),
            11 => Value::Whole(i128::from(i64::from_le_bytes(self.bytes()?))),
            12 => Value::Fraction(f64::from_le_bytes(self.bytes()?)),
            other => return Err(self.wrong(format!("a value of unknown kind {other}"))),
        };
        Ok(Some(value))
    }

    fn array(&mut self, depth: u32) -> Result<(), HeaderError> {
        let kind = self.u32()?;
        let length = self.u64()?;
        if depth >= DEEPEST_ARRAY {
            return Err(self.wrong("arrays are nested too deeply".to_owned()));
        }
        for _ in 0..length {
            self.value(kind, depth + 1)?;
        }
        Ok(())
    }

    fn tensor(&mut self) -> Result<u64, HeaderError> {
        self.text()?;
        let dimensions = self.u32()?;
        if dimensions > 8 {
            return Err(self.wrong(format!("a tensor of {dimensions} dimensions")));
        }
        for _ in 0..dimensions {
            self.u64()?;
        }
        self.u32()?;
        self.u64()
    }
}
