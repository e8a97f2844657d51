//! Running: one order at a time through a warden, from its start to the end of its tree.
//!
//! This room obeys a plan and never makes one; what it reads goes to a sink and is never looked
//! at. Decisions are in `state`, which is pure; the rest is a thin loop round it.

mod drive;
mod ending;
mod error;
mod home;
mod id;
mod later;
mod obeyed;
mod owner;
mod room;
mod state;
mod sweep;
mod told;

pub use drive::{Course, Flow, Outcome, Rest, Sink, Source, Streams, Survivor, attend, drive};
pub use ending::{Ending, Failure, LimitName};
pub use error::Error;
pub(crate) use error::remedy;
pub use home::{JobDir, StateDir};
pub use id::JobId;
pub use later::{Before, Born, Known};
pub use owner::{Orphan, Owner};
pub use room::Room;
pub use state::{Action, Event, Phase, Why, step};
