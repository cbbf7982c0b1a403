//! Bytes of a file as text and back: encoding, byte-order mark and line ends are kept by every change.

use thiserror::Error;

/// How a text lies in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    /// The encoding.
    pub(crate) encoding: Encoding,
    /// Whether a byte-order mark stands in front.
    pub(crate) mark: bool,
    /// How lines end.
    pub(crate) ends: LineEnds,
}

/// The encodings that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    /// Windows-1252, the WHATWG's reading of Latin 1: every byte is a character.
    Windows1252,
}

/// How lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnds {
    /// Line feeds, or no line end at all.
    Lf,
    /// Carriage return and line feed, everywhere.
    CrLf,
    /// Some of both; they are left as they are.
    Mixed,
}

/// A file's text with how it lies in the file. Lines end in `\n` here, save where the file mixes line ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) form: Form,
    pub(crate) text: String,
}

/// Why bytes are no text, or a text cannot be written in its encoding.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum TextFault {
    #[error("this file is binary and has no text to show or change")]
    Binary,
    #[error("the file's encoding ({0}) has no character `{1}`; leave it out or make a new file")]
    Lacks(&'static str, char),
    #[error("the file does not come out of its encoding ({0}) as it went in, so it is not changed")]
    NoRoundTrip(&'static str),
}

/// What Windows-1252 holds at 0x80 to 0x9F (WHATWG Encoding, index windows-1252).
const UPPER: [char; 32] = [
    '\u{20AC}', '\u{81}', '\u{201A}', '\u{192}', '\u{201E}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2C6}', '\u{2030}',
    '\u{160}', '\u{2039}', '\u{152}', '\u{8D}', '\u{17D}', '\u{8F}', '\u{90}', '\u{2018}', '\u{2019}', '\u{201C}',
    '\u{201D}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2DC}', '\u{2122}', '\u{161}', '\u{203A}', '\u{153}', '\u{9D}',
    '\u{17E}', '\u{178}',
];

/// Bytes that are looked at to tell binary files (8 KiB).
const SNIFFED: usize = 8 * 1024;

impl Form {
    /// A new file: UTF-8 without mark.
    pub(crate) const NEW: Self = Self { encoding: Encoding::Utf8, mark: false, ends: LineEnds::Lf };

    /// `utf-8, LF`, as a person reads it.
    pub(crate) fn describe(self) -> String {
        let mark = if self.mark { " with mark" } else { "" };
        format!("{}{mark}, {}", self.encoding.name(), self.ends.name())
    }

    /// The bytes of a text in this form.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, TextFault> {
        let text = match self.ends {
            LineEnds::CrLf => text.replace("\r\n", "\n").replace('\n', "\r\n"),
            LineEnds::Lf | LineEnds::Mixed => text.to_owned(),
        };
        let mark = if self.mark { "\u{FEFF}" } else { "" };
        let whole = format!("{mark}{text}");
        match self.encoding {
            Encoding::Utf8 => Ok(whole.into_bytes()),
            Encoding::Utf16Le => Ok(whole.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Encoding::Utf16Be => Ok(whole.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Encoding::Windows1252 => {
                text.chars().map(|c| byte_of(c).ok_or(TextFault::Lacks(self.encoding.name(), c))).collect()
            }
        }
    }
}

impl Encoding {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Windows1252 => "windows-1252",
        }
    }
}

impl LineEnds {
    fn name(self) -> &'static str {
        match self {
            Self::Lf => "LF",
            Self::CrLf => "CRLF",
            Self::Mixed => "mixed line ends",
        }
    }

    fn of(text: &str) -> Self {
        let feeds = text.matches('\n').count();
        let pairs = text.matches("\r\n").count();
        let returns = text.matches('\r').count();
        match () {
            () if pairs == 0 => Self::Lf,
            () if pairs == feeds && pairs == returns => Self::CrLf,
            () => Self::Mixed,
        }
    }
}

impl Text {
    /// Reads bytes as text.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, TextFault> {
        let (encoding, mark, text) = decode(bytes)?;
        let ends = LineEnds::of(&text);
        let text = if ends == LineEnds::CrLf { text.replace("\r\n", "\n") } else { text };
        let read = Self { form: Form { encoding, mark, ends }, text };
        // A change writes the whole file anew, so what was not touched has to come out as it was.
        match read.form.encode(&read.text) {
            Ok(again) if again == bytes => Ok(read),
            Ok(_) | Err(_) => Err(TextFault::NoRoundTrip(encoding.name())),
        }
    }

    /// Lines there are; a last line without line end counts.
    pub(crate) fn line_count(&self) -> usize {
        self.text.lines().count()
    }
}

fn decode(bytes: &[u8]) -> Result<(Encoding, bool, String), TextFault> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => {
            let text = std::str::from_utf8(rest).map_err(|_| TextFault::NoRoundTrip("utf-8"))?;
            Ok((Encoding::Utf8, true, text.to_owned()))
        }
        [0xFF, 0xFE, rest @ ..] => Ok((Encoding::Utf16Le, true, utf16(rest, u16::from_le_bytes, "utf-16le")?)),
        [0xFE, 0xFF, rest @ ..] => Ok((Encoding::Utf16Be, true, utf16(rest, u16::from_be_bytes, "utf-16be")?)),
        _ if bytes[..bytes.len().min(SNIFFED)].contains(&0) => Err(TextFault::Binary),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => Ok((Encoding::Utf8, false, text.to_owned())),
            Err(_) => Ok((Encoding::Windows1252, false, bytes.iter().map(|byte| char_of(*byte)).collect())),
        },
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, name: &'static str) -> Result<String, TextFault> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(TextFault::NoRoundTrip(name));
    }
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    String::from_utf16(&units).map_err(|_| TextFault::NoRoundTrip(name))
}

fn char_of(byte: u8) -> char {
    match byte {
        0x80..=0x9F => UPPER[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

fn byte_of(c: char) -> Option<u8> {
    if let Some(at) = UPPER.iter().position(|upper| *upper == c) {
        return u8::try_from(at + 0x80).ok();
    }
    u8::try_from(u32::from(c)).ok().filter(|byte| !(0x80..=0x9F).contains(byte))
}

#[cfg(test)]
mod tests;
