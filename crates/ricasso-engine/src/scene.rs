//! The world as the judge saw it: every question it asked and the answer it got.
//!
//! `Live` answers from the machine and writes down; `Recorded` answers from what was written down;
//! `Described` is a small made-up world. This room must never judge, and never read the
//! environment of its own process: variables come in as an argument.

mod described;
mod git;
mod glob;
mod index;
mod live;
mod look;
mod path;
mod pointed;
mod recorded;
mod settings;
mod tree;

pub use described::Described;
pub use live::Live;
pub use look::{Answer, Kept, Kind, Look, Program, Query, Search, Tree};
pub use pointed::Pointed;
pub use recorded::{Fact, MAX_FACTS, Recorded, Scene};
