//! The redactor as the engine uses it: what it returns carries the proof that it was redacted.

use super::error::Error;
use super::redacted::Redacted;
use ricasso_redact::{KnownValues, Label, RedactedStream, Secrets, Span};
use std::fmt::Write;
use std::sync::Arc;

/// Knows all secrets of a job; cheap to clone and to share.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    search: ricasso_redact::Redactor,
}

impl Redactor {
    /// Takes in what is secret. Fails on a pattern that is no regular expression, and names it.
    pub fn new(secrets: &Secrets) -> Result<Redactor, Error> {
        match ricasso_redact::Redactor::new(secrets) {
            Ok(search) => Ok(Redactor { search }),
            Err(error) => {
                Err(Error::Pattern { pattern: error.pattern.clone(), source: error.into() })
            }
        }
    }

    /// The same redactor with these placeholders.
    pub fn labelled(self, label: Label) -> Redactor {
        Redactor { search: self.search.labelled(label) }
    }

    /// Which placeholders it leaves.
    pub fn label(&self) -> Label {
        self.search.label()
    }

    /// Redacts a whole text: a command, a message, an error, a string for the ledger. Bytes that
    /// are not UTF-8 appear as `\xNN`; control characters stay as they are.
    pub fn text(&self, raw: &[u8]) -> Redacted<String> {
        let mut text = String::with_capacity(raw.len());
        push_lossy(&mut text, &self.search.redact(raw));
        Redacted::new(text)
    }

    /// The secrets of a whole text.
    pub(super) fn find_spans(&self, raw: &[u8]) -> Vec<Span> {
        self.search.find_spans(raw)
    }

    /// The search without its known values, which are recorded while output is stored.
    pub(super) fn by_pattern(&self) -> ricasso_redact::Redactor {
        self.search.without_values()
    }

    /// All of the search.
    pub(super) fn search(&self) -> &ricasso_redact::Redactor {
        &self.search
    }

    /// The known values, where there are any.
    pub(super) fn values(&self) -> Option<&Arc<KnownValues>> {
        self.search.values()
    }
}

/// A stream of text on its way to a reader.
#[derive(Debug)]
pub struct TextStream {
    stream: RedactedStream,
}

impl TextStream {
    /// A stream from which nothing came yet.
    pub fn new(redactor: &Redactor) -> TextStream {
        TextStream { stream: RedactedStream::new(redactor.search.clone()) }
    }

    /// Takes in bytes; returns what is now decided.
    pub fn push(&mut self, bytes: &[u8]) -> Redacted<Vec<u8>> {
        Redacted::new(self.stream.push(bytes))
    }

    /// The rest. Nothing may follow.
    pub fn finish(&mut self) -> Redacted<Vec<u8>> {
        Redacted::new(self.stream.finish())
    }
}

/// Adds bytes as text: UTF-8 as it is, each other byte as `\xNN`.
pub(super) fn push_lossy(text: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            write!(text, "\\x{byte:02x}").expect("writing to a string cannot fail");
        }
    }
}
