//! From a password to a key: Argon2id with its parameters, and the gate that bounds how many derivations run at once
//! (PEOPLE-7, PEOPLE-8). Not here: counting tries (`instance::throttle`) and what the key opens (`key`).

use crate::error::StoreError;
use crate::secret::Secret;
use argon2::{Algorithm, Argon2, Params, Version};
use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// What Argon2id costs. A value of this type is within 64 MiB–1 GiB, 1–10 passes and 1–4 lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KdfPolicy {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

impl KdfPolicy {
    /// The policy of a real instance: 256 MiB, 3 passes, 1 lane.
    pub const STANDARD: Self = Self { memory_kib: 256 * 1024, passes: 3, lanes: 1 };
    /// The cheapest one allowed (64 MiB, 1 pass, 1 lane), for tests.
    pub const CHEAPEST: Self = Self { memory_kib: 64 * 1024, passes: 1, lanes: 1 };

    /// Refuses parameters outside the range, so that a forged row can neither weaken a key nor eat the memory.
    pub fn new(memory_kib: u32, passes: u32, lanes: u32) -> Option<Self> {
        let fits =
            (64 * 1024..=1024 * 1024).contains(&memory_kib) && (1..=10).contains(&passes) && (1..=4).contains(&lanes);
        fits.then_some(Self { memory_kib, passes, lanes })
    }

    /// Memory in KiB.
    pub fn memory_kib(self) -> u32 {
        self.memory_kib
    }

    /// Passes over the memory.
    pub fn passes(self) -> u32 {
        self.passes
    }

    /// Lanes.
    pub fn lanes(self) -> u32 {
        self.lanes
    }

    /// True if any parameter is below that of `policy`.
    pub fn weaker_than(self, policy: Self) -> bool {
        self.memory_kib < policy.memory_kib || self.passes < policy.passes || self.lanes < policy.lanes
    }
}

/// Derives 32 bytes. Blocks for about a second with the standard policy.
pub(crate) fn derive(password: &[u8], salt: &[u8; 16], policy: KdfPolicy) -> Result<Secret<32>, StoreError> {
    let params = Params::new(policy.memory_kib, policy.passes, policy.lanes, Some(32));
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.map_err(|_| StoreError::Derivation)?);
    let mut key = Secret::zeroed();
    argon.hash_password_into(password, salt, key.expose_mut()).map_err(|_| StoreError::Derivation)?;
    Ok(key)
}

/// Too many derivations run or wait already; nothing was derived.
#[derive(Debug)]
pub(crate) struct Busy;

/// At most 2 derivations run, 8 wait, 1 per address; the rest are turned away.
pub(crate) struct DerivationGate {
    running: Arc<Semaphore>,
    inside: Arc<Mutex<HashSet<Address>>>,
}

const RUNNING: usize = 2;
const WAITING: usize = 8;

impl DerivationGate {
    pub(crate) fn new() -> Self {
        Self { running: Arc::new(Semaphore::new(RUNNING)), inside: Arc::default() }
    }

    /// Runs `work` off the async threads once its turn has come. If the caller goes away, the place stays taken until
    /// the work is done, so that impatience cannot start more than two.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        address: Address,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Busy> {
        let place = self.enter(address)?;
        let permit = self.running.clone().acquire_owned().await.map_err(|_| Busy)?;
        let task = tokio::task::spawn_blocking(move || {
            let _held = (place, permit);
            work()
        });
        task.await.map_err(|_| Busy)
    }

    fn enter(&self, address: Address) -> Result<Place, Busy> {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        if inside.len() >= RUNNING + WAITING || !inside.insert(address) {
            return Err(Busy);
        }
        Ok(Place { inside: self.inside.clone(), address })
    }
}

struct Place {
    inside: Arc<Mutex<HashSet<Address>>>,
    address: Address,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.address);
    }
}

/// Where a try comes from, as coarse as it is counted: an IPv4 address or an IPv6 /64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Address([u8; 9]);

impl Address {
    pub(crate) fn of(address: IpAddr) -> Self {
        let mut bytes = [0; 9];
        match address.to_canonical() {
            IpAddr::V4(v4) => {
                bytes[0] = 4;
                bytes[1..5].copy_from_slice(&v4.octets());
            }
            IpAddr::V6(v6) => {
                bytes[0] = 6;
                bytes[1..9].copy_from_slice(&v6.octets()[..8]);
            }
        }
        Self(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
