//! What counts as secret: the table of kinds, the user's patterns, the values that are known.
//!
//! A redactor must be quick to make (a one-shot program makes one for each start), so rows are
//! compiled when their literal first turns up. It must never put a secret into a message.

use crate::kinds::{ROW_COUNT, ROWS, Row, Stem};
use crate::pattern::{self, CompileError};
use crate::search::{Findings, Window, search_patterns};
use crate::values::KnownValues;
use crate::{End, Secrets};
use regex_automata::hybrid::dfa::{Cache, DFA};
use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Longer names of kinds are cut, so that a placeholder stays short and a record has a bound.
pub const KIND_CHARS: usize = 64;

/// The name of a kind of secret: letters, digits, `_`, `.` and `-` only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kind(Cow<'static, str>);

/// A secret: offsets from the start of the stream, the end excluded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
    /// What it is.
    pub kind: Kind,
}

/// A pattern of [`Secrets::patterns`] is no regular expression that can be used.
#[derive(Debug)]
pub struct PatternError {
    /// The pattern as given.
    pub pattern: String,
    source: CompileError,
}

/// Knows all secrets; cheap to clone and to share.
#[derive(Clone, Default)]
pub struct Redactor {
    patterns: Arc<Patterns>,
    values: Option<Arc<KnownValues>>,
    label: Label,
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

impl Label {
    /// The text for a secret of this kind.
    pub fn placeholder(self, kind: &Kind) -> String {
        match self {
            Label::Named => format!("[REDACTED:{kind}]"),
            Label::Plain => "[REDACTED]".to_owned(),
        }
    }

    /// Adds bytes, which stand at an offset of a stream, without its secrets. One shows its
    /// placeholder where it starts and nothing anywhere else. Returns how many start here.
    pub fn replace(self, spans: &[Span], bytes: &[u8], offset: u64, out: &mut Vec<u8>) -> u64 {
        let end = offset + bytes.len() as u64;
        let (mut at, mut starts) = (offset, 0);
        let first = spans.partition_point(|span| span.end <= offset);
        for span in spans[first..].iter().take_while(|span| span.start < end) {
            if span.start >= at {
                out.extend_from_slice(
                    &bytes[(at - offset) as usize..(span.start - offset) as usize],
                );
                out.extend_from_slice(self.placeholder(&span.kind).as_bytes());
                starts += 1;
            }
            at = span.end.min(end);
        }
        out.extend_from_slice(&bytes[(at - offset) as usize..]);
        starts
    }
}

/// Everything but known values, with the working memory of the last search.
#[derive(Default)]
pub(crate) struct Patterns {
    users: Vec<UserPattern>,
    /// Bytes with which a match of some user's pattern can start; `None` without patterns.
    user_starts: Option<Box<[bool; 256]>>,
    caches: Mutex<Option<Box<PatternCaches>>>,
}

/// A row's patterns, ready to walk.
struct CompiledRow {
    lead: Option<DFA>,
    body: DFA,
}

/// The compiled rows, which all redactors share.
static COMPILED: [OnceLock<CompiledRow>; ROW_COUNT] = [const { OnceLock::new() }; ROW_COUNT];

/// A user's pattern, ready to walk.
pub(crate) struct UserPattern {
    pub(crate) dfa: DFA,
    pub(crate) starts: [bool; 256],
}

/// The working memory of the patterns, made when a pattern is first tried.
#[derive(Default)]
pub(crate) struct PatternCaches {
    rows: Vec<Option<(Option<Cache>, Cache)>>,
    users: Vec<Option<Cache>>,
}

impl Kind {
    pub(crate) const PATTERN: Kind = Kind(Cow::Borrowed("pattern"));

