//! Judges hosts: which names and addresses are public, so that something may leave the machine for them. Pure tables
//! and comparisons; resolving and connecting are the work of `egress`, and parsing URLs is its as well.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use thiserror::Error;

mod table;

/// When the tables were last compared with the IANA special-purpose registries.
pub const REGISTRY_DATE: &str = "2026-11-30";

/// What kind of place is no public one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// This machine.
    Loopback,
    /// A private network.
    Private,
    /// The link, and with it the metadata services of clouds.
    LinkLocal,
    /// A metadata service of a cloud.
    Metadata,
    /// A range or name that is reserved, unallocated or kept for documentation.
    Reserved,
    /// Many hosts at once.
    Multicast,
    /// An address that carries another one inside.
    Embedded,
}

/// Why a host is not dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{what} ({class:?})")]
pub struct NotPublic {
    /// Its kind.
    pub class: Class,
    /// The row that says so: range or name, and its source.
    pub what: &'static str,
}

impl NotPublic {
    /// Whether a grant of a person may lift it: never for the link, metadata services and embedded forms (REACH-18).
    #[must_use]
    pub fn may_be_granted(&self) -> bool {
        match self.class {
            Class::Loopback | Class::Private => true,
            Class::LinkLocal | Class::Metadata | Class::Reserved | Class::Multicast | Class::Embedded => false,
        }
    }
}

/// Judges an address; `Ok` is public.
///
/// # Errors
/// The first row that holds it.
pub fn judge_address(address: IpAddr) -> Result<(), NotPublic> {
    match address {
        IpAddr::V4(address) => judge_v4(address),
        IpAddr::V6(address) => judge_v6(address),
    }
}

/// Judges a name before it is looked up; `Ok` may be looked up. The name is in ASCII, as a URL parser leaves it.
///
/// # Errors
/// The row that refuses it.
pub fn judge_name(name: &str) -> Result<(), NotPublic> {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    if let Some((_, class)) = table::NAMES.iter().find(|(refused, _)| name == *refused) {
        return Err(NotPublic { class: *class, what: "a name that is never public" });
    }
    let under = |zone: &str| name == zone || name.strip_suffix(zone).is_some_and(|head| head.ends_with('.'));
    if let Some((zone, class)) = table::ZONES.iter().find(|(zone, _)| under(zone)) {
        return Err(NotPublic { class: *class, what: zone });
    }
    if !name.contains('.') {
        return Err(NotPublic { class: Class::Private, what: "a name of one label" });
    }
    Ok(())
}

/// The IPv4 address that an IPv6 address carries, whatever its form.
#[must_use]
pub fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let bits = u128::from(address);
    let low = Ipv4Addr::from(bits as u32);
    let parts = address.segments();
    let in_low = table::EMBEDDED_LOW.iter().any(|row| row.holds(bits));
    match parts {
        _ if in_low => Some(low),
        [0x2002, high, low, ..] => Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))),
        // Teredo hides the client's address by inverting it.
        [0x2001, 0, ..] => Some(Ipv4Addr::from(!(bits as u32))),
        [_, _, _, _, 0x0000 | 0x0200, 0x5EFE, ..] => Some(low),
        _ => None,
    }
}

fn judge_v4(address: Ipv4Addr) -> Result<(), NotPublic> {
    let bits = u32::from(address);
    match table::V4.iter().find(|row| row.holds(bits)) {
        Some(row) => Err(NotPublic { class: row.class, what: row.what }),
        None => Ok(()),
    }
}

fn judge_v6(address: Ipv6Addr) -> Result<(), NotPublic> {
    let bits = u128::from(address);
    if let Some(row) = table::V6.iter().find(|row| row.holds(bits)) {
        return Err(NotPublic { class: row.class, what: row.what });
    }
    if embedded_v4(address).is_some() {
        return Err(NotPublic { class: Class::Embedded, what: "an IPv4 address inside an IPv6 one" });
    }
    if table::V6_PUBLIC.holds(bits) {
        return Ok(());
    }
    Err(NotPublic { class: Class::Reserved, what: table::V6_PUBLIC.what })
}

#[cfg(test)]
mod tests;
