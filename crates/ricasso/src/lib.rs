//! The doors: each translates between its own language and the engine's, and holds no rule.
#![forbid(unsafe_code)]

pub mod config;
pub mod exit;

#[cfg(feature = "cli")]
pub mod cli;
