//! The boiler room: keeper, warden, process trees, descriptors. The only crate with `unsafe`.
//!
//! It does what it is told and decides nothing: which command may run, with what rights and for how
//! long is known to the engine alone. It must never read a policy, a ledger or a spool.

#[cfg(not(target_os = "linux"))]
compile_error!("ricasso runs on Linux so far; the macOS and Windows halves of this crate follow");

mod after_fork;
mod cage;
mod cancel;
mod channel;
mod detach;
mod error;
mod feed;
mod group;
mod handle;
mod held;
mod host;
mod in_place;
mod keeper;
mod limits;
pub mod macos;
mod mounted;
mod note;
mod pipe;
mod plain;
mod pty;
mod pump;
mod ready;
mod removal;
mod signals;
mod socket;
mod stack;
mod tree;
mod turned;
mod waits;
mod warden;
pub mod windows;
mod wire;

pub use cage::{Cage, Denied, Namespaces, NarrowedRoot, Net, Powers, Tmp, Told, Walls, is_kernels};
pub use cancel::{Cancel, Cancelled};
pub use detach::{leave_session, let_go_of_streams};
pub use error::{Error, Result, remedy};
pub use feed::Feeder;
pub use group::Grouping;
pub use held::{Held, free_bytes, held_by, shared_memory_bytes};
pub use host::{Host, own_uid};
pub use keeper::{KEEPER_NAME, Keeper, Network, Probe};
pub use pipe::{
    Input, Output, closed_input, fed_input, file_input, output, random, state_file, text_input,
};
pub use plain::read_plain;
pub use pty::{Terminal, terminal};
pub use pump::enclosed_input;
pub use ready::{ready, writable};
pub use removal::remove_tree;
pub use signals::survive_full_files;
pub use socket::{call, is_ours, listen};
pub use stack::with_room;
pub use tree::{Member, Used, used_by};
pub use turned::leads_out;
pub use waits::{Asleep, Mouth, Seen, seen};
pub use warden::{Ended, Report, Status, Usage, Warden};
pub use wire::{Ceilings, Leaves, Limit, Order, STATE_FD, Stage};
