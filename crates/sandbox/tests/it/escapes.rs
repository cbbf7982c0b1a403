//! Tries to get out, each with the same try outside of the walls as a control, so that a try that could never succeed
//! proves nothing here.

use crate::place::{Place, is_root, unique_sleep};
use sandbox::*;
use std::io::Write;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What the control shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Control {
    /// Outside it gets through, on every machine.
    Through,
    /// Outside it gets through unless the machine itself forbids it or has no such thing.
    Mostly,
    /// It is not tried outside, because it would do harm or needs rights there too.
    NotTried,
}

/// Runs each try inside and outside, and compares all verdicts at once.
async fn check(place: &Place, tries: &[(&[&str], Control)]) {
    let mut wrong = Vec::new();
    let mut shown = 0;
    for (words, control) in tries {
        let inside = place.inside(words).await;
        if inside.ended != Some(Ended::Exit(1)) && inside.ended != Some(Ended::Exit(3)) {
            wrong.push(format!("inside {words:?}: {:?} {:?}", inside.ended, inside.output.stdout.text(500)));
        }
        let outside = (*control != Control::NotTried).then(|| place.outside(words).status.code());
        shown += usize::from(outside == Some(Some(0)));
        if *control == Control::Through && outside != Some(Some(0)) {
            wrong.push(format!("the control of {words:?} did not get through: {outside:?}"));
        }
        if inside.ended == Some(Ended::Exit(3)) && outside == Some(Some(0)) {
            wrong.push(format!("inside {words:?} was not tried"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(shown > 0 || tries.iter().all(|(_, control)| *control != Control::Through), "no control was shown");
}

#[tokio::test]
async fn escapes_through_files() {
    let place = Place::new();
    let secret = place.path("bob/secret");
    symlink("../bob/secret", place.path("alice/near")).unwrap();
    symlink(&secret, place.path("alice/far")).unwrap();
    symlink("/etc/passwd", place.path("alice/accounts")).unwrap();
    let here = |name: &str| place.path(name).to_str().unwrap().to_owned();
    // Outside the home lies at another place, so each try is two: its path inside and its path outside.
    for (inside, outside, text) in [
        ("/home/user/near", here("alice/near"), "bobsecret"),
        ("/home/user/far", here("alice/far"), "bobsecret"),
        ("/home/user/accounts", here("alice/accounts"), "root:"),
        ("/home/user/../../bob/secret", here("alice/../bob/secret"), "bobsecret"),
        ("/proc/1/root/etc/passwd", "/proc/self/root/etc/passwd".into(), "root:"),
        ("/proc/1/cwd/etc/passwd", "/proc/self/cwd/etc/passwd".into(), "root:"),
    ] {
        let finished = place.inside(&["read", inside, text]).await;
        assert_eq!(finished.ended, Some(Ended::Exit(1)), "{inside}: {}", finished.output.stdout.text(200));
        assert_eq!(place.outside(&["read", &outside, text]).status.code(), Some(0), "control {outside}");
    }
    let secret = secret.to_str().unwrap();
    check(&place, &[(&["read", secret, "bobsecret"], Control::Through)]).await;
    check(&place, &[(&["read", "/etc/passwd", "root:"], Control::Through)]).await;
    check(&place, &[(&["device", "/tmp/device"], Control::NotTried), (&["device", "/home/user/d"], Control::NotTried)])
        .await;
}

#[tokio::test]
async fn escapes_by_writing() {
    let place = Place::new();
    place.folder("shared");
    place.file("shared/kept", "as it was");
    for path in [
        "/x",
        "/usr/x",
        "/usr/bin/x",
        "/etc/x",
        "/etc/passwd",
        "/dev/x",
        "/home/x",
        "/run/x",
        "/var/x",
        "/probe",
        "/shared/new",
        "/shared/kept",
        "/proc/sys/kernel/hostname",
        "/proc/sysrq-trigger",
    ] {
        let confinement =
            place.confinement(["/probe", "write", path]).mount(place.handle("shared"), "/shared", Access::ReadOnly);
        let finished = place.run(confinement).await;
        assert_eq!(finished.ended, Some(Ended::Exit(1)), "{path}: {}", finished.output.stdout.text(200));
    }
    let linking = place.confinement(["/probe", "link", "/shared/kept", "/home/user/kept"]);
    let finished = place.run(linking.mount(place.handle("shared"), "/shared", Access::ReadOnly)).await;
    assert_eq!(finished.ended, Some(Ended::Exit(1)));
    // The controls: the same user may write there outside, and inside where it is meant to.
    assert_eq!(place.outside(&["write", place.path("shared/new").to_str().unwrap()]).status.code(), Some(0));
    for path in ["/home/user/x", "/tmp/x", "/dev/shm/x", "/dev/null"] {
        assert_eq!(place.inside(&["write", path]).await.ended, Some(Ended::Exit(0)), "{path}");
    }
    assert_eq!(std::fs::read_to_string(place.path("shared/kept")).unwrap(), "as it was");
}

#[tokio::test]
async fn escapes_to_other_processes() {
    let place = Place::new();
    let mark = unique_sleep();
    let mut other = Command::new("sleep");
    other.arg(&mark).env("RIAD_TEST_SECRET", "othersecret");
    if is_root() {
        other.uid(10_001).gid(10_001);
    }
    let mut other = other.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let pid = other.id().to_string();
    let environment = format!("/proc/{pid}/environ");
    check(
        &place,
        &[
            (&["see-process", &mark], Control::Through),
            (&["signal-process", &pid], Control::Through),
            (&["read", &environment, "othersecret"], Control::Through),
            (&["find-text", &mark], Control::Through),
            (&["ptrace"], Control::Mostly),
            (&["read-memory"], Control::Mostly),
            (&["take-descriptor"], Control::Mostly),
        ],
    )
    .await;
    other.kill().unwrap();
    other.wait().unwrap();
}

#[tokio::test]
async fn escapes_to_the_first_process_inside() {
    let place = Place::new();
    let tries: [&[&str]; 4] = [
        &["own-descriptor-of-first"],
        &["read", "/proc/1/environ", ""],
        &["read", "/proc/1/mem", ""],
        &["read", "/proc/1/maps", "riad"],
    ];
    for words in tries {
        let finished = place.inside(words).await;
        assert_eq!(finished.ended, Some(Ended::Exit(1)), "{words:?} {}", finished.output.stdout.text(200));
    }
    // The control: a process of one's own can be looked into.
    let own = place.shell("/probe read /proc/$$/environ HOME && sleep 0.1");
    assert_eq!(place.run(own).await.ended, Some(Ended::Exit(0)));
    // Killing all, the first process too, ends the program and nothing else.
    let finished = place.run(place.shell("kill -9 1; kill -9 -1; echo there")).await;
    assert_eq!((finished.ended, finished.why), (Some(Ended::Exit(0)), Why::Program));
}

#[tokio::test]
async fn escapes_to_the_network() {
    let place = Place::new();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let (tcp_address, udp_address) = (tcp.local_addr().unwrap().to_string(), udp.local_addr().unwrap().to_string());
    let name = format!("riad-test-{}", std::process::id());
    let _abstract = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let file = place.path("socket");
    let _file = UnixListener::bind(&file).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o777)).unwrap();
    check(
        &place,
        &[
            (&["tcp", &tcp_address], Control::Through),
            (&["udp", &udp_address], Control::Through),
            (&["abstract", &name], Control::Through),
            (&["socket-file", file.to_str().unwrap()], Control::Through),
            (&["tcp", "169.254.169.254:80"], Control::NotTried),
            (&["tcp", "[fd00:ec2::254]:80"], Control::NotTried),
            (&["inet"], Control::Through),
            (&["inet6"], Control::Mostly),
            (&["netlink"], Control::Through),
            (&["vsock"], Control::Mostly),
            (&["algorithm"], Control::Mostly),
            (&["packet"], Control::NotTried),
        ],
    )
    .await;
}

#[tokio::test]
async fn escapes_by_calls() {
    let place = Place::new();
    check(
        &place,
        &[
            (&["unshare"], Control::Mostly),
            (&["clone"], Control::Mostly),
            (&["clone3"], Control::Through),
            (&["setns"], Control::NotTried),
            (&["mount"], Control::NotTried),
            (&["chroot"], Control::NotTried),
            (&["io-uring"], Control::Mostly),
            (&["bpf"], Control::Mostly),
            (&["keyctl"], Control::Mostly),
            (&["userfaultfd"], Control::Mostly),
            (&["perf"], Control::Mostly),
            (&["personality"], Control::Through),
            (&["handle"], Control::Mostly),
            (&["terminal"], Control::Through),
            (&["other-numbers"], Control::Mostly),
            (&["foreign-call"], Control::Mostly),
        ],
    )
    .await;
}

#[tokio::test]
async fn escapes_by_what_is_inherited() {
    let place = Place::new();
    // The control: an inherited descriptor, variable and segment do show where nothing closes them.
    let line = format!("exec 9</dev/null; exec {} descriptors", place.path("probe").display());
    assert_eq!(Command::new("/bin/sh").args(["-c", &line]).stdout(Stdio::null()).status().unwrap().code(), Some(0));
    let _held = std::fs::File::open(place.path("bob/secret")).unwrap();
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let usual = usual_environment();
    let is_foreign = |name: &String| name != "PWD" && usual.iter().all(|(known, _)| known != name);
    let variable = std::env::vars().map(|(name, _)| name).find(is_foreign).unwrap();
    check(
        &place,
        &[
            (&["descriptors"], Control::NotTried),
            (&["environment", &variable], Control::Through),
            (&["host-name", host.trim()], Control::Through),
            (&["find-text", "riad-test-"], Control::NotTried),
            (&["find-text", "/tmp/"], Control::NotTried),
        ],
    )
    .await;
}

#[tokio::test]
async fn escapes_by_shared_memory() {
    let place = Place::new();
    let made = Command::new("/usr/bin/ipcmk").args(["-M", "4096", "-p", "0666"]).output().unwrap();
    assert!(made.status.success(), "ipcmk is part of util-linux");
    let id = String::from_utf8(made.stdout).unwrap().rsplit(' ').next().unwrap().trim().to_owned();
    let table = std::fs::read_to_string("/proc/sysvipc/shm").unwrap();
    let row = table.lines().find(|line| line.split_whitespace().nth(1) == Some(&id)).unwrap();
    let key = row.split_whitespace().next().unwrap().parse::<i32>().unwrap().to_string();
    check(&place, &[(&["shared-memory", &key], Control::Through)]).await;
    assert!(Command::new("/usr/bin/ipcrm").args(["-m", &id]).status().unwrap().success());
}

#[tokio::test]
async fn escapes_by_set_uid() {
    let place = Place::new();
    // A program with the bit in the home does not gain rights, whoever put it there.
    let program = place.path("alice/gain");
    std::fs::copy(place.path("probe"), &program).unwrap();
    if is_root() {
        chown(&program, Some(0), Some(0)).unwrap();
    }
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o4755)).unwrap();
    let finished = place.run(place.confinement(["/home/user/gain", "be-root"])).await;
    assert_eq!(finished.ended, Some(Ended::Exit(1)), "{}", finished.output.stdout.text(200));
    if is_root() {
        let control = Command::new(&program).arg("be-root").uid(10_001).gid(10_001).status().unwrap();
        let is_nosuid = std::fs::read_to_string("/proc/mounts")
            .unwrap()
            .lines()
            .any(|l| l.contains(" /tmp ") && l.contains("nosuid"));
        assert!(control.success() || is_nosuid, "the control does gain rights");
    }
    // Nor do those of the system.
    let finished = place.run(place.shell("su -c id; passwd -S; id -u")).await;
    assert_eq!(finished.output.stdout.text(200).lines().last(), Some("1000"));
}

