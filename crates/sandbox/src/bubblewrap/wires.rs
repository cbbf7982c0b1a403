//! The descriptors of one call: our ends and the child's. It moves no byte through them.

use crate::confinement::Stdin;
use rustix::fs::{Gid, Uid};
use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Our ends.
pub(super) struct Near {
    pub(super) leash: UnixStream,
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    /// What bubblewrap itself has to say.
    pub(super) complaint: OwnedFd,
    /// Where it tells the number of the first process inside.
    pub(super) info: OwnedFd,
}

/// The child's ends.
pub(super) struct Far {
    pub(super) leash: OwnedFd,
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    pub(super) complaint: OwnedFd,
    pub(super) info: OwnedFd,
}

/// Both, for one call. `nothing` is /dev/null. The command's streams are made its user's own, because programs open them
/// anew by name (`/dev/stdout`).
pub(super) fn lay(nothing: &OwnedFd, stdin: Stdin, user: Option<u32>) -> io::Result<(Near, Far)> {
    let pipe = || pipe_with(PipeFlags::CLOEXEC);
    let (leash, far_leash) = UnixStream::pair()?;
    let (stdin, far_stdin) = match stdin {
        Stdin::Empty => (None, nothing.try_clone()?),
        Stdin::Bytes(bytes) => (None, given(memory_file("stdin", &bytes)?, user)?),
        Stdin::File(file) => (None, file),
        Stdin::Piped => {
            let (read, write) = pipe()?;
            (Some(write), given(read, user)?)
        }
    };
    let ((stdout, far_stdout), (stderr, far_stderr)) = (pipe()?, pipe()?);
    let ((complaint, far_complaint), (info, far_info)) = (pipe()?, pipe()?);
    let near = Near { leash, stdin, stdout, stderr, complaint, info };
    let far = Far {
        leash: far_leash.into(),
        stdin: far_stdin,
        stdout: given(far_stdout, user)?,
        stderr: given(far_stderr, user)?,
        complaint: far_complaint,
        info: far_info,
    };
    Ok((near, far))
}

/// Makes the user the owner of a pipe or memory file.
fn given(end: OwnedFd, user: Option<u32>) -> io::Result<OwnedFd> {
    if let Some(user) = user {
        rustix::fs::fchown(&end, Some(Uid::from_raw(user)), Some(Gid::from_raw(user)))?;
    }
    Ok(end)
}

/// A file in memory with this content, to be read from its start.
pub(super) fn memory_file(name: &str, bytes: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create(name, MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

/// A program in memory that no one can change any more. A file that is open for writing cannot be run, so it is opened
/// anew for reading.
pub(super) fn memory_program(name: &str, bytes: &[u8]) -> io::Result<OwnedFd> {
    // Kernels before 6.3 do not know the flag, and need none.
    const EXEC: MemfdFlags = MemfdFlags::from_bits_retain(0x10);
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let mut file = File::from(memfd_create(name, flags | EXEC).or_else(|_| memfd_create(name, flags))?);
    file.write_all(bytes)?;
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}

/// What is in a pipe now. The writers may still be there; what has not come yet is not waited for.
pub(super) fn drained(pipe: &OwnedFd) -> String {
    let mut text = Vec::new();
    if let (Ok(()), Ok(copy)) = (rustix::io::ioctl_fionbio(pipe, true), pipe.try_clone()) {
        // It ends with an error when nothing more is there; what came before stays.
        let _would_block = File::from(copy).take(16 * 1024).read_to_end(&mut text);
    }
    String::from_utf8_lossy(&text).trim().to_owned()
}
