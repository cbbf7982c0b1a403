//! What the window of a model leaves to a reply.

use super::Limits;

#[test]
fn a_reply_takes_at_most_a_quarter_of_the_window() {
    for (window, reply) in [(0, 256), (1_000, 256), (4_096, 1_024), (16_384, 4_096), (u32::MAX, 4_096)] {
        let wanted = Limits { reply_tokens: reply, ..Limits::default() };
        assert_eq!(Limits::for_window(window), wanted, "{window}");
    }
}