#[tokio::test]
async fn escapes_by_a_swapped_source() {
    let place = Place::new();
    let room = place.folder("shared");
    place.file("shared/mine", "alice's own");
    let handle = place.handle("shared");
    std::fs::rename(&room, place.path("moved")).unwrap();
    symlink(place.path("bob"), &room).unwrap();
    let confinement = place.shell("cat /shared/*").mount(handle, "/shared", Access::ReadOnly);
    let text = place.run(confinement).await.output.stdout.text(200);
    assert_eq!(text, "alice's own");
}

#[tokio::test]
async fn the_outside_sees_no_path_in_the_process_list() {
    let place = Place::new();
    let mark = unique_sleep();
    let running = place.backend.spawn(place.confinement(["sleep", &mark])).await.unwrap();
    let lines = crate::place::processes_with("bwrap");
    let own = lines.iter().filter(|line| line.contains("--args")).collect::<Vec<_>>();
    assert!(!own.is_empty());
    assert!(own.iter().all(|line| !line.contains("riad-test-")), "{own:?}");
    assert_eq!(running.end_tree(Duration::from_millis(500)).await, Vec::<String>::new());
    assert_eq!(crate::place::processes_with(&mark), Vec::<String>::new());
}

#[tokio::test]
async fn probe_holds_everywhere() {
    for place in [Place::new(), Place::without_groups()] {
        let probe = place.backend.probe().await;
        assert!(probe.is_usable(), "{probe:#?}");
        assert!(probe.tries.len() >= 12);
        let walls: Vec<Wall> = probe.walls.iter().map(|report| report.wall).collect();
        assert_eq!(walls, WALLS);
        std::io::stdout().write_all(probe.summary().as_bytes()).unwrap();
    }
}
