//! The boiler room: keeper, warden, process trees, descriptors. The only crate with `unsafe`.
//!
//! It does what it is told and decides nothing: which command may run, with what rights and for how
//! long is known to the engine alone. It must never read a policy, a ledger or a spool.

#[cfg(not(target_os = "linux"))]
compile_error!("ricasso runs on Linux so far; the macOS and Windows halves of this crate follow");

mod after_fork;
mod cancel;
mod channel;
mod error;
mod handle;
mod host;
mod keeper;
mod pipe;
mod ready;
mod signals;
mod tree;
mod warden;
mod wire;

pub use cancel::{Cancel, Cancelled};
pub use error::{Error, Result};
pub use host::{Host, own_uid};
pub use keeper::{KEEPER_NAME, Keeper};
pub use pipe::{Input, Output, closed_input, file_input, output, random, text_input};
pub use ready::{ready, writable};
pub use tree::Member;
pub use warden::{Ended, Report, Status, Usage, Warden};
pub use wire::{Ceilings, Limit, Order, Stage};
