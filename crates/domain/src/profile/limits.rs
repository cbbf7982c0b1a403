//! What a profile or another layer wishes of the limits of a turn. A wish lowers; the strictest of all holds.

use super::fields::Fields;
use crate::limits::Limits;

macro_rules! wishes {
    ($($(#[$says:meta])* $name:ident: $kind:ty = $least:literal to $most:literal;)*) => {
        /// Limits that are wished lower, by the names of [`Limits`].
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct LimitWishes {
            $($(#[$says])* pub $name: Option<$kind>,)*
        }

        impl LimitWishes {
            /// The stricter one of two, limit by limit.
            #[must_use]
            pub fn and(self, other: Self) -> Self {
                Self { $($name: strictest(self.$name, other.$name),)* }
            }

            /// The limits, none of them above what is wished.
            #[must_use]
            pub fn lower(self, limits: Limits) -> Limits {
                Limits { $($name: self.$name.map_or(limits.$name, |wish| wish.min(limits.$name)),)* }
            }
        }

        fn of_fields(fields: &mut Fields<'_>) -> LimitWishes {
            LimitWishes { $($name: fields.number(stringify!($name), $least, $most),)* }
        }
    };
}

wishes! {
    /// Replies of the model in one turn.
    rounds: usize = 1 to 200;
    /// Calls in one turn.
    calls: usize = 0 to 10_000;
    /// Calls in one reply.
    calls_a_reply: usize = 1 to 128;
    /// Milliseconds of active time.
    active_ms: u64 = 1_000 to 86_400_000;
    /// Tokens that models may write in one turn.
    decoded_tokens: u64 = 256 to 10_000_000;
    /// How often one model is asked again.
    retries: usize = 0 to 20;
    /// Reads side by side.
    parallel: usize = 1 to 64;
    /// Delegates side by side.
    delegates: usize = 1 to 16;
    /// Approvals that may wait at once.
    cards: usize = 0 to 100;
    /// Tokens of one reply.
    reply_tokens: u32 = 64 to 1_000_000;
    /// Tokens of the reply that closes a turn at its limit.
    closing_tokens: u32 = 64 to 100_000;
}

fn strictest<N: Ord>(one: Option<N>, other: Option<N>) -> Option<N> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// The field `limits`.
pub(super) fn read(fields: &mut Fields<'_>) -> LimitWishes {
    let Some(node) = fields.take("limits") else { return LimitWishes::default() };
    fields.inner(node, of_fields)
}
