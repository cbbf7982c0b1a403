//! What the tests of the sandbox run, inside and outside. It is no part of what people install.

fn main() {}
