//! `riad login` and `riad logout`: the session of this terminal with the running server.

use clap::Args;
use serde_json::json;

use super::api::refusal;
use super::input::Input;
use super::prompt;
use super::signed_in::{Kept, SessionFile, address, no_server, signed_out};
use crate::client::Client;
use crate::config::Config;
use crate::exit::{Ended, Exit};

/// Who signs in.
#[derive(Debug, Args)]
pub(super) struct LoginArgs {
    /// The handle.
    handle: String,
    /// Reads the password from standard input: one line.
    #[arg(long)]
    password_stdin: bool,
}

/// Signs in and keeps the session.
pub(super) async fn login(config: Config, args: LoginArgs) -> Result<(), Ended> {
    let file = SessionFile::of(&config)?;
    let mut client = client(&config)?;
    let password = password(&args).await?;
    let answer = client.sign_in(&args.handle, &password, true).await.map_err(|_| no_server())?;
    if answer.status != 201 {
        let wrong = answer.status == 401;
        let refused = refusal(&answer);
        let says = "Handle or password is wrong. Check both and try again.";
        return Err(if wrong { Ended::new(Exit::NotAllowed, says) } else { refused });
    }
    let cookie = client.cookie.unwrap_or_default();
    file.write(&Kept { handle: args.handle, cookie })?;
    let session = answer.json();
    let name = session["person"]["name"].as_str().unwrap_or_default();
    let locked = if session["vault"] == "open" { "" } else { " The vault stays locked; the pages say why." };
    prompt::say(&format!("{name} is signed in on this terminal.{locked}"))
}

async fn password(args: &LoginArgs) -> Result<String, Ended> {
    if args.password_stdin {
        return prompt::password_line();
    }
    let mut input = Input::new();
    if !input.is_terminal() {
        let says = "A password is asked only at a terminal. Use --password-stdin to pipe it.";
        return Err(Ended::new(Exit::Usage, says));
    }
    input.password(&format!("Password of {}", args.handle)).await
}

fn client(config: &Config) -> Result<Client, Ended> {
    Client::new(address(config)?).map_err(|error| Ended::new(Exit::NotAllowed, error))
}

/// Ends the session on the server and forgets it here.
pub(super) async fn logout(config: Config) -> Result<(), Ended> {
    let file = SessionFile::of(&config)?;
    let Kept { handle, cookie } = file.read()?.ok_or_else(signed_out)?;
    let mut client = client(&config)?;
    client.cookie = Some(cookie);
    let session = client.get("/api/v1/session").await.map_err(|_| no_server())?;
    client.csrf = session.json()["csrf"].as_str().map(str::to_owned);
    let answer = client.send("DELETE", "/api/v1/session", &[], Some(&json!({}))).await.map_err(|_| no_server())?;
    // A session that is over by now needs no ending.
    if !(200..300).contains(&answer.status) && answer.status != 401 {
        return Err(refusal(&answer));
    }
    file.remove()?;
    prompt::say(&format!("{handle} is signed out on this terminal."))
}
