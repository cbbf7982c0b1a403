//! The data key of a vault and its wraps (PEOPLE-23): XChaCha20-Poly1305, 24-byte nonce, plaintext 32 zero bytes and
//! the key. Not here: where wraps are kept (`instance::wraps`) and how a password becomes a key (`kdf`).

use crate::error::StoreError;
use crate::id::PersonId;
use crate::secret::{Secret, random_bytes};
use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305::{Tag, XChaCha20Poly1305, XNonce};
use hkdf::Hkdf;
use sha2::Sha256;

/// The format of wraps that this program writes and reads.
pub(crate) const WRAP_VERSION: u8 = 1;
/// Nonce, sealed plaintext, tag.
pub(crate) const WRAP_LENGTH: usize = NONCE + PLAIN + TAG;
const NONCE: usize = 24;
const PLAIN: usize = 64;
const TAG: usize = 16;

/// The random key of one vault. It exists on disk only as wraps.
#[derive(Debug)]
pub(crate) struct VaultKey(Secret<32>);

impl VaultKey {
    pub(crate) fn random() -> Result<Self, StoreError> {
        Secret::random().map(Self)
    }

    pub(crate) fn secret(&self) -> &Secret<32> {
        &self.0
    }
}

/// What a wrap is opened by. The number stands in the associated data; 2 is for recovery keys and 4 for leases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WrapKind {
    /// The person's password.
    Password = 1,
    /// The instance itself; open vaults only.
    Instance = 3,
}

impl WrapKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Instance => "instance",
        }
    }
}

/// Whose wrap it is: bound into the record, so that a moved record does not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrapBinding {
    pub(crate) person: PersonId,
    pub(crate) kind: WrapKind,
    pub(crate) generation: u64,
}

impl WrapBinding {
    /// version ‖ person ‖ kind ‖ generation
    fn bytes(&self) -> [u8; 26] {
        let mut bytes = [0; 26];
        bytes[0] = WRAP_VERSION;
        bytes[1..17].copy_from_slice(self.person.bytes());
        bytes[17] = self.kind as u8;
        bytes[18..].copy_from_slice(&self.generation.to_be_bytes());
        bytes
    }
}

/// The wrap does not open: wrong key, altered record or another binding. Which one is not told.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DoesNotOpen;

/// Seals `key` under `by`.
pub(crate) fn wrap(key: &VaultKey, by: &Secret<32>, binding: WrapBinding) -> Result<[u8; WRAP_LENGTH], StoreError> {
    let nonce = random_bytes::<NONCE>()?;
    Ok(seal(key, by, binding, nonce))
}

/// The sealed record for a given nonce: [`wrap`] without its randomness.
pub(crate) fn seal(key: &VaultKey, by: &Secret<32>, binding: WrapBinding, nonce: [u8; NONCE]) -> [u8; WRAP_LENGTH] {
    let mut plain = Secret::<PLAIN>::zeroed();
    plain.expose_mut()[32..].copy_from_slice(key.0.expose());
    let tag = cipher(by)
        .encrypt_inout_detached(&XNonce::from(nonce), &binding.bytes(), plain.expose_mut().as_mut_slice().into())
        .expect("64 bytes are far below the cipher's limit");
    let mut record = [0; WRAP_LENGTH];
    record[..NONCE].copy_from_slice(&nonce);
    record[NONCE..NONCE + PLAIN].copy_from_slice(plain.expose());
    record[NONCE + PLAIN..].copy_from_slice(&tag);
    record
}

/// Opens a record, checking tag and zeros, so that no record opens under two keys.
pub(crate) fn unwrap(record: &[u8], by: &Secret<32>, binding: WrapBinding) -> Result<VaultKey, DoesNotOpen> {
    let record: &[u8; WRAP_LENGTH] = record.try_into().map_err(|_| DoesNotOpen)?;
    let (nonce, rest) = record.split_at(NONCE);
    let (sealed, tag) = rest.split_at(PLAIN);
    let nonce: [u8; NONCE] = nonce.try_into().map_err(|_| DoesNotOpen)?;
    let tag: [u8; TAG] = tag.try_into().map_err(|_| DoesNotOpen)?;
    let mut plain = Secret::<PLAIN>::from_slice(sealed).ok_or(DoesNotOpen)?;
    cipher(by)
        .decrypt_inout_detached(
            &XNonce::from(nonce),
            &binding.bytes(),
            plain.expose_mut().as_mut_slice().into(),
            &Tag::from(tag),
        )
        .map_err(|_| DoesNotOpen)?;
    let (zeros, key) = plain.expose().split_at(32);
    if !Secret::<32>::zeroed().same(zeros) {
        return Err(DoesNotOpen);
    }
    Secret::from_slice(key).map(VaultKey).ok_or(DoesNotOpen)
}

fn cipher(by: &Secret<32>) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(by.expose().into())
}

/// A key for one use, derived from `root` by its label.
pub(crate) fn subkey(root: &Secret<32>, label: &str) -> Secret<32> {
    let mut key = Secret::zeroed();
    Hkdf::<Sha256>::new(None, root.expose())
        .expand(label.as_bytes(), key.expose_mut())
        .expect("32 bytes are below the limit of HKDF-SHA-256");
    key
}

#[cfg(test)]
mod tests;
