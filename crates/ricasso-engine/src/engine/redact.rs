//! Redacting a text that no command of ours printed.

use super::open;
use crate::capture::{Redactor, TextStream};
use crate::error::Error;
use crate::policy::Policy;

/// A stream of text in which the secrets are those of a command started from this process: by
/// form and name, by the policy's patterns, and the values of its variables that the policy calls
/// secret.
pub fn redact_stream(policy: &Policy) -> Result<TextStream, Error> {
    let environment: Vec<_> =
        std::env::vars_os().map(|(name, value)| (name.into(), value.into())).collect();
    let redactor = Redactor::new(&open::secrets(policy, &environment)).map_err(Error::Capture)?;
    Ok(TextStream::new(&redactor))
}
