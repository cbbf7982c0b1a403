//! Images that are laid out by hand: which names of one file are closed.
#![expect(clippy::disallowed_methods, reason = "lays out programs in a folder of its own")]

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::Image;

struct Programs(tempfile::TempDir);

impl Programs {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, content: &str) {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn link(&self, name: &str, target: &str) {
        symlink(target, self.0.path().join(name)).unwrap();
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn resolve(&self, name: &str) -> Result<String, String> {
        let folder = self.path().to_str().unwrap();
        Image::of(folder).resolve(name).map(|real| real[folder.len() + 1..].to_owned())
    }
}

#[test]
fn git_runs_although_its_parts_are_links_to_it() {
    for part in ["git-upload-pack", "git-receive-pack", "git-upload-archive"] {
        let programs = Programs::new();
        programs.file("git", "git");
        programs.link(part, "git");
        assert_eq!(programs.resolve("git"), Ok("git".to_owned()), "{part}");
        assert!(super::judge_name(part).is_err(), "{part}");
    }
    let programs = Programs::new();
    programs.file("git", "git");
    std::fs::hard_link(programs.path().join("git"), programs.path().join("git-upload-pack")).unwrap();
    programs.file("git-receive-pack", "git");
    assert_eq!(programs.resolve("git"), Ok("git".to_owned()));
}

#[test]
fn a_shell_under_other_names_stays_closed() {
    let programs = Programs::new();
    programs.file("dash", "a shell");
    programs.link("sh", "dash");
    programs.link("plain", "dash");
    programs.file("copied", "a shell");
    std::fs::hard_link(programs.path().join("dash"), programs.path().join("twin")).unwrap();
    for name in ["plain", "copied", "twin"] {
        let reason = programs.resolve(name).unwrap_err();
        assert!(reason.contains("it is a shell"), "{name}: {reason}");
    }
}

#[test]
fn a_program_to_which_sh_leads_is_a_shell_whatever_it_is_called() {
    let programs = Programs::new();
    programs.file("box", "many programs");
    programs.link("sh", "box");
    programs.link("git-upload-pack", "git");
    programs.file("git", "git, and a shell too");
    programs.link("bash", "git");
    for name in ["box", "git"] {
        let reason = programs.resolve(name).unwrap_err();
        assert!(reason.contains("it is a shell"), "{name}: {reason}");
    }
}

#[test]
fn busybox_is_closed_itself_and_open_as_the_program_it_is_called_by() {
    let programs = Programs::new();
    programs.file("busybox", "many programs");
    programs.link("sh", "busybox");
    programs.link("ls", "busybox");
    assert_eq!(programs.resolve("ls"), Ok("busybox".to_owned()));
    assert!(super::judge_name("busybox").is_err() && super::judge_name("sh").is_err());
}
