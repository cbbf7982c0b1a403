//! What a tool says, before it runs, that a call would do. Rules, cards and digests read facts, never argument text.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::tool::EffectClass;

/// The facts of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// What the call would do; the strictest counts.
    pub classes: BTreeSet<EffectClass>,
    /// The places it would touch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathFact>,
    /// The program it would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandFact>,
    /// The hosts it would ask.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub hosts: BTreeSet<String>,
    /// False when a fact could not be had: such a call counts as an unknown target of the strictest class.
    pub known: bool,
    /// Whether what it does can be taken back.
    pub undo: bool,
}

impl Facts {
    /// Facts of a call of one class that touches no place.
    pub fn of(class: EffectClass) -> Self {
        Self {
            classes: BTreeSet::from([class]),
            paths: Vec::new(),
            command: None,
            hosts: BTreeSet::new(),
            known: true,
            undo: false,
        }
    }

    /// Facts of a call about which nothing could be learned: execute and send, target unknown.
    pub fn unknown() -> Self {
        Self {
            classes: BTreeSet::from([EffectClass::Execute, EffectClass::Send]),
            paths: Vec::new(),
            command: None,
            hosts: BTreeSet::new(),
            known: false,
            undo: false,
        }
    }

    /// Whether the call only looks.
    pub fn only_reads(&self) -> bool {
        self.known && self.classes.iter().all(|class| *class == EffectClass::Read)
    }
}

/// One place that a call would touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathFact {
    /// The place in the agent namespace, links followed and dots resolved, for example `~/notes/plan.md`.
    pub path: String,
    /// Which root it lies in.
    pub root: Root,
    /// What would happen there.
    pub class: EffectClass,
    /// What is there now: absent, or the hash of its content.
    pub now: Content,
    /// Bytes that would be written.
    #[serde(default)]
    pub bytes: u64,
}

/// The roots of the agent namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Root {
    /// The person's own folder of files.
    Home,
    /// The work folder of one conversation.
    Work,
    /// Private notes, sealed in the vault.
    Notes,
}

/// What lies at a place at the moment of asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Nothing.
    Absent,
    /// A file of up to 16 MiB, by its hash.
    Hash(Digest),
    /// A larger file, by size in bytes and time of last change in milliseconds.
    Large {
        /// Bytes.
        size: u64,
        /// Milliseconds since 1970.
        changed: i64,
    },
    /// A folder, by the hash of its listing.
    Folder(Digest),
    /// Not looked at, since the call only reads it.
    Unread,
}

/// The program that a call would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandFact {
    /// Program and arguments, as they will be handed over.
    pub argv: Vec<String>,
    /// The program's file in the tool image, when the program is known there.
    pub program: Option<String>,
    /// True when it runs without network and can write only in the work folder.
    pub quiet: bool,
}

/// Facts together with what a person and the interface need to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appraisal {
    /// What the call would do.
    pub facts: Facts,
    /// One line of up to 60 characters, made by the host: `Write ~/notes/plan.md`.
    pub label: String,
    /// What would change, for the card.
    pub preview: Option<Preview>,
}

/// What a card shows of a change. It follows from arguments and content hashes, so it is no part of a digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preview {
    /// A change of text, as a unified diff with all its lines.
    Diff {
        /// The place.
        path: String,
        /// Unified diff, 3 lines of context.
        diff: String,
    },
    /// A program as its parts.
    Command {
        /// Program and arguments.
        argv: Vec<String>,
    },
}
