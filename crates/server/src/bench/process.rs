//! What this process uses, as the kernel tells it (proc(5)). 0 where it does not.

use std::path::Path;

use crate::files;

/// Resident memory in MiB.
pub(super) fn resident_mib() -> f64 {
    let status = read("/proc/self/status");
    let kib =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    kib.unwrap_or_default() / 1024.0
}

/// Processor time in milliseconds, of all threads. The kernel counts it in hundredths of a second.
pub(super) fn cpu_ms() -> f64 {
    let stat = read("/proc/self/stat");
    // The name of the program may hold blanks and brackets; the numbers begin behind the last bracket.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = fields.split_ascii_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() * 10.0
}

fn read(path: &str) -> String {
    files::read(Path::new(path)).ok().flatten().unwrap_or_default()
}
