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

    /// Sets that together have exactly the bytes of the table, which are not in more than eight
    /// different rows of sixteen.
    pub const fn exactly(table: &[bool; 256]) -> Halves {
        let (mut halves, mut rows, mut sets, mut high) = (Halves::EMPTY, [0u16; 8], 0, 0);
        while high < 16 {
            let (mut row, mut low, mut set) = (0, 0, 0);
            while low < 16 {
                row |= (table[high * 16 + low] as u16) << low;
                low += 1;
            }
            while set < sets && rows[set] != row {
                set += 1;
            }
            if set == sets && row != 0 {
                rows[set] = row;
                sets += 1;
            }
            if row != 0 {
                halves = halves.with_halves(row, 1 << high, 1 << set);
            }
            high += 1;
        }
        halves
    }

    /// The first of the bytes that is in any set, if one of the first [`LANES`] is.
    pub fn first_in(&self, bytes: &[u8]) -> Option<usize> {
        let mut found = [0];
        classes(self, [!0], bytes, [&mut found]);
        let first = found[0].trailing_zeros() as usize;
        (first < bytes.len().min(LANES)).then_some(first)
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
    if has_avx512() {
        // SAFETY: the processor has what it needs, as the line above asked it.
        return unsafe { avx512::classes(halves, sets, bytes, found) };
    }
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
    if has_avx512() {
        // SAFETY: the processor has what it needs, as the line above asked it.
        return unsafe { avx512::fronts(fronts, bytes, found) };
    }
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

/// Room for the numbers of all bits of so many words, as [`list`] wants it.
pub const fn room(words: usize) -> usize {
    words * LANES + LANES / 2
}

/// Numbers that are written at once, without asking how many there are.
const AT_ONCE: usize = 4;

/// Lists the numbers of the bits that are set, in order, and says how many there are. Behind them
/// the list has noise.
pub fn list<const N: usize>(words: &[u64; N], numbers: &mut [u16]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if has_avx512() {
        // SAFETY: the processor has what it needs, as the line above asked it.
        return unsafe { avx512::list(words, numbers) };
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") && std::arch::is_x86_feature_detected!("bmi1")
    {
        // SAFETY: the processor can count bits, as the line above asked it.
        return unsafe { count::list(words, numbers) };
    }
    list_bits(words, numbers)
}

#[inline(always)]
fn list_bits<const N: usize>(words: &[u64; N], numbers: &mut [u16]) -> usize {
    assert!(numbers.len() >= room(N), "all bits may be set");
    let mut listed = 0;
    for (index, word) in words.iter().enumerate() {
        // How many there are, no processor can tell beforehand: it would guess, and often wrong.
        let (mut left, mut next) = (*word, listed);
        listed += left.count_ones() as usize;
        while next < listed {
            for number in &mut numbers[next..next + AT_ONCE] {
                *number = (index * LANES) as u16 + left.trailing_zeros() as u16;
                left &= left.wrapping_sub(1);
            }
            next += AT_ONCE;
        }
    }
    listed
}

/// The first bytes of some texts, as bits by numbers that are made of them.
#[derive(Debug, Clone)]
pub struct Heads {
    /// The first three of all.
    three: Bits,
    /// The first four of those that are longer, and the first three of the others.
    four: Bits,
    short: Bits,
    /// The bytes that are texts by themselves.
    single: [bool; 256],
}

/// So many that one in fifty heads of other texts has a bit by chance.
const HEAD_BITS: usize = 1 << 15;

type Bits = [u64; HEAD_BITS / 64];

impl Heads {
    /// No text.
    pub const EMPTY: Heads = {
        let none = [0; HEAD_BITS / 64];
        Heads { three: none, four: none, short: none, single: [false; 256] }
    };

    /// The same with one more text, which is not empty. Behind one of two bytes stands one of
    /// `thirds`.
    pub const fn with(mut self, text: &[u8], thirds: &[u8]) -> Heads {
        match *text {
            [] => {}
            [only] => self.single[only as usize] = true,
            [first, second] => {
                let mut at = 0;
                while at < thirds.len() {
                    set(&mut self.three, [0, first, second, thirds[at]]);
                    set(&mut self.short, [0, first, second, thirds[at]]);
                    at += 1;
                }
            }
            [first, second, third] => {
                set(&mut self.three, [0, first, second, third]);
                set(&mut self.short, [0, first, second, third]);
            }
            [first, second, third, fourth, ..] => {
                set(&mut self.three, [0, first, second, third]);
                set(&mut self.four, [first, second, third, fourth]);
            }
        }
        self
    }

    /// Keeps those numbers of a list where in `bytes` one of the texts may start; says how many.
    /// Where too few bytes are left to tell, one may.
    pub fn keep(&self, bytes: &[u8], numbers: &mut [u16]) -> usize {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("bmi2") {
            // SAFETY: the processor has BMI2, as the line above asked it.
            return unsafe { count::keep(self, bytes, numbers) };
        }
        self.keep_heads(bytes, numbers)
    }

    /// In two steps: the first is the cheaper one, and leaves little for the second.
    #[inline(always)]
    fn keep_heads(&self, bytes: &[u8], numbers: &mut [u16]) -> usize {
        let kept = keep_if(bytes, numbers, |four| {
            let single = self.single[four as usize & 255];
            bit(&self.three, four << 8) | u64::from(single)
        });
        keep_if(bytes, &mut numbers[..kept], |four| {
            let single = self.single[four as usize & 255];
            bit(&self.four, four) | bit(&self.short, four << 8) | u64::from(single)
        })
    }
}

#[inline(always)]
fn keep_if(bytes: &[u8], numbers: &mut [u16], stands: impl Fn(u32) -> u64) -> usize {
    let mut kept = 0;
    for at in 0..numbers.len() {
        let number = numbers[at];
        let start = usize::from(number);
        let stands = match bytes.get(start..start + 4) {
            Some(four) => stands(u32::from_le_bytes([four[0], four[1], four[2], four[3]])),
            None => u64::from(start < bytes.len()),
        };
        // Nothing is decided for each place: no processor could tell beforehand.
        numbers[kept] = number;
        kept += stands as usize;
    }
    kept
}

const fn set(bits: &mut Bits, four: [u8; 4]) {
    let head = head(u32::from_le_bytes(four));
    bits[head / 64] |= 1 << (head % 64);
}

#[inline(always)]
fn bit(bits: &Bits, four: u32) -> u64 {
    let head = head(four);
    bits[head / 64] >> (head % 64) & 1
}

/// A number for four bytes.
#[inline(always)]
const fn head(four: u32) -> usize {
    four.wrapping_mul(0x9e37_79b1) as usize >> (32 - HEAD_BITS.trailing_zeros())
}

#[cfg(target_arch = "x86_64")]
mod count {
    use super::Heads;

    #[target_feature(enable = "popcnt,bmi1")]
    pub(super) fn list<const N: usize>(words: &[u64; N], numbers: &mut [u16]) -> usize {
        super::list_bits(words, numbers)
    }

    #[target_feature(enable = "bmi2")]
    pub(super) fn keep(heads: &Heads, bytes: &[u8], numbers: &mut [u16]) -> usize {
        heads.keep_heads(bytes, numbers)
    }
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

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

/// Whether the processor has all that `avx512` needs: older ones with a part of it run slower with
/// wide vectors.
#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    std::arch::is_x86_feature_detected!("avx512vbmi2")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("popcnt")
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
            let of_classes = plain;
            let front = |number| std::array::from_fn(|at| random_halves(number * 4 + at as u64));
            let all: Vec<Front> = (0..seed % 4 + 1).map(|number| front(seed + number)).collect();
            let (mut quick, mut plain) = (vec![7; blocks], vec![9; blocks]);
            fronts(&all, &bytes, &mut quick);
            portable::fronts(&all, &bytes, &mut plain);
            assert_eq!(quick, plain, "fronts of {seed}");
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // Where wider ones are there, the tests above did not take these.
                let mut narrow = [0; 8].map(|_| vec![5; blocks]);
                let words = narrow.each_mut().map(Vec::as_mut_slice);
                // SAFETY: the processor has AVX2, as the line above asked it.
                unsafe { avx2::classes(&halves, sets, &bytes, words) };
                assert_eq!(narrow, of_classes, "classes of {seed}");
                let mut narrow = vec![5; blocks];
                // SAFETY: the same.
                unsafe { avx2::fronts(&all, &bytes, &mut narrow) };
                assert_eq!(narrow, plain, "fronts of {seed}");
            }
            assert!(seed < 50 || quick.iter().any(|word| *word != 0), "{seed} tries nothing");
        }
    }

    #[test]
    fn bits_are_listed_in_order_and_kept_where_a_text_may_start() {
        for seed in 0..200 {
            let bytes = noise(seed, 1024);
            // Words with few bits, with many, with none and with all.
            let word = |at: usize| {
                let own = u64::from_le_bytes(std::array::from_fn(|byte| bytes[at * 8 + byte]));
                let other =
                    u64::from_le_bytes(std::array::from_fn(|byte| bytes[at * 8 + 64 + byte]));
                [own, own & other & other.rotate_left(7), own | other, 0, !0][at % 5]
            };
            let words: [u64; 8] = std::array::from_fn(word);
            let is_set =
                |number: &u16| words[usize::from(*number) / LANES] >> (number % 64) & 1 == 1;
            let expected: Vec<u16> = (0..512).filter(is_set).collect();
            let (mut quick, mut plain) = (vec![7; room(8)], vec![9; room(8)]);
            assert_eq!(list(&words, &mut quick), expected.len(), "{seed}");
            assert_eq!(list_bits(&words, &mut plain), expected.len(), "{seed}");
            assert_eq!(quick[..expected.len()], expected, "{seed}");
            assert_eq!(plain[..expected.len()], expected, "{seed}");
            let text = &bytes[..500];
            let heads = Heads::EMPTY
                .with(&text[100..103], b"")
                .with(&text[200..202], b"ab")
                .with(&[text[300]], b"");
            let count = heads.keep(text, &mut quick[..expected.len()]);
            let plain_count = heads.keep_heads(text, &mut plain[..expected.len()]);
            assert_eq!(quick[..count], plain[..plain_count], "{seed}");
            for number in expected {
                let rest = text.get(usize::from(number)..).unwrap_or_default();
                let stands = rest.starts_with(&text[100..103])
                    || rest.starts_with(&[text[200], text[201], b'b'])
                    || rest.first() == Some(&text[300])
                    || (1..4).contains(&rest.len());
                let kept = quick[..count].contains(&number);
                assert!(kept || !stands, "{seed}: {number} is lost");
                assert!(!kept || !rest.is_empty(), "{seed}: {number} is behind the end");
            }
            assert!(count < 50, "{seed}: {count} of 500 by chance");
        }
    }

    #[test]
    fn sets_of_rows_have_exactly_their_bytes_and_the_first_of_them_is_found() {
        let listed = b":/@ \t\r\n\"'`<>?#[\\";
        for others in [false, true] {
            let table: [bool; 256] =
                std::array::from_fn(|byte| listed.contains(&(byte as u8)) != others);
            let halves = Halves::exactly(&table);
            for (byte, is_in) in table.iter().enumerate() {
                assert_eq!(halves.of(byte as u8) != 0, *is_in, "{byte}");
            }
        }
        let colon = Halves::EMPTY.with(b':', 1);
        for length in [0, 1, 63, 64, 65, 66, 67, 200] {
            let mut text = vec![b'a'; length];
            assert_eq!(colon.first_in(&text), None, "{length}");
            for at in (0..length).rev() {
                text[at] = b':';
                assert_eq!(colon.first_in(&text), (at < LANES).then_some(at), "{length} {at}");
            }
        }
        let others = Halves::exactly(&std::array::from_fn(|byte| byte as u8 != b'a'));
        assert_eq!(others.first_in(b"aaa"), None, "behind the end there is nothing");
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
