//! Where a provider is: https anywhere, plain http only on this machine or on a network that the operator named. It
//! connects to nothing; `egress` judges each address once more.

use std::net::IpAddr;

use domain::yaml::YamlFault;
use url::{Host, Url};

use super::fields::fault;

/// A base address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The address that paths are put behind, without a slash at its end.
    pub base: String,
    /// The host, without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Where that is.
    pub reach: Reach,
}

/// Where a host is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// On this machine.
    Machine,
    /// On a network that the operator named.
    Lan,
    /// Anywhere.
    Public,
}

/// Reads a base address; `lan` is the operator's word that the host is on a network of theirs.
pub(super) fn read(text: &str, lan: bool, line: usize) -> Result<Address, YamlFault> {
    let no = |says: &str| Err(fault(line, says));
    let Ok(url) = Url::parse(text) else { return no("`base_url` is an address such as https://host/v1") };
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return no("`base_url` begins with https:// or http://");
    }
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        return no("`base_url` holds no name, password, query or fragment");
    }
    let reach = match &url.host() {
        Some(host) if is_machine(host) => Reach::Machine,
        Some(host) if is_private(host) && lan => Reach::Lan,
        Some(host) if is_private(host) => {
            return no("`base_url` is on a private network; add `lan: true` if it is yours");
        }
        Some(_) | None if lan => return no("`lan` is for private addresses and names such as box.local"),
        Some(_) | None => Reach::Public,
    };
    if url.scheme() == "http" && reach == Reach::Public {
        return no("`base_url` is https, unless the host is this machine or on a network of yours");
    }
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let base = text.trim_end_matches('/').to_owned();
    Ok(Address { base, host, port: url.port_or_known_default().unwrap_or(443), reach })
}

fn is_machine(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => name.eq_ignore_ascii_case("localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

fn is_private(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => {
            let ends = [".local", ".lan", ".internal", ".home.arpa"].iter().any(|end| name.ends_with(end));
            ends || !name.contains('.')
        }
        Host::Ipv4(address) => domain::address::judge_address(IpAddr::V4(*address)).is_err(),
        Host::Ipv6(address) => domain::address::judge_address(IpAddr::V6(*address)).is_err(),
    }
}
