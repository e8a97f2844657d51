//! The doors: each translates between its own language and the engine's, and holds no rule.
#![forbid(unsafe_code)]

mod arguments;
pub mod config;
pub mod dialect;
pub mod duration;
pub mod exit;
mod keys;
mod layer;
mod place;
mod signal;

#[cfg(feature = "cli")]
pub mod cli;

#[cfg(feature = "mcp")]
pub mod mcp;
