//! Mounts lie where they were asked for, in their mode, and never over something.

use crate::place::Place;
use sandbox::*;

#[tokio::test]
async fn a_home_with_folders_beneath() {
    let place = Place::new();
    place.file("alice/own", "own");
    place.folder("alice/work");
    place.folder("alice/shared");
    place.folder("room");
    place.file("room/note", "note");
    let line = "cat own shared/note; touch shared/x; touch work/y; touch own2; ls -A work";
    let mut confinement = place.shell(line).mount(place.handle("room"), "/home/user/shared", Access::ReadOnly);
    let source = Source::Scratch(1 << 20);
    confinement.mounts.push(Mount { source, place: "/home/user/work".into(), access: Access::ReadWrite });
    let finished = place.run(confinement).await;
    assert_eq!(finished.output.stdout.text(200), "ownnotey\n");
    assert!(finished.output.stderr.text(200).contains("Read-only file system"));
    assert!(place.path("alice/own2").exists());
    assert!(!place.path("room/x").exists() && !place.path("alice/work").join("y").exists());
}

#[tokio::test]
async fn a_place_that_is_not_an_empty_real_folder_is_refused() {
    let place = Place::new();
    place.folder("room");
    place.folder("alice/full");
    place.file("alice/full/x", "x");
    std::os::unix::fs::symlink("full", place.path("alice/link")).unwrap();
    std::os::unix::fs::symlink("/usr", place.path("alice/away")).unwrap();
    place.file("alice/file", "x");
    for name in ["full", "link", "away", "away/share", "file", "missing"] {
        let confinement =
            place.shell("true").mount(place.handle("room"), format!("/home/user/{name}"), Access::ReadWrite);
        let refusal = place.backend.spawn(confinement).await.err();
        assert!(matches!(refusal, Some(Refusal::WallMissing { wall: Wall::Mounts, .. })), "{name}: {refusal:?}");
    }
    assert!(!place.path("alice/missing").exists());
}

#[tokio::test]
async fn read_only_scratch_and_files_hold_their_mode() {
    let place = Place::new();
    place.file("one", "one");
    let confinement = place.shell("cat /data/one; echo x > /data/one; cat /data/one; id -u; stat -c %u /home/user");
    let finished = place.run(confinement.mount(place.handle("one"), "/data/one", Access::ReadOnly)).await;
    assert_eq!(finished.output.stdout.text(200), "oneone1000\n1000\n");
    assert!(finished.output.stderr.text(200).contains("Read-only file system"));
}

#[tokio::test]
async fn a_closed_folder_above_does_not_matter_to_root() {
    use std::os::unix::fs::PermissionsExt;
    if !crate::place::is_root() {
        return;
    }
    let place = Place::new();
    place.folder("closed");
    place.folder("closed/inner");
    place.file("closed/inner/x", "found");
    std::os::unix::fs::chown(place.path("closed"), Some(0), Some(0)).unwrap();
    std::fs::set_permissions(place.path("closed"), PermissionsExt::from_mode(0o700)).unwrap();
    let confinement = place.shell("cat /inner/x").mount(place.handle("closed/inner"), "/inner", Access::ReadOnly);
    assert_eq!(place.run(confinement).await.output.stdout.text(100), "found");
}
