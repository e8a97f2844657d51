//! Walks one pattern over bytes from their first one on and says whether more bytes could change
//! the answer. A walk must never look past its maximum length.

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, MatchKind};

/// States of one pattern kept at once. Ours need a few kilobytes; a user's pattern with large
/// classes and counts gets room before it starts again.
const CACHE_BYTES: usize = 1 << 20;

/// Why a pattern could not be compiled.
pub(crate) type CompileError = Box<dyn std::error::Error + Send + Sync>;

/// Whether more bytes can follow those at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The stream goes on, with bytes that are not known yet.
    Open,
    /// These are the last bytes that matter.
    Closed,
}

/// What a walk found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Walk {
    /// The longest match has this many bytes.
    Match(usize),
    /// It matches up to the maximum length and could have gone on.
    Endless(usize),
    /// No match, whatever follows.
    Nothing,
    /// More bytes decide; this many match so far.
    Undecided(usize),
}

/// Compiles for Unicode text where the pattern allows it, for bytes otherwise.
pub(crate) fn compile(pattern: &str) -> Result<DFA, CompileError> {
    build_dfa(pattern, syntax::Config::new().utf8(false)).or_else(|_| compile_bytes(pattern))
}

/// Compiles for bytes.
pub(crate) fn compile_bytes(pattern: &str) -> Result<DFA, CompileError> {
    build_dfa(pattern, syntax::Config::new().utf8(false).unicode(false))
}

fn build_dfa(pattern: &str, syntax: syntax::Config) -> Result<DFA, CompileError> {
    let config = DFA::config()
        .match_kind(MatchKind::All)
        .cache_capacity(CACHE_BYTES)
        .skip_cache_capacity_check(true);
    DFA::builder()
        .configure(config)
        .syntax(syntax)
        .thompson(thompson::Config::new().utf8(false))
        .build(pattern)
        .map_err(Into::into)
}

/// The bytes with which a match can start.
pub(crate) fn first_bytes(dfa: &DFA) -> [bool; 256] {
    let mut cache = dfa.create_cache();
    let mut starts = [false; 256];
    // What stands before may decide about `\b` and `^`; each class of it has one example here.
    for before in [None, Some(b'\n'), Some(b'\r'), Some(b'a'), Some(b' '), Some(0xff)] {
        for byte in 0..=255u8 {
            let alive = start_state(dfa, &mut cache, before)
                .and_then(|state| dfa.next_state(&mut cache, state, byte).ok())
                .is_none_or(|state| !state.is_dead());
            starts[usize::from(byte)] |= alive;
        }
    }
    starts
}

/// Finds the longest match that starts at the first byte.
pub(crate) fn walk(
    dfa: &DFA,
    cache: &mut Cache,
    before: Option<u8>,
    bytes: &[u8],
    max: usize,
    end: End,
) -> Walk {
    let Some(mut state) = start_state(dfa, cache, before) else { return Walk::Nothing };
    let mut longest = 0;
    let reached = &bytes[..bytes.len().min(max)];
    for (index, &byte) in reached.iter().enumerate() {
        let Ok(next) = dfa.next_state(cache, state, byte) else { return longest_match(longest) };
        state = next;
        if !state.is_tagged() {
            continue;
        }
        if state.is_match() {
            // The automaton tells of a match one byte late.
            longest = index;
        } else if state.is_dead() || state.is_quit() {
            return longest_match(longest);
        }
    }
    if reached.len() < max && end == End::Open {
        let over = is_over(dfa, cache, state);
        return if over { longest_match(longest) } else { Walk::Undecided(longest) };
    }
    if dfa.next_eoi_state(cache, state).is_ok_and(|last| last.is_match()) {
        longest = reached.len();
    }
    if longest == max { Walk::Endless(max) } else { longest_match(longest) }
}

pub(crate) fn start_state(dfa: &DFA, cache: &mut Cache, before: Option<u8>) -> Option<LazyStateID> {
    let from = start::Config::new().anchored(Anchored::Yes).look_behind(before);
    dfa.start_state(cache, &from).ok()
}

/// Whether no byte leads on from here.
fn is_over(dfa: &DFA, cache: &mut Cache, state: LazyStateID) -> bool {
    let clears = cache.clear_count();
    let over =
        (0..=255u8).all(|byte| dfa.next_state(cache, state, byte).is_ok_and(|next| next.is_dead()));
    // A cleared cache makes the names of states void; to wait is always right.
    over && cache.clear_count() == clears
}

fn longest_match(longest: usize) -> Walk {
    if longest == 0 { Walk::Nothing } else { Walk::Match(longest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk_once(pattern: &str, text: &[u8], max: usize, end: End) -> Walk {
        let dfa = compile_bytes(pattern).unwrap();
        let mut cache = dfa.create_cache();
        walk(&dfa, &mut cache, None, text, max, end)
    }

    #[test]
    fn the_end_of_an_open_text_decides_nothing() {
        assert_eq!(walk_once("ab{3}", b"abbb ", 99, End::Open), Walk::Match(4));
        assert_eq!(walk_once("ab{3}", b"abb", 99, End::Open), Walk::Undecided(0));
        assert_eq!(walk_once("ab{3}", b"abb", 99, End::Closed), Walk::Nothing);
        assert_eq!(walk_once("ab{3,}", b"abbb", 99, End::Open), Walk::Undecided(0));
        assert_eq!(walk_once("ab{3,}", b"abbb", 99, End::Closed), Walk::Match(4));
        assert_eq!(walk_once("ab{3,}", b"abbbbbb", 5, End::Open), Walk::Endless(5));
        assert_eq!(walk_once(r"ab{3}(?-u:\b)", b"abbbb", 99, End::Open), Walk::Nothing);
        assert_eq!(walk_once(r"ab{3}(?-u:\b)", b"abbb ", 99, End::Open), Walk::Match(4));
    }

    #[test]
    fn the_bytes_a_match_starts_with_are_known() {
        let starts = first_bytes(&compile(r"[Tt]oken=\w+|(?-u:\b)x").unwrap());
        let found: Vec<u8> = (0..=255).filter(|&byte| starts[usize::from(byte)]).collect();
        assert_eq!(found, b"Ttx");
    }
}
