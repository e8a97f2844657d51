//! The project's own tasks. `cargo xtask check` is all of CI.

fn main() {}
