//! Tells words from noise: names, sentences and placeholders are made of pairs of letters that
//! follow each other in words; keys are not. Pure. It decides nothing alone: a check does.

use std::sync::LazyLock;

/// For each letter, the letters that often follow it in words: the 300 most frequent pairs among
/// some 18,000 words of manuals and sources, 93 of 100 pairs in words and 44 of 100 in noise.
const FOLLOWS: [u32; 26] = [
    0x01fe_bd6f,
    0x0116_4915,
    0x001e_5d9d,
    0x0016_493f,
    0x01ef_fd7f,
    0x001e_4939,
    0x0016_69d1,
    0x001a_4111,
    0x02ae_fc7f,
    0x0010_4011,
    0x0004_4111,
    0x011c_c91d,
    0x0014_d91b,
    0x003c_ed7d,
    0x007e_fd6f,
    0x011e_c995,
    0x0010_0000,
    0x013e_fd7f,
    0x011e_fdb5,
    0x015e_d9bd,
    0x000e_b97f,
    0x0000_4111,
    0x0006_6191,
    0x0008_8110,
    0x000c_a800,
    0x0000_0111,
];

/// One bit for each of `aeiouy`, by its place in the alphabet, in both cases.
const VOWELS: u32 = 1 << 1 | 1 << 5 | 1 << 9 | 1 << 15 | 1 << 21 | 1 << 25;

/// Shorter runs of letters that look like words turn up in noise too; some are known.
const WORD_LETTERS: usize = 4;

/// Words from here on are long.
const LONG_LETTERS: usize = 12;

/// Words of three letters that names are full of: one bit for each word, by its letters' places in
/// the alphabet.
static SHORT_WORDS: [u32; 32 * 32] = {
    let list = b"\
        add aes all and any api app arg aws bar bin bot csv del dev dir end env err etc foo for \
        get git has hex ids img int job jwt key lib log map max min msg net new not num obj old \
        one out pad pod put pwd raw ref req res row run set sql src ssh ssl std str sub sum svc \
        tag the tls tmp top two txt uri url use usr val var web xml you";
    let mut table = [0; 32 * 32];
    let mut at = 0;
    while at < list.len() {
        table[short_place(list[at], list[at + 1])] |= 1 << (list[at + 2] & 31);
        at += 4;
    }
    table
};

const fn short_place(first: u8, second: u8) -> usize {
    (first & 31) as usize * 32 + (second & 31) as usize
}

/// So much of a text, in hundredths of its letters and digits, must be words for it to be wordy.
/// Names often end in a number or a short random tail; keys have a word in them by chance.
const WORDY_PERCENT: usize = 60;

/// Whether most of the text is words: a name, an identifier, a sentence.
pub(crate) fn is_wordy(text: &[u8]) -> bool {
    words_percent(text) >= WORDY_PERCENT
}

/// Whether the text is nothing but words.
pub(crate) fn is_all_words(text: &[u8]) -> bool {
    words_percent(text) == 100
}

/// How much of the letters and digits belongs to words; nothing without any.
fn words_percent(text: &[u8]) -> usize {
    let (mut inside, mut all) = (0, 0);
    let mut rest = text;
    while let Some(start) = rest.iter().position(u8::is_ascii_alphanumeric) {
        rest = &rest[start..];
        let length = run(rest);
        let (part, more) = rest.split_at(length);
        all += length;
        if is_word(part) {
            inside += length;
        }
        rest = more;
    }
    (inside * 100).checked_div(all).unwrap_or(0)
}

/// Shannon's entropy of the bytes, in hundredths of a bit for each.
pub(crate) fn entropy_percent(text: &[u8]) -> usize {
    let mut counts = [0u16; 256];
    for &byte in text {
        let count = &mut counts[usize::from(byte)];
        *count = count.saturating_add(1);
    }
    // The sum of c·log c over the distinct bytes; each is met once and then taken out.
    let mut sum = 0.0;
    for &byte in text {
        let count = std::mem::take(&mut counts[usize::from(byte)]);
        sum += times_log(usize::from(count));
    }
    let total = text.len().max(1) as f64;
    ((total.log2() - sum / total) * 100.0) as usize
}

/// `count` times its logarithm; a logarithm takes longer than a look into a table.
fn times_log(count: usize) -> f64 {
    static TABLE: LazyLock<[f64; 64]> =
        LazyLock::new(|| std::array::from_fn(|count| count as f64 * (count.max(1) as f64).log2()));
    TABLE.get(count).copied().unwrap_or_else(|| count as f64 * (count as f64).log2())
}

/// The length of the first run: digits, or letters that a reader would take as one word.
fn run(text: &[u8]) -> usize {
    match text {
        [b'0'..=b'9', ..] => leading(text, u8::is_ascii_digit),
        [b'A'..=b'Z', b'a'..=b'z', ..] => 1 + leading(&text[1..], u8::is_ascii_lowercase),
        [b'A'..=b'Z', ..] => {
            let upper = leading(text, u8::is_ascii_uppercase);
            // In `HTTPServer` the S belongs to what follows.
            let last_is_title = text.get(upper).is_some_and(u8::is_ascii_lowercase);
            if last_is_title { (upper - 1).max(1) } else { upper }
        }
        _ => leading(text, u8::is_ascii_lowercase),
    }
}

#[inline]
fn leading(text: &[u8], test: impl Fn(&u8) -> bool) -> usize {
    text.iter().take_while(|byte| test(byte)).count()
}

