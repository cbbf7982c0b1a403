//! Bytes that must not leak: zeroized on drop, never cloned, printed or serialized (PEOPLE-29).
//! Not here: what the bytes mean. Keys are in `key`, tokens in `token`.

use crate::error::StoreError;
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

/// `N` secret bytes on the heap, so that moving the value leaves no copy behind.
pub(crate) struct Secret<const N: usize>(Box<[u8; N]>);

impl<const N: usize> Secret<N> {
    pub(crate) fn zeroed() -> Self {
        Self(Box::new([0; N]))
    }

    /// Fresh bytes from the operating system.
    pub(crate) fn random() -> Result<Self, StoreError> {
        let mut secret = Self::zeroed();
        getrandom::fill(secret.expose_mut()).map_err(|_| StoreError::Randomness)?;
        Ok(secret)
    }

    pub(crate) fn from_slice(bytes: &[u8]) -> Option<Self> {
        let mut secret = Self::zeroed();
        if bytes.len() != N {
            return None;
        }
        secret.0.copy_from_slice(bytes);
        Some(secret)
    }

    pub(crate) fn expose(&self) -> &[u8; N] {
        &self.0
    }

    pub(crate) fn expose_mut(&mut self) -> &mut [u8; N] {
        &mut self.0
    }

    /// Equality in constant time.
    pub(crate) fn same(&self, other: &[u8]) -> bool {
        self.0.ct_eq(other).into()
    }
}

impl<const N: usize> Drop for Secret<N> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<const N: usize> std::fmt::Debug for Secret<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[secret]")
    }
}

/// Public random bytes: nonces, salts, ids.
pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| StoreError::Randomness)?;
    Ok(bytes)
}

/// Lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|b| [DIGITS[usize::from(b >> 4)], DIGITS[usize::from(b & 15)]]).map(char::from).collect()
}

/// The bytes of exactly `2 N` lower-case hex digits.
pub(crate) fn unhex<const N: usize>(text: &str) -> Option<Secret<N>> {
    let mut secret = Secret::zeroed();
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in secret.expose_mut().iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(secret)
}

fn digit(letter: u8) -> Option<u8> {
    match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    }
}
