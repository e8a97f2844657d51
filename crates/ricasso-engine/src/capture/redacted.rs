//! The proof that a value went through redaction. It must never get a constructor that code
//! outside this room can reach with a value of its own.

use serde::{Serialize, Serializer};
use std::fmt;

/// A value without secrets. Only the room `capture` makes one, so whoever demands it (reply,
/// ledger, notification) cannot be given anything else.
///
/// ```compile_fail
/// let forged = ricasso_engine::capture::Redacted { value: String::from("raw") };
/// ```
///
/// ```compile_fail
/// let forged = ricasso_engine::capture::Redacted::new(String::from("raw"));
/// ```
///
/// ```
/// use ricasso_engine::capture::{Redactor, Secrets};
/// let redactor = Redactor::new(&Secrets::default()).unwrap();
/// assert_eq!(redactor.text(b"plain").as_str(), "plain");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[must_use]
pub struct Redacted<T> {
    value: T,
}

impl<T> Redacted<T> {
    pub(super) fn new(value: T) -> Self {
        Redacted { value }
    }

    /// The value, lent.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// The value, given away; the proof ends here.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl Redacted<String> {
    /// A text of our own source code, which holds no secret.
    pub fn constant(text: &'static str) -> Self {
        Redacted { value: text.to_owned() }
    }

    /// The text, lent.
    pub fn as_str(&self) -> &str {
        &self.value
    }

    /// Adds another redacted text at the end.
    pub fn push(&mut self, more: &Redacted<String>) {
        self.value.push_str(&more.value);
    }
}

impl<T> AsRef<T> for Redacted<T> {
    fn as_ref(&self) -> &T {
        &self.value
    }
}

impl fmt::Display for Redacted<String> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.value)
    }
}

impl<T: Serialize> Serialize for Redacted<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}
