//! The words and the decisions of Riad: values in, values out.
//!
//! Nothing here waits, reads a file, opens a socket, looks at a clock or draws a random number. Time, ids and
//! randomness come in as arguments, so the same entries always give the same answer.
//!
//! Where to begin: [`entry`] says what is recorded, [`turn`] folds it and decides what comes next, [`gate`] judges a
//! call, [`call`] shows how a call gains its rights by changing its type.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod account;
pub mod address;
pub mod approval;
pub mod argv;
pub mod call;
pub mod compact;
pub mod context;
pub mod conversation;
pub mod delegate;
pub mod digest;
pub mod effect;
pub mod entry;
pub mod facts;
pub mod footer;
pub mod gate;
pub mod health;
pub mod id;
pub mod letters;
pub mod limits;
pub mod line;
pub mod message;
pub mod model;
pub mod outcome;
pub mod place;
pub mod plan;
pub mod profile;
pub mod program;
pub mod question;
pub mod repair;
pub mod result;
pub mod rounds;
pub mod rule;
pub mod scratchpad;
pub mod setting;
pub mod slash;
mod strict;
pub mod time;
pub mod title;
pub mod tool;
pub mod turn;
pub mod yaml;
