//! A clearance cannot be handed out from outside.
//! Fails with E0624.

use domain::call::{Clearance, ClearedCall, ValidCall};
use domain::facts::Facts;
use domain::id::ConversationId;

fn clear(conversation: &ConversationId, call: ValidCall, facts: Facts) -> ClearedCall {
    ClearedCall::new(conversation, call, facts, Clearance::Class, false)
}
