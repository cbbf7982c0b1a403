//! sandbox: runs a command under a confinement, and nothing else. It is the only place where commands are started, and
//! it starts them inside walls that were seen from within, or not at all. It knows no tools, no policy and no people:
//! what a command may see is in the `Confinement` that it is given. Workers, which raise their own walls, take this crate
//! with `default-features = false`: then it is [`calls`] alone.
//!
//! ```no_run
//! # use sandbox::{Access, Confinement, NoLedger, Sandbox, Settings};
//! # async fn example(home: std::os::fd::OwnedFd) -> Result<(), sandbox::Refusal> {
//! let settings = Settings { state: "/var/lib/riad/sandbox".into(), ledger: std::sync::Arc::new(NoLedger), groups: true };
//! let (sandbox, probe) = Sandbox::open(settings).await;
//! println!("{}", probe.map(|probe| probe.summary()).unwrap_or_default());
//! let mut confinement = Confinement::new("shell", ["ls", "-l"]).mount(home, "/home/user", Access::ReadOnly);
//! confinement.directory = "/home/user".into();
//! let cancel = tokio_util::sync::CancellationToken::new();
//! let finished = sandbox?.run(confinement, &mut |_stream, text| print!("{text}"), &cancel).await?;
//! println!("{:?} {:?} {}", finished.why, finished.ended, finished.output.stdout.text(8192));
//! # Ok(())
//! # }
//! ```
#![cfg(target_os = "linux")]
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod calls;

#[cfg(feature = "run")]
mod backend;
#[cfg(feature = "run")]
mod bubblewrap;
#[cfg(feature = "run")]
mod confinement;
#[cfg(feature = "run")]
mod etc;
#[cfg(feature = "run")]
mod filter;
#[cfg(feature = "run")]
mod groups;
#[cfg(feature = "run")]
mod leash;
#[cfg(feature = "run")]
mod orphans;
#[cfg(feature = "run")]
mod output;
#[cfg(feature = "run")]
mod refusal;
#[cfg(feature = "run")]
mod running;
#[cfg(feature = "run")]
mod sandbox;
#[cfg(feature = "run")]
mod slots;
#[cfg(feature = "run")]
mod spawned;
#[cfg(feature = "run")]
mod start;
#[cfg(feature = "run")]
mod watch;

#[cfg(feature = "run")]
pub use backend::{Backend, Probe, WallReport};
#[cfg(feature = "run")]
pub use bubblewrap::{Bubblewrap, Settings};
#[cfg(feature = "run")]
pub use confinement::{Access, Confinement, Limits, Mount, Network, Source, Stdin, usual_environment};
#[cfg(feature = "run")]
pub use groups::GroupKind;
#[cfg(feature = "run")]
pub use leash::Ended;
#[cfg(feature = "run")]
pub use orphans::{end_orphans, orphans};
#[cfg(feature = "run")]
pub use output::{Capture, Captured, Output, Stream};
#[cfg(feature = "run")]
pub use refusal::{Refusal, WALLS, Wall};
#[cfg(feature = "run")]
pub use running::{Finished, Running, Signal, Why};
#[cfg(feature = "run")]
pub use sandbox::Sandbox;
#[cfg(feature = "run")]
pub use spawned::{Ledger, NoLedger, Spawned, sweep};
