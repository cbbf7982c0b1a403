//! Which confinements make sense.

use super::*;

fn verdict(change: impl FnOnce(&mut Confinement)) -> Result<(), Refusal> {
    let mut confinement = Confinement::new("test", ["true"]);
    change(&mut confinement);
    check(&mut confinement)
}

fn scratch(place: &str) -> Mount {
    Mount { source: Source::Scratch(4096), place: place.into(), access: Access::ReadWrite }
}

#[test]
fn the_plain_one_passes() {
    assert_eq!(verdict(|_| {}), Ok(()));
}

#[test]
fn outer_mounts_come_first() {
    let mut confinement = Confinement::new("test", ["true"]);
    confinement.mounts = vec![scratch("/home/user/work"), scratch("/home/user")];
    assert_eq!(check(&mut confinement), Ok(()));
    let places: Vec<_> = confinement.mounts.iter().map(|mount| mount.place.to_str().unwrap()).collect();
    assert_eq!(places, ["/home/user", "/home/user/work"]);
}

#[test]
fn places_of_the_backend_are_closed() {
    for place in [
        "/",
        "/usr",
        "/usr/local",
        "/etc/x",
        "/proc/1",
        "/dev/shm",
        "/tmp",
        "/tmp/x",
        "relative",
        "/a/../etc",
        "/a//b",
        "/a/",
    ] {
        assert!(verdict(|c| c.mounts = vec![scratch(place)]).is_err(), "{place}");
    }
}

#[test]
fn two_mounts_at_one_place_are_refused() {
    assert!(verdict(|c| c.mounts = vec![scratch("/home/user"), scratch("/home/user")]).is_err());
}

#[test]
fn words_are_plain() {
    assert!(verdict(|c| c.arguments.clear()).is_err());
    assert!(verdict(|c| c.arguments = vec!["a\0b".into()]).is_err());
    assert!(verdict(|c| c.environment.push(("A=B".into(), "c".into()))).is_err());
    assert!(verdict(|c| c.environment.push((String::new(), "c".into()))).is_err());
    assert!(verdict(|c| c.directory = "work".into()).is_err());
}

#[test]
fn host_users_below_ten_thousand_are_refused() {
    for uid in [0, 1, 1000, 9999, u32::MAX] {
        assert!(verdict(|c| c.host_uid = Some(uid)).is_err(), "{uid}");
    }
    assert_eq!(verdict(|c| c.host_uid = Some(10_000)), Ok(()));
}
