//! Finds tokens by what they are made of: long runs of letters, digits and joints. Ordinary text
//! has few, so most bytes are not even looked at. It must never pass over a token's first byte.

use super::before::{BEFORE_BYTES, Before};
use super::kinds::{ENTRIES, FIRST, RUN_BYTES, Search};

/// Which bytes a run is made of.
static IN_RUN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let it = byte as u8;
        table[byte] = it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
        byte += 1;
    }
    table
};

/// For each pair of bytes whether a literal of a run starts with it, one bit a pair.
static PAIRS: [u64; 1024] = {
    let mut bits = [0; 1024];
    let mut index = 0;
    while index < ENTRIES.len() {
        let text = ENTRIES[index].text.as_bytes();
        if matches!(ENTRIES[index].search, Search::Run) {
            let mut second = 0;
            while second < 256 {
                if text.len() == 1 || text[1] as usize == second {
                    let pair = text[0] as usize * 256 + second;
                    bits[pair / 64] |= 1 << (pair % 64);
                }
                second += 1;
            }
        }
        index += 1;
    }
    bits
};

/// The first place at or after `from` where a literal stands at an edge and a run follows.
pub(super) fn find(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        // A run that is long enough covers one of these places.
        let mut probe = at + RUN_BYTES - 1;
        while probe < bytes.len() && !IN_RUN[usize::from(bytes[probe])] {
            probe += RUN_BYTES;
        }
        // At the end of what is at hand a short run may go on.
        let middle = probe.min(bytes.len());
        let (mut start, mut end) = (middle, middle);
        while start > at && IN_RUN[usize::from(bytes[start - 1])] {
            start -= 1;
        }
        while end < bytes.len() && IN_RUN[usize::from(bytes[end])] {
            end += 1;
        }
        if let Some(found) = in_run(bytes, start, end, from) {
            return Some(found);
        }
        if end >= bytes.len() {
            return None;
        }
        at = end + 1;
    }
}

/// The first literal in the run from `start` to `end`.
fn in_run(bytes: &[u8], start: usize, end: usize, from: usize) -> Option<usize> {
    let last = if end == bytes.len() { end } else { (end + 1).saturating_sub(RUN_BYTES) };
    if start >= last {
        return None;
    }
    // Where the run does not start a word, an escape may end in its first bytes, and what stands
    // before the first bytes of all is not known here.
    let clean = start > from && !b"\\%[;".contains(&bytes[start - 1]);
    let careful = if clean { start + 1 } else { last.min(start + BEFORE_BYTES) };
    let first = (start..careful).find(|&at| {
        let unknown = at < BEFORE_BYTES;
        stands(bytes, at) && (unknown || Before::at(Before::default(), bytes, at).is_edge())
    });
    let joints = memchr::memchr2_iter(b'-', b'.', &bytes[start..last]).map(|at| start + at + 1);
    let inner = || joints.skip_while(|&at| at < careful).find(|&at| at < last && stands(bytes, at));
    first.or_else(inner)
}

/// Whether a literal that is looked for in runs stands here.
fn stands(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at..];
    let first = usize::from(rest[0]);
    let pair = first * 256 + rest.get(1).map_or(0, |&byte| usize::from(byte));
    if rest.len() > 1 && PAIRS[pair / 64] >> (pair % 64) & 1 == 0 {
        return false;
    }
    ENTRIES[usize::from(FIRST[first])..usize::from(FIRST[first + 1])]
        .iter()
        .any(|entry| entry.search == Search::Run && rest.starts_with(entry.text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<usize> {
        let mut places = Vec::new();
        let mut from = 0;
        while let Some(at) = find(text.as_bytes(), from) {
            places.push(at);
            from = at + 1;
        }
        places
    }

    #[test]
    fn a_literal_counts_at_an_edge_of_a_long_run() {
        let pad = "some words before it, and ";
        let token = "ghp_abcdefghijklmnop";
        for (text, expected) in [
            (format!("{pad}{token} x"), vec![26]),
            (format!("{pad}x{token} x"), vec![]),
            (format!("{pad}x-{token} x"), vec![28]),
            (format!(r"{pad}\n{token} x"), vec![28]),
            (format!("{pad}%3D{token} x"), vec![29]),
            (format!("{pad}ghp_short and more text"), vec![]),
            (format!("{pad}ghp_cut"), vec![26]),
            (format!("{pad}{token} {token}-{token}"), vec![26, 47, 68]),
        ] {
            assert_eq!(all(&text), expected, "{text}");
        }
    }

    #[test]
    fn every_place_in_a_text_is_reached() {
        for front in 0..64 {
            let text =
                format!("{}ghp_abcdefghijklmnop{}", " ".repeat(front), " ".repeat(64 - front));
            assert_eq!(all(&text), [front], "{front}");
        }
    }
}
