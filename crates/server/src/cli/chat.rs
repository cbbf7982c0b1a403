//! `riad chat`: a conversation at the terminal. It streams, shows tools, asks what has to be approved, and finds its way
//! back after a cut. Ctrl-C stops the turn, twice leaves; the end of input leaves and lets the turn go on.

use std::io::{self, Write as _};

use clap::Args;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::api::{Api, tell};
use super::card::Asking;
use super::follow::{Follow, News};
use super::prompt::broken;
use super::signed_in::signed_out;
use super::talk::{Heard, Typed, Which, choose, follow, say, stop, type_in, waits};
use super::thread::Thread;
use super::view::View;
use crate::config::Config;
use crate::exit::{Ended, Exit};

/// Which conversation.
#[derive(Debug, Args)]
pub(super) struct ChatArgs {
    /// Goes on with this conversation.
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    /// Goes on with the conversation that changed last.
    #[arg(long, conflicts_with = "conversation")]
    last: bool,
}

struct Chat {
    api: Api,
    conversation: String,
    follow: Follow,
    thread: Thread,
    view: View,
    asking: Option<Asking>,
    interrupts: Signal,
    /// Whether one more interrupt leaves.
    leaving: bool,
    /// Whether the connection is gone for now.
    cut: bool,
    /// Whether the line for typing stands open.
    open_line: bool,
}

/// Whether the chat goes on.
#[derive(PartialEq)]
enum Goes {
    On,
    Away,
}

/// Talks until the person leaves.
pub(super) async fn chat(config: Config, args: ChatArgs) -> Result<(), Ended> {
    let interrupts = signal(SignalKind::interrupt()).map_err(broken)?;
    let mut api = Api::open(config).await?;
    let which = match args.conversation {
        Some(id) => Which::Named(id),
        None if args.last => Which::Last,
        None => Which::New(String::new()),
    };
    let conversation = choose(&mut api, which).await?;
    tell(&format!("Conversation {conversation}. Ctrl-C stops a turn, twice leaves; Ctrl-D leaves."))?;
    let follow = follow(&api, &conversation, 0);
    let mut chat = Chat {
        api,
        conversation,
        follow,
        thread: Thread::default(),
        view: View::new(true),
        asking: None,
        interrupts,
        leaving: false,
        cut: false,
        open_line: false,
    };
    chat.catch_up().await?;
    chat.run().await
}

impl Chat {
    /// Shows what was said before; from then on the person's words stand on the terminal already.
    async fn catch_up(&mut self) -> Result<(), Ended> {
        loop {
            let news = self.follow.next().await.unwrap_or(News::Cut);
            let live = matches!(news, News::Live);
            self.take(news).await?;
            if live {
                self.view.echo(!self.api.input.is_terminal());
                return Ok(());
            }
        }
    }

    async fn run(&mut self) -> Result<(), Ended> {
        loop {
            self.meet_cards()?;
            self.open_line()?;
            // Lines that are piped in wait for their turn; a person may always type.
            let typing = self.api.input.is_terminal() || (self.thread.turn.is_none() && self.asking.is_none());
            let goes = tokio::select! {
                news = self.follow.next() => { self.take(news.unwrap_or(News::Cut)).await?; Goes::On }
                line = self.api.input.line(), if typing => self.typed(line).await?,
                _ = self.interrupts.recv() => self.interrupted().await?,
            };
            if goes == Goes::Away {
                return Ok(());
            }
        }
    }

    async fn take(&mut self, news: News) -> Result<(), Ended> {
        match &news {
            News::Entry(entry) => self.thread.take(entry),
            News::Live if self.cut => {
                self.cut = false;
                self.say_aside("Connected again.")?;
            }
            News::Cut if !self.cut => {
                self.cut = true;
                self.say_aside("The connection is gone; looking for the server.")?;
            }
            News::Locked => {
                self.close_line()?;
                self.api.unlock().await?;
                self.follow = follow(&self.api, &self.conversation, self.thread.known);
            }
            News::SignedOut => return Err(signed_out()),
            News::Piece { .. } | News::SoFar { .. } | News::Withdrawn { .. } | News::Live | News::Cut => {}
        }
        self.view.take(&news);
        self.show()
    }

    /// Writes out what is new.
    fn show(&mut self) -> Result<(), Ended> {
        let text = self.view.drain();
        if text.is_empty() {
            return Ok(());
        }
        self.close_line()?;
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(broken)
    }

