//! What counts as secret: the table of kinds, the values that are known, the user's patterns.
//!
//! A redactor must be quick to make (a one-shot program makes one for each start), so rows are
//! compiled when their literal first turns up. It must never put a secret into a message.

use super::before::Before;
use super::dfa::{self, End};
use super::error::Error;
use super::forms::{self, Form};
use super::kinds::{ROWS, Stem};
use super::literals::{Literals, Spelling, Tail};
use super::redacted::Redacted;
use super::scan::{Kind, Scan, Span};
use regex_automata::hybrid::dfa::DFA;
use std::fmt::{self, Write};
use std::sync::{Arc, OnceLock};

/// Shorter values are words that stand everywhere; hiding them would garble the output and
/// tell more than it hides.
pub const MIN_VALUE_BYTES: usize = 6;

/// Longer values are looked for in pieces of this many bytes, so that the wait for the rest of a
/// value stays bounded.
const VALUE_PIECE_BYTES: usize = 4 * 1024;

/// What a match of a user's pattern may have in bytes before it is redacted piecemeal; also what
/// waits at most for the pattern's decision.
const USER_MATCH_BYTES: usize = 4 * 1024;

/// The name of the kind for matches of the user's patterns.
const USER_KIND: &str = "pattern";

/// The secrets that are known beyond the table of kinds.
#[derive(Clone, Default)]
pub struct Secrets {
    /// Exact values, each with the name for its placeholder: a kind or a variable's name.
    pub values: Vec<(String, Vec<u8>)>,
    /// The user's regular expressions; each match is a secret.
    pub patterns: Vec<String>,
}

/// What stands in the text instead of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Label {
    /// `[REDACTED:kind]`.
    #[default]
    Named,
    /// `[REDACTED]`, where a contract demands these words.
    Plain,
}

/// Knows all secrets; cheap to clone and to share.
#[derive(Clone)]
pub struct Redactor {
    inner: Arc<Inner>,
    label: Label,
}

pub(super) struct Inner {
    pub(super) literals: Literals,
    rows: Box<[OnceLock<Compiled>]>,
    named: OnceLock<[Kind; 4]>,
    pub(super) users: Vec<User>,
    /// Bytes with which a match of some user's pattern can start; `None` without patterns.
    pub(super) user_starts: Option<Box<[bool; 256]>>,
    pub(super) user_kind: Kind,
}

/// A row's patterns, ready to walk.
pub(super) struct Compiled {
    kind: Kind,
    pub(super) lead: Option<DFA>,
    pub(super) body: DFA,
}

/// A user's pattern, ready to walk.
pub(super) struct User {
    pub(super) dfa: DFA,
    pub(super) starts: [bool; 256],
}

impl User {
    pub(super) const MAX: usize = USER_MATCH_BYTES;
}

impl Redactor {
    /// Takes in what is secret. Fails on a pattern that is no regular expression, and names it.
    pub fn new(secrets: &Secrets) -> Result<Redactor, Error> {
        let users = secrets.patterns.iter().map(|pattern| user(pattern)).collect::<Result<_, _>>();
        let users: Vec<User> = users?;
        let user_starts = (!users.is_empty()).then(|| {
            Box::new(std::array::from_fn(|byte| users.iter().any(|user| user.starts[byte])))
        });
        let inner = Inner {
            literals: Literals::new(spellings(&secrets.values)),
            rows: [const { OnceLock::new() }; ROWS.len()].into(),
            users,
            user_starts,
            named: OnceLock::new(),
            user_kind: Kind::new(USER_KIND),
        };
        Ok(Redactor { inner: Arc::new(inner), label: Label::default() })
    }

    /// The same redactor with these placeholders.
    pub fn labelled(self, label: Label) -> Redactor {
        Redactor { label, ..self }
    }

    /// Which placeholders it leaves.
    pub fn label(&self) -> Label {
        self.label
    }

