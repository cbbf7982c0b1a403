//! The door to Riad's own server: connections to this machine's loopback addresses, for the command line and tests.
//! It leads nowhere else, so nothing has to be resolved or judged.
#![expect(clippy::disallowed_methods, reason = "loopback only, and egress is the crate that connects")]

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpStream;

/// Connects to an address of this machine; any other is refused before a packet is sent.
pub async fn connect_to_own(address: SocketAddr) -> io::Result<TcpStream> {
    if !address.ip().is_loopback() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "only this machine is reached this way"));
    }
    TcpStream::connect(address).await
}

#[cfg(test)]
mod tests {
    use super::connect_to_own;

    #[tokio::test]
    async fn another_machine_is_refused() {
        for address in ["192.0.2.1:80", "[2001:db8::1]:80", "0.0.0.0:80", "[::ffff:127.0.0.1]:80"] {
            let refused = connect_to_own(address.parse().unwrap()).await.unwrap_err();
            assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied, "{address}");
        }
    }
}
