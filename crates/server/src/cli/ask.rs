//! `riad ask`: one message, and the answer alone on standard output. What has to be approved is asked at the terminal, or
//! ends the command with exit code 5 and the item's id.

use std::io::{self, Read as _, Write as _};

use clap::Args;
use serde_json::json;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::api::{Api, tell};
use super::card::Asking;
use super::follow::{Follow, News};
use super::prompt::broken;
use super::signed_in::signed_out;
use super::talk::{Heard, Said, Typed, Which, choose, follow, say, stop, title_from, type_in, waits};
use super::thread::Thread;
use crate::config::Config;
use crate::exit::{Ended, Exit};
use crate::terminal;
use crate::wire::entry::{EntryView, Fact, FooterRow};
use crate::wire::word::Outcome;

/// The version of the printed document.
const SCHEMA: u32 = 1;
/// The longest message that is read from standard input (1 MiB, the body cap of the API).
const LONGEST: u64 = 1024 * 1024;

/// The message, and where it is said.
#[derive(Debug, Args)]
pub(super) struct AskArgs {
    /// The message. A lone - stands for standard input; without any words all of it is read from there.
    words: Vec<String>,
    /// Goes on with this conversation instead of a new one.
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    /// Prints one JSON document.
    #[arg(long)]
    json: bool,
}

/// Asks and prints the answer.
pub(super) async fn ask(config: Config, args: AskArgs) -> Result<(), Ended> {
    let message = message(&args.words)?;
    let interrupts = signal(SignalKind::interrupt()).map_err(broken)?;
    let mut api = Api::open(config).await?;
    let conversation =
        choose(&mut api, args.conversation.map_or_else(|| Which::New(title_from(&message)), Which::Named)).await?;
    let follow = follow(&api, &conversation, 0);
    let thread = Thread::default();
    let mut asked =
        Asked { api, conversation, follow, thread, interrupts, asking: None, outcome: None, json: args.json };
    asked.catch_up().await?;
    let opened = asked.thread.turn.is_none();
    let said = match say(&mut asked.api, &asked.conversation, &message).await? {
        Heard::Said(said) => said,
        Heard::Answered { says, .. } => return asked.tell_answer(&says),
    };
    let ended = asked.until_end(&said, opened).await?;
    asked.print(&ended)
}

fn message(words: &[String]) -> Result<String, Ended> {
    let given: Vec<&str> = words.iter().map(String::as_str).collect();
    let piped = given.is_empty() || given.contains(&"-");
    let input = if piped { standard_input()? } else { String::new() };
    let parts: Vec<&str> = given.into_iter().map(|word| if word == "-" { input.trim_end() } else { word }).collect();
    let message = if parts.is_empty() { input } else { parts.join(" ") };
    if message.trim().is_empty() {
        return Err(Ended::new(Exit::Usage, "There is nothing to ask. Give words, or text on standard input."));
    }
    Ok(message)
}

fn standard_input() -> Result<String, Ended> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes).map_err(broken)?;
    if bytes.len() as u64 > LONGEST {
        return Err(Ended::new(Exit::Usage, "Standard input is longer than 1 MiB. Ask about a part of it."));
    }
    String::from_utf8(bytes).map_err(|_| Ended::new(Exit::Usage, "Standard input is not text in UTF-8."))
}

struct Asked {
    api: Api,
    conversation: String,
    follow: Follow,
    thread: Thread,
    interrupts: Signal,
    asking: Option<Asking>,
    /// The end of a turn, once it was met.
    outcome: Option<Ending>,
    json: bool,
}

/// How a turn came out.
struct Ending {
    turn: String,
    outcome: Outcome,
    /// Why, and what to do; for the person.
    says: String,
    footer: Vec<FooterRow>,
}

impl Ending {
    /// Of an entry that ends a turn.
    fn of(entry: EntryView) -> Option<Self> {
        let Fact::Ended { outcome, sentence, next_step, footer } = entry.fact else { return None };
        Some(Self { turn: entry.turn, outcome, says: format!("{sentence} {next_step}"), footer })
    }
}

impl Asked {
    /// Reads what was said before.
    async fn catch_up(&mut self) -> Result<(), Ended> {
        loop {
            let news = self.follow.next().await;
            let live = matches!(news, Some(News::Live));
            self.take(news).await?;
            if live {
                self.outcome = None;
                return Ok(());
            }
        }
    }

    /// Goes on until the turn that read the message is over. `opened`: no turn ran before it.
    async fn until_end(&mut self, said: &Said, opened: bool) -> Result<Ending, Ended> {
        loop {
            if let Some(ended) = self.outcome.take()
                && (self.thread.seen >= said.entry || (opened && ended.turn == said.turn))
            {
                return Ok(ended);
            }
            self.meet_cards(said)?;
            let typing = self.asking.is_some();
            tokio::select! {
                news = self.follow.next() => self.take(news).await?,
                line = self.api.input.line(), if typing => self.typed(line).await?,
                _ = self.interrupts.recv() => return Err(self.interrupted(said).await),
            }
        }
    }

