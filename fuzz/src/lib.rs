//! Fuzz targets as plain functions over bytes, with the corpora and mutations that feed them.
//!
//! Nothing here runs a text; targets only read it.
#![forbid(unsafe_code)]

pub mod corpus;
pub mod engine;
pub mod judge;
pub mod mutate;
pub mod random;
pub mod reader;
