//! The real `riad`, as a process that can be killed, over a folder that outlives it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use server::client::{Answer, Client};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::world::PASSWORD;

pub(crate) struct Binary {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
    pub(crate) address: SocketAddr,
    pub(crate) token: Option<String>,
    pub(crate) data: PathBuf,
}

/// `riad` with an environment of its own below `folder`.
pub(crate) fn riad(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_riad"));
    command.env_clear().env("HOME", folder).env("RIAD_DATA_DIR", folder.join("data")).kill_on_drop(true);
    command
}

impl Binary {
    /// Starts it with the model at this address.
    pub(crate) async fn start(folder: &Path, model: &str) -> Self {
        Self::start_with(folder, model, &[]).await
    }

    /// Starts it with further variables.
    pub(crate) async fn start_with(folder: &Path, model: &str, variables: &[(&str, &Path)]) -> Self {
        let mut command = riad(folder);
        command.envs(variables.iter().copied());
        command.args(["serve", "--set", "listen=127.0.0.1:0", "--set", "models.remote.name=scripted"]);
        command.arg("--set").arg(format!("models.remote.url={model}")).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut binary = Self { process, lines, address: nowhere, token: None, data: folder.join("data") };
        tokio::time::timeout(Duration::from_secs(20), binary.read_address()).await.expect("the server started in time");
        binary
    }

    async fn read_address(&mut self) {
        while let Some(line) = self.lines.next_line().await.unwrap() {
            if let Some(address) = line.strip_prefix("address http://") {
                self.address = address.parse().unwrap();
                break;
            }
        }
        let nobody = !self.data.join("vaults").read_dir().is_ok_and(|mut files| files.next().is_some());
        if nobody && let Ok(Some(line)) = self.lines.next_line().await {
            self.token = line.strip_prefix("setup token ").map(str::to_owned);
        }
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.address).unwrap()
    }

    pub(crate) async fn set_up(&self) -> Answer {
        let form = serde_json::json!({
            "token": self.token, "preset": "home", "handle": "anna", "name": "Anna", "locale": "en",
            "zone": "UTC", "vault": "private", "password": PASSWORD,
        });
        self.client().send("POST", "/api/v1/setup", &[], Some(&form)).await.unwrap()
    }

    pub(crate) async fn signed_in(&self) -> Client {
        let mut client = self.client();
        let answer = client.sign_in("anna", PASSWORD, true).await.unwrap();
        assert_eq!(answer.status, 201, "{}", answer.json());
        client
    }

    /// `kill -9`, from anywhere.
    pub(crate) fn killer(&self) -> impl FnOnce() + Send + 'static {
        let pid = i32::try_from(self.process.id().expect("it runs")).ok().and_then(rustix::process::Pid::from_raw);
        move || rustix::process::kill_process(pid.expect("it has a number"), rustix::process::Signal::KILL).unwrap()
    }

    /// `kill -9`, and waits until it is gone.
    pub(crate) async fn kill_nine(mut self) {
        self.process.start_kill().unwrap();
        self.process.wait().await.unwrap();
    }

    /// TERM; the exit code.
    pub(crate) async fn terminate(mut self) -> i32 {
        let pid = self.process.id().unwrap().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().await.unwrap().success());
        self.process.wait().await.unwrap().code().unwrap()
    }
}
