//! The API of the running server, as somebody who is signed in in this terminal. What acts carries a key, so it is sent
//! again when the connection was cut; a locked vault is unlocked at the terminal, if there is one.

use std::io::{self, Write as _};
use std::time::Duration;

use harness::ports::Clock as _;
use serde_json::Value;
use tokio::time::sleep;

use super::input::Input;
use super::prompt::broken;
use super::signed_in::{Kept, SessionFile, address, no_server, signed_out};
use crate::client::{Answer, Client};
use crate::clock::SystemClock;
use crate::config::Config;
use crate::exit::{Ended, Exit};
use crate::terminal;

/// How often a request is sent again when no connection can be had.
const TRIES: u32 = 6;
/// The first pause between two tries; each is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(150);
/// How often a password may be mistyped.
const PASSWORDS: usize = 3;

/// A signed-in terminal.
pub(super) struct Api {
    config: Config,
    client: Client,
    file: SessionFile,
    handle: String,
    /// What the person types.
    pub(super) input: Input,
}

impl Api {
    /// Takes the session that `riad login` kept, and unlocks the vault if it is locked.
    pub(super) async fn open(config: Config) -> Result<Self, Ended> {
        let mut client = Client::new(address(&config)?).map_err(|error| Ended::new(Exit::NotAllowed, error))?;
        let file = SessionFile::of(&config)?;
        let Kept { handle, cookie } = file.read()?.ok_or_else(signed_out)?;
        client.cookie = Some(cookie);
        let mut api = Self { config, client, file, handle, input: Input::new() };
        let session = api.get("/api/v1/session").await?;
        api.client.csrf = session["csrf"].as_str().map(str::to_owned);
        if session["vault"] == "locked" {
            api.unlock().await?;
        }
        Ok(api)
    }

    /// The client with its session, for a stream of its own.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// The configuration.
    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// Reads.
    pub(super) async fn get(&mut self, path: &str) -> Result<Value, Ended> {
        self.send("GET", path, None, None).await
    }

    /// Acts, once, however often it has to be sent.
    pub(super) async fn post(&mut self, path: &str, key: &str, body: &Value) -> Result<Value, Ended> {
        self.send("POST", path, Some(key), Some(body)).await
    }

    async fn send(
        &mut self,
        method: &str,
        path: &str,
        key: Option<&str>,
        body: Option<&Value>,
    ) -> Result<Value, Ended> {
        let headers: Vec<(&str, &str)> = key.map(|key| ("idempotency-key", key)).into_iter().collect();
        let mut tries = 0;
        loop {
            match self.client.send(method, path, &headers, body).await {
                Ok(answer) if (200..300).contains(&answer.status) => return Ok(answer.json()),
                Ok(answer) if answer.status == 423 => self.unlock().await?,
                Ok(answer) if answer.status == 409 && answer.code() == "still_working" && tries < TRIES => {}
                Ok(answer) => return Err(refusal(&answer)),
                Err(_) if tries < TRIES => {}
                Err(_) => return Err(no_server()),
            }
            sleep(PAUSE * 2_u32.pow(tries)).await;
            tries = (tries + 1).min(TRIES);
            self.find_again();
        }
    }

    /// A server that was started again may listen elsewhere.
    pub(super) fn find_again(&mut self) {
        if let Ok(address) = address(&self.config)
            && address.ip().is_loopback()
        {
            self.client.address = address;
        }
    }

    /// Asks for the password and opens the vault.
    pub(super) async fn unlock(&mut self) -> Result<(), Ended> {
        if !self.input.is_terminal() {
            let says = "Your vault is locked. Run `riad chat` at a terminal, or open the pages, and unlock it.";
            return Err(Ended::new(Exit::NotAllowed, says));
        }
        for _ in 0..PASSWORDS {
            let question = format!("The vault is locked. Password of {}", self.handle);
            let password = self.input.password(&question).await?;
            self.find_again();
            let answer = self.client.unlock(&password).await.map_err(|_| no_server())?;
            match answer.status {
                200..=299 => return self.keep(),
                403 if answer.code() == "password_wrong" => tell(&refusal(&answer).says)?,
                _ => return Err(refusal(&answer)),
            }
        }
        Err(Ended::new(Exit::NotAllowed, "The vault stays locked. Check the password and try again."))
    }

    fn keep(&self) -> Result<(), Ended> {
        let cookie = self.client.cookie.clone().unwrap_or_default();
        self.file.write(&Kept { handle: self.handle.clone(), cookie })
    }
}

/// A key that was never used.
pub(super) fn new_key() -> String {
    SystemClock.new_id()
}

/// A line for the person, beside the data.
pub(super) fn tell(text: &str) -> Result<(), Ended> {
    writeln!(io::stderr(), "{}", terminal::plain(text)).map_err(broken)
}

/// A problem of the server as the end of a command.
pub(super) fn refusal(answer: &Answer) -> Ended {
    let problem = answer.json();
    let detail = problem["detail"].as_str().unwrap_or("The server gave no reason. Look at its log.");
    let exit = match answer.status {
        401 => return signed_out(),
        403 | 423 => Exit::NotAllowed,
        404 | 410 => Exit::NotFound,
        409 | 412 => Exit::Conflict,
        400 | 413 | 422 | 428 => Exit::Usage,
        429 | 503 => Exit::Busy,
        _ => Exit::Failed,
    };
    let step = problem["next_step"].as_str().map(|step| format!(" {step}")).unwrap_or_default();
    Ended::new(exit, format!("{detail}{step}"))
}
