//! Finds tokens by what they are made of: long runs of letters, digits and joints. The text is
//! turned into bits, 64 bytes a word, and a few operations on words find where a long run follows
//! the edge of a word; no byte is looked at alone. It must never pass over a token's first byte.

use super::before::BEFORE_BYTES;
use super::kinds::{ENTRIES, RUN_BYTES, Search, starting};

/// Bytes that become one word of bits.
const BLOCK: usize = 64;

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

/// One block of text as bits, the first byte the lowest.
#[derive(Debug, Clone, Copy, Default)]
struct Bits {
    /// Letters, digits and `_`.
    words: u64,
    /// The same and the other signs that tokens are made of.
    runs: u64,
    /// What escapes start with: a backslash, `%` and `[`.
    signs: u64,
}

/// A walk over one piece of text, from its start to its end.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// Where the block at hand starts, and what is behind it.
    at: usize,
    bits: Bits,
    next: Bits,
    /// The block before the one at hand.
    last: Bits,
    /// The places in the block that are not handed out yet.
    places: u64,
    started: bool,
}

impl Runs {
    /// The first place at or after `from` where a literal stands at an edge and a run follows.
    /// Calls must move forwards.
    pub(super) fn find(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        if !self.started || from >= self.at + 2 * BLOCK {
            self.start(bytes, from);
        }
        loop {
            while self.places != 0 {
                let at = self.at + self.places.trailing_zeros() as usize;
                self.places &= self.places - 1;
                if (from..bytes.len()).contains(&at) && stands(bytes, at) {
                    return Some(at);
                }
            }
            if self.at + BLOCK >= bytes.len() {
                return None;
            }
            self.at += BLOCK;
            self.last = self.bits;
            self.bits = self.next;
            self.next = Bits::of(bytes, self.at + BLOCK);
            self.places = self.candidates(bytes);
        }
    }

    fn start(&mut self, bytes: &[u8], from: usize) {
        self.started = true;
        self.at = from / BLOCK * BLOCK;
        let before = self.at.checked_sub(BLOCK).map(|at| Bits::of(bytes, at));
        self.last = before.unwrap_or_default();
        self.bits = Bits::of(bytes, self.at);
        self.next = Bits::of(bytes, self.at + BLOCK);
        self.places = self.candidates(bytes);
    }

    /// The places in the block where a long run starts or a part of one does.
    fn candidates(&self, bytes: &[u8]) -> u64 {
        let long = long_runs(self.bits.runs, self.next.runs);
        if long == 0 {
            return 0;
        }
        let mut places = long & !(self.bits.words << 1 | self.last.words >> (BLOCK - 1));
        if self.at < BEFORE_BYTES {
            // What stands before the first bytes of all is not known here.
            places |= long & ((1 << BEFORE_BYTES) - 1);
        }
        // Where the run does not start a word, an escape may end in its first bytes.
        let near = self.last.signs >> (BLOCK - BEFORE_BYTES);
        let first = self.at.saturating_sub(BEFORE_BYTES);
        places |= long & self.behind_escapes(bytes, near, first);
        places | long & self.behind_escapes(bytes, self.bits.signs, self.at)
    }

    /// The places of the block that are edges because an escape ends before them; the escapes
    /// start at these signs, whose first is at `first`.
    fn behind_escapes(&self, bytes: &[u8], signs: u64, first: usize) -> u64 {
        let (mut signs, mut found) = (signs, 0);
        while signs != 0 {
            let sign = first + signs.trailing_zeros() as usize;
            signs &= signs - 1;
            if let Some(bit) = behind_escape(bytes, sign).checked_sub(self.at) {
                found |= 1u64.checked_shl(bit as u32).unwrap_or(0);
            }
        }
        found
    }
}

