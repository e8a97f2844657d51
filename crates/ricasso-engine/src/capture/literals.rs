//! Finds the places where a secret may start: all literals at once, with vector instructions
//! where the machine has them. It must never miss a literal; whether a place counts is decided
//! by the scan. Nothing here can be printed: literals are secrets too.

use super::bare::is_bare;
use super::before::{BEFORE_BYTES, Before, is_word};
use super::kinds::{self, Announces, ENTRIES, Edge, Entry, LONGEST, Look, Search, Stem};
use super::runs::Runs;
use super::scan::Kind;
use aho_corasick::{AhoCorasick, MatchKind, Span, packed};
use memchr::memmem;
use std::sync::OnceLock;

/// Literals searched together: beyond 64 the packed searcher refuses, and each group is a pass.
const GROUP: usize = 64;

/// The search compares so many bytes, so that longer literals are looked for by their first ones
/// and share them. Shorter ones have a group of their own, or the search would compare less of all.
const PACKED_BYTES: usize = 4;

/// How far the look behind a literal goes: longer than nearly all host names.
const LOOK_BYTES: usize = 64;

/// Shorter texts are searched place by place: making the searchers takes longer.
const PLAIN_BYTES: usize = 2 * 1024;

/// No further hit in the bytes at hand.
const NOWHERE: usize = usize::MAX;

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
    /// Searchers for the spellings, made when they are first needed.
    finders: OnceLock<Vec<Finder>>,
    longest: usize,
}

/// Searchers for the table, made when the first long text comes.
static TABLE: OnceLock<Vec<Finder>> = OnceLock::new();

enum Finder {
    /// One literal that ordinary text is full of.
    One(Box<One>),
    Packed(packed::Searcher),
    /// Where there are no vector instructions.
    Automaton(AhoCorasick),
}

/// A literal that ordinary text is full of, and what passes over most of its hits.
struct One {
    finder: memmem::Finder<'static>,
    over: Over,
}

/// Passes over hits that cannot count.
struct Over {
    edge: Edge,
    /// The bytes at which the look behind the literal ends.
    stops: [bool; 256],
    look: Look,
}

/// Where each group hits next, so that no group searches the same bytes twice.
pub(super) struct Hits<'a> {
    literals: &'a Literals,
    runs: Runs,
    /// Where the next run is.
    run: usize,
    next: Vec<usize>,
    plain: bool,
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
        Literals { spellings, finders: OnceLock::new(), longest: longest.max(LONGEST) }
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
        let start = self.spellings.partition_point(|spelling| spelling.bytes[0] < first);
        self.spellings[start..].iter().take_while(move |spelling| spelling.bytes[0] == first)
    }

    /// A search over one piece of text.
    pub(super) fn hits(&self, bytes: &[u8]) -> Hits<'_> {
        let plain = bytes.len() < PLAIN_BYTES;
        let groups = if plain { 0 } else { table().len() + self.finders().len() };
        Hits { literals: self, runs: Runs::default(), run: 0, next: vec![0; groups], plain }
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

    /// The first place at or after `from` where a literal stands, for short texts.
    fn plainly_after(&self, bytes: &[u8], from: usize) -> Option<usize> {
        (from..bytes.len()).find(|&at| {
            let rest = &bytes[at..];
            let (single, pairs) = kinds::starting(rest);
            let mut listed = single.iter().chain(pairs);
            listed.any(|entry| entry.stands(rest))
                || self.own(bytes[at]).any(|own| rest.starts_with(&own.bytes))
        })
    }

    /// Whether a literal at this place may announce a secret: a quick look, because texts can be
    /// full of names that nothing is assigned to.
    fn may_count(&self, bytes: &[u8], at: usize) -> bool {
        if at < BEFORE_BYTES {
            return true;
        }
        let rest = &bytes[at..];
        let (single, longer) = kinds::starting(rest);
        let counts = |entry: &Entry| {
            entry.stands(rest)
                && match (entry.announces, entry.edge) {
                    (Announces::Stem(stem), _) => !is_bare(stem, bytes, at),
                    (Announces::Row(_), Edge::Word) => {
                        !is_word(bytes[at - 1])
                            || Before::at(Before::default(), bytes, at).is_edge()
                    }
                    (Announces::Row(_), Edge::Any | Edge::Number) => entry.follows(&bytes[..at]),
                }
        };
        single.iter().chain(longer).any(counts)
            || self.own(rest[0]).any(|own| rest.starts_with(&own.bytes))
    }

    fn finders(&self) -> &[Finder] {
        self.finders.get_or_init(|| {
            let texts: Vec<&[u8]> = self.spellings.iter().map(|own| &own.bytes[..]).collect();
            grouped(&texts)
        })
    }
}

