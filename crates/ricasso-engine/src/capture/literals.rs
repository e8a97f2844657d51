//! What may announce a secret: the literals of the table and the spellings of known values, by the
//! bytes at a place and before it. Nothing here can be printed: literals are secrets too.

use super::before::Before;
use super::fronts::{BUCKETS, Case, Fronts};
use super::kinds::{self, Announces, Edge, Entry, LONGEST, Stem};
use super::places::HEADS;
use super::scan::Kind;
use ricasso_os::lanes::{Front, Heads};
use std::sync::OnceLock;

/// Spellings whose first bytes share the buckets of the table: those of two or three values.
const BESIDE: usize = 24;

/// Further ones whose first bytes are looked for together: more of them let too much through.
const GROUP: usize = 48;

/// What a literal announces.
#[derive(Clone, Copy)]
pub(super) enum Use<'a> {
    /// The secret is the literal itself.
    Whole(&'a Kind),
    /// The literal is the stable part of a base64 text that holds the secret.
    Base64(&'a Kind),
    /// The row of this index has to be tried.
    Row(usize),
    /// What follows may be assigned to this name.
    Name(Stem),
}

impl Use<'_> {
    /// Whether the literal stays visible, whatever it announces.
    pub(super) fn is_lead(self) -> bool {
        match self {
            Use::Whole(_) | Use::Base64(_) => false,
            Use::Row(index) => kinds::ROWS[index].is_led(),
            Use::Name(_) => true,
        }
    }
}

/// A fixed text and what it announces.
#[derive(Clone, Copy)]
pub(super) struct Literal<'a> {
    /// The text.
    pub(super) bytes: &'a [u8],
    /// What it announces.
    pub(super) purpose: Use<'a>,
}

/// A spelling of a known value.
pub(super) struct Spelling {
    /// The text, at least three bytes long.
    pub(super) bytes: Vec<u8>,
    /// The name of the value.
    pub(super) kind: Kind,
    /// Whether it is the stable part of a base64 text.
    pub(super) base64: bool,
}

/// All literals of a redactor: those of the table, which all redactors share, and its own.
pub(super) struct Literals {
    /// Sorted by the first byte.
    spellings: Vec<Spelling>,
    /// Whether one starts with the byte of this number.
    firsts: [bool; 256],
    /// The first bytes of all literals that are looked for everywhere, made when they are first
    /// needed.
    fronts: OnceLock<Vec<Front>>,
    /// The same, in another form.
    heads: OnceLock<Box<Heads>>,
    longest: usize,
}

/// What the end of the text may still become.
pub(super) struct Tail {
    /// From here on a literal may be cut off.
    pub(super) open: usize,
    /// Nothing before this place can belong to a secret.
    pub(super) shown: usize,
}

impl Literals {
    /// The table's literals and these.
    pub(super) fn new(mut spellings: Vec<Spelling>) -> Self {
        spellings.sort_by_key(|spelling| spelling.bytes[0]);
        let longest = spellings.iter().map(|spelling| spelling.bytes.len()).max().unwrap_or(0);
        let mut firsts = [false; 256];
        spellings.iter().for_each(|spelling| firsts[usize::from(spelling.bytes[0])] = true);
        let (fronts, heads) = (OnceLock::new(), OnceLock::new());
        Literals { spellings, firsts, fronts, heads, longest: longest.max(LONGEST) }
    }

