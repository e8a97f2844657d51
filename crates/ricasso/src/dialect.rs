//! Five published tool contracts, spoken exactly: same tools, parameters, texts and units.
//!
//! An adapter turns a call into an engine request and the reply into the contract's shape. It
//! holds no rule: what its configuration forbids becomes a layer of the policy, and the one engine
//! judges. What ricasso adds stands beside the contract's own fields, never in their place.

mod analysis;
mod bash;
mod clerk;
mod exec;
mod execute_command;
mod flowforge;
mod name;
mod open;
mod scratchpad;
mod shape;
mod tool;

pub use crate::keys::Error as SettingsError;
pub use clerk::Clerk;
pub use name::Dialect;
pub use open::{Error, Life, ModeWord, Opened, Opening, open};
pub use tool::{Apart, Called, End, Note, Tell, Tool};
