//! A clock that is set forward for one process: a library that the loader puts before the system's and that adds days
//! to what the system's clock says. Timers, which run on the monotonic clock, are left alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The system's clock as `riad` and its database ask for it. `DAYS` is given to the compiler.
const SOURCE: &str = r"
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const time_t LATER = (time_t)DAYS * 24 * 60 * 60;

int clock_gettime(clockid_t clock, struct timespec *now) {
    long result = syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += LATER;
    return (int)result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (now) *now = exact.tv_sec;
    return exact.tv_sec;
}
";

/// A process with this variable lives so many days later.
pub(super) struct Later(PathBuf);

impl Later {
    /// Builds the library in `folder` with the compiler that the database needs as well.
    pub(super) fn days(folder: &Path, days: u64) -> Self {
        let (source, library) = (folder.join("later.c"), folder.join(format!("later-{days}.so")));
        std::fs::write(&source, SOURCE).unwrap();
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror"]).arg(format!("-DDAYS={days}"));
        let built = compiler.arg("-o").arg(&library).arg(&source).output().expect("there is a C compiler");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        Self(library)
    }

    pub(super) fn variable(&self) -> (&str, &Path) {
        ("LD_PRELOAD", &self.0)
    }
}

/// Whole days between the times of two entries.
pub(super) fn days_between(earlier: &Value, later: &Value) -> u64 {
    day(later) - day(earlier)
}

/// The day of an entry, counted from some day long ago (the civil calendar, proleptic Gregorian).
fn day(entry: &Value) -> u64 {
    let at = entry["at"].as_str().unwrap();
    let part = |from: usize, to: usize| at[from..to].parse::<u64>().unwrap();
    let (year, month, day) = (part(0, 4), part(5, 7), part(8, 10));
    // January and February are counted to the year before, so that leap days stand at its end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day
}
