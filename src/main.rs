//! The `ample` command.

fn main() {}
