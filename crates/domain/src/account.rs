//! What a person may be called and which passwords are taken: one judgement for setup, invitation, change, reset and
//! the terminal. Not here: keys, sessions and whether a handle is free.

use std::fmt;

use thiserror::Error;
use unicode_normalization::UnicodeNormalization as _;
use zeroize::{Zeroize as _, Zeroizing};

use crate::letters::is_bidi;

/// Passwords that many people use, lower case, one a line; each has at least 12 characters, since shorter ones are
/// refused anyway. Made from what such passwords are: common words with digits, keyboard walks, dates, phrases.
const COMMON: &str = include_str!("account/common-passwords.txt");

/// Words that are no handle: roots of the file namespace, and names that would be taken for the instance itself.
const RESERVED: &[&str] = &[
    "user-memory",
    "shared-memory",
    "shared",
    "projects",
    "uploads",
    "skills",
    "docs",
    "home",
    "tmp",
    "admin",
    "administrator",
    "root",
    "system",
    "riad",
    "api",
    "assets",
    "assistant",
    "agent",
    "model",
    "instance",
    "everyone",
    "everybody",
    "anyone",
    "nobody",
    "all",
    "me",
    "self",
    "you",
    "support",
    "security",
    "setup",
    "settings",
    "inbox",
    "login",
    "logout",
    "null",
    "none",
    "undefined",
    "localhost",
    "delegate",
    "hook",
    "tool",
    "user",
    "users",
];

/// The name by which a person signs in: `[a-z][a-z0-9-]{1,30}` and no reserved word. It never changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Handle(String);

/// Why a text is no handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HandleFault {
    /// Wrong letters or length.
    #[error("A handle has 2 to 31 characters: small letters, digits and hyphens, beginning with a letter.")]
    Form,
    /// A word with a meaning of its own.
    #[error("This handle is reserved. Choose another.")]
    Reserved,
}

impl Handle {
    /// Judges `text`.
    pub fn parse(text: &str) -> Result<Self, HandleFault> {
        let mut letters = text.bytes();
        let begins = letters.next().is_some_and(|first| first.is_ascii_lowercase());
        let goes_on = letters.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if !begins || !goes_on || !(2..=31).contains(&text.len()) {
            return Err(HandleFault::Form);
        }
        if RESERVED.contains(&text) {
            return Err(HandleFault::Reserved);
        }
        Ok(Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What somebody typed as a password, in NFC and not yet judged: good for trying, not for setting.
pub struct TypedPassword(Zeroizing<String>);

impl TypedPassword {
    /// Takes the text as typed. It is wiped when it goes, the argument too.
    pub fn new(mut typed: String) -> Self {
        // An NFC form has at most three times the bytes, so the buffer does not move and leave a copy behind.
        let mut normal = Zeroizing::new(String::with_capacity(typed.len() * 3));
        normal.extend(typed.nfc());
        typed.zeroize();
        Self(normal)
    }

    /// The bytes from which a key is derived.
    pub fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for TypedPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// A password that may be set: 12 to 128 characters after NFC, uncommon, without the handle.
#[derive(Debug)]
pub struct Password(TypedPassword);

/// Why a password is not taken. The text names the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PasswordFault {
    /// Fewer than 12 characters.
    #[error("A password has at least 12 characters. A sentence of a few words is good.")]
    TooShort,
    /// More than 128 characters.
    #[error("A password has at most 128 characters. Shorten it.")]
    TooLong,
    /// On the list of common passwords.
    #[error("This is one of the most common passwords. Choose another.")]
    Common,
    /// Holds the handle.
    #[error("The password must not contain the handle. Choose another.")]
    HoldsHandle,
}

impl Password {
    /// The fewest characters.
    pub const MIN: usize = 12;
    /// The most characters.
    pub const MAX: usize = 128;

    /// Judges what was typed, for the person with this handle.
    pub fn judge(typed: TypedPassword, handle: &Handle) -> Result<Self, PasswordFault> {
        let length = typed.0.chars().count();
        if length < Self::MIN {
            return Err(PasswordFault::TooShort);
        }
        if length > Self::MAX {
            return Err(PasswordFault::TooLong);
        }
        let lower = Zeroizing::new(typed.0.to_lowercase());
        if lower.contains(handle.as_str()) {
            return Err(PasswordFault::HoldsHandle);
        }
        if is_repetition(&lower) || COMMON.lines().any(|common| common == lower.as_str()) {
            return Err(PasswordFault::Common);
        }
        Ok(Self(typed))
    }

    /// The same text as something typed.
    pub fn typed(&self) -> &TypedPassword {
        &self.0
    }

    /// Gives the text up for trying or deriving.
    pub fn into_typed(self) -> TypedPassword {
        self.0
    }
}

/// One to three characters over and over, as in `aaaaaaaaaaaa` or `abcabcabcabc`: too many to list.
fn is_repetition(text: &str) -> bool {
    let letters: Zeroizing<Vec<char>> = Zeroizing::new(text.chars().collect());
    (1..=3).any(|period| letters.iter().zip(letters.iter().skip(period)).all(|(one, other)| one == other))
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident: $fault:ident, $says:literal, $judge:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(String);

        #[doc = concat!("The text is no [`", stringify!($name), "`].")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
        #[error($says)]
        pub struct $fault;

        impl $name {
            /// Judges `text`.
            pub fn parse(text: &str) -> Result<Self, $fault> {
                let judge: fn(&str) -> Option<String> = $judge;
                judge(text).map(Self).ok_or($fault)
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
    )*};
}

texts! {
    /// How others see a person: 1 to 80 characters in NFC, without control or bidirectional characters.
    DisplayName: DisplayNameFault,
    "A name has 1 to 80 characters, and no control characters.",
    |text| {
        let name: String = text.trim().nfc().collect();
        let plain = !name.chars().any(|c| c.is_control() || is_bidi(c));
        (plain && (1..=80).contains(&name.chars().count())).then_some(name)
    };
    /// A BCP 47 language tag by its form, for example `en` or `de-AT`. Whether texts exist for it is not asked.
    Locale: LocaleFault,
    "A language is written as in en or de-AT.",
    |text| {
        let mut parts = text.split('-');
        let language = parts.next().unwrap_or_default();
        let begins = (2..=3).contains(&language.len()) && language.bytes().all(|b| b.is_ascii_alphabetic());
        let goes_on = parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()));
        (begins && goes_on && text.len() <= 35).then(|| text.to_owned())
    };
    /// An IANA time zone by its form, for example `Europe/Vienna` or `UTC`. Whether it exists is not asked.
    Zone: ZoneFault,
    "A time zone is written as in Europe/Vienna or UTC.",
    |text| {
        let part = |part: &str| {
            let letters = part.bytes().all(|b| b.is_ascii_alphanumeric() || b"_+-".contains(&b));
            letters && part.bytes().next().is_some_and(|b| b.is_ascii_alphabetic())
        };
        let parts = text.split('/').count() <= 3 && text.split('/').all(part);
        (parts && text.len() <= 64).then(|| text.to_owned())
    };
}

#[cfg(test)]
mod tests;
