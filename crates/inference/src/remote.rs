//! Remote engines behind the `Model` port. What they speak lives in one adapter file each; the way out is `egress`.
//! Retrying and choosing another model are not done here.

pub mod openai;
pub mod sse;

mod call_joiner;
mod wide_text;
