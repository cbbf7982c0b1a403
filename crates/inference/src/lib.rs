//! Models behind the `Model` port: supervised worker processes on this machine and remote engines. This crate holds no
//! native code, no SQL, no tools and no web server.
//!
//! The first group of modules is shared with the worker executables, which take this crate without its `client` feature.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod content;
pub mod dialect;
pub mod gguf;
pub mod protocol;
pub mod repetition;
pub mod segments;
pub mod sse;
pub mod utf8;

#[cfg(feature = "client")]
pub mod bench;
#[cfg(feature = "client")]
pub mod local;
#[cfg(feature = "client")]
pub mod providers;
#[cfg(feature = "client")]
pub mod remote;
