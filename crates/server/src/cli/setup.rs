//! `riad setup`: the first account from the terminal, by the same store function as the wizard. No secret is read from
//! arguments or variables.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use clap::Args;
use harness::ports::Clock as _;
use store::{Instance, OpenError, Options, SetupError};

use super::input::Input;
use super::prompt;
use crate::clock::SystemClock;
use crate::config::Config;
use crate::exit::{Ended, Exit};
use crate::routes::Answers;
use crate::serve::open_fault;

/// What is not given here is asked.
#[derive(Debug, Args)]
pub(super) struct SetupArgs {
    /// Only says whether setup is done (exit 0) or needed (exit 1).
    #[arg(long)]
    check: bool,
    /// How roles are labelled: home, team or care.
    #[arg(long)]
    preset: Option<String>,
    /// The name for signing in; it never changes.
    #[arg(long)]
    handle: Option<String>,
    /// The name that others see.
    #[arg(long)]
    name: Option<String>,
    /// The language, for example en.
    #[arg(long)]
    locale: Option<String>,
    /// The time zone, for example Europe/Vienna.
    #[arg(long)]
    zone: Option<String>,
    /// private (only its person can open it) or open (the machine's owner can, too).
    #[arg(long)]
    vault: Option<String>,
    /// Reads the password from standard input: one line.
    #[arg(long)]
    password_stdin: bool,
}

/// Makes the first account, or says whether one is needed.
pub(super) async fn setup(config: Config, args: SetupArgs) -> Result<(), Ended> {
    let opened = Instance::open(Options::new(&config.data), SystemClock.now()).await;
    let instance = opened.map_err(|error| not_opened(error, &config.data))?;
    let done = if args.check { check(&instance).await } else { make(&instance, args).await };
    instance.close().await;
    done
}

/// A server that runs has the folder for itself, and its address is the way then.
fn not_opened(error: OpenError, data: &Path) -> Ended {
    if matches!(error, OpenError::InUse) {
        let says = "A server runs on this data folder. Open its address in a browser, or stop it and try again.";
        return Ended::new(Exit::Busy, says);
    }
    open_fault(error, data)
}

async fn check(instance: &Instance) -> Result<(), Ended> {
    match instance.needs_setup().await {
        Ok(false) => prompt::say("Setup is done."),
        Ok(true) => {
            Err(Ended::new(Exit::Failed, "Setup is needed. Run `riad setup`, or open the address of the server."))
        }
        Err(error) => Err(Ended::new(Exit::Io, error)),
    }
}

async fn make(instance: &Instance, args: SetupArgs) -> Result<(), Ended> {
    if !instance.needs_setup().await.map_err(|error| Ended::new(Exit::Io, error))? {
        return Err(Ended::new(Exit::Conflict, SetupError::Done));
    }
    let input = answers(args).await?.judge().map_err(|fields| {
        let lines: Vec<String> = fields.iter().map(|field| field.detail.clone()).collect();
        Ended::new(Exit::Usage, lines.join("\n"))
    })?;
    let person = instance.set_up(input, IpAddr::V4(Ipv4Addr::LOCALHOST), SystemClock.now()).await;
    match person {
        Ok(person) => prompt::say(&format!("{} can sign in now. Start the server with `riad serve`.", person.handle)),
        Err(error @ SetupError::Done) => Err(Ended::new(Exit::Conflict, error)),
        Err(error @ SetupError::Busy) => Err(Ended::new(Exit::Busy, error)),
        Err(SetupError::Store(error)) => Err(Ended::new(Exit::Io, error)),
    }
}

async fn answers(args: SetupArgs) -> Result<Answers, Ended> {
    let mut asking = Asking { input: Input::new(), piped: args.password_stdin };
    Ok(Answers {
        handle: asking.ask(args.handle, "--handle", "Handle (for signing in, never changes)", None).await?,
        name: asking.ask(args.name, "--name", "Name (that others see)", None).await?,
        preset: asking.ask(args.preset, "--preset", "Labels of roles: home, team or care", Some("home")).await?,
        locale: asking.ask(args.locale, "--locale", "Language", Some("en")).await?,
        zone: asking.ask(args.zone, "--zone", "Time zone", Some("UTC")).await?,
        vault: asking.ask(args.vault, "--vault", "Vault: private or open", Some("private")).await?,
        password: asking.password().await?,
    })
}

/// Who answers: a person at the terminal, or a program that pipes the password in.
struct Asking {
    input: Input,
    piped: bool,
}

impl Asking {
    async fn ask(
        &mut self,
        given: Option<String>,
        flag: &str,
        question: &str,
        usual: Option<&str>,
    ) -> Result<String, Ended> {
        match given {
            Some(given) => Ok(given),
            None if self.input.is_terminal() && !self.piped => self.input.ask(question, usual).await,
            None => usual.map(str::to_owned).ok_or_else(|| missing(flag)),
        }
    }

    async fn password(&mut self) -> Result<String, Ended> {
        if self.piped {
            return prompt::password_line();
        }
        if !self.input.is_terminal() {
            let says = "A password is asked only at a terminal. Use --password-stdin to pipe it.";
            return Err(Ended::new(Exit::Usage, says));
        }
        self.input.new_password().await
    }
}

fn missing(flag: &str) -> Ended {
    Ended::new(Exit::Usage, format!("Without a terminal nothing is asked. Give {flag}."))
}
