//! What tests run on: a fake for every port, contract tests for fake and real alike, the language of transcripts, and a
//! scripted server that speaks the chat-completions wire. Never part of what is shipped.

#![forbid(unsafe_code)]

pub mod clock;
pub mod contract;
pub mod counts;
pub mod hook;
pub mod journal;
pub mod model;
pub mod notes;
pub mod observer;
pub mod random;
pub mod rules;
pub mod server;
pub mod setting;
pub mod transcript;
pub mod world;
