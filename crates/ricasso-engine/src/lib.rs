//! The house: one request in, one true reply out. The library that others embed.
//!
//! The way of the data is in ARCHITECTURE.md; which room may name which is held by a test.
#![forbid(unsafe_code)]

pub mod policy;
pub mod record;
pub mod request;
pub mod scene;
