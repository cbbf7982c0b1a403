//! What the server wants done inside, as it comes over the leash. It is read once, before any wall is checked, and
//! it names nothing of the host but the numbers of its namespaces.

use crate::sys;
use std::ffi::CString;
use std::io;

/// A plan longer than this is refused: arguments and environment of a command are far smaller.
const LONGEST: usize = 4 * 1024 * 1024;

/// One command and the walls that must stand around it.
#[derive(Default)]
pub struct Plan {
    /// The folder to start in, a path inside.
    pub directory: CString,
    /// The program and its arguments.
    pub arguments: Vec<CString>,
    /// `NAME=value` each.
    pub environment: Vec<CString>,
    /// `setrlimit` resources and their values.
    pub limits: Vec<(i32, u64)>,
    /// The host's namespaces as `/proc/self/ns` shows them (`user:[4026531837]`); none of them may be ours.
    pub host_namespaces: Vec<String>,
    /// Places that must be mounted, and whether they must be read-only.
    pub mounts: Vec<(CString, bool)>,
    /// The greatest size of /tmp and of /dev/shm, in bytes.
    pub tmp_bytes: u64,
    /// See `tmp_bytes`.
    pub shm_bytes: u64,
    /// Run the escape tries instead of a program.
    pub tries: bool,
    /// A port on the host's loopback where someone listens, for the tries.
    pub host_port: u16,
    /// A name in the host's abstract socket space where someone listens, for the tries.
    pub host_socket: String,
    /// Memory is counted by a watcher, so the tries give it time to look.
    pub watched: bool,
    /// The memory limit, for the tries.
    pub memory_bytes: u64,
}

impl Plan {
    /// Reads the plan: a 4-byte little-endian length, then NUL-ended strings, a key and a value by turns.
    pub fn read(descriptor: i32) -> io::Result<Plan> {
        let mut length = [0_u8; 4];
        read_exactly(descriptor, &mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LONGEST {
            return Err(io::Error::other("plan too long"));
        }
        let mut bytes = vec![0_u8; length];
        read_exactly(descriptor, &mut bytes)?;
        let mut fields = bytes.split(|byte| *byte == 0);
        let mut plan = Plan::default();
        while let (Some(key), Some(value)) = (fields.next(), fields.next()) {
            plan.take(key, value)?;
        }
        Ok(plan)
    }

    fn take(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let text = || String::from_utf8_lossy(value).into_owned();
        match key {
            b"dir" => self.directory = CString::new(value)?,
            b"arg" => self.arguments.push(CString::new(value)?),
            b"env" => self.environment.push(CString::new(value)?),
            b"limit" => {
                let (resource, value) = pair(&text())?;
                self.limits.push((number(&resource)?, number(&value)?));
            }
            b"namespace" => self.host_namespaces.push(text()),
            b"mount" => {
                let (mode, place) = pair(&text())?;
                self.mounts.push((CString::new(place)?, mode == "ro"));
            }
            b"tmp" => self.tmp_bytes = number(&text())?,
            b"shm" => self.shm_bytes = number(&text())?,
            b"tries" => self.tries = true,
            b"watched" => self.watched = true,
            b"port" => self.host_port = number(&text())?,
            b"socket" => self.host_socket = text(),
            b"memory" => self.memory_bytes = number(&text())?,
            _ => return Err(io::Error::other("plan has an unknown key")),
        }
        Ok(())
    }
}

fn pair(text: &str) -> io::Result<(String, String)> {
    let (first, second) = text.split_once(':').ok_or_else(|| io::Error::other("plan lacks a colon"))?;
    Ok((first.to_owned(), second.to_owned()))
}

fn number<N: std::str::FromStr>(text: &str) -> io::Result<N> {
    text.parse().map_err(|_| io::Error::other("plan has no number"))
}

fn read_exactly(descriptor: i32, mut buffer: &mut [u8]) -> io::Result<()> {
    while !buffer.is_empty() {
        match sys::read_some(descriptor, buffer)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => buffer = &mut buffer[count..],
        }
    }
    Ok(())
}
