//! The confinement of one call: the home to be read, the work folder to be written, and bounds. The walls themselves are
//! the sandbox's.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use domain::place::{MOUNTED_HOME, MOUNTED_WORK};
use harness::ports::Scope;
use rustix::fs::{Mode, OFlags};
use sandbox::{Access, Confinement, Stdin};

use super::input::Shell;
use super::ready::Ready;
use super::{OUTPUT_CHARS, Tool, environment};
use crate::files::beneath::Beneath;
use crate::places::WORK_MOUNT;

impl Tool {
    /// Everything that the sandbox is told. The error says why nothing was run.
    pub(super) fn confinement(&self, input: &Shell, ready: Ready, scope: &Scope) -> Result<Confinement, String> {
        let closed = |fault: String| format!("The command was not run: {fault}.");
        let home = Arc::clone(self.places.home());
        let work = self.places.work(&scope.conversation).map_err(|fault| closed(fault.to_string()))?;
        let mut confinement = Confinement::new("shell", ready.argv);
        if let Ok(covers) = &ready.folder.home {
            let handle = mounted_home(&home).map_err(closed)?;
            confinement = confinement.mount(handle, MOUNTED_HOME, Access::ReadOnly);
            for way in covers {
                let place = way.iter().fold(PathBuf::from(MOUNTED_HOME), |path, name| path.join(name));
                confinement = confinement.mount(nothing().map_err(closed)?, place, Access::ReadOnly);
            }
        }
        let work = work.handle().try_clone_to_owned().map_err(|error| closed(error.to_string()))?;
        confinement = confinement.mount(work, MOUNTED_WORK, Access::ReadWrite);
        confinement.directory = ready.folder.inside();
        confinement.environment.extend(environment::more());
        if let Some(text) = &input.stdin {
            confinement.stdin = Stdin::Bytes(text.clone().into_bytes());
        }
        confinement.limits.deadline = Some(Duration::from_secs(input.seconds()?));
        confinement.limits.output_chars = OUTPUT_CHARS;
        confinement.host_uid = self.runner.host_uid;
        Ok(confinement)
    }
}

/// A handle of the home, with the empty folder on which the work folder is mounted.
fn mounted_home(home: &Beneath) -> Result<OwnedFd, String> {
    home.ensure_folder(WORK_MOUNT).map_err(|fault| fault.to_string())?;
    home.handle().try_clone_to_owned().map_err(|error| error.to_string())
}

/// What lies over a file of keys: a device that cannot be opened on a mount without devices.
fn nothing() -> Result<OwnedFd, String> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    rustix::fs::open("/dev/null", flags, Mode::empty()).map_err(|errno| errno.to_string())
}
