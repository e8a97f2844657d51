//! The ledger: one chained line for each opening and closing of a job, written before the child
//! exists.
//!
//! Lines are appended and never changed. Several processes and threads may append; a crash at any
//! moment leaves at most one torn line, which the next append cuts off and tells. This room must
//! never drop an error: no record, no run.

mod chain;
mod clock;
mod entry;
mod error;
mod files;
mod found;
mod head;
mod ledger;
mod lock;
mod read;
mod recover;
mod retire;
#[cfg(test)]
mod tests;
mod verify;

pub use clock::{moment, rfc3339};
pub use entry::{Entry, Phase, Receipt};
pub use error::Error;
pub use found::{Damage, Told, Verified};
pub use ledger::{Ledger, MAX_LINE_BYTES, ROTATE_BYTES};
pub use read::{Entries, Line, Opened, entries, opening_of, unclosed};
pub use verify::{Anchor, Anchors, verify};
