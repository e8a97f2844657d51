//! The chain: each line's hash covers the hash before it and the line itself.
//!
//! hash = SHA-256(previous hash in hexadecimal ‖ the line's object without its `hash`).

use super::entry::Entry;
use super::error::Error;
use crate::request::to_hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What the first line follows.
pub(super) const ORIGIN: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The version of the line's shape.
const VERSION: u8 = 1;

/// The word that every line can be found by.
const EVENT: &str = "shell_audit";

/// `,"hash":"` in front of the digits, `"}` behind them.
const BEFORE_HASH: &[u8] = b",\"hash\":\"";
const AFTER_HASH: &[u8] = b"\"}";
const HASH_DIGITS: usize = 64;
const TAIL: usize = BEFORE_HASH.len() + HASH_DIGITS + AFTER_HASH.len();

#[derive(Serialize)]
struct Body<'a, T> {
    v: u8,
    seq: u64,
    prev: &'a str,
    event: &'static str,
    #[serde(flatten)]
    entry: &'a Entry<T>,
}

/// What a line says about its own place.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Link {
    v: u8,
    /// Its number.
    pub(super) seq: u64,
    /// The hash that it follows.
    pub(super) prev: String,
    /// Its own hash.
    pub(super) hash: String,
}

/// A finished line, newline included, and its hash.
pub(super) struct Sealed {
    pub(super) line: Vec<u8>,
    pub(super) hash: String,
}

/// Makes the line of an entry that follows `prev`.
pub(super) fn seal<T: Serialize>(seq: u64, prev: &str, entry: &Entry<T>) -> Result<Sealed, Error> {
    let body = Body { v: VERSION, seq, prev, event: EVENT, entry };
    let mut line = serde_json::to_vec(&body).map_err(|source| Error::Write { source })?;
    let hash = hash(prev, &[&line]);
    line.pop();
    line.extend_from_slice(BEFORE_HASH);
    line.extend_from_slice(hash.as_bytes());
    line.extend_from_slice(AFTER_HASH);
    line.push(b'\n');
    Ok(Sealed { line, hash })
}

/// Reads a line (without its newline) and checks its hash; `None` where it is not as it was sealed.
pub(super) fn check(line: &[u8]) -> Option<Link> {
    let link: Link = serde_json::from_slice(line).ok()?;
    let body = line.get(..line.len().checked_sub(TAIL)?)?;
    let tail = &line[body.len()..];
    let digits = tail.strip_prefix(BEFORE_HASH)?.strip_suffix(AFTER_HASH)?;
    let sealed = hash(&link.prev, &[body, b"}"]);
    let good = link.v == VERSION && digits == sealed.as_bytes() && link.hash == sealed;
    good.then_some(link)
}

fn hash(prev: &str, parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    hasher.update(prev.as_bytes());
    parts.iter().for_each(|part| hasher.update(part));
    to_hex(&hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::super::Phase;
    use super::*;

    #[test]
    fn a_sealed_line_checks_and_any_flipped_bit_does_not() {
        let mut entry = Entry::new(Phase::Open, "job", "2026-01-01T00:00:00.000Z");
        entry.command = Some("echo \"grüß\"");
        let sealed = seal(1, ORIGIN, &entry).unwrap();
        let line = &sealed.line[..sealed.line.len() - 1];
        assert_eq!(check(line).unwrap().hash, sealed.hash);
        assert!(line.starts_with(b"{\"v\":1,\"seq\":1,\"prev\":\"000"));
        for at in 0..line.len() {
            for bit in 0..8 {
                let mut flipped = line.to_vec();
                flipped[at] ^= 1 << bit;
                assert_eq!(check(&flipped), None, "byte {at} bit {bit}");
            }
        }
    }
}