impl Spelling {
    fn literal(&self) -> Literal<'_> {
        let purpose = if self.base64 { Use::Base64(&self.kind) } else { Use::Whole(&self.kind) };
        Literal { bytes: &self.bytes, purpose }
    }
}

impl Hits<'_> {
    /// The first place at or after `from` where a literal stands that may count.
    pub(super) fn after(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        if self.plain {
            return self.literals.plainly_after(bytes, from);
        }
        let mut from = from;
        loop {
            let at = self.next_after(bytes, from)?;
            if self.literals.may_count(bytes, at) {
                return Some(at);
            }
            from = at + 1;
        }
    }

    fn next_after(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        // Zero is also the state before the first search.
        if self.run < from || self.run == 0 {
            self.run = self.runs.find(bytes, from).unwrap_or(NOWHERE);
        }
        for (next, group) in self.next.iter_mut().zip(table().iter().chain(self.literals.finders()))
        {
            if *next < from || *next == 0 {
                *next = group.find(bytes, from).unwrap_or(NOWHERE);
            }
        }
        let next = self.next.iter().fold(self.run, |first, &next| first.min(next));
        (next != NOWHERE).then_some(next)
    }
}

impl One {
    fn find(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut from = from;
        loop {
            let at = from + self.finder.find(&bytes[from..])?;
            if self.over.counts(bytes, at, self.finder.needle().len()) {
                return Some(at);
            }
            from = at + 1;
        }
    }
}

impl Over {
    fn of(entry: &Entry) -> Over {
        let mut stops = [false; 256];
        for &byte in entry.look.stops.iter().chain([&entry.look.wants]) {
            stops[usize::from(byte)] = !entry.look.stops.is_empty();
        }
        Over { edge: entry.edge, stops, look: entry.look }
    }

    fn counts(&self, bytes: &[u8], at: usize, length: usize) -> bool {
        // At the first places it is not known here what stands before.
        let inside = self.edge == Edge::Word
            && at >= BEFORE_BYTES
            && is_word(bytes[at - 1])
            && !Before::at(Before::default(), bytes, at).is_edge();
        !inside && !self.stops_early(&bytes[at + length..])
    }

    /// Whether a byte that ends the attempt comes before the one it needs.
    fn stops_early(&self, behind: &[u8]) -> bool {
        for &byte in &behind[..behind.len().min(LOOK_BYTES)] {
            if self.stops[usize::from(byte)] {
                return byte != self.look.wants;
            }
        }
        false
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

fn table() -> &'static [Finder] {
    TABLE.get_or_init(|| {
        let apart = ENTRIES.iter().filter(|entry| entry.search == Search::Everywhere);
        let (mut alone, rest): (Vec<&Entry>, Vec<&Entry>) =
            apart.partition(|entry| entry.look != Look::NONE);
        alone.sort_by_key(|entry| entry.text);
        alone.dedup_by_key(|entry| entry.text);
        let mut finders = Vec::new();
        for entry in alone {
            let finder = memmem::Finder::new(entry.text);
            finders.push(Finder::One(Box::new(One { finder, over: Over::of(entry) })));
        }
        let front = |entry: &&Entry| &entry.text.as_bytes()[..entry.text.len().min(PACKED_BYTES)];
        let mut rest: Vec<&[u8]> = rest.iter().map(front).collect();
        rest.sort_unstable();
        rest.dedup();
        finders.extend(grouped(&rest));
        finders
    })
}

fn grouped(texts: &[&[u8]]) -> Vec<Finder> {
    let (short, long): (Vec<&[u8]>, Vec<&[u8]>) =
        texts.iter().partition(|text| text.len() < PACKED_BYTES);
    let groups = short.chunks(GROUP).chain(long.chunks(GROUP));
    groups.filter_map(Finder::many).collect()
}

impl Finder {
    fn many(group: &[&[u8]]) -> Option<Finder> {
        if let Some(searcher) = packed::Searcher::new(group) {
            return Some(Finder::Packed(searcher));
        }
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(group)
            .ok()
            .map(Finder::Automaton)
    }

    fn find(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let span = Span { start: from, end: bytes.len() };
        match self {
            Finder::One(one) => one.find(bytes, from),
            Finder::Packed(searcher) => searcher.find_in(bytes, span).map(|hit| hit.start()),
            Finder::Automaton(automaton) => {
                automaton.find(aho_corasick::Input::new(bytes).span(span)).map(|hit| hit.start())
            }
        }
    }
}
