//! Random tokens that a browser or an operator holds: sessions, devices, setup. The store keeps hashes only.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use domain::time::Timestamp;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::error::StoreError;
use crate::secret::{Secret, hex, unhex};

macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        pub struct $name(Secret<32>);

        impl $name {
            pub(crate) fn random() -> Result<Self, StoreError> {
                Secret::random().map(Self)
            }

            /// Reads the 64 hexadecimal digits of [`Self::expose`].
            pub fn parse(text: &str) -> Option<Self> {
                unhex(text).map(Self)
            }

            /// The text for the cookie: 64 hexadecimal digits.
            pub fn expose(&self) -> Zeroizing<String> {
                Zeroizing::new(hex(self.0.expose()))
            }

            /// What the database keeps.
            pub(crate) fn hash(&self) -> [u8; 32] {
                Sha256::digest(self.0.expose()).into()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("[secret]")
            }
        }
    )*};
}

tokens! {
    /// 256 random bits that let one person make an account, once, within 72 hours.
    InvitationCode;
    /// 256 random bits that stand for a session. Replaced at sign-in, unlock, password and role change.
    SessionToken;
    /// 256 random bits by which a browser that signed in before is known again.
    DeviceToken;
}

impl SessionToken {
    /// The value for `X-Riad-CSRF`, derived from the token; it does not give the token away.
    pub fn csrf(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(b"riad csrf v1");
        hasher.update(self.0.expose());
        hex(&hasher.finalize()[..16])
    }

    /// Compares a header with [`Self::csrf`] in constant time.
    pub fn csrf_matches(&self, header: &str) -> bool {
        self.csrf().as_bytes().ct_eq(header.as_bytes()).into()
    }
}

/// The token that the server prints while nobody exists: 128 random bits, 60 minutes, 5 wrong tries (PEOPLE-2).
/// It lives in memory alone, so a restart gives another.
pub struct SetupToken {
    token: Secret<16>,
    ends: Timestamp,
    wrong: Mutex<u32>,
}

/// Why a setup token was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupTokenFault {
    /// Not this one.
    #[error("This setup token is wrong. Copy it from the server's output.")]
    Wrong,
    /// Too old, or tried wrongly too often.
    #[error("The setup token is used up. Restart the server and take the new one.")]
    Void,
}

impl SetupToken {
    const VALID: i64 = 60 * 60 * 1000;
    const TRIES: u32 = 5;

    /// A fresh token.
    pub fn new(now: Timestamp) -> Result<Self, StoreError> {
        Ok(Self { token: Secret::random()?, ends: Timestamp(now.0 + Self::VALID), wrong: Mutex::new(0) })
    }

    /// The text to print once: 32 hexadecimal digits.
    pub fn expose(&self) -> Zeroizing<String> {
        Zeroizing::new(hex(self.token.expose()))
    }

    /// Compares in constant time. The fifth wrong try makes the token void.
    pub fn check(&self, text: &str, now: Timestamp) -> Result<(), SetupTokenFault> {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        if *wrong >= Self::TRIES || now >= self.ends {
            return Err(SetupTokenFault::Void);
        }
        if unhex::<16>(text.trim()).is_some_and(|typed| self.token.same(typed.expose())) {
            return Ok(());
        }
        *wrong += 1;
        Err(SetupTokenFault::Wrong)
    }
}

impl fmt::Debug for SetupToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

#[cfg(test)]
mod tests;
