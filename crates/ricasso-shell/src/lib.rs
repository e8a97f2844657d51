//! The reading room: shell text to our own tree, with absolute byte spans everywhere.
//!
//! It never expands, runs or opens anything, and knows no policy. Every text gives a tree, or a
//! tree and the byte from which on the text is unreadable.
#![forbid(unsafe_code)]

mod cursor;
mod error;
pub mod limit;
mod read;
mod script;
mod span;
pub mod tree;
mod word;

pub use error::{Unreadable, Why};
pub use limit::Limit;
pub use script::{Script, Shell, read};
pub use span::Span;
