//! A command from a file `commands/<name>.md`: a head, and a body that becomes the message. It is text only: it calls no
//! tool and grants nothing.

use thiserror::Error;

use super::BuiltIn;
use crate::limits::MESSAGE_BYTES;
use crate::profile::{Fault, HeadFields, fault_at, split};

/// The longest body of a command, in bytes of UTF-8 (8 KiB).
pub const BODY_BYTES: usize = 8 * 1024;
/// Letters of a name, and of the texts in the head.
const NAME_CHARS: usize = 32;
const TEXT_CHARS: usize = 200;

/// A command from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Its name, without the slash: `[a-z0-9-]{1,32}`.
    pub name: String,
    /// What it does, for people.
    pub description: String,
    /// What may stand behind it, for people.
    pub argument_hint: Option<String>,
    /// The message, with places for what stands behind the name.
    pub body: String,
}

/// Why a file is no command.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CommandFault {
    /// Its name is none.
    #[error("a command's name is 1 to 32 of a-z, 0-9 and `-`")]
    Name,
    /// Riad itself has a command of that name.
    #[error("`/{0}` is a command of Riad; choose another name")]
    BuiltIn(&'static str),
    /// Its text is wrong.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Text(Vec<Fault>),
}

/// Reads the file of a command; its name is that of the file without `.md`.
///
/// # Errors
/// All that is wrong with it.
pub fn read(name: &str, text: &str) -> Result<Command, CommandFault> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !(1..=NAME_CHARS).contains(&name.len()) || !name.bytes().all(fits) {
        return Err(CommandFault::Name);
    }
    match BuiltIn::named(name) {
        Some(built_in) => Err(CommandFault::BuiltIn(built_in.name())),
        None => of_text(name, text).map_err(CommandFault::Text),
    }
}

fn of_text(name: &str, text: &str) -> Result<Command, Vec<Fault>> {
    if text.len() > 2 * BODY_BYTES {
        return Err(vec![fault_at(
            (1, 1),
            format!("the file has {} bytes; at most {} fit", text.len(), 2 * BODY_BYTES),
        )]);
    }
    let file = split(text).map_err(|fault| vec![fault])?;
    let root = file.head()?;
    let mut fields = HeadFields::of(&root)?;
    let command = Command {
        name: name.to_owned(),
        description: fields.needed_text("description", TEXT_CHARS),
        argument_hint: fields.text("argument_hint", TEXT_CHARS),
        body: file.body.to_owned(),
    };
    fields.refuse_others();
    if file.body.is_empty() || file.body.len() > BODY_BYTES {
        fields.fault((file.body_line, 1), format!("the text below the head has 1 to {BODY_BYTES} bytes"));
    }
    fields.done(command)
}

impl Command {
    /// The message: the body with what stands behind the name put in. What is put in is not looked at again; where the body
    /// has no place for it, it follows below. What is already too long for a message is not made longer.
    pub fn expand(&self, args: &str) -> String {
        let words: Vec<&str> = args.split_whitespace().collect();
        let (mut message, mut rest, mut placed) = (String::new(), self.body.as_str(), false);
        while let Some((before, behind)) = rest.split_once("{{") {
            if message.len() > MESSAGE_BYTES {
                return message;
            }
            message.push_str(before);
            let place = behind.split_once("}}").and_then(|(name, after)| Some((put_in(name, args, &words)?, after)));
            match place {
                Some((text, after)) => {
                    message.push_str(text);
                    (rest, placed) = (after, true);
                }
                None => {
                    message.push_str("{{");
                    rest = behind;
                }
            }
        }
        message.push_str(rest);
        if !placed && !args.is_empty() {
            message.push_str("\n\n");
            message.push_str(args);
        }
        message
    }
}

/// What stands for a place: `args` for all, `1` to `9` for single words.
fn put_in<'a>(name: &str, args: &'a str, words: &[&'a str]) -> Option<&'a str> {
    match name.trim() {
        "args" => Some(args),
        digit if digit.len() == 1 => {
            let number = digit.parse::<usize>().ok()?.checked_sub(1)?;
            Some(words.get(number).copied().unwrap_or_default())
        }
        _ => None,
    }
}
