//! Looks at 64 bytes of a text at once and tells as bits which of them are of a class, and where
//! one of many texts may start. Where the processor can look up a whole vector at a time it does;
//! the portable form gives the same bits. It is here because vectors need `unsafe`.
//!
//! It must never read behind the bytes it is given, and never miss a place.

/// Bytes that become one word of bits, the first byte the lowest.
pub const LANES: usize = 64;

/// So many bytes of each text are compared.
pub const FRONT_BYTES: usize = 4;

/// The bytes that a block is made from: its own, and those that a text at its end goes on with.
const WINDOW: usize = LANES + FRONT_BYTES - 1;

/// Eight sets of bytes. A byte is in those that both of its halves are in, so that two looks into
/// a table of sixteen answer for all eight. Sets may come out larger than what was put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halves {
    low: [u8; 16],
    high: [u8; 16],
}

impl Halves {
    /// Eight empty sets.
    pub const EMPTY: Halves = Halves { low: [0; 16], high: [0; 16] };

    /// The same with `byte` in the sets whose bits are given.
    pub const fn with(mut self, byte: u8, sets: u8) -> Halves {
        self.low[(byte & 15) as usize] |= sets;
        self.high[(byte >> 4) as usize] |= sets;
        self
    }

    /// The same with more bytes in the sets whose bits are given: those whose lower half has its
    /// bit in `low` and whose upper half has it in `high`.
    pub const fn with_halves(mut self, low: u16, high: u16, sets: u8) -> Halves {
        let mut half = 0;
        while half < 16 {
            if low >> half & 1 == 1 {
                self.low[half] |= sets;
            }
            if high >> half & 1 == 1 {
                self.high[half] |= sets;
            }
            half += 1;
        }
        self
    }

    /// The sets that `byte` is in.
    pub const fn of(&self, byte: u8) -> u8 {
        self.low[(byte & 15) as usize] & self.high[(byte >> 4) as usize]
    }
}

/// For each of `N` classes, which has the bytes that are in one of its sets, and for each block of
/// `bytes`: the bytes that are in the class. Behind the end of the bytes there are zeros.
pub fn classes<const N: usize>(
    halves: &Halves,
    sets: [u8; N],
    bytes: &[u8],
    found: [&mut [u64]; N],
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, as the line above asked it.
        return unsafe { avx2::classes(halves, sets, bytes, found) };
    }
    portable::classes(halves, sets, bytes, found);
}

/// One table for each of the first bytes of some texts.
pub type Front = [Halves; FRONT_BYTES];

/// For each block of `bytes`, the places where for some set of some front each of the next bytes is
/// in that set of its own table. Behind the end of the bytes there are zeros.
pub fn fronts(fronts: &[Front], bytes: &[u8], found: &mut [u64]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, as the line above asked it.
        return unsafe { avx2::fronts(fronts, bytes, found) };
    }
    portable::fronts(fronts, bytes, found);
}

/// Does some work on words, for which the compiler may take the vectors that the processor has.
#[inline]
pub fn wide<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, as the line above asked it.
        return unsafe { avx2::wide(work) };
    }
    work()
}

/// So many blocks are wanted of each class.
fn blocks<const N: usize>(found: &[&mut [u64]; N]) -> usize {
    found.iter().map(|words| words.len()).min().unwrap_or(0)
}

/// The bytes of a block and those behind it, with zeros behind the end.
#[inline]
fn window<'a>(bytes: &'a [u8], block: usize, room: &'a mut [u8; WINDOW]) -> &'a [u8; WINDOW] {
    let rest = bytes.get(block * LANES..).unwrap_or_default();
    if let Some(window) = rest.first_chunk() {
        return window;
    }
    let length = rest.len().min(WINDOW);
    room[..length].copy_from_slice(&rest[..length]);
    room[length..].fill(0);
    room
}

mod portable {
    use super::{FRONT_BYTES, Front, Halves, LANES, WINDOW, blocks, window};

    /// Fronts that are looked for together: each has eight bits for each of its bytes in a word.
    const TOGETHER: usize = 2;

    /// The bits of one byte of all fronts that are looked for together.
    const STEP: usize = 8 * TOGETHER;

    pub(super) fn classes<const N: usize>(
        halves: &Halves,
        sets: [u8; N],
        bytes: &[u8],
        mut found: [&mut [u64]; N],
    ) {
        let of = |byte: u8| {
            let own = halves.of(byte);
            let in_class = |class: usize| u8::from(own & sets[class] != 0) << class;
            (0..N.min(8)).fold(0, |all, class| all | in_class(class))
        };
        let table: [u8; 256] = std::array::from_fn(|byte| of(byte as u8));
        let mut room = [0; WINDOW];
        for block in 0..blocks(&found) {
            let window = window(bytes, block, &mut room);
            let mut words = [0; N];
            for (index, eight) in window[..LANES].chunks_exact(8).enumerate() {
                let own: [u8; 8] = std::array::from_fn(|at| table[usize::from(eight[at])]);
                let own = u64::from_le_bytes(own);
                for (class, word) in words.iter_mut().enumerate() {
                    *word |= lowest_bits(own >> class) << (index * 8);
                }
            }
            for (found, word) in found.iter_mut().zip(words) {
                found[block] = word;
            }
        }
    }

