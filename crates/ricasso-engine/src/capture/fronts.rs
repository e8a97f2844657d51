//! Sorts the first bytes of many texts into buckets, so that a look at four bytes tells whether one
//! of them may start there, 64 places at a time. It must never leave a text out; a place that only
//! looks like the start of one costs a second look, so similar texts share a bucket.

use ricasso_os::lanes::{FRONT_BYTES, Front, Halves};

/// Buckets of one pass over the text.
pub(super) const BUCKETS: usize = 8;

/// What a new bucket costs, in pairs of bytes that are let through without reason. It keeps
/// buckets for the texts that fit nowhere; found by trying on sources, manuals, logs and lists.
const NEW_BUCKET: u64 = 256;

/// Which bytes come first, second and so on in the texts of each of `N` buckets.
pub(super) struct Fronts<const N: usize> {
    buckets: [[Bytes; FRONT_BYTES]; N],
}

/// The lower and the upper halves of some bytes, one bit for each of sixteen.
#[derive(Clone, Copy)]
struct Bytes {
    low: u16,
    high: u16,
}

/// Whether a letter stands for itself or for both of its cases.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// For itself.
    Exact,
    /// For both: the texts are there in several spellings, which so share a bucket.
    Both,
}

impl<const N: usize> Fronts<N> {
    /// No text.
    pub(super) const EMPTY: Fronts<N> =
        Fronts { buckets: [[Bytes { low: 0, high: 0 }; FRONT_BYTES]; N] };

    /// Adds a text where it lets the fewest others through.
    pub(super) const fn add(&mut self, text: &[u8], case: Case) {
        let (mut best, mut least, mut bucket) = (0, u64::MAX, 0);
        while bucket < N {
            let old = let_through(&self.buckets[bucket]);
            let new = let_through(&with(self.buckets[bucket], text, case));
            let price = if old == 0 { NEW_BUCKET } else { new - old };
            if price < least {
                (best, least) = (bucket, price);
            }
            bucket += 1;
        }
        self.buckets[best] = with(self.buckets[best], text, case);
    }

    /// The tables for [`BUCKETS`] buckets from `first` on.
    pub(super) const fn tables(&self, first: usize) -> Front {
        let mut tables = [Halves::EMPTY; FRONT_BYTES];
        let mut bucket = 0;
        while bucket < BUCKETS {
            let mut place = 0;
            while place < FRONT_BYTES {
                let Bytes { low, high } = self.buckets[first + bucket][place];
                tables[place] = tables[place].with_halves(low, high, 1 << bucket);
                place += 1;
            }
            bucket += 1;
        }
        tables
    }
}

/// How many texts of this length a bucket lets through.
const fn let_through(bucket: &[Bytes; FRONT_BYTES]) -> u64 {
    let (mut product, mut place) = (1, 0);
    while place < FRONT_BYTES {
        let Bytes { low, high } = bucket[place];
        product *= low.count_ones() as u64 * high.count_ones() as u64;
        place += 1;
    }
    product
}

const fn with(mut bucket: [Bytes; FRONT_BYTES], text: &[u8], case: Case) -> [Bytes; FRONT_BYTES] {
    let mut place = 0;
    while place < FRONT_BYTES {
        let bytes = &mut bucket[place];
        if place < text.len() {
            let byte = text[place];
            bytes.low |= 1 << (byte & 15);
            bytes.high |= 1 << (byte >> 4);
            if matches!(case, Case::Both) && byte.is_ascii_alphabetic() {
                bytes.high |= 1 << ((byte ^ 0x20) >> 4);
            }
        } else {
            *bytes = Bytes { low: u16::MAX, high: u16::MAX };
        }
        place += 1;
    }
    bucket
}

#[cfg(test)]
mod tests {
    use super::*;
    use ricasso_os::lanes::fronts;

    #[test]
    fn every_text_is_let_through_and_most_others_are_not() {
        let texts =
            ["pass", "Pass", "oken", "://", "_key", "-key", "tKey", "sig=", "mysql", "IKEY"];
        let mut sorted = Fronts::<BUCKETS>::EMPTY;
        texts.iter().for_each(|text| sorted.add(text.as_bytes(), Case::Both));
        let tables = sorted.tables(0);
        let finds = |text: &str| {
            let mut found = [0];
            fronts(&[tables], text.as_bytes(), &mut found);
            found[0] & 1 == 1
        };
        for text in texts {
            assert!(finds(text) && finds(&format!("{text} and more")), "{text}");
        }
        for text in ["path", "past", "key=", "port", "http", "1234", "    ", "sign", "mine", "\0"] {
            assert!(!finds(text), "{text}");
        }
    }
}
