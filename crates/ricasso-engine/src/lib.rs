//! The house: one request in, one true reply out. The library that others embed.
//!
//! The way of the data is in ARCHITECTURE.md; which room may name which is held by a test.
#![forbid(unsafe_code)]

pub mod capture;
pub mod engine;
pub mod error;
pub mod plan;
pub mod policy;
pub mod record;
pub mod reply;
pub mod request;
pub mod run;
pub mod scene;

pub use engine::Engine;
pub use error::Error;
