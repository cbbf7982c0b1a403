//! What goes over HTTP and the stream, converted by hand from the domain: its types are ours to change, these are not.
//! Within v1 they only grow.

pub mod approval;
pub mod conversation;
pub mod entry;
pub mod frame;
pub mod session;
