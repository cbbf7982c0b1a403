//! The session of this terminal with the running server, kept as a cookie in a file of the configuration folder that is
//! closed to others. No password is kept, and none is taken from arguments or variables.

use std::net::SocketAddr;
use std::path::PathBuf;

use domain::digest::Digest;
use serde::{Deserialize, Serialize};

use super::listener;
use crate::config::{self, Config};
use crate::exit::{Ended, Exit};
use crate::files;
use crate::serve::ADDRESS_FILE;

/// What is kept of a session.
#[derive(Serialize, Deserialize)]
pub(super) struct Kept {
    /// Who signed in.
    pub(super) handle: String,
    /// Name and value of the cookie.
    pub(super) cookie: String,
}

/// The file of the session with the server of one data folder.
pub(super) struct SessionFile(PathBuf);

impl SessionFile {
    /// Where it is. Each data folder has its own, so that no cookie goes to another server.
    pub(super) fn of(config: &Config) -> Result<Self, Ended> {
        let name = Digest::of_bytes(config.data.as_os_str().as_encoded_bytes()).hex();
        Ok(Self(config::folder()?.join("sessions").join(&name[..16])))
    }

    /// What is kept, if anything is.
    pub(super) fn read(&self) -> Result<Option<Kept>, Ended> {
        let found = files::rights(&self.0).map_err(|error| self.broken(&error))?;
        if found.is_some_and(|found| found.is_open_to_others() || !found.is_file) {
            let path = self.0.display();
            let says =
                format!("{path} is open to others, so it is not used. Remove it and sign in again with `riad login`.");
            return Err(Ended::new(Exit::Config, says));
        }
        let text = files::read(&self.0).map_err(|error| self.broken(&error))?;
        // A file that was cut off counts as none: signing in writes it anew.
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Keeps a session.
    pub(super) fn write(&self, kept: &Kept) -> Result<(), Ended> {
        let text = serde_json::to_string(kept).expect("two texts are JSON");
        let folder = self.0.parent().map_or(Ok(()), files::private_folder);
        folder.and_then(|()| files::write_private(&self.0, &text)).map_err(|error| self.broken(&error))
    }

    /// Forgets it.
    pub(super) fn remove(&self) -> Result<(), Ended> {
        files::remove(&self.0).map_err(|error| self.broken(&error))
    }

    fn broken(&self, error: &std::io::Error) -> Ended {
        let says = format!("The session cannot be kept in {} ({error}). Check that folder.", self.0.display());
        Ended::new(Exit::Io, says)
    }
}

/// Where the running server says that it listens. Where the process of another user listens there by now, that is no
/// server of ours.
pub(super) fn address(config: &Config) -> Result<SocketAddr, Ended> {
    let file = config.data.join(ADDRESS_FILE);
    let text = files::read(&file).ok().flatten().unwrap_or_default();
    let address = text.trim().strip_prefix("http://").and_then(|address| address.parse().ok()).ok_or_else(no_server)?;
    let ours = files::rights(&file).ok().flatten().map(|rights| rights.owner);
    match listener::owner(address) {
        Some(owner) if ours.is_some_and(|ours| ours != owner) => {
            let says =
                format!("Another user's program listens at {address}, so it is told nothing. Start the server anew.");
            Err(Ended::new(Exit::NotAllowed, says))
        }
        Some(_) | None => Ok(address),
    }
}

/// Nobody answers.
pub(super) fn no_server() -> Ended {
    Ended::new(Exit::NoServer, "No server runs on this data folder. Start one with `riad serve`.")
}

/// Nobody is signed in.
pub(super) fn signed_out() -> Ended {
    Ended::new(Exit::NotAllowed, "You are not signed in here. Run `riad login HANDLE` and try again.")
}
