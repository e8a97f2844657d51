//! What Windows needs, as far as it is words: command lines, the shells, paths, the token.
//!
//! Pure functions that every platform compiles and tests; starting and caging there is not built.

mod quote;
mod shell;
mod token;

pub use quote::{command_line, quote};
pub use shell::{GIT_BASH, from_git_bash, git_bash, powershell};
pub use token::{OPEN, SHUT, Step, low_integrity};