    async fn take(&mut self, news: Option<News>) -> Result<(), Ended> {
        match news {
            Some(News::Entry(entry)) => {
                self.thread.take(&entry);
                if let Some(ending) = Ending::of(*entry) {
                    self.outcome = Some(ending);
                }
                Ok(())
            }
            Some(News::Locked) => {
                self.api.unlock().await?;
                self.follow = follow(&self.api, &self.conversation, self.thread.known);
                Ok(())
            }
            Some(News::SignedOut) => Err(signed_out()),
            Some(_) | None => Ok(()),
        }
    }

    /// Shows the first card that waits, or ends where nobody can be asked.
    fn meet_cards(&mut self, said: &Said) -> Result<(), Ended> {
        let first = self.thread.cards.front();
        let shown = self.asking.as_ref().map(|asking| &asking.card.id);
        if first.map(|card| &card.id) == shown {
            return Ok(());
        }
        let Some(card) = first.cloned() else {
            self.asking = None;
            return tell("It was answered elsewhere.");
        };
        if !self.api.input.is_terminal() {
            let id = terminal::line(&card.id);
            let item = json!({ "id": card.id, "kind": card.kind(), "label": card.label() });
            let document =
                json!({ "schema": SCHEMA, "conversation": self.conversation, "turn": said.turn, "waits": item });
            let line = if self.json { terminal::json(&document) } else { id.clone() };
            writeln!(io::stdout(), "{line}").map_err(broken)?;
            return Err(waits(card.kind(), &id, &card.label()));
        }
        self.api.input.forget();
        tell(&card.text())?;
        let asking = Asking::show(card);
        prompt(&asking)?;
        self.asking = Some(asking);
        Ok(())
    }

    async fn typed(&mut self, line: Option<String>) -> Result<(), Ended> {
        let (Some(asking), Some(line)) = (&mut self.asking, line) else {
            let card = self.asking.as_ref().map(|asking| &asking.card);
            return Err(card.map_or_else(signed_out, |card| waits(card.kind(), &card.id, &card.label())));
        };
        match type_in(&mut self.api, asking, &line).await? {
            Typed::Again(says) => {
                says.map_or(Ok(()), |says| tell(&says))?;
                prompt(asking)
            }
            Typed::Settled(says) => {
                // The entry that says so is on its way; until then the card is not shown again.
                let id = asking.card.id.clone();
                self.thread.cards.retain(|card| card.id != id);
                self.asking = None;
                says.map_or(Ok(()), |says| tell(&says))
            }
        }
    }

    async fn interrupted(&mut self, said: &Said) -> Ended {
        let turn = self.thread.turn.clone().unwrap_or_else(|| said.turn.clone());
        match stop(&mut self.api, &self.conversation, &turn).await {
            Ok(()) => Ended::new(Exit::Interrupted, "Stopped. What was done stands in the conversation."),
            Err(refused) => Ended::new(Exit::Interrupted, format!("Left; the turn may go on. {}", refused.says)),
        }
    }

    /// What Riad itself answered to a command.
    fn tell_answer(&self, says: &str) -> Result<(), Ended> {
        if self.json {
            let document = json!({ "schema": SCHEMA, "conversation": self.conversation, "answer": says });
            return writeln!(io::stdout(), "{}", terminal::json(&document)).map_err(broken);
        }
        writeln!(io::stdout(), "{}", terminal::plain(says)).map_err(broken)
    }

    /// The answer, or why there is none.
    fn print(&self, ended: &Ending) -> Result<(), Ended> {
        let Ending { turn, outcome, says, footer } = ended;
        let answered = *outcome == Outcome::Answered;
        if self.json {
            let document = json!({
                "schema": SCHEMA, "conversation": self.conversation, "turn": turn, "outcome": outcome,
                "answer": self.thread.answer, "footer": footer,
            });
            writeln!(io::stdout(), "{}", terminal::json(&document)).map_err(broken)?;
        } else if answered {
            writeln!(io::stdout(), "{}", terminal::plain(self.thread.answer.trim_end())).map_err(broken)?;
        }
        if answered {
            return Ok(());
        }
        let exit = if *outcome == Outcome::Stopped { Exit::Interrupted } else { Exit::Failed };
        Err(Ended::new(exit, says))
    }
}

fn prompt(asking: &Asking) -> Result<(), Ended> {
    write!(io::stderr(), "{}", asking.prompt()).map_err(broken)
}