    /// Shows the first card that waits, or ends where nobody can be asked.
    fn meet_cards(&mut self) -> Result<(), Ended> {
        let first = self.thread.cards.front();
        if first.map(|card| &card.id) == self.asking.as_ref().map(|asking| &asking.card.id) {
            return Ok(());
        }
        let Some(card) = first.cloned() else {
            self.asking = None;
            return Ok(());
        };
        if !self.api.input.is_terminal() {
            return Err(waits(card.kind(), &card.id, &card.label()));
        }
        self.close_line()?;
        self.api.input.forget();
        tell(&card.text())?;
        self.asking = Some(Asking::show(card));
        Ok(())
    }

    /// Says what may be typed now.
    fn open_line(&mut self) -> Result<(), Ended> {
        let quiet = self.thread.turn.is_some() && self.asking.is_none();
        if self.open_line || quiet || !self.api.input.is_terminal() {
            return Ok(());
        }
        let text = self.asking.as_ref().map_or_else(|| "> ".to_owned(), Asking::prompt);
        write!(io::stderr(), "{text}").map_err(broken)?;
        self.open_line = true;
        Ok(())
    }

    /// Ends the line for typing, so that what comes next stands below it.
    fn close_line(&mut self) -> Result<(), Ended> {
        if std::mem::take(&mut self.open_line) {
            writeln!(io::stderr()).map_err(broken)?;
        }
        Ok(())
    }

    fn say_aside(&mut self, says: &str) -> Result<(), Ended> {
        self.close_line()?;
        tell(says)
    }

    async fn typed(&mut self, line: Option<String>) -> Result<Goes, Ended> {
        let Some(line) = line else { return self.left() };
        (self.leaving, self.open_line) = (false, false);
        if self.asking.is_some() {
            return self.answered(&line).await;
        }
        if line.trim().is_empty() {
            return Ok(Goes::On);
        }
        match say(&mut self.api, &self.conversation, &line).await {
            Ok(Heard::Said(said)) => self.thread.turn = Some(said.turn),
            Ok(Heard::Answered { says, anew }) => {
                tell(&says)?;
                if anew {
                    self.begin_anew().await?;
                }
            }
            // The words are still on the screen; nothing was said.
            Err(refused) if matches!(refused.exit, Exit::Usage | Exit::Conflict | Exit::Busy) => tell(&refused.says)?,
            Err(refused) => return Err(refused),
        }
        Ok(Goes::On)
    }

    /// Goes on in a new conversation.
    async fn begin_anew(&mut self) -> Result<(), Ended> {
        self.conversation = choose(&mut self.api, Which::New(String::new())).await?;
        self.follow = follow(&self.api, &self.conversation, 0);
        (self.thread, self.view, self.asking) = (Thread::default(), View::new(true), None);
        tell(&format!("Conversation {}.", self.conversation))?;
        self.catch_up().await
    }

    async fn answered(&mut self, line: &str) -> Result<Goes, Ended> {
        let Some(asking) = &mut self.asking else { return Ok(Goes::On) };
        let says = match type_in(&mut self.api, asking, line).await? {
            Typed::Again(says) => says,
            Typed::Settled(says) => {
                // The entry that says so is on its way; until then the card is not shown again.
                let id = asking.card.id.clone();
                self.thread.cards.retain(|card| card.id != id);
                self.asking = None;
                says
            }
        };
        says.map_or(Ok(()), |says| tell(&says))?;
        Ok(Goes::On)
    }

    fn left(&mut self) -> Result<Goes, Ended> {
        self.close_line()?;
        if self.thread.turn.is_some() {
            tell(&format!("The turn goes on. `riad chat --conversation {}` comes back to it.", self.conversation))?;
        }
        Ok(Goes::Away)
    }

    /// The first interrupt stops the turn, the second leaves.
    async fn interrupted(&mut self) -> Result<Goes, Ended> {
        self.close_line()?;
        if std::mem::replace(&mut self.leaving, true) {
            return Err(left_by_interrupt());
        }
        let Some(turn) = self.thread.turn.clone() else {
            tell("Ctrl-C again leaves.")?;
            return Ok(Goes::On);
        };
        tell("Stopping the turn. Ctrl-C again leaves.")?;
        tokio::select! {
            stopped = stop(&mut self.api, &self.conversation, &turn) => stopped.map(|()| Goes::On),
            _ = self.interrupts.recv() => Err(left_by_interrupt()),
        }
    }
}

fn left_by_interrupt() -> Ended {
    Ended::new(Exit::Interrupted, "")
}
