//! The reading room: shell text to our own tree, with absolute byte spans everywhere.
//!
//! It never expands, runs or opens anything, and knows no policy.
#![forbid(unsafe_code)]