    /// The lowest bit of each of eight bytes, as eight bits.
    fn lowest_bits(eight: u64) -> u64 {
        (eight & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }

    pub(super) fn fronts(fronts: &[Front], bytes: &[u8], found: &mut [u64]) {
        found.fill(0);
        for fronts in fronts.chunks(TOGETHER) {
            add_fronts(fronts, bytes, found);
        }
    }

    /// Goes byte by byte: what a front has matched so far moves up one step with each byte, and
    /// what arrives at the last one has matched it all.
    fn add_fronts(fronts: &[Front], bytes: &[u8], found: &mut [u64]) {
        let half = |of: fn(&Halves, usize) -> u8, at: usize| {
            let mut word = 0;
            for (index, front) in fronts.iter().enumerate() {
                for (place, table) in front.iter().enumerate() {
                    word |= u64::from(of(table, at)) << (place * STEP + index * 8);
                }
            }
            word
        };
        let low: [u64; 16] = std::array::from_fn(|at| half(|table, at| table.low[at], at));
        let high: [u64; 16] = std::array::from_fn(|at| half(|table, at| table.high[at], at));
        let mut room = [0; WINDOW];
        for (block, word) in found.iter_mut().enumerate() {
            let (mut state, mut ends) = (0u64, 0u64);
            for &byte in window(bytes, block, &mut room) {
                let own = low[usize::from(byte & 15)] & high[usize::from(byte >> 4)];
                state = (state << STEP | ((1 << STEP) - 1)) & own;
                // What ended before the last byte of the first place falls out below.
                ends = ends >> 1 | u64::from(state >> ((FRONT_BYTES - 1) * STEP) != 0) << 63;
            }
            *word |= ends;
        }
    }

    const _: () = assert!(FRONT_BYTES * STEP == 64);
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator that needs no crate: the numbers of Knuth's MMIX.
    fn noise(seed: u64, length: usize) -> Vec<u8> {
        let mut state = seed;
        let next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        std::iter::repeat_with(next).take(length).collect()
    }

    fn random_halves(seed: u64) -> Halves {
        let bytes = noise(seed, 64);
        let (low, high) = (&bytes[..16], &bytes[16..32]);
        // Many bits, so that four tables agree now and then.
        let thick = |part: &[u8], more: &[u8]| std::array::from_fn(|at| part[at] | more[at]);
        Halves { low: thick(low, &bytes[32..48]), high: thick(high, &bytes[48..]) }
    }

    #[test]
    fn the_quick_form_and_the_portable_one_give_the_same_bits() {
        for seed in 0..200 {
            let bytes = noise(seed, seed as usize * 3);
            let blocks = bytes.len().div_ceil(LANES) + 1;
            let halves = random_halves(seed + 1000);
            let sets = [1, 2, 4, 8, 0x13, 0x60, 0xff, 0];
            let [mut quick, mut plain] = [7, 9].map(|word| [0; 8].map(|_| vec![word; blocks]));
            classes(&halves, sets, &bytes, quick.each_mut().map(Vec::as_mut_slice));
            portable::classes(&halves, sets, &bytes, plain.each_mut().map(Vec::as_mut_slice));
            assert_eq!(quick, plain, "classes of {seed}");
            let front = |number| std::array::from_fn(|at| random_halves(number * 4 + at as u64));
            let all: Vec<Front> = (0..seed % 4 + 1).map(|number| front(seed + number)).collect();
            let (mut quick, mut plain) = (vec![7; blocks], vec![9; blocks]);
            fronts(&all, &bytes, &mut quick);
            portable::fronts(&all, &bytes, &mut plain);
            assert_eq!(quick, plain, "fronts of {seed}");
            assert!(seed < 50 || quick.iter().any(|word| *word != 0), "{seed} tries nothing");
        }
    }

    #[test]
    fn a_byte_is_in_its_sets_and_a_text_is_found_where_it_starts() {
        let halves = Halves::EMPTY.with(b'a', 1).with(b'\n', 2).with(0xff, 4);
        let mut found = [[7; 2]; 3];
        classes(&halves, [1, 2, 6], b"xa\n\xffa", found.each_mut().map(|words| &mut words[..]));
        assert_eq!(found, [[0b10010, 0], [0b100, 0], [0b1100, 0]]);
        let text = |tables: [Halves; FRONT_BYTES], text: &[u8], sets: u8| {
            std::array::from_fn(|at| match text.get(at) {
                Some(&byte) => tables[at].with(byte, sets),
                None => tables[at].with_halves(!0, !0, sets),
            })
        };
        let tables = text(text([Halves::EMPTY; FRONT_BYTES], b"pass", 1), b"://", 2);
        for front in 0..100 {
            for (tail, places) in [("pass", 1), ("://", 1), ("pas", 0), ("past", 0), ("p://", 2)] {
                let bytes = [&vec![b'.'; front][..], tail.as_bytes()].concat();
                let mut found = [0; 2];
                fronts(&[tables], &bytes, &mut found);
                let at = front + places.max(1) - 1;
                let expected = u128::from(places > 0) << at;
                let found = u128::from(found[0]) | u128::from(found[1]) << 64;
                assert_eq!(found, expected, "{tail} at {front}");
            }
        }
    }
}
