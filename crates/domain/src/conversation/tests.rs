//! The fold of a conversation.
