//! Which programs a command may start, and with which options. One table with reasons; not the wall: that is the
//! sandbox, this only sorts calls.
//!
//! A program that is closed is closed in every spelling of its name, and an option that starts another program, writes
//! elsewhere or loads configuration closes the call in every spelling of the option. What the table does not know runs
//! by its effect class alone.

use thiserror::Error;

use crate::argv::{self, ArgvFault};

mod awk;
mod closed;
mod options;
mod sed;
mod special;
mod words;

/// Why a program may not be started so.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProgramFault {
    /// The list is not plain argv.
    #[error("{0}")]
    Argv(#[from] ArgvFault),
    /// The program is closed, with any argument.
    #[error("`{program}` is closed here: {because}. {instead}")]
    Program {
        /// Its name as written.
        program: String,
        /// What kind of program it is.
        because: &'static str,
        /// The way that works.
        instead: &'static str,
    },
    /// This argument is closed for the program.
    #[error("`{program}` may not be given `{argument}`: {because}")]
    Argument {
        /// The program.
        program: String,
        /// The argument as written.
        argument: String,
        /// What it would do.
        because: &'static str,
    },
}

/// Judges program and arguments.
pub fn judge_argv(argv: &[String]) -> Result<(), ProgramFault> {
    argv::check_list(argv)?;
    let (program, arguments) = argv.split_first().expect("a checked list has a program");
    judge_name(program)?;
    options::judge(program, &known_as(program), arguments)
}

/// The script file that an interpreter is to run, as written. Judged calls have at most one.
pub fn script(argv: &[String]) -> Option<&str> {
    let (program, arguments) = argv.split_first()?;
    special::script_file(&known_as(program), arguments)
}

/// Judges a program by name alone: the one that was written, or one that its file in the tool image is known by.
pub fn judge_name(program: &str) -> Result<(), ProgramFault> {
    let fault = |(because, instead)| ProgramFault::Program { program: program.to_owned(), because, instead };
    if program.bytes().any(|b| b.is_ascii_uppercase()) {
        return Err(fault((
            "program names are written in small letters, and a name in other case hides which program is meant",
            "Write the name in small letters.",
        )));
    }
    closed::reason(&known_as(program)).map_or(Ok(()), |reason| Err(fault(reason)))
}

/// The names under which a program may stand in the table: as written, in small letters, without a version
/// (`python3.12`, `gcc-14`), without the name of a target (`x86_64-linux-gnu-gcc`).
fn known_as(program: &str) -> Vec<String> {
    let lower = program.to_ascii_lowercase();
    let mut names = vec![lower.clone()];
    if let Some(plain) = lower.strip_suffix(".exe") {
        names.push(plain.to_owned());
    }
    if let Some((_, tool)) = lower.split_once("-linux-gnu-").or_else(|| lower.split_once("-linux-musl-")) {
        names.push(tool.to_owned());
    }
    for name in names.clone() {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '_'));
        if !stem.is_empty() && stem != name {
            names.push(stem.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests;
