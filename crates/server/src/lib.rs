//! The composition root: routes, sessions, wire types, pages and the command line. It wires and translates, it does
//! not decide: no policy, no prompt text, no SQL stands here.
//!
//! Where to begin: [`serve`] starts a server from its parts, [`routes`] is the table of all routes, [`wiring`] builds
//! the ports of one open vault, [`stream`] is the event stream, [`cli`] the command line.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod aside;
pub mod assets;
pub mod bench;
pub mod boot;
pub mod cli;
pub mod client;
pub mod clock;
pub mod config;
pub mod confinement;
pub mod cookie;
pub mod etag;
pub mod exit;
pub mod export;
pub mod extract;
pub mod files;
pub mod guard;
pub mod headers;
pub mod ledger;
pub mod panel;
pub mod problem;
pub mod room;
pub mod routes;
pub mod serve;
pub mod state;
pub mod stream;
pub mod terminal;
pub mod wire;
pub mod wiring;
