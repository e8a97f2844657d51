//! What counts as secret: the table of kinds, the values that are known, the user's patterns.
//!
//! A redactor must be quick to make (a one-shot program makes one for each start), so rows are
//! compiled when their literal first turns up. It must never put a secret into a message.

use super::dfa;
use super::error::Error;
use super::forms::{self, Form};
use super::kinds::{Edge, Look, ROWS};
use super::literals::{Literal, Literals, Use};
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

/// Knows all secrets; cheap to clone and to share.
#[derive(Clone)]
pub struct Redactor {
    inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) literals: Literals,
    rows: Vec<OnceLock<Compiled>>,
    pub(super) users: Vec<User>,
    /// Bytes with which a match of some user's pattern can start; `None` without patterns.
    pub(super) user_starts: Option<Box<[bool; 256]>>,
    kinds: Vec<Kind>,
    pub(super) user_kind: Kind,
}

/// A row's patterns, ready to walk.
pub(super) struct Compiled {
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
            literals: Literals::new(literals(&secrets.values)),
            rows: ROWS.iter().map(|_| OnceLock::new()).collect(),
            users,
            user_starts,
            kinds: ROWS.iter().map(|row| Kind::new(row.kind)).collect(),
            user_kind: Kind::new(USER_KIND),
        };
        Ok(Redactor { inner: Arc::new(inner) })
    }

    /// Redacts a whole text: a command, a message, an error, a string for the ledger. Bytes that
    /// are not UTF-8 appear as `\xNN`; control characters stay as they are.
    pub fn text(&self, raw: &[u8]) -> Redacted<String> {
        let mut spans = Vec::new();
        let mut scan = Scan::new(self);
        scan.push(raw, &mut spans);
        scan.finish(&mut spans);
        Redacted::new(apply(raw, &spans))
    }

    pub(super) fn inner(&self) -> &Inner {
        &self.inner
    }
}

impl Inner {
    /// A row's kind and its patterns, compiled on first use.
    pub(super) fn row(&self, index: usize) -> (&Kind, &Compiled) {
        let row = &ROWS[index];
        let compiled = self.rows[index].get_or_init(|| Compiled {
            lead: (!row.lead.is_empty()).then(|| compile_row(row.lead)),
            body: compile_row(row.body),
        });
        (&self.kinds[index], compiled)
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

/// What stands in the text instead of a secret.
pub(super) fn placeholder(kind: &Kind) -> String {
    format!("[REDACTED:{kind}]")
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

fn apply(raw: &[u8], spans: &[Span]) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut shown = 0;
    for (index, span) in spans.iter().enumerate() {
        push_lossy(&mut text, &raw[shown..span.start as usize]);
        let continues = index > 0 && spans[index - 1].continues_with(span);
        if !continues {
            text.push_str(&placeholder(&span.kind));
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

/// The table's literals first, so that where both match the same bytes the kind is named.
fn literals(values: &[(String, Vec<u8>)]) -> Vec<Literal> {
    let rows = ROWS.iter().enumerate().flat_map(|(index, row)| {
        row.literals.iter().map(move |text| Literal {
            bytes: text.as_bytes().to_vec(),
            edge: row.edge,
            look: row.look,
            purpose: Use::Row(index),
        })
    });
    let mut list: Vec<Literal> = rows.collect();
    for (name, value) in values.iter().filter(|(_, value)| value.len() >= MIN_VALUE_BYTES) {
        let kind = Kind::new(name);
        for form in pieces(value).flat_map(forms::spellings) {
            let (bytes, purpose) = match form {
                Form::Whole(bytes) => (bytes, Use::Whole(kind.clone())),
                Form::Base64(bytes) => (bytes, Use::Base64(kind.clone())),
            };
            list.push(Literal { bytes, edge: Edge::Any, look: Look::NONE, purpose });
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
