//! How long it takes from the order to the end of `/usr/bin/true`, and to the end of a large tree.

fn main() {}
