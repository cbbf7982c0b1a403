//! What a message means that begins with `/`: a command of Riad, a command from a file, or a name that is neither. It does
//! nothing itself; a command is text and grants nothing.

mod command;

use std::borrow::Cow;

use crate::tool::edit_distance;

pub use command::{BODY_BYTES, Command, CommandFault, read};

/// A command that Riad itself knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BuiltIn {
    /// Lists the commands.
    Help,
    /// Begins another conversation.
    New,
    /// Stops the turn.
    Stop,
    /// Which model answers.
    Model,
    /// Which profile answers.
    Agent,
    /// Folds the conversation.
    Compact,
    /// How full the window is.
    Context,
    /// Tokens so far.
    Usage,
    /// Has the last message answered anew.
    Retry,
    /// Begins a new line here.
    Branch,
    /// Which tools there are.
    Tools,
    /// Which skills there are.
    Skills,
    /// Which rules hold.
    Rules,
    /// Undoes what was done.
    Undo,
}

impl BuiltIn {
    /// All of them, in the order in which help lists them.
    pub const ALL: [Self; 14] = [
        Self::Help,
        Self::New,
        Self::Stop,
        Self::Model,
        Self::Agent,
        Self::Compact,
        Self::Context,
        Self::Usage,
        Self::Retry,
        Self::Branch,
        Self::Tools,
        Self::Skills,
        Self::Rules,
        Self::Undo,
    ];

    /// Its name, without the slash.
    pub fn name(self) -> &'static str {
        match self {
            Self::Help => "help",
            Self::New => "new",
            Self::Stop => "stop",
            Self::Model => "model",
            Self::Agent => "agent",
            Self::Compact => "compact",
            Self::Context => "context",
            Self::Usage => "usage",
            Self::Retry => "retry",
            Self::Branch => "branch",
            Self::Tools => "tools",
            Self::Skills => "skills",
            Self::Rules => "rules",
            Self::Undo => "undo",
        }
    }

    /// What it does, for people.
    pub fn says(self) -> &'static str {
        match self {
            Self::Help => "lists the commands",
            Self::New => "begins another conversation",
            Self::Stop => "stops the turn that runs",
            Self::Model => "lists the models, or chooses the one that is named",
            Self::Agent => "lists the profiles, or chooses the one that is named",
            Self::Compact => "replaces old turns by a summary in what the model reads",
            Self::Context => "says how full the model's window is",
            Self::Usage => "says how many tokens this conversation has used",
            Self::Retry => "has your last message answered anew",
            Self::Branch => "begins a new line of this conversation here",
            Self::Tools => "lists the tools the assistant has",
            Self::Skills => "lists the skills the assistant has",
            Self::Rules => "lists the rules in force",
            Self::Undo => "undoes what was done",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|each| each.name() == name)
    }
}

/// What a message means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning<'a> {
    /// Words for the model.
    Words(Cow<'a, str>),
    /// A command of Riad, with what stands behind it.
    BuiltIn(BuiltIn, &'a str),
    /// A command from a file, with what stands behind it.
    Command(&'a Command, &'a str),
    /// No command. It reaches no model.
    Unknown {
        /// The name that was written, clipped.
        name: String,
        /// The names that are nearest, at most three.
        nearest: Vec<String>,
    },
}

/// Letters of an unknown name that are told and compared.
const NAME_CHARS: usize = 40;
/// Names that are proposed.
const NEAREST: usize = 3;

/// What a message means, given the commands from files.
pub fn meaning<'a>(text: &'a str, commands: &'a [Command]) -> Meaning<'a> {
    let Some(written) = text.strip_prefix('/') else { return Meaning::Words(text.into()) };
    if written.starts_with('/') {
        return Meaning::Words(written.into());
    }
    let (name, args) = written.split_once(char::is_whitespace).unwrap_or((written, ""));
    let args = args.trim();
    if let Some(built_in) = BuiltIn::named(name) {
        return Meaning::BuiltIn(built_in, args);
    }
    match commands.iter().find(|command| command.name == name) {
        Some(command) => Meaning::Command(command, args),
        None => unknown(name, commands),
    }
}

fn unknown(name: &str, commands: &[Command]) -> Meaning<'static> {
    let name: String = name.chars().take(NAME_CHARS).collect();
    let ours = BuiltIn::ALL.iter().map(|built_in| built_in.name());
    let all = ours.chain(commands.iter().map(|command| command.name.as_str()));
    let nearest = nearest(&name, all).into_iter().map(str::to_owned).collect();
    Meaning::Unknown { name, nearest }
}

/// The candidates that are nearest to a name, at most three.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let name: String = name.chars().take(NAME_CHARS).collect();
    let mut by_distance: Vec<_> = candidates.map(|each| (edit_distance(each, &name), each)).collect();
    by_distance.sort_unstable();
    by_distance.into_iter().take(NEAREST).map(|(_, each)| each).collect()
}

#[cfg(test)]
mod tests;