fn is_word(run: &[u8]) -> bool {
    if !run[0].is_ascii_alphabetic() {
        return false;
    }
    if run.len() < WORD_LETTERS {
        let listed =
            |first, second, third| SHORT_WORDS[short_place(first, second)] >> (third & 31) & 1 == 1;
        return matches!(*run, [first, second, third] if listed(first, second, third));
    }
    let pairs = run.windows(2).filter(|pair| follows(pair[0], pair[1])).count();
    let vowels = run.iter().filter(|&&byte| VOWELS >> (byte & 31) & 1 == 1).count();
    if vowels * 6 < run.len() {
        return false;
    }
    // One odd pair in four: `password` has `sw`, `keyword` has `yw`. Long words have fewer, and
    // long noise would come as near by chance.
    let odd = run.len() - 1 - pairs;
    if run.len() < LONG_LETTERS { odd * 4 < run.len() } else { odd * 6 <= run.len() }
}

fn follows(first: u8, second: u8) -> bool {
    let letter = |byte: u8| u32::from(byte.to_ascii_lowercase() - b'a');
    FOLLOWS[letter(first) as usize] >> letter(second) & 1 == 1
}

/// Noise has at least so much entropy: sixteen hexadecimal digits have some 3.2 bits, words 2.8.
const NOISE_PERCENT: usize = 270;

/// As long as no word is.
const PART_BYTES: usize = 20;

/// Names with two numbers inside are shorter.
const JUMBLED_BYTES: usize = 20;

/// Names with a number inside are shorter.
const STREWN_BYTES: usize = 16;

/// Whether the text is noise rather than a name: mixed, and not made of words.
pub(crate) fn is_noise(text: &[u8]) -> bool {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    let upper = text.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let lower = text.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    let mixed = digits > 0 || (upper > 1 && lower > 1);
    // Names have no two digits among letters of both cases.
    let shuffled =
        (digits > 1 && upper > 1 && lower > 1 && !text.iter().any(|b| b"-._/".contains(b)))
            || is_mixed(text)
            || is_strewn(text);
    mixed
        && upper + lower > 0
        && entropy_percent(text) >= NOISE_PERCENT
        && (shuffled || !is_wordy(text))
}

/// Whether one long part of it is noise by itself: before most tokens stands a word.
pub(crate) fn has_noise(text: &[u8]) -> bool {
    let parts = text.split(|byte| !byte.is_ascii_alphanumeric());
    parts.filter(|part| part.len() >= PART_BYTES).any(|part| {
        let letters = part.iter().all(u8::is_ascii_lowercase) && !is_wordy(part);
        is_noise(part) || letters
    })
}

/// Whether the case changes more often than in names: capitals in a row too, or a digit.
pub(crate) fn is_mixed(text: &[u8]) -> bool {
    let changes = text.windows(2).filter(|pair| {
        let letters = pair[0].is_ascii_alphabetic() && pair[1].is_ascii_alphabetic();
        letters && pair[0].is_ascii_lowercase() != pair[1].is_ascii_lowercase()
    });
    let often = changes.count() * 4 >= text.len();
    often && text.len() >= 8 && (is_shuffled(text) || text.iter().any(u8::is_ascii_digit))
}

/// Whether digits are strewn among letters of one case, in two places or in the midst of many.
pub(crate) fn is_strewn(text: &[u8]) -> bool {
    let pure = text.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        || text.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let ends = text.windows(2).filter(|two| two[0].is_ascii_digit() && !two[1].is_ascii_digit());
    let inside = text.len() >= STREWN_BYTES && text[0].is_ascii_alphabetic();
    let least = if inside { 1 } else { 2 };
    pure && text.len() >= STREWN_BYTES - 4 && ends.count() >= least
}

/// Whether digits in two places and letters of both cases make one long word, as no name does.
pub(crate) fn is_jumbled(text: &[u8]) -> bool {
    let count = |test: fn(&u8) -> bool| text.iter().filter(|byte| test(byte)).count();
    let numbers = text.windows(2).filter(|two| two[0].is_ascii_digit() && !two[1].is_ascii_digit());
    text.len() >= JUMBLED_BYTES
        && text.iter().all(u8::is_ascii_alphanumeric)
        && numbers.count() >= 2
        && count(u8::is_ascii_uppercase) > 2
        && count(u8::is_ascii_lowercase) > 2
}

/// Whether capitals stand in a row beside small letters, which names of one word rarely do.
pub(crate) fn is_shuffled(text: &[u8]) -> bool {
    text.split(|byte| matches!(byte, b'_' | b'-')).any(|part| {
        part.iter().any(u8::is_ascii_lowercase)
            && part.windows(3).any(|three| three.iter().all(u8::is_ascii_uppercase))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sentences_are_wordy_and_keys_are_not() {
        for text in [
            "my-secret-name",
            "process.env.PASSWORD",
            "getUserPassword",
            "default-token-x7k2p",
            "the quick brown fox",
            "HTTPServerConfig",
            "TOKEN_RIGHT_PAREN",
            "bert-base-uncased",
        ] {
            assert!(is_wordy(text.as_bytes()), "{text}");
        }
        for text in [
            "k3jf9sd8fj2lq0",
            "AbXqZtRwKlPmNvBc",
            "3f786850e387550fdab836ed7e6dc881",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "zq8Xv2Lm",
            "123e4567-e89b-12d3-a456",
        ] {
            assert!(!is_wordy(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn noise_has_more_entropy_than_a_pattern() {
        assert_eq!(entropy_percent(b"aaaaaaaa"), 0);
        assert_eq!(entropy_percent(b"abababab"), 100);
        assert!(entropy_percent(b"k3jf9sd8fj2lq0xz") > 350);
    }
}
