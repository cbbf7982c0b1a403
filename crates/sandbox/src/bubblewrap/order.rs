//! What the thread that starts bubblewrap gets: its arguments and its descriptors, in the order of their numbers. It
//! starts nothing itself.

use super::flags::Flags;
use super::sources::{self, Sources};
use super::wires::{self, Far};
use super::{Bubblewrap, PROGRAM};
use crate::confinement::Confinement;
use crate::refusal::Refusal;
use crate::slots::Order;
use std::ffi::CString;
use std::os::fd::{BorrowedFd, OwnedFd};

impl Bubblewrap {
    /// Everything that the starting thread needs.
    pub(super) fn order(
        &self,
        has_group: bool,
        confinement: &Confinement,
        host_user: Option<u32>,
        far: Far,
    ) -> Result<Order, Refusal> {
        let sources = Sources::new(&confinement.mounts)?;
        let limits = &confinement.limits;
        let flags = Flags {
            limits,
            image_links: &self.image_links,
            sources: &sources,
            staged: host_user.is_some(),
            filters: self.filters.len(),
            left_out: self.left_out,
        };
        let broken = Refusal::system("laying out descriptors");
        let arguments = wires::memory_file("arguments", &flags.arguments()).map_err(&broken)?;
        let own = |descriptor: &OwnedFd| descriptor.try_clone().map_err(&broken);
        let mut descriptors = vec![own(&self.nothing)?, own(&self.nothing)?, far.complaint];
        descriptors.extend([far.leash, far.stdin, far.stdout, far.stderr, own(&self.helper)?, arguments, far.info]);
        for filter in &self.filters {
            descriptors.push(wires::memory_file("filter", filter).map_err(&broken)?);
        }
        let handles = sources.handles(&self.image, &self.etc);
        let owned = |handle: &BorrowedFd<'_>| handle.try_clone_to_owned().map_err(&broken);
        let staged = match host_user {
            Some(user) => {
                let pair = |handle: &BorrowedFd<'_>| Ok((owned(handle)?, sources::is_folder(*handle)));
                Some((user, handles.iter().map(pair).collect::<Result<_, Refusal>>()?))
            }
            None => {
                descriptors.extend(handles.iter().map(owned).collect::<Result<Vec<_>, _>>()?);
                None
            }
        };
        let words = Flags::command_line().map(CString::new).into_iter().collect::<Result<_, _>>();
        Ok(Order {
            program: CString::new(PROGRAM).map_err(|error| broken(error.into()))?,
            arguments: words.map_err(|error| broken(error.into()))?,
            descriptors,
            staged,
            processors: (!has_group).then_some(limits.processors as usize),
        })
    }
}