    /// Makes a name fit for placeholders.
    pub fn new(name: &str) -> Kind {
        let fit = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' };
        let name: String = name.chars().take(KIND_CHARS).map(fit).collect();
        Kind(if name.is_empty() { "value".into() } else { name.into() })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn of_row(row: &Row) -> Kind {
        Kind(Cow::Borrowed(row.kind))
    }

    /// The kind of what is assigned to a name.
    pub(crate) fn of_name(stem: Stem) -> Kind {
        Kind(Cow::Borrowed(match stem {
            Stem::Pass | Stem::Pwd => "password",
            Stem::Token => "token",
            Stem::Secret | Stem::Auth => "secret",
            Stem::Key => "key",
        }))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Redactor {
    /// Takes in what is secret beyond the table of kinds. Fails on a pattern that is no regular
    /// expression, and names it.
    pub fn new(secrets: &Secrets) -> Result<Redactor, PatternError> {
        let compile = |pattern: &String| UserPattern::compile(pattern);
        let users = secrets.patterns.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
        let user_starts = (!users.is_empty()).then(|| {
            Box::new(std::array::from_fn(|byte| users.iter().any(|user| user.starts[byte])))
        });
        let patterns = Patterns { users, user_starts, caches: Mutex::default() };
        let values = KnownValues::new(&secrets.values).map(Arc::new);
        Ok(Redactor { patterns: Arc::new(patterns), values, label: Label::default() })
    }

    /// The same redactor with these placeholders.
    pub fn labelled(self, label: Label) -> Redactor {
        Redactor { label, ..self }
    }

    /// Which placeholders it leaves.
    pub fn label(&self) -> Label {
        self.label
    }

    /// Replaces every secret by a placeholder, `[REDACTED:kind]` if not labelled otherwise.
    pub fn redact(&self, bytes: &[u8]) -> Vec<u8> {
        let mut shown = Vec::with_capacity(bytes.len());
        self.label.replace(&self.find_spans(bytes), bytes, 0, &mut shown);
        shown
    }

    /// The secrets of a whole text, in order, none overlapping another.
    pub fn find_spans(&self, bytes: &[u8]) -> Vec<Span> {
        self.search(&Window { bytes, offset: 0, from: 0, end: End::Closed }).spans
    }

    /// The secrets of a window of a stream.
    pub fn search(&self, window: &Window<'_>) -> Findings {
        self.search_beside(window, &[])
    }

    /// The secrets of a window of a stream in which some are known already.
    pub fn search_beside(&self, window: &Window<'_>, known: &[Span]) -> Findings {
        let mut found = search_patterns(&self.patterns, window);
        if let Some(values) = &self.values {
            found.extend(values.candidates(window));
        }
        found.add_known(known);
        found.settle()
    }

    /// The same without known values, for a reader that is told where those are.
    pub fn without_values(&self) -> Redactor {
        Redactor { values: None, ..self.clone() }
    }

    /// The known values, where there are any.
    pub fn values(&self) -> Option<&Arc<KnownValues>> {
        self.values.as_ref()
    }
}

impl Patterns {
    pub(crate) fn users(&self) -> &[UserPattern] {
        &self.users
    }

    pub(crate) fn user_starts(&self) -> Option<&[bool; 256]> {
        self.user_starts.as_deref()
    }

    pub(crate) fn take_caches(&self) -> Box<PatternCaches> {
        self.caches.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
    }

    pub(crate) fn return_caches(&self, caches: Box<PatternCaches>) {
        *self.caches.lock().unwrap_or_else(PoisonError::into_inner) = Some(caches);
    }
}

impl UserPattern {
    /// The most bytes that a match is walked over.
    pub(crate) const MAX: usize = 4 * 1024;

    fn compile(pattern: &str) -> Result<UserPattern, PatternError> {
        let dfa = pattern::compile(pattern)
            .map_err(|source| PatternError { pattern: pattern.to_owned(), source })?;
        let starts = pattern::first_bytes(&dfa);
        Ok(UserPattern { dfa, starts })
    }
}

impl PatternCaches {
    /// A row's lead, where it has one, and its body, each with its cache.
    pub(crate) fn row(&mut self, index: usize) -> (Option<(&DFA, &mut Cache)>, (&DFA, &mut Cache)) {
        let compiled = COMPILED[index].get_or_init(|| CompiledRow::compile(&ROWS[index]));
        if self.rows.len() <= index {
            self.rows.resize_with(index + 1, || None);
        }
        let (lead, body) = self.rows[index].get_or_insert_with(|| {
            (compiled.lead.as_ref().map(DFA::create_cache), compiled.body.create_cache())
        });
        (compiled.lead.as_ref().zip(lead.as_mut()), (&compiled.body, body))
    }

    pub(crate) fn user(&mut self, index: usize, user: &UserPattern) -> &mut Cache {
        if self.users.len() <= index {
            self.users.resize_with(index + 1, || None);
        }
        self.users[index].get_or_insert_with(|| user.dfa.create_cache())
    }
}

impl CompiledRow {
    fn compile(row: &Row) -> CompiledRow {
        let compile = |text: &str| {
            pattern::compile_bytes(text).expect("every row of the table compiles; a test holds it")
        };
        let lead = (!row.lead.is_empty()).then(|| compile(row.lead));
        CompiledRow { lead, body: compile(row.body) }
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pattern = &self.pattern;
        write!(
            f,
            "cannot use the pattern {pattern:?}; write a regular expression without look-around \
             and back-references"
        )
    }
}

impl Error for PatternError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.source.as_ref())
    }
}
