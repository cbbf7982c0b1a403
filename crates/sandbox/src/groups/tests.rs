//! Reading the kernel's tables of each layout.

use super::*;

fn layout(one: &[(&'static str, &str)], two: Option<&str>) -> Layout {
    Layout { one: one.iter().map(|(name, folder)| (*name, folder.into())).collect(), two: two.map(Into::into) }
}

#[test]
fn version_two_alone() {
    let own = "0::/system.slice/riad.service\n";
    let mounts =
        "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n";
    assert_eq!(Layout::read(own, mounts), layout(&[], Some("/sys/fs/cgroup/system.slice/riad.service")));
}

#[test]
fn hybrid() {
    let own = "9:name=systemd:/\n8:pids:/\n4:memory:/a/b\n1:cpu,cpuacct:/\n0::/\n";
    let mounts = "1 0 0:1 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
                  2 1 0:2 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
                  3 1 0:3 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                  4 1 0:4 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
                  5 1 0:5 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
    let one = [
        ("pids", "/sys/fs/cgroup/pids"),
        ("memory", "/sys/fs/cgroup/memory/a/b"),
        ("cpu", "/sys/fs/cgroup/cpu,cpuacct"),
    ];
    assert_eq!(Layout::read(own, mounts), layout(&one, Some("/sys/fs/cgroup/unified")));
}

#[test]
fn in_a_container_the_mount_starts_below_the_root() {
    let own = "4:memory:/docker/abc\n";
    let mounts = "3 1 0:3 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
    assert_eq!(Layout::read(own, mounts), layout(&[("memory", "/sys/fs/cgroup/memory")], None));
    let elsewhere = "4:memory:/other\n";
    assert_eq!(Layout::read(elsewhere, mounts), layout(&[], None));
}

#[test]
fn nothing_mounted() {
    assert_eq!(Layout::read("0::/\n", ""), Layout::default());
}
