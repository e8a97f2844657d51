//! The MCP door: tools of a dialect over standard input and output, through the official SDK.
//!
//! It translates and holds no rule. Both protocol eras are the SDK's business. A cancelled request
//! ends its whole tree, and so does the end of the client or a signal to the server.

mod id;
mod progress;
mod serve;
mod wire;

pub use serve::{Error, serve};
