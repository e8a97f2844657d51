//! Walks one pattern over bytes and says whether more bytes could change the answer.
//!
//! That question is what keeps the scan exact at chunk borders without holding back text that
//! cannot become a secret. A walk must never look past its maximum length.

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, MatchKind};

/// States of one pattern kept at once. Ours need a few kilobytes; a user's pattern with large
/// classes and counts gets room before it starts again.
const CACHE_BYTES: usize = 1 << 20;

/// Why a pattern could not be compiled.
type Fault = Box<dyn std::error::Error + Send + Sync>;

/// Whether more bytes can follow those at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The stream goes on.
    Open,
    /// These are the last bytes.
    Closed,
}

/// What a walk found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Walk {
    /// The longest match has this many bytes, and more input changes nothing.
    Match(usize),
    /// It matches up to the maximum length and could have gone on.
    Endless(usize),
    /// No match, whatever follows.
    Nothing,
    /// More bytes decide; this many match so far.
    Wait(usize),
}

/// Compiles for Unicode text where the pattern allows it, for bytes otherwise.
pub(super) fn compile(pattern: &str) -> Result<DFA, Fault> {
    build(pattern, syntax::Config::new().utf8(false)).or_else(|_| compile_bytes(pattern))
}

/// Compiles for bytes.
pub(super) fn compile_bytes(pattern: &str) -> Result<DFA, Fault> {
    build(pattern, syntax::Config::new().utf8(false).unicode(false))
}

fn build(pattern: &str, syntax: syntax::Config) -> Result<DFA, Fault> {
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
pub(super) fn first_bytes(dfa: &DFA) -> [bool; 256] {
    let mut cache = dfa.create_cache();
    let mut starts = [false; 256];
    // What stands before may decide about `\b` and `^`; each class of it has one example here.
    for before in [None, Some(b'\n'), Some(b'\r'), Some(b'a'), Some(b' '), Some(0xff)] {
        for byte in 0..=255u8 {
            let alive = begin(dfa, &mut cache, before)
                .and_then(|state| dfa.next_state(&mut cache, state, byte).ok())
                .is_none_or(|state| !state.is_dead());
            starts[usize::from(byte)] |= alive;
        }
    }
    starts
}

/// Finds the longest match that starts at the first byte.
pub(super) fn walk(
    dfa: &DFA,
    cache: &mut Cache,
    before: Option<u8>,
    bytes: &[u8],
    max: usize,
    end: End,
) -> Walk {
    let Some(mut state) = begin(dfa, cache, before) else { return Walk::Nothing };
    let mut longest = 0;
    let window = &bytes[..bytes.len().min(max)];
    for (index, &byte) in window.iter().enumerate() {
        let Ok(next) = dfa.next_state(cache, state, byte) else { return decided(longest) };
        state = next;
        if !state.is_tagged() {
            continue;
        }
        if state.is_match() {
            // The automaton tells of a match one byte late.
            longest = index;
        } else if state.is_dead() || state.is_quit() {
            return decided(longest);
        }
    }
    if window.len() < max && end == End::Open {
        return settle(dfa, cache, state, longest, window.len());
    }
    if dfa.next_eoi_state(cache, state).is_ok_and(|last| last.is_match()) {
        longest = window.len();
    }
    if longest == max { Walk::Endless(max) } else { decided(longest) }
}

fn begin(dfa: &DFA, cache: &mut Cache, before: Option<u8>) -> Option<LazyStateID> {
    let from = start::Config::new().anchored(Anchored::Yes).look_behind(before);
    dfa.start_state(cache, &from).ok()
}

fn decided(longest: usize) -> Walk {
    if longest == 0 { Walk::Nothing } else { Walk::Match(longest) }
}

/// Decides at the end of what is at hand, if every continuation gives the same answer.
fn settle(dfa: &DFA, cache: &mut Cache, state: LazyStateID, longest: usize, length: usize) -> Walk {
    let clears = cache.clear_count();
    let answer = match only_next(dfa, cache, state) {
        Some(next) if next.is_dead() => decided(longest),
        Some(next) if next.is_match() => match only_next(dfa, cache, next) {
            Some(last) if last.is_dead() => decided(length),
            Some(_) | None => Walk::Wait(longest),
        },
        Some(_) | None => Walk::Wait(longest),
    };
    // A cleared cache makes the names of states above void; waiting is always right.
    if cache.clear_count() == clears { answer } else { Walk::Wait(longest) }
}

/// The state that every next byte leads to, if there is only one.
fn only_next(dfa: &DFA, cache: &mut Cache, state: LazyStateID) -> Option<LazyStateID> {
    let first = dfa.next_state(cache, state, 0).ok()?;
    for byte in 1..=255u8 {
        if dfa.next_state(cache, state, byte).ok()? != first {
            return None;
        }
    }
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn try_walk(pattern: &str, text: &[u8], max: usize, end: End) -> Walk {
        let dfa = compile_bytes(pattern).unwrap();
        let mut cache = dfa.create_cache();
        walk(&dfa, &mut cache, None, text, max, end)
    }

    #[test]
    fn decides_as_soon_as_nothing_can_change() {
        assert_eq!(try_walk("ab{3}", b"abbb", 99, End::Open), Walk::Match(4));
        assert_eq!(try_walk("ab{3}", b"abb", 99, End::Open), Walk::Wait(0));
        assert_eq!(try_walk("ab{3}", b"abb", 99, End::Closed), Walk::Nothing);
        assert_eq!(try_walk("ab{3,}", b"abbb", 99, End::Open), Walk::Wait(0));
        assert_eq!(try_walk("ab{3,}", b"abbb\n", 99, End::Open), Walk::Match(4));
        assert_eq!(try_walk("ab{3,}", b"abbb", 99, End::Closed), Walk::Match(4));
        assert_eq!(try_walk("ab{3,}", b"abbbbbb", 5, End::Open), Walk::Endless(5));
        assert_eq!(try_walk(r"ab{3}(?-u:\b)", b"abbb", 99, End::Open), Walk::Wait(0));
        assert_eq!(try_walk(r"ab{3}(?-u:\b)", b"abbbb", 99, End::Open), Walk::Nothing);
        assert_eq!(try_walk(r"ab{3}(?-u:\b)", b"abbb ", 99, End::Open), Walk::Match(4));
    }

    #[test]
    fn knows_the_bytes_a_match_starts_with() {
        let starts = first_bytes(&compile(r"[Tt]oken=\w+|(?-u:\b)x").unwrap());
        let found: Vec<u8> = (0..=255).filter(|&byte| starts[usize::from(byte)]).collect();
        assert_eq!(found, b"Ttx");
    }
}
