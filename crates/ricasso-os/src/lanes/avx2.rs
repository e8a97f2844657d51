//! The quick form for processors that look up 32 bytes at once.

use super::{FRONT_BYTES, Front, Halves, LANES, WINDOW, blocks, window};
use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8,
    _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
};

/// Bytes of a vector.
const VECTOR: usize = 32;

/// The two tables of [`Halves`], each in both halves of a vector.
#[derive(Clone, Copy)]
struct Tables {
    low: __m256i,
    high: __m256i,
}

/// A vector of bytes, parted into the lower and the upper halves of each.
#[derive(Clone, Copy)]
struct Parted {
    low: __m256i,
    high: __m256i,
}

#[target_feature(enable = "avx2")]
pub(super) fn classes<const N: usize>(
    halves: &Halves,
    sets: [u8; N],
    bytes: &[u8],
    mut found: [&mut [u64]; N],
) {
    let tables = load_tables(halves);
    let mut room = [0; WINDOW];
    for block in 0..blocks(&found) {
        let window = window(bytes, block, &mut room);
        let first = look_up(tables, part(window, 0));
        let second = look_up(tables, part(window, VECTOR));
        for (words, sets) in found.iter_mut().zip(sets) {
            words[block] = joined(in_sets(first, sets), in_sets(second, sets));
        }
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn fronts(fronts: &[Front], bytes: &[u8], found: &mut [u64]) {
    let mut room = [0; WINDOW];
    for (block, word) in found.iter_mut().enumerate() {
        let window = window(bytes, block, &mut room);
        *word = joined(starts(fronts, window, 0), starts(fronts, window, VECTOR));
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn wide<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// The places of the vector at `at` where the tables of a front agree on a set.
#[inline]
#[target_feature(enable = "avx2")]
fn starts(fronts: &[Front], window: &[u8; WINDOW], at: usize) -> u32 {
    let bytes =
        [part(window, at), part(window, at + 1), part(window, at + 2), part(window, at + 3)];
    let mut any = _mm256_setzero_si256();
    for front in fronts {
        let mut sets = look_up(load_tables(&front[0]), bytes[0]);
        for (table, bytes) in front.iter().zip(bytes).skip(1) {
            sets = _mm256_and_si256(sets, look_up(load_tables(table), bytes));
        }
        any = _mm256_or_si256(any, sets);
    }
    not_zero(any)
}

/// The bytes that are in one of these sets.
#[inline]
#[target_feature(enable = "avx2")]
fn in_sets(own: __m256i, sets: u8) -> u32 {
    not_zero(_mm256_and_si256(own, _mm256_set1_epi8(sets as i8)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn not_zero(bytes: __m256i) -> u32 {
    !(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_setzero_si256())) as u32)
}

fn joined(first: u32, second: u32) -> u64 {
    u64::from(first) | u64::from(second) << VECTOR
}

#[inline]
#[target_feature(enable = "avx2")]
fn look_up(tables: Tables, bytes: Parted) -> __m256i {
    let low = _mm256_shuffle_epi8(tables.low, bytes.low);
    _mm256_and_si256(low, _mm256_shuffle_epi8(tables.high, bytes.high))
}

/// The vector that starts at `at`; the halves are below sixteen, as a look-up wants them.
#[inline]
#[target_feature(enable = "avx2")]
fn part(window: &[u8; WINDOW], at: usize) -> Parted {
    let bytes: &[u8; VECTOR] =
        window[at..].first_chunk().expect("both vectors of a block end inside its window");
    // SAFETY: the reference is to as many bytes as are read, and no alignment is needed.
    let bytes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
    let half = _mm256_set1_epi8(15);
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half);
    Parted { low: _mm256_and_si256(bytes, half), high }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_tables(halves: &Halves) -> Tables {
    Tables { low: load_table(&halves.low), high: load_table(&halves.high) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_table(table: &[u8; 16]) -> __m256i {
    // SAFETY: the reference is to the sixteen bytes that are read, and no alignment is needed.
    let table = unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
    _mm256_broadcastsi128_si256(table)
}

const _: () = assert!(LANES == 2 * VECTOR && FRONT_BYTES == 4);
