//! A terminal of the tests' own, so that the real binary asks what it asks of people. It is not the controlling one, so
//! an interrupt is sent as a signal.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

pub(crate) struct Pty {
    process: Child,
    master: File,
    screen: Arc<Mutex<String>>,
    /// Up to where the screen was waited for.
    read: usize,
}

/// `O_NOCTTY` of Linux.
const NOT_CONTROLLING: i32 = 0o400;

impl Pty {
    /// Runs a command in a new terminal.
    pub(crate) fn start(mut command: Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let side = File::options().read(true).write(true).custom_flags(NOT_CONTROLLING).open(name).unwrap();
        let end = || Stdio::from(side.try_clone().unwrap());
        let process = command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
        let (master, screen) = (File::from(master), Arc::new(Mutex::new(String::new())));
        let (mut output, shown) = (master.try_clone().unwrap(), screen.clone());
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut piece) {
                bytes.extend_from_slice(&piece[..count]);
                *shown.lock().unwrap() = String::from_utf8_lossy(&bytes).into_owned();
            }
        });
        Self { process, master, screen, read: 0 }
    }

    pub(crate) fn screen(&self) -> String {
        self.screen.lock().unwrap().clone()
    }

    /// Waits until the text stands on the screen, behind what was waited for before. Returns all up to it.
    pub(crate) async fn until(&mut self, text: &str) -> String {
        let found = timeout(Duration::from_secs(30), async {
            loop {
                let screen = self.screen();
                if let Some(at) = screen[self.read..].find(text) {
                    return self.read + at + text.len();
                }
                sleep(Duration::from_millis(10)).await;
            }
        });
        let Ok(end) = found.await else { panic!("{text:?} did not come:\n{}", self.screen()) };
        self.read = end;
        self.screen()[..end].to_owned()
    }

    /// Types a line.
    pub(crate) fn line(&mut self, text: &str) {
        self.master.write_all(format!("{text}\n").as_bytes()).unwrap();
    }

    /// Types the end of input.
    pub(crate) fn end_of_input(&mut self) {
        self.master.write_all(&[4]).unwrap();
    }

    /// What Ctrl-C does.
    pub(crate) async fn interrupt(&self) {
        self.signal("-INT").await;
    }

    pub(crate) async fn signal(&self, signal: &str) {
        let pid = self.process.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().await.unwrap().success());
    }

    /// Another handle of this terminal, which outlives the program.
    pub(crate) fn terminal(&self) -> File {
        self.master.try_clone().unwrap()
    }

    /// The exit code, and all that was on the screen.
    pub(crate) async fn end(mut self) -> (i32, String) {
        let ended = timeout(Duration::from_secs(30), self.process.wait()).await;
        let Ok(status) = ended else { panic!("it does not end:\n{}", self.screen()) };
        let code = status.unwrap().code().unwrap();
        // The last words may still be on their way.
        sleep(Duration::from_millis(50)).await;
        (code, self.screen())
    }
}
