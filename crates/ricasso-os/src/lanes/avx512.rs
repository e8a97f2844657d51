//! The quick form for processors that look up 64 bytes at once, and move the ones that count to the
//! front.

use super::{FRONT_BYTES, Front, Halves, LANES, WINDOW, blocks, window};
use std::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm512_add_epi16, _mm512_and_si512, _mm512_broadcast_i32x4,
    _mm512_castsi512_si256, _mm512_cvtepu8_epi16, _mm512_extracti64x4_epi64, _mm512_loadu_si512,
    _mm512_maskz_compress_epi8, _mm512_or_si512, _mm512_set1_epi8, _mm512_set1_epi16,
    _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_srli_epi16, _mm512_storeu_si512,
    _mm512_test_epi8_mask,
};

/// Fronts that are looked for together: their tables stay in registers.
const TOGETHER: usize = 2;

/// Numbers that are written at once.
pub(super) const AT_ONCE: usize = LANES / 2;

/// The two tables of [`Halves`], each in every quarter of a vector.
#[derive(Clone, Copy)]
struct Tables {
    low: __m512i,
    high: __m512i,
}

/// A vector of bytes, parted into the lower and the upper halves of each.
#[derive(Clone, Copy)]
struct Parted {
    low: __m512i,
    high: __m512i,
}

#[target_feature(enable = "avx512bw")]
pub(super) fn classes<const N: usize>(
    halves: &Halves,
    sets: [u8; N],
    bytes: &[u8],
    mut found: [&mut [u64]; N],
) {
    let tables = load_tables(halves);
    let mut room = [0; WINDOW];
    for block in 0..blocks(&found) {
        let own = look_up(tables, part(window(bytes, block, &mut room), 0));
        for (words, sets) in found.iter_mut().zip(sets) {
            words[block] = _mm512_test_epi8_mask(own, _mm512_set1_epi8(sets as i8));
        }
    }
}

#[target_feature(enable = "avx512bw")]
pub(super) fn fronts(fronts: &[Front], bytes: &[u8], found: &mut [u64]) {
    found.fill(0);
    let (pairs, last) = fronts.as_chunks::<TOGETHER>();
    for pair in pairs {
        add_fronts(pair, bytes, found);
    }
    if let [last] = last {
        add_fronts(&[*last], bytes, found);
    }
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn add_fronts<const N: usize>(fronts: &[Front; N], bytes: &[u8], found: &mut [u64]) {
    let mut tables = [[load_tables(&Halves::EMPTY); FRONT_BYTES]; N];
    for (own, front) in tables.iter_mut().zip(fronts) {
        for (own, halves) in own.iter_mut().zip(front) {
            *own = load_tables(halves);
        }
    }
    let mut room = [0; WINDOW];
    for (block, word) in found.iter_mut().enumerate() {
        let window = window(bytes, block, &mut room);
        let bytes = [part(window, 0), part(window, 1), part(window, 2), part(window, 3)];
        let mut any = _mm512_setzero_si512();
        for tables in &tables {
            let mut sets = look_up(tables[0], bytes[0]);
            for (tables, bytes) in tables.iter().zip(bytes).skip(1) {
                sets = _mm512_and_si512(sets, look_up(*tables, bytes));
            }
            any = _mm512_or_si512(any, sets);
        }
        *word |= _mm512_test_epi8_mask(any, any);
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi2,popcnt")]
pub(super) fn list<const N: usize>(words: &[u64; N], numbers: &mut [u16]) -> usize {
    const COUNTED: [u8; LANES] = {
        let mut counted = [0; LANES];
        let mut at = 0;
        while at < LANES {
            counted[at] = at as u8;
            at += 1;
        }
        counted
    };
    // SAFETY: the reference is to as many bytes as are read, and no alignment is needed.
    let counted = unsafe { _mm512_loadu_si512(COUNTED.as_ptr().cast()) };
    let mut listed = 0;
    for (index, word) in words.iter().enumerate() {
        let places = _mm512_maskz_compress_epi8(*word, counted);
        let start = _mm512_set1_epi16((index * LANES) as i16);
        let halves = [_mm512_castsi512_si256(places), _mm512_extracti64x4_epi64::<1>(places)];
        let count = word.count_ones() as usize;
        for (half, bytes) in halves.into_iter().enumerate() {
            // How many there are, no processor can tell beforehand: it would guess, often wrong.
            if half == 0 || count > AT_ONCE {
                let own = _mm512_add_epi16(_mm512_cvtepu8_epi16(bytes), start);
                let room: &mut [u16; AT_ONCE] = numbers[listed + half * AT_ONCE..]
                    .first_chunk_mut()
                    .expect("there is room behind the last number");
                // SAFETY: the reference is to as many bytes as are written, in any alignment.
                unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), own) };
            }
        }
        listed += count;
    }
    listed
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn look_up(tables: Tables, bytes: Parted) -> __m512i {
    let low = _mm512_shuffle_epi8(tables.low, bytes.low);
    _mm512_and_si512(low, _mm512_shuffle_epi8(tables.high, bytes.high))
}

/// The vector that starts at `at`; the halves are below sixteen, as a look-up wants them.
#[inline]
#[target_feature(enable = "avx512bw")]
fn part(window: &[u8; WINDOW], at: usize) -> Parted {
    let bytes: &[u8; LANES] =
        window[at..].first_chunk().expect("the vectors of a block end inside its window");
    // SAFETY: the reference is to as many bytes as are read, and no alignment is needed.
    let bytes = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    let half = _mm512_set1_epi8(15);
    let high = _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), half);
    Parted { low: _mm512_and_si512(bytes, half), high }
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn load_tables(halves: &Halves) -> Tables {
    Tables { low: load_table(&halves.low), high: load_table(&halves.high) }
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn load_table(table: &[u8; 16]) -> __m512i {
    // SAFETY: the reference is to the sixteen bytes that are read, and no alignment is needed.
    let table = unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
    _mm512_broadcast_i32x4(table)
}

const _: () = assert!(FRONT_BYTES == 4 && AT_ONCE == 32);
