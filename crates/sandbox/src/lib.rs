//! sandbox: runs a command under a confinement, and nothing else. It is the only place where commands are started, and
//! it starts them inside walls that were seen from within, or not at all. It knows no tools, no policy and no people:
//! what a command may see is in the `Confinement` that it is given.
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

mod backend;
mod bubblewrap;
mod confinement;
mod etc;
mod filter;
mod groups;
mod leash;
mod output;
mod refusal;
mod running;
mod sandbox;
mod slots;
mod spawned;
mod start;
mod watch;

pub use backend::{Backend, Probe, WallReport};
pub use bubblewrap::{Bubblewrap, Settings};
pub use confinement::{Access, Confinement, Limits, Mount, Network, Source, Stdin, usual_environment};
pub use groups::GroupKind;
pub use leash::Ended;
pub use output::{Capture, Captured, Output, Stream};
pub use refusal::{Refusal, WALLS, Wall};
pub use running::{Finished, Running, Signal, Why};
pub use sandbox::Sandbox;
pub use spawned::{Ledger, NoLedger, Spawned, sweep};
