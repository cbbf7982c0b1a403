//! Whose process listens at a loopback address (proc(5), `/proc/net/tcp`). After a server died, somebody else on this
//! machine could listen where it did; they must not be given a session.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use crate::files;

/// The user whose process listens there; nothing where that cannot be told.
pub(super) fn owner(address: SocketAddr) -> Option<u32> {
    let table = if address.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" };
    find(&files::read(Path::new(table)).ok()??, address)
}

/// The state of a socket that listens, as the table writes it.
const LISTENS: &str = "0A";

fn find(table: &str, address: SocketAddr) -> Option<u32> {
    let wanted = written(address);
    table.lines().skip(1).find_map(|line| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let [_, local, _, state, _, _, _, user, ..] = cells.as_slice() else { return None };
        (*local == wanted && *state == LISTENS).then(|| user.parse().ok())?
    })
}

/// The address as the table writes it: words of 32 bits in the order of this machine, then the port.
fn written(address: SocketAddr) -> String {
    let bytes = match address.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let word = |word: &[u8]| {
        word.try_into().map_or_else(|_| String::new(), |word| format!("{:08X}", u32::from_ne_bytes(word)))
    };
    let words: String = bytes.chunks(4).map(word).collect();
    format!("{words}:{:04X}", address.port())
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};

    use super::{find, owner};

    #[test]
    fn a_listener_of_ours_is_ours_and_a_closed_port_is_nobodys() {
        let me = rustix::process::geteuid().as_raw();
        for listener in
            [TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok(), TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).ok()]
        {
            let Some(listener) = listener else { continue };
            let address = listener.local_addr().unwrap();
            assert_eq!(owner(address), Some(me), "{address}");
            drop(listener);
            assert_eq!(owner(address), None, "{address}");
        }
    }

    #[test]
    fn only_a_socket_that_listens_counts() {
        let address = "127.0.0.1:7423".parse().unwrap();
        let local = super::written(address);
        let row = |state: &str, user: u32| {
            format!(
                "   0: {local} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000  {user}        0 1 1 0 100 0 0 10 0\n"
            )
        };
        let table = format!("  sl  local_address rem_address st\n{}{}", row("01", 7), row("0A", 1001));
        assert_eq!(find(&table, address), Some(1001));
        assert_eq!(find(&table, "127.0.0.1:7424".parse().unwrap()), None);
    }
}
