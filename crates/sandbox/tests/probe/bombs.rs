//! Ways of misbehaving: writing too much, holding too much, never ending. Outside of a confinement only the small ones
//! are run.

use crate::Verdict;
use std::fs::File;
use std::io::{self, Write};
use std::time::Duration;

const MIB: usize = 1024 * 1024;

pub(crate) fn run(name: &str, rest: &[&str]) -> Option<Verdict> {
    let number = |place: usize| rest.get(place).and_then(|text| text.parse::<usize>().ok()).unwrap_or(0);
    Some(match name {
        "fill" => fill(rest.first()?, number(1)),
        "hoard" => hoard(number(0)),
        "hoard-in-forks" => hoard_in_forks(number(0), number(1)),
        "share-in-forks" => share_in_forks(number(0), number(1)),
        "hoard-files" => hoard_files(number(0)),
        "fork-bomb" => fork_bomb(number(0)),
        "open-many" => open_many(number(0)),
        "flood" => flood(number(0)),
        "split" => split(),
        "spin" => spin(number(0), number(1)),
        _ => return None,
    })
}

/// Writes so many MiB to a file; through means all of them fit.
fn fill(path: &str, mib: usize) -> Verdict {
    let block = vec![b'x'; MIB];
    let mut written = 0;
    let result = File::create(path).and_then(|mut file| {
        for _ in 0..mib {
            file.write_all(&block)?;
            written += 1;
        }
        Ok(())
    });
    println!("wrote {written} MiB");
    result.into()
}

/// Touches so many MiB and says so.
fn hoard(mib: usize) -> Verdict {
    let mut all = Vec::new();
    for _ in 0..mib {
        let mut block = Vec::new();
        if let Err(error) = block.try_reserve_exact(MIB) {
            return Verdict::Held(error.to_string());
        }
        block.resize(MIB, 1_u8);
        all.push(block);
        std::thread::sleep(Duration::from_millis(1));
    }
    if all.iter().all(|block| block[0] == 1) { Verdict::Through } else { Verdict::Absent }
}

/// The same spread over forks that each stay below the limit.
fn hoard_in_forks(forks: usize, mib: usize) -> Verdict {
    let mut ended = Vec::new();
    for _ in 0..forks {
        // SAFETY: this process has one thread; the fork touches its own memory and ends.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            let verdict = hoard(mib);
            std::thread::sleep(Duration::from_secs(3));
            // SAFETY: ends the fork.
            unsafe { libc::_exit(i32::from(!matches!(verdict, Verdict::Through))) };
        }
        ended.push(pid);
    }
    let mut all = true;
    for pid in ended {
        let mut status = 0;
        // SAFETY: writes one int of this frame.
        unsafe { libc::waitpid(pid, &raw mut status, 0) };
        all &= status == 0;
    }
    if all { Verdict::Through } else { Verdict::Held("a fork was killed".into()) }
}

/// Memory that forks share counts once: this must be allowed.
fn share_in_forks(mib: usize, forks: usize) -> Verdict {
    let block = vec![1_u8; mib * MIB];
    for _ in 0..forks {
        // SAFETY: the fork only sleeps.
        if unsafe { libc::fork() } == 0 {
            std::thread::sleep(Duration::from_secs(1));
            // SAFETY: ends the fork.
            unsafe { libc::_exit(i32::from(block[0] != 1)) };
        }
    }
    std::thread::sleep(Duration::from_millis(1200));
    Verdict::Through
}

/// Memory in files without a name, which no process has mapped.
fn hoard_files(mib: usize) -> Verdict {
    let mut files = Vec::new();
    let block = vec![b'x'; MIB];
    for _ in 0..mib.div_ceil(64) {
        // SAFETY: a constant name; the new descriptor belongs to the file made of it.
        let number = unsafe { libc::memfd_create(c"hoard".as_ptr(), 0) };
        if number < 0 {
            return Verdict::Held(io::Error::last_os_error().to_string());
        }
        // SAFETY: as above.
        let mut file: File = unsafe { std::os::fd::FromRawFd::from_raw_fd(number) };
        for _ in 0..64 {
            if let Err(error) = file.write_all(&block) {
                return Verdict::Held(error.to_string());
            }
        }
        files.push(file);
    }
    Verdict::Through
}

/// Forks until it is refused; through means so many were made.
fn fork_bomb(most: usize) -> Verdict {
    let mut made = 0;
    while made < most {
        // SAFETY: the fork only sleeps.
        match unsafe { libc::fork() } {
            0 => loop {
                std::thread::sleep(Duration::from_secs(60));
            },
            pid if pid < 0 => break,
            _ => made += 1,
        }
    }
    println!("made {made}");
    if made < most { Verdict::Held(io::Error::last_os_error().to_string()) } else { Verdict::Through }
}

fn open_many(most: usize) -> Verdict {
    let mut files = Vec::new();
    while files.len() < most {
        match File::open("/dev/null") {
            Ok(file) => files.push(file),
            Err(error) => {
                println!("opened {}", files.len());
                return Verdict::Held(error.to_string());
            }
        }
    }
    Verdict::Through
}

/// Writes so many MiB to standard output, lines of 64 bytes that begin with their number.
fn flood(mib: usize) -> Verdict {
    let mut out = io::stdout().lock();
    let mut block = Vec::with_capacity(MIB);
    for number in 0..mib * MIB / 64 {
        write!(block, "{number:063}").map(|()| block.push(b'\n')).expect("memory takes everything");
        if block.len() >= MIB {
            out.write_all(&block).expect("the reader is there until the end");
            block.clear();
        }
    }
    out.flush().into()
}

/// Writes a text byte by byte, each in a write of its own.
fn split() -> Verdict {
    let mut out = File::options().write(true).open("/proc/self/fd/1").expect("standard output is open");
    for byte in "a€\u{1f980}\u{1b}[1mb\u{1b}[0mе\u{308}\n".as_bytes() {
        out.write_all(&[*byte]).expect("the reader is there until the end");
        std::thread::sleep(Duration::from_millis(2));
    }
    Verdict::Through
}

/// So many threads that count for so many milliseconds; says how much processor time all took, in milliseconds.
fn spin(threads: usize, milliseconds: usize) -> Verdict {
    let until = std::time::Instant::now() + Duration::from_millis(milliseconds as u64);
    let work = || while std::time::Instant::now() < until {};
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    // SAFETY: an all-zero rusage is filled by the kernel.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let milliseconds = |time: libc::timeval| time.tv_sec * 1000 + time.tv_usec / 1000;
    println!("{}", milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime));
    Verdict::Through
}
