//! What the parts do together.

mod streams;
mod values;
mod windows;