    /// Redacts a whole text: a command, a message, an error, a string for the ledger. Bytes that
    /// are not UTF-8 appear as `\xNN`; control characters stay as they are.
    pub fn text(&self, raw: &[u8]) -> Redacted<String> {
        let mut spans = Vec::new();
        let mut scan = Scan::new(self);
        scan.push(raw, &mut spans);
        scan.finish(&mut spans);
        Redacted::new(apply(raw, &spans, self.label))
    }

    pub(super) fn inner(&self) -> &Inner {
        &self.inner
    }
}

impl Inner {
    /// A row's kind and its patterns, compiled on first use.
    pub(super) fn row(&self, index: usize) -> (&Kind, &Compiled) {
        let row = ROWS[index];
        let compiled = self.rows[index].get_or_init(|| Compiled {
            kind: Kind::new(row.kind),
            lead: (!row.lead.is_empty()).then(|| compile_row(row.lead)),
            body: compile_row(row.body),
        });
        (&compiled.kind, compiled)
    }

    /// What the end of the text may still become; nothing at the end of the stream.
    pub(super) fn tail(&self, bytes: &[u8], from: usize, before: Before, end: End) -> Tail {
        match end {
            End::Open => self.literals.tail(bytes, from, before),
            End::Closed => Tail { open: bytes.len(), shown: bytes.len() },
        }
    }

    /// The kind of what is assigned to a name.
    pub(super) fn named_kind(&self, stem: Stem) -> &Kind {
        let kinds =
            self.named.get_or_init(|| ["password", "token", "secret", "key"].map(Kind::new));
        match stem {
            Stem::Pass | Stem::Pwd => &kinds[0],
            Stem::Token => &kinds[1],
            Stem::Secret | Stem::Auth => &kinds[2],
            Stem::Key => &kinds[3],
        }
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({} values, {} patterns)", self.values.len(), self.patterns.len())
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

/// What stands in the text instead of a secret of this kind.
pub(super) fn placeholder(kind: &Kind, label: Label) -> String {
    match label {
        Label::Named => format!("[REDACTED:{kind}]"),
        Label::Plain => "[REDACTED]".to_owned(),
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

fn apply(raw: &[u8], spans: &[Span], label: Label) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut shown = 0;
    for (index, span) in spans.iter().enumerate() {
        push_lossy(&mut text, &raw[shown..span.start as usize]);
        let continues = index > 0 && spans[index - 1].continues_with(span);
        if !continues {
            text.push_str(&placeholder(&span.kind, label));
        }
        shown = span.end as usize;
    }
    push_lossy(&mut text, &raw[shown..]);
    text
}

fn user(pattern: &str) -> Result<User, Error> {
    let dfa = dfa::compile(pattern)
        .map_err(|source| Error::Pattern { pattern: pattern.to_owned(), source })?;
    let starts = dfa::first_bytes(&dfa);
    Ok(User { dfa, starts })
}

fn compile_row(pattern: &str) -> DFA {
    dfa::compile_bytes(pattern).expect("every row of the table compiles; a test holds it")
}

/// Every spelling of every value.
fn spellings(values: &[(String, Vec<u8>)]) -> Vec<Spelling> {
    let mut list = Vec::new();
    for (name, value) in values.iter().filter(|(_, value)| value.len() >= MIN_VALUE_BYTES) {
        let kind = Kind::new(name);
        for form in pieces(value).flat_map(forms::spellings) {
            let (bytes, base64) = match form {
                Form::Whole(bytes) => (bytes, false),
                Form::Base64(bytes) => (bytes, true),
            };
            list.push(Spelling { bytes, kind: kind.clone(), base64 });
        }
    }
    list
}

/// Cuts long values; the last piece is joined to the one before when it is too short to stand
/// alone.
fn pieces(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let rest = value.len() % VALUE_PIECE_BYTES;
    let cut = if rest < MIN_VALUE_BYTES && value.len() > VALUE_PIECE_BYTES {
        value.len() - rest - VALUE_PIECE_BYTES
    } else {
        value.len()
    };
    let (front, back) = value.split_at(cut);
    front.chunks(VALUE_PIECE_BYTES).chain((!back.is_empty()).then_some(back))
}
