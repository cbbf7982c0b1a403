//! Why a command was not run. Each refusal says what is missing and what to do next; none of them can be overruled.

use std::fmt;

/// One of the walls around a command (REACH-63), as the helper inside names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wall {
    /// User, process, IPC, host name, network and control-group namespaces of its own.
    Namespaces,
    /// A session of its own, without a terminal.
    Session,
    /// It dies with the server.
    Death,
    /// User and group 1000 inside, and never root outside.
    Identity,
    /// No capability.
    Capabilities,
    /// No program can gain rights.
    Privileges,
    /// The host's name is hidden.
    Hostname,
    /// Nothing of the server's environment.
    Environment,
    /// No network interface but the inner loopback.
    Network,
    /// The root is read-only.
    Root,
    /// The tool image is read-only.
    Image,
    /// A made `/etc`, read-only.
    Etc,
    /// A `/proc` of its own.
    Proc,
    /// A minimal `/dev`, read-only.
    Devices,
    /// `/tmp` and `/dev/shm` of a fixed size.
    Tmp,
    /// The mounts that were asked for, in their mode.
    Mounts,
    /// Descriptors 0, 1 and 2 only.
    Descriptors,
    /// UNIX sockets only.
    Sockets,
    /// The filter of system calls.
    Calls,
    /// No namespaces within.
    Nested,
    /// Memory, processes, files and time are limited.
    Limits,
}

/// All walls, in the order in which they are reported.
pub const WALLS: [Wall; 21] = [
    Wall::Namespaces,
    Wall::Session,
    Wall::Death,
    Wall::Identity,
    Wall::Capabilities,
    Wall::Privileges,
    Wall::Hostname,
    Wall::Environment,
    Wall::Network,
    Wall::Root,
    Wall::Image,
    Wall::Etc,
    Wall::Proc,
    Wall::Devices,
    Wall::Tmp,
    Wall::Mounts,
    Wall::Descriptors,
    Wall::Sockets,
    Wall::Calls,
    Wall::Nested,
    Wall::Limits,
];

impl Wall {
    /// The wall's name, as reports and the helper write it.
    pub fn name(self) -> &'static str {
        match self {
            Wall::Namespaces => "namespaces",
            Wall::Session => "session",
            Wall::Death => "death",
            Wall::Identity => "identity",
            Wall::Capabilities => "capabilities",
            Wall::Privileges => "privileges",
            Wall::Hostname => "hostname",
            Wall::Environment => "environment",
            Wall::Network => "network",
            Wall::Root => "root",
            Wall::Image => "image",
            Wall::Etc => "etc",
            Wall::Proc => "proc",
            Wall::Devices => "devices",
            Wall::Tmp => "tmp",
            Wall::Mounts => "mounts",
            Wall::Descriptors => "descriptors",
            Wall::Sockets => "sockets",
            Wall::Calls => "calls",
            Wall::Nested => "nested",
            Wall::Limits => "limits",
        }
    }

    /// The wall of that name.
    pub fn named(name: &str) -> Option<Wall> {
        WALLS.into_iter().find(|wall| wall.name() == name)
    }

    /// What to do when it cannot be built.
    pub fn fix(self) -> &'static str {
        match self {
            Wall::Namespaces | Wall::Proc | Wall::Network | Wall::Hostname => {
                "Allow unprivileged user namespaces: sysctl user.max_user_namespaces above 0, \
                 kernel.unprivileged_userns_clone=1 and, on Ubuntu, kernel.apparmor_restrict_unprivileged_userns=0; in a \
                 container also security-opt seccomp=unconfined and systempaths=unconfined."
            }
            Wall::Identity => {
                "Run Riad as an ordinary user, or give each person a host uid of their own (10000 and up)."
            }
            Wall::Nested => "Install bubblewrap 0.8.0 or later, which can switch nested user namespaces off.",
            Wall::Sockets | Wall::Calls | Wall::Privileges => {
                "Use a kernel with seccomp filters (CONFIG_SECCOMP_FILTER)."
            }
            Wall::Limits => "Give Riad a control group it may write (systemd: Delegate=yes), or allow setrlimit.",
            Wall::Mounts => "Open the folder anew and see that it is still where it was.",
            Wall::Image | Wall::Etc => "Use a host whose /bin, /lib and /sbin lead into /usr, or install a tool image.",
            Wall::Session
            | Wall::Death
            | Wall::Capabilities
            | Wall::Environment
            | Wall::Root
            | Wall::Devices
            | Wall::Tmp
            | Wall::Descriptors => "Install bubblewrap 0.8.0 or later from your distribution, at /usr/bin/bwrap.",
        }
    }
}

impl fmt::Display for Wall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why nothing was run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A wall could not be built, or the helper inside did not find it.
    #[error("The command was not run: the wall \"{wall}\" is missing ({reason}). {}", wall.fix())]
    WallMissing {
        /// Which one.
        wall: Wall,
        /// What was found instead.
        reason: String,
    },
    /// bubblewrap is not there, too old, or not executable.
    #[error("The command was not run: {reason}. Install bubblewrap 0.8.0 or later (Debian: apt install bubblewrap).")]
    NoBubblewrap {
        /// What was found instead.
        reason: String,
    },
    /// No backend works here; commands are off.
    #[error("Commands are off: {reason}")]
    NoBackend {
        /// Why, and the fix.
        reason: String,
    },
    /// The server is root and the confinement names no host user (REACH-65).
    #[error(
        "The command was not run: Riad runs as root and this person has no host uid. Run Riad as an ordinary user, or \
         give each person an unprivileged uid."
    )]
    RootWithoutUid,
    /// The server is not root, so it cannot become another user.
    #[error("The command was not run: only root can run it under host uid {0}. Leave the host uid out.")]
    CannotBecome(u32),
    /// The confinement itself is wrong: a place outside of where mounts may be, two mounts at one place and so on.
    #[error("The command was not run: {0}.")]
    BadConfinement(String),
    /// The program does not exist in the tool image, or is no program.
    #[error("The program \"{program}\" cannot be run: {reason}. Name one that the tool image has.")]
    NoProgram {
        /// The name as given.
        program: String,
        /// The system's reason.
        reason: String,
    },
    /// The folder to start in is not there.
    #[error("The folder \"{folder}\" cannot be entered: {reason}. Give one that exists.")]
    NoFolder {
        /// The folder as given.
        folder: String,
        /// The system's reason.
        reason: String,
    },
    /// The record of the process could not be kept (OPS-22), so the process was not let go.
    #[error("The command was not run: its process could not be recorded ({0}). See that the disk is not full.")]
    NotRecorded(String),
    /// It was cancelled before it started.
    #[error("The command was cancelled before it started.")]
    Cancelled,
    /// The system refused something else.
    #[error("The command was not run: {step} failed ({reason}). Try again; if it stays, see the log.")]
    System {
        /// What was being done.
        step: &'static str,
        /// The system's reason.
        reason: String,
    },
}

impl Refusal {
    /// A system error at a step.
    pub(crate) fn system(step: &'static str) -> impl Fn(std::io::Error) -> Refusal {
        move |error| Refusal::System { step, reason: error.to_string() }
    }
}
