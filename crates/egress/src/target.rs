//! Reads a URL once and keeps its typed host; the text is not looked at again (REACH-3). It resolves nothing.

use std::net::IpAddr;

use url::{Host, Url};

use crate::EgressError;

/// What is dialled and asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) https: bool,
    pub(crate) host: TargetHost,
    pub(crate) port: u16,
    /// Path and query, as they go on the wire.
    pub(crate) path: String,
    /// The value of the Host header.
    pub(crate) authority: String,
}

/// A name in ASCII, or an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TargetHost {
    Name(String),
    Address(IpAddr),
}

impl TargetHost {
    /// The text that grants are compared with.
    pub(crate) fn text(&self) -> String {
        match self {
            TargetHost::Name(name) => name.clone(),
            TargetHost::Address(address) => address.to_string(),
        }
    }
}

/// Reads a URL.
pub(crate) fn read_target(text: &str) -> Result<Target, EgressError> {
    let bad = EgressError::BadUrl;
    if text.chars().any(|letter| letter.is_control() || letter == ' ') {
        return Err(bad("it holds blanks or control characters"));
    }
    let url = Url::parse(text).map_err(|_| bad("it is no URL"))?;
    let https = match url.scheme() {
        "https" => true,
        "http" => false,
        _ => return Err(bad("only http and https are spoken")),
    };
    let authority_text = text.split_once("//").map_or("", |(_, rest)| rest);
    let authority_text = authority_text.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    if authority_text.contains('@') || !url.username().is_empty() || url.password().is_some() {
        return Err(bad("it holds a user name or password"));
    }
    let host = match url.host().ok_or(bad("it has no host"))? {
        Host::Domain(name) => TargetHost::Name(sound_name(name)?),
        Host::Ipv4(address) => TargetHost::Address(IpAddr::V4(address)),
        Host::Ipv6(address) => TargetHost::Address(IpAddr::V6(address)),
    };
    let port = url.port_or_known_default().filter(|port| *port != 0).ok_or(bad("its port is 0"))?;
    let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    let host_text = url.host_str().unwrap_or_default();
    let authority = url.port().map_or_else(|| host_text.to_owned(), |port| format!("{host_text}:{port}"));
    Ok(Target { https, host, port, path, authority })
}

fn sound_name(name: &str) -> Result<String, EgressError> {
    let bad = EgressError::BadUrl;
    let name = name.strip_suffix('.').unwrap_or(name);
    if name.len() > 253 || name.split('.').any(|label| label.is_empty() || label.len() > 63) {
        return Err(bad("its host is no sound name"));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sound_url_keeps_host_port_and_path() {
        let target = read_target("https://API.example.com/v1/chat?x=1#part").unwrap();
        assert_eq!(
            target,
            Target {
                https: true,
                host: TargetHost::Name("api.example.com".to_owned()),
                port: 443,
                path: "/v1/chat?x=1".to_owned(),
                authority: "api.example.com".to_owned(),
            }
        );
        assert_eq!(read_target("http://127.0.0.1:8080/").unwrap().authority, "127.0.0.1:8080");
    }

    #[test]
    fn every_spelling_of_an_address_is_that_address() {
        for text in ["http://0x7f000001/", "http://017700000001/", "http://127.1/", "http://１２７.０.０.１/"] {
            let host = read_target(text).unwrap().host;
            assert_eq!(host, TargetHost::Address("127.0.0.1".parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_one_host_is_refused() {
        for text in [
            "ftp://a.com/",
            "file:///etc/passwd",
            "https://user:pass@a.com/",
            "https://@a.com/",
            "https://a..com/",
            "http://256.0.0.1/",
            "http://1.2.3.4.5/",
            "http://[::1",
            "https://a b.com/",
            "https://a.com:0/",
            "nonsense",
            "http://[fe80::1%25eth0]/",
        ] {
            assert!(matches!(read_target(text), Err(EgressError::BadUrl(_))), "{text}");
        }
    }
}
