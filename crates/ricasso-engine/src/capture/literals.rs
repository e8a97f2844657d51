//! Finds the places where a secret may start: all literals at once, with vector instructions
//! where the machine has them. It must never miss a literal; whether a place counts is decided
//! by the scan.

use super::kinds::Edge;
use super::scan::Kind;
use aho_corasick::{AhoCorasick, MatchKind, Span, packed};

/// Literals searched together. Beyond it the packed searcher's buckets hold so many that it
/// stops at every other byte.
const GROUP: usize = 33;

/// No further hit in the bytes at hand.
const NOWHERE: usize = usize::MAX;

/// What a literal announces.
#[derive(Debug, Clone)]
pub(super) enum Use {
    /// The secret is the literal itself.
    Whole(Kind),
    /// The literal is the stable part of a base64 text that holds the secret.
    Base64(Kind),
    /// The row of this index has to be tried.
    Row(usize),
}

/// A fixed text and what it announces.
#[derive(Debug, Clone)]
pub(super) struct Literal {
    /// The text, at least three bytes long.
    pub(super) bytes: Vec<u8>,
    /// What must stand before it.
    pub(super) edge: Edge,
    /// What it announces.
    pub(super) purpose: Use,
}

/// All literals of a redactor.
#[derive(Debug)]
pub(super) struct Literals {
    list: Vec<Literal>,
    by_first: Vec<Vec<u32>>,
    groups: Vec<Finder>,
    longest: usize,
}

#[derive(Debug)]
enum Finder {
    Packed(packed::Searcher),
    /// Where there are no vector instructions.
    Automaton(AhoCorasick),
}

/// Where each group hits next, so that no group searches the same bytes twice.
#[derive(Debug)]
pub(super) struct Hits<'a> {
    literals: &'a Literals,
    next: Vec<usize>,
}

impl Literal {
    /// Whether the literal counts after this byte.
    pub(super) fn may_follow(&self, before: Option<u8>) -> bool {
        match self.edge {
            Edge::Any => true,
            Edge::Word => !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
        }
    }
}

impl Literals {
    /// Sorts the literals into groups. The order of the list is the order of precedence.
    pub(super) fn new(list: Vec<Literal>) -> Self {
        let mut by_first = vec![Vec::new(); 256];
        for (index, literal) in list.iter().enumerate() {
            let index = u32::try_from(index).expect("secrets are counted in thousands at most");
            by_first[usize::from(literal.bytes[0])].push(index);
        }
        let groups = list.chunks(GROUP).filter_map(Finder::new).collect();
        let longest = list.iter().map(|literal| literal.bytes.len()).max().unwrap_or(0);
        Literals { list, by_first, groups, longest }
    }

    /// The literals that start with this byte, in order of precedence.
    pub(super) fn starting_with(&self, first: u8) -> impl Iterator<Item = &Literal> {
        self.by_first[usize::from(first)].iter().map(|&index| &self.list[index as usize])
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
                self.starting_with(bytes[at]).any(|literal| {
                    literal.bytes.starts_with(&bytes[at..]) && literal.may_follow(before)
                })
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

impl Finder {
    fn new(group: &[Literal]) -> Option<Finder> {
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
            Finder::Packed(searcher) => searcher.find_in(bytes, span).map(|hit| hit.start()),
            Finder::Automaton(automaton) => {
                automaton.find(aho_corasick::Input::new(bytes).span(span)).map(|hit| hit.start())
            }
        }
    }
}