/// The place behind the escape that may start at this sign; whether it is one, the scan decides.
fn behind_escape(bytes: &[u8], sign: usize) -> usize {
    match (bytes[sign], bytes.get(sign + 1)) {
        (b'%', _) => sign + 3,
        (b'\\', Some(b'x')) => sign + 4,
        (b'\\', Some(b'u')) => sign + 6,
        (b'\\', _) => sign + 2,
        _ => {
            let codes = bytes[sign + 1..].iter().take(BEFORE_BYTES);
            let codes = codes.take_while(|&&byte| byte.is_ascii_digit() || byte == b';');
            sign + 2 + codes.count()
        }
    }
}

impl Bits {
    /// The block that starts at `at`. Behind the end of the text everything may follow.
    fn of(bytes: &[u8], at: usize) -> Bits {
        if let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
            return Bits::of_block(block);
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let mut block = [b'a'; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        Bits::of_block(&block)
    }

    fn of_block(block: &[u8; BLOCK]) -> Bits {
        // Written so that the compiler makes vector instructions of it.
        let mut classes = [0u8; BLOCK];
        for (class, &byte) in classes.iter_mut().zip(block) {
            let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
            let word = letter | (byte.wrapping_sub(b'0') < 10) | (byte == b'_');
            // `+`, `-`, `.`, `/`, then `!`, `$`, `%`, `=`, `~`.
            let joint = (byte.wrapping_sub(b'+') < 5) & (byte != b',')
                | (byte == b'!')
                | (byte.wrapping_sub(b'$') < 2)
                | (byte == b'=')
                | (byte == b'~');
            let sign = (byte == b'\\') | (byte == b'%') | (byte == b'[');
            *class = u8::from(sign) << 2 | u8::from(word) << 1 | u8::from(word | joint);
        }
        let signs = classes.iter().fold(0, |all, class| all | class) & 4 != 0;
        let mut bits = Bits::default();
        for (index, eight) in classes.chunks_exact(8).enumerate() {
            let eight = u64::from_le_bytes(eight.try_into().unwrap_or_default());
            bits.runs |= lowest_bits(eight) << (index * 8);
            bits.words |= lowest_bits(eight >> 1) << (index * 8);
            if signs {
                bits.signs |= lowest_bits(eight >> 2) << (index * 8);
            }
        }
        bits
    }
}

/// The lowest bit of each of eight bytes, as eight bits.
fn lowest_bits(eight: u64) -> u64 {
    (eight & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The places from which [`RUN_BYTES`] bits in a row are set.
fn long_runs(block: u64, next: u64) -> u64 {
    let one = u128::from(block) | u128::from(next) << 64;
    let two = one & one >> 1;
    let four = two & two >> 2;
    let eight = four & four >> 4;
    let sixteen = eight & eight >> 8;
    (sixteen & two >> 16) as u64
}

const _: () = assert!(RUN_BYTES == 18, "long_runs counts so many");

/// Whether a literal that is looked for in runs stands here.
fn stands(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at..];
    let first = usize::from(rest[0]);
    let pair = first * 256 + rest.get(1).map_or(0, |&byte| usize::from(byte));
    if rest.len() > 1 && PAIRS[pair / 64] >> (pair % 64) & 1 == 0 {
        return false;
    }
    let (single, longer) = starting(rest);
    single.iter().chain(longer).any(|entry| entry.search == Search::Run && entry.stands(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<usize> {
        let mut places = Vec::new();
        let (mut runs, mut from) = (Runs::default(), 0);
        while let Some(at) = runs.find(text.as_bytes(), from) {
            places.push(at);
            from = at + 1;
        }
        places
    }

    #[test]
    fn a_literal_counts_at_an_edge_of_a_long_run() {
        let pad = "some words before it, and some words before it, and ";
        let token = "ghp_abcdefghijklmnop";
        for (text, expected) in [
            (format!("{pad}{token} x"), vec![52]),
            (format!("{pad}x{token} x"), vec![]),
            (format!("{pad}x-{token} x"), vec![54]),
            (format!(r"{pad}\n{token} x"), vec![54]),
            (format!("{pad}%FD{token} x"), vec![55]),
            (format!("{pad}ghp_short and more text"), vec![]),
            (format!("{pad}ghp_cut"), vec![52]),
            (format!("{pad}{token} {token}-{token}"), vec![52, 73, 94]),
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
