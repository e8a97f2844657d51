//! How well the judge judges: labelled commands in, numbers out.
//!
//! Everything runs in this process and in a described world; nothing is started and nothing on disk
//! but the cases and policies is read.
#![forbid(unsafe_code)]

pub mod corpus;
mod policies;
pub mod vectors;
mod world;

pub use policies::{Loaded, Policies};