    /// The literals that stand at the start of `rest`, or may once more bytes are there, and that
    /// count after what stands before; in order of precedence.
    pub(super) fn starting<'a>(
        &'a self,
        rest: &'a [u8],
        before: Before,
    ) -> impl Iterator<Item = Literal<'a>> {
        let (single, pairs) = kinds::starting(rest);
        let fits = move |entry: &&Entry| agrees(entry.text.as_bytes(), rest);
        let counts = move |entry: &&Entry| match entry.edge {
            Edge::Any => true,
            Edge::Word => before.is_edge(),
            Edge::Number => ends_number(before.text()),
        };
        let follows = move |entry: &&Entry| entry.follows(before.text());
        let listed = single.iter().chain(pairs);
        let table = listed.filter(fits).filter(counts).filter(follows).map(|entry| Literal {
            bytes: entry.text.as_bytes(),
            purpose: match entry.announces {
                Announces::Row(index) => Use::Row(usize::from(index)),
                Announces::Stem(stem) => Use::Name(stem),
            },
        });
        let own = self.own(rest[0]).filter(move |spelling| agrees(&spelling.bytes, rest));
        table.chain(own.map(Spelling::literal))
    }

    /// The spellings that start with this byte.
    fn own(&self, first: u8) -> impl Iterator<Item = &Spelling> {
        // Nearly all places have none, and the search takes longer than this look.
        let start = if self.firsts[usize::from(first)] {
            self.spellings.partition_point(|spelling| spelling.bytes[0] < first)
        } else {
            self.spellings.len()
        };
        self.spellings[start..].iter().take_while(move |spelling| spelling.bytes[0] == first)
    }

    /// Whether one of the spellings stands here.
    pub(super) fn stands(&self, rest: &[u8]) -> bool {
        self.own(rest[0]).any(|own| rest.starts_with(&own.bytes))
    }

    /// The first bytes of the literals that are looked for everywhere.
    pub(super) fn fronts(&self) -> &[Front] {
        if self.spellings.is_empty() {
            return &kinds::FRONTS;
        }
        self.fronts.get_or_init(|| {
            let (few, more) = self.spellings.split_at(self.spellings.len().min(BESIDE));
            let mut both = kinds::SORTED;
            few.iter().for_each(|own| both.add(&own.bytes, Case::Exact));
            let tables = |group: &[Spelling]| {
                let mut fronts = Fronts::<BUCKETS>::EMPTY;
                group.iter().for_each(|own| fronts.add(&own.bytes, Case::Exact));
                fronts.tables(0)
            };
            let groups = more.chunks(GROUP).map(tables);
            [both.tables(0), both.tables(BUCKETS)].into_iter().chain(groups).collect()
        })
    }

    /// The same first bytes, as numbers.
    pub(super) fn heads(&self) -> &Heads {
        if self.spellings.is_empty() {
            return &HEADS;
        }
        self.heads.get_or_init(|| {
            let with = |heads: Heads, own: &Spelling| heads.with(&own.bytes, &[]);
            Box::new(self.spellings.iter().fold(HEADS.clone(), with))
        })
    }

    /// Where the text after `from` may be the first part of a literal, or its end.
    pub(super) fn tail(&self, bytes: &[u8], from: usize, earlier: Before) -> Tail {
        let first = bytes.len().saturating_sub(self.longest.saturating_sub(1)).max(from);
        let mut tail = Tail { open: bytes.len(), shown: bytes.len() };
        for at in first..bytes.len() {
            let rest = &bytes[at..];
            for literal in self.starting(rest, Before::at(earlier, bytes, at)) {
                if literal.bytes.len() <= rest.len() {
                    continue;
                }
                tail.open = tail.open.min(at);
                if !literal.purpose.is_lead() {
                    tail.shown = at;
                    return tail;
                }
            }
        }
        tail
    }
}

impl Spelling {
    fn literal(&self) -> Literal<'_> {
        let purpose = if self.base64 { Use::Base64(&self.kind) } else { Use::Whole(&self.kind) };
        Literal { bytes: &self.bytes, purpose }
    }
}

/// Whether the text ends in the number of a bot and a colon.
fn ends_number(text: &[u8]) -> bool {
    let Some((b':', number)) = text.split_last() else { return false };
    number.iter().rev().take_while(|byte| byte.is_ascii_digit()).count() >= BOT_DIGITS
}

/// Bots have numbers of eight digits and more.
const BOT_DIGITS: usize = 6;

/// Whether the literal stands at the start of `rest`, as far as that goes. Most differ in their
/// second byte, so that one is looked at first.
fn agrees(literal: &[u8], rest: &[u8]) -> bool {
    match (literal, rest) {
        ([_, second, ..], [_, other, ..]) if second != other => false,
        _ if literal.len() <= rest.len() => rest.starts_with(literal),
        _ => literal.starts_with(rest),
    }
}
