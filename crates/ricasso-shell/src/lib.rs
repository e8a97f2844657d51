//! The reading room: shell text to our own tree, with absolute byte spans everywhere.
//!
//! It never expands, runs or opens anything, and knows no policy. Every text gives a tree, or a
//! tree and the byte from which on the text is unreadable.
#![forbid(unsafe_code)]

mod code;
mod cursor;
mod draw;
mod error;
mod find;
pub mod limit;
mod note;
mod read;
mod script;
mod span;
pub mod tree;
mod walk;
mod word;

pub use code::{Code, How};
pub use draw::draw;
pub use error::{Unreadable, Why};
pub use find::Found;
pub use limit::Limit;
pub use note::{Odd, Oddity};
pub use script::{Script, Shell, read};
pub use span::Span;
pub use walk::Place;
