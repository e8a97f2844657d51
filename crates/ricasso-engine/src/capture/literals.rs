//! Finds the places where a secret may start: all literals at once, with vector instructions
//! where the machine has them. It must never miss a literal; whether a place counts is decided
//! by the scan. Nothing here can be printed: literals are secrets too.

use super::kinds::{Edge, Look};
use super::scan::Kind;
use aho_corasick::{AhoCorasick, MatchKind, Span, packed};
use memchr::memmem;

/// Literals searched together. From 33 on the packed searcher has sixteen buckets in place of
/// eight, which halves its false stops on base64; at 64 it refuses. The table's own literals fill
/// the first group.
const GROUP: usize = 48;

/// Shorter literals are searched one by one: they are the ones that ordinary text is full of, and
/// a packed search would start anew at each of them.
const PACKED_BYTES: usize = 4;

/// How far the look behind a short literal goes: longer than nearly all host names.
const LOOK_BYTES: usize = 64;

/// No further hit in the bytes at hand.
const NOWHERE: usize = usize::MAX;

/// What a literal announces.
pub(super) enum Use {
    /// The secret is the literal itself.
    Whole(Kind),
    /// The literal is the stable part of a base64 text that holds the secret.
    Base64(Kind),
    /// The row of this index has to be tried.
    Row(usize),
}

/// A fixed text and what it announces.
pub(super) struct Literal {
    /// The text, at least three bytes long.
    pub(super) bytes: Vec<u8>,
    /// What must stand before it.
    pub(super) edge: Edge,
    /// What the bytes behind it must be like.
    pub(super) look: Look,
    /// What it announces.
    pub(super) purpose: Use,
}

/// All literals of a redactor.
pub(super) struct Literals {
    list: Vec<Literal>,
    /// By first byte, those that may follow anything.
    anywhere: Vec<Vec<u32>>,
    /// By first byte, those and the ones that must not follow a word, in order of precedence.
    at_edge: Vec<Vec<u32>>,
    groups: Vec<Finder>,
    longest: usize,
}

enum Finder {
    /// One short literal.
    One(Box<One>),
    Packed(packed::Searcher),
    /// Where there are no vector instructions.
    Automaton(AhoCorasick),
}

/// A short literal, which ordinary text is full of, and what passes over most of its hits.
struct One {
    finder: memmem::Finder<'static>,
    edge: Edge,
    /// The bytes at which the look behind the literal ends.
    stops: [bool; 256],
    look: Look,
}

/// Where each group hits next, so that no group searches the same bytes twice.
pub(super) struct Hits<'a> {
    literals: &'a Literals,
    next: Vec<usize>,
}

impl Literals {
    /// Sorts the literals into groups. The order of the list is the order of precedence.
    pub(super) fn new(list: Vec<Literal>) -> Self {
        let mut anywhere = vec![Vec::new(); 256];
        let mut at_edge = vec![Vec::new(); 256];
        for (index, literal) in list.iter().enumerate() {
            let index = u32::try_from(index).expect("secrets are counted in thousands at most");
            let first = usize::from(literal.bytes[0]);
            at_edge[first].push(index);
            match literal.edge {
                Edge::Any => anywhere[first].push(index),
                Edge::Word => {}
            }
        }
        let (short, long): (Vec<&Literal>, Vec<&Literal>) =
            list.iter().partition(|literal| literal.bytes.len() < PACKED_BYTES);
        let alone = short.into_iter().map(Finder::one);
        let groups = alone.chain(long.chunks(GROUP).filter_map(Finder::many)).collect();
        let longest = list.iter().map(|literal| literal.bytes.len()).max().unwrap_or(0);
        Literals { list, anywhere, at_edge, groups, longest }
    }

    /// The literals that start with this byte and count after the one before, in order of
    /// precedence.
    pub(super) fn starting_with(
        &self,
        first: u8,
        before: Option<u8>,
    ) -> impl Iterator<Item = &Literal> {
        let table = if before.is_some_and(is_word) { &self.anywhere } else { &self.at_edge };
        table[usize::from(first)].iter().map(|&index| &self.list[index as usize])
    }

    /// A search over one piece of text.
    pub(super) fn hits(&self) -> Hits<'_> {
        Hits { literals: self, next: vec![0; self.groups.len()] }
    }

    /// Where the text after `from` may be the first part of a literal, or its end.
    pub(super) fn tail(&self, bytes: &[u8], from: usize, before: Option<u8>) -> usize {
        let first = bytes.len().saturating_sub(self.longest.saturating_sub(1)).max(from);
        (first..bytes.len())
            .find(|&at| {
                let before = at.checked_sub(1).map_or(before, |index| Some(bytes[index]));
                self.starting_with(bytes[at], before)
                    .any(|literal| literal.bytes.starts_with(&bytes[at..]))
            })
            .unwrap_or(bytes.len())
    }
}

impl Hits<'_> {
    /// The first place at or after `from` where a literal stands.
    pub(super) fn after(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        for (next, group) in self.next.iter_mut().zip(&self.literals.groups) {
            // Zero is also the state before the first search.
            if *next < from || *next == 0 {
                *next = group.find(bytes, from).unwrap_or(NOWHERE);
            }
        }
        self.next.iter().copied().min().filter(|&at| at != NOWHERE)
    }
}

impl One {
    fn find(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut from = from;
        loop {
            let at = from + self.finder.find(&bytes[from..])?;
            let inside = self.edge == Edge::Word && at > 0 && is_word(bytes[at - 1]);
            if !inside && !self.stops_early(&bytes[at + self.finder.needle().len()..]) {
                return Some(at);
            }
            from = at + 1;
        }
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

impl Finder {
    fn one(literal: &Literal) -> Finder {
        let mut stops = [false; 256];
        for &byte in literal.look.stops.iter().chain([&literal.look.wants]) {
            stops[usize::from(byte)] = !literal.look.stops.is_empty();
        }
        let finder = memmem::Finder::new(&literal.bytes).into_owned();
        Finder::One(Box::new(One { finder, edge: literal.edge, stops, look: literal.look }))
    }

    fn many(group: &[&Literal]) -> Option<Finder> {
        let texts = group.iter().map(|literal| &literal.bytes);
        if let Some(searcher) = packed::Searcher::new(texts.clone()) {
            return Some(Finder::Packed(searcher));
        }
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(texts)
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

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
