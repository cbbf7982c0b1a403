//! A turn: fold and choice.
