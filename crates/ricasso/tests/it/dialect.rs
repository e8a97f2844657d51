//! The five contracts, criterion by criterion: each case goes through `call` and over MCP alike.
//!
//! Tables lie in `cases/dialect`; what a table cannot say is a test named for its criterion.

mod alike;
mod bash;
mod case;
mod door;
mod flowforge;
mod harmless;
mod installed;
mod keys;
mod others;
mod reading;
mod session;
mod table;
mod vectors;
mod wire;

use std::io::Write;

/// Tells `cargo xtask criteria` how a case of a criterion went.
pub(crate) fn told(id: &str, case: &str, good: bool) {
    let Some(path) = std::env::var_os("RICASSO_CRITERIA") else { return };
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
    let result = if good { "ok" } else { "FAILED" };
    // One write, since several threads tell at once.
    file.write_all(format!("{id}\t{case}\t{result}\n").as_bytes()).unwrap();
}
