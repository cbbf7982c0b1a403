//! `riad config`: what can be set, made from the one list of settings that the parser uses too. It reads no value.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use serde_json::json;

use super::prompt::say;
use crate::config::{Config, Kind, SETTINGS, Setting};
use crate::exit::Ended;
use crate::terminal;

/// The version of the printed document.
const SCHEMA: u32 = 1;

/// What is wanted.
#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Lists all keys: what they do, what they take, what holds without them.
    Keys {
        /// Prints one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Prints a riad.toml with every key, all of them commented out.
    Example,
    /// Says whether the configuration fits (exit 0), or all that is wrong with it (exit 78).
    Check,
}

/// Prints it.
pub(super) fn settings(config: Result<Config, Ended>, args: &ConfigArgs) -> Result<(), Ended> {
    match args.command {
        ConfigCommand::Keys { json: true } => say(&terminal::json(&document())),
        ConfigCommand::Keys { json: false } => say(keys().trim_end()),
        ConfigCommand::Example => say(example().trim_end()),
        ConfigCommand::Check => config.and_then(|_| say("The configuration fits.")),
    }
}

fn keys() -> String {
    SETTINGS.iter().fold(String::new(), |mut text, setting| {
        let Setting { key, kind, default, description, example } = setting;
        let (variable, takes) = (setting.variable(), takes(*kind));
        let _ = writeln!(text, "{key}  ({variable})\n  {description}");
        let _ = writeln!(text, "  {takes}, for example {example}\n  default: {default}\n");
        text
    })
}

fn example() -> String {
    SETTINGS.iter().fold(String::new(), |mut text, setting| {
        let Setting { key, kind, default, description, example } = setting;
        let value = if let Kind::Whole(..) = kind { (*example).to_owned() } else { format!("{example:?}") };
        let _ = writeln!(text, "# {description}\n# Default: {default}.\n#{key} = {value}\n");
        text
    })
}

fn document() -> serde_json::Value {
    let keys: Vec<_> = SETTINGS
        .iter()
        .map(|setting| {
            json!({
                "key": setting.key,
                "variable": setting.variable(),
                "takes": takes(setting.kind),
                "default": setting.default,
                "description": setting.description,
                "example": setting.example,
            })
        })
        .collect();
    json!({ "schema": SCHEMA, "keys": keys })
}

fn takes(kind: Kind) -> String {
    match kind {
        Kind::Address => "an address with port".to_owned(),
        Kind::Path => "a path".to_owned(),
        Kind::Url => "an http or https address".to_owned(),
        Kind::Text => "a text".to_owned(),
        Kind::Whole(least, most) => format!("a whole number from {least} to {most}"),
        Kind::Choice(words) => format!("one of {}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{SETTINGS, example, keys};
    use crate::config::{Given, parse};

    #[test]
    fn the_example_fits_once_its_keys_are_no_comments_any_more() {
        let text: String = example().lines().map(|line| format!("{}\n", uncommented(line))).collect();
        let given = Given { file: Some(("riad.toml".to_owned(), text.clone())), ..Given::default() };
        let values = parse(&given).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
        for setting in SETTINGS {
            assert_eq!(values.get(setting.key), Some(setting.example), "{}", setting.key);
        }
    }

    /// A comment has a blank after its sign, a key that is commented out has none.
    fn uncommented(line: &str) -> &str {
        line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line)
    }

    #[test]
    fn every_key_is_listed_with_its_variable() {
        let text = keys();
        for setting in SETTINGS {
            assert!(text.contains(&format!("{}  ({})", setting.key, setting.variable())), "{}", setting.key);
        }
    }
}
