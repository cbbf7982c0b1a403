//! Runs turns: performs the effects that `domain` asks for, over ports, and journals what happened.
//!
//! It knows no provider, no SQL, no HTTP and no person's id: its ports are built from one unlocked vault, so a turn
//! cannot name another person's data.
//!
//! [`run`] is the loop, [`act`] what people do to a conversation, [`sessions`] who runs which conversation.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod act;
mod live;
mod perform;
pub mod ports;
pub mod rests;
pub mod run;
pub mod sessions;
