//! The names under which a browser keeps its session and its device. `riad-local` goes over plain HTTP and counts
//! only between loopback addresses; the `__Host-` form needs TLS.

use std::net::SocketAddr;

use axum::http::{HeaderMap, HeaderValue, header};

/// How long a session cookie stays at most: 30 days, as the session itself.
const KEPT: u64 = 30 * 24 * 60 * 60;
/// How long a browser is known again: one year.
const DEVICE: u64 = 365 * 24 * 60 * 60;

/// Which cookies this listener uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cookies {
    /// Plain HTTP on loopback.
    Local,
    /// TLS.
    Secure,
}

impl Cookies {
    fn session_name(self) -> &'static str {
        match self {
            Self::Local => "riad-local",
            Self::Secure => "__Host-riad",
        }
    }

    fn device_name(self) -> &'static str {
        match self {
            Self::Local => "riad-local-device",
            Self::Secure => "__Host-riad-device",
        }
    }

    fn flags(self) -> &'static str {
        match self {
            Self::Local => "HttpOnly; SameSite=Strict; Path=/",
            Self::Secure => "Secure; HttpOnly; SameSite=Strict; Path=/",
        }
    }

    /// The session's token text that came along, if it may count.
    pub fn session(self, headers: &HeaderMap, peer: SocketAddr) -> Option<&str> {
        self.value(headers, peer, self.session_name())
    }

    /// The device's token text that came along, if it may count.
    pub fn device(self, headers: &HeaderMap, peer: SocketAddr) -> Option<&str> {
        self.value(headers, peer, self.device_name())
    }

    fn value<'a>(self, headers: &'a HeaderMap, peer: SocketAddr, name: &str) -> Option<&'a str> {
        if self == Self::Local && !peer.ip().is_loopback() {
            return None;
        }
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
    }

    /// Sets the session. What is not kept goes with the browser.
    pub fn set_session(self, token: &str, keep: bool) -> HeaderValue {
        let kept = if keep { format!("; Max-Age={KEPT}") } else { String::new() };
        header_value(format!("{}={token}; {}{kept}", self.session_name(), self.flags()))
    }

    /// Sets the device.
    pub fn set_device(self, token: &str) -> HeaderValue {
        header_value(format!("{}={token}; {}; Max-Age={DEVICE}", self.device_name(), self.flags()))
    }

    /// Takes the session away.
    pub fn clear_session(self) -> HeaderValue {
        header_value(format!("{}=; {}; Max-Age=0", self.session_name(), self.flags()))
    }
}

fn header_value(text: String) -> HeaderValue {
    let mut value = HeaderValue::try_from(text).expect("a token is hexadecimal, the rest is ASCII");
    value.set_sensitive(true);
    value
}
