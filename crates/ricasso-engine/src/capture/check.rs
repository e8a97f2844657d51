//! The second look at what a pattern matched: placeholders, words and code stay visible. Pure, and
//! a function of the matched text alone, so that no split of the stream changes the answer.

use super::forms::decode_base64;
use super::likeness::{entropy_percent, is_all_words, is_wordy};
use super::words::{WORD_BYTES, Word, Words};

/// What the text of a secret must be like, besides matching its pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// The pattern says it all.
    Anything,
    /// A token of a fixed form: no placeholder.
    Token,
    /// Noise, because the pattern alone would take names too.
    Random,
    /// A password where nothing else can stand.
    Password,
    /// A password where a word would be a word.
    Value,
    /// The password of a URL.
    UrlPassword,
    /// The value of an `Authorization` header.
    Header,
    /// User and password, in base64.
    BasicAuth,
    /// The pairs of a `Cookie` header.
    Cookie,
    /// A password in a sentence, where most words are none: letters and a digit.
    Spoken,
}

/// Noise has at least so much entropy: sixteen hexadecimal digits have some 3.2 bits, words 2.8.
const NOISE_PERCENT: usize = 270;

/// Whole values that stand for a secret and are none, in lower case.
static EMPTY_WORDS: Words<256> = Words::of(
    "\
    password passwd pass passphrase secret token apikey api_key api-key key value changeme \
    change_me change-me changeit change-this change_this replaceme replace_me replace-me \
    placeholder example redacted [redacted] masked hidden filtered [filtered] removed none \
    null nil undefined true false required optional empty unset missing invalid unknown \
    string str text bytes number integer int bool boolean object any void varchar char \
    default disabled enabled auto todo fixme tbd n/a foobar foo bar dummy sample \
    your_password yourpassword mypassword my_password new_password newpassword \
    current_password supersecret anonymous username user sensitive (sensitive) prompt ask \
    stdin",
);

/// Words that make a longer text a placeholder when they stand in it as words; `change` before
/// `me` and `here` at the end do too.
static TELLING: Words<32> =
    Words::of("your placeholder changeme replace insert redacted dummy todo fixme example");

/// Whether the part may be one of these words: most are told by their length and first letter.
fn may_tell(part: &[u8]) -> bool {
    let length = match part[0] | 0x20 {
        b'c' => 6..=8,
        b'd' | b'f' => 5..=5,
        b'e' => 7..=7,
        b'g' | b'h' | b't' | b'y' => 4..=4,
        b'i' => 6..=6,
        b'm' => 2..=2,
        b'p' => 11..=11,
        b'r' => 7..=8,
        _ => return false,
    };
    length.contains(&part.len())
}

/// Words of sentences about passwords.
const PROSE: &str = "\
    pass enter your must invalid incorrect forgot reset confirm wrong should please required \
    cannot token secret field short match character least";

impl Check {
    /// Whether `secret` is one.
    pub(super) fn holds(self, secret: &[u8]) -> bool {
        match self {
            Check::Anything => true,
            Check::Token => !is_token_placeholder(secret),
            Check::Random => {
                !is_token_placeholder(secret) && (is_noise(secret) || has_noise(secret))
            }
            Check::Password => !is_placeholder(secret),
            Check::Value => is_password(secret),
            Check::UrlPassword => is_url_password(secret),
            Check::Header => !is_placeholder(secret) && !is_token_placeholder(secret),
            Check::BasicAuth => is_basic_auth(secret),
            Check::Cookie => is_cookie(secret),
            Check::Spoken => is_spoken(secret),
        }
    }
}

/// Whether the text is noise rather than a name: mixed, and not made of words.
pub(super) fn is_noise(text: &[u8]) -> bool {
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
fn has_noise(text: &[u8]) -> bool {
    let parts = text.split(|byte| !byte.is_ascii_alphanumeric());
    parts.filter(|part| part.len() >= PART_BYTES).any(|part| {
        let letters = part.iter().all(u8::is_ascii_lowercase) && !is_wordy(part);
        is_noise(part) || letters
    })
}

/// As long as no word is.
const PART_BYTES: usize = 20;

/// Whether the text could be a password where a plain word would be a word.
pub(super) fn is_password(text: &[u8]) -> bool {
    !is_placeholder(text) && is_no_word(text)
}

/// Whether the text could be a password where most words are none: one word, of letters and a
/// digit, or noise.
pub(super) fn is_spoken(text: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| text.iter().any(test);
    let odd = (has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)) || is_noise(text);
    odd && !text.contains(&b' ') && is_password(text)
}

/// Whether a text that is no placeholder is no code, number or plain word either.
pub(super) fn is_no_word(text: &[u8]) -> bool {
    let end = text.iter().rposition(|byte| !b".,:;!?)".contains(byte)).map_or(0, |last| last + 1);
    let word = &text[..end];
    let letter = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | 0x80..);
    let plain = word.iter().all(letter);
    let digits = text.iter().all(|byte| byte.is_ascii_digit() || *byte == b':');
    // Words of other languages, and constants: `EAP_ATTRIBUTE_TYPE`.
    let foreign = || !word.is_ascii();
    let constant = || word.contains(&b'_') && !word.iter().any(u8::is_ascii_lowercase);
    let name = plain && !is_shuffled(word) && (is_all_words(word) || foreign() || constant());
    !digits && !name && !is_code(text)
}

/// Whether the case changes more often than in names: capitals in a row too, or a digit.
pub(super) fn is_mixed(text: &[u8]) -> bool {
    let changes = text.windows(2).filter(|pair| {
        let letters = pair[0].is_ascii_alphabetic() && pair[1].is_ascii_alphabetic();
        letters && pair[0].is_ascii_lowercase() != pair[1].is_ascii_lowercase()
    });
    let often = changes.count() * 4 >= text.len();
    often && text.len() >= 8 && (is_shuffled(text) || text.iter().any(u8::is_ascii_digit))
}

/// Whether digits are strewn among letters of one case, in two places or in the midst of many.
pub(super) fn is_strewn(text: &[u8]) -> bool {
    let pure = text.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        || text.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let ends = text.windows(2).filter(|two| two[0].is_ascii_digit() && !two[1].is_ascii_digit());
    let inside = text.len() >= STREWN_BYTES && text[0].is_ascii_alphabetic();
    let least = if inside { 1 } else { 2 };
    pure && text.len() >= STREWN_BYTES - 4 && ends.count() >= least
}

/// Whether digits in two places and letters of both cases make one long word, as no name does.
pub(super) fn is_jumbled(text: &[u8]) -> bool {
    let count = |test: fn(&u8) -> bool| text.iter().filter(|byte| test(byte)).count();
    let numbers = text.windows(2).filter(|two| two[0].is_ascii_digit() && !two[1].is_ascii_digit());
    text.len() >= JUMBLED_BYTES
        && text.iter().all(u8::is_ascii_alphanumeric)
        && numbers.count() >= 2
        && count(u8::is_ascii_uppercase) > 2
        && count(u8::is_ascii_lowercase) > 2
}

/// Names with two numbers inside are shorter.
const JUMBLED_BYTES: usize = 20;

/// Names with a number inside are shorter.
const STREWN_BYTES: usize = 16;

/// Whether capitals stand in a row beside small letters, which names of one word rarely do.
fn is_shuffled(text: &[u8]) -> bool {
    text.split(|byte| matches!(byte, b'_' | b'-')).any(|part| {
        part.iter().any(u8::is_ascii_lowercase)
            && part.windows(3).any(|three| three.iter().all(u8::is_ascii_uppercase))
    })
}

/// Whether the text is what stands in for a secret: a variable, a mask, a word, a path.
pub(super) fn is_placeholder(text: &[u8]) -> bool {
    (text.len() <= WORD_BYTES && EMPTY_WORDS.has(&Word::lower(text)))
        || is_variable(text)
        || is_mask(text)
        || is_reference(text)
        || tells(text)
}

/// Whether a text with blanks speaks about secrets.
pub(super) fn is_prose(text: &[u8]) -> bool {
    if !text.contains(&b' ') {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    PROSE.split_ascii_whitespace().any(|word| contains(&lower, word.as_bytes()))
}

/// Whether the text is an expression of a programming language.
pub(super) fn is_code(text: &[u8]) -> bool {
    let signed = || {
        text.iter().any(|byte| SORTS[usize::from(*byte)] & SIGN != 0)
            && SIGNS.iter().any(|sign| contains(text, sign))
            && is_wordy(text)
    };
    is_call(text) || is_path_of_names(text) || is_type(text) || signed()
}

/// `*mut`, `core::PWSTR`, `4096i32`: a pointer, a path of types, a number with its type.
fn is_type(text: &[u8]) -> bool {
    let name = |part: &[u8]| {
        part.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    match text {
        [b'*', rest @ ..] => !rest.is_empty() && rest.iter().all(u8::is_ascii_lowercase),
        [b'0'..=b'9', .., b'i' | b'u' | b'f', b'3' | b'6', b'2' | b'4'] => {
            text[..text.len() - 3].iter().all(|byte| byte.is_ascii_digit() || *byte == b'_')
        }
        _ => {
            let mut joints = memchr::memmem::find_iter(text, b"::").peekable();
            joints.peek().is_some()
                && text.split(|byte| *byte == b':').all(|part| part.is_empty() || name(part))
        }
    }
}

/// What expressions are made of, one of `([:>&|.` in each.
const SIGNS: [&[u8]; 11] = [
    b"(",
    b"::",
    b"->",
    b"=>",
    b"[",
    b"&&",
    b"||",
    b"process.env",
    b"os.environ",
    b"self.",
    b"this.",
];

/// What a byte is in code, one bit each: names are judged by the million.
static SORTS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'.' | b':' => NAME | SIGN,
            b'_' | b'$' | b'!' | b'?' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => NAME,
            b'(' | b'[' | b'>' | b'&' | b'|' => SIGN,
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// A part of a name or of a path of names.
const NAME: u8 = 1;
/// One of [`SIGNS`] may be here.
const SIGN: u8 = 2;

/// `f(`, `t.n(`, `getToken(`, `args[`: a name and an opening bracket.
fn is_call(text: &[u8]) -> bool {
    let name = |byte: &&u8| SORTS[usize::from(**byte)] & NAME != 0;
    let length = text.iter().take_while(name).count();
    let opens = matches!(text.get(length), Some(b'(' | b'['));
    let digits = || text[..length].iter().any(u8::is_ascii_digit);
    opens && (length <= 2 || !digits() || is_wordy(&text[..length]))
}

/// `user.password`, `e.token`, `config.db.pass`: names joined by dots, without a digit.
fn is_path_of_names(text: &[u8]) -> bool {
    let name = |part: &[u8]| {
        let letters = part.iter().all(|b| b.is_ascii_alphabetic() || b"_$?!".contains(b));
        !part.is_empty() && letters && (part.len() <= 4 || is_wordy(part))
    };
    text.contains(&b'.') && text.split(|&byte| byte == b'.').all(name)
}

/// `$NAME`, `${…}`, `$(…)`, `%NAME%`, `%s`, `{{…}}`, `<…>`, `[…]`, `@…@`, a regular expression.
fn is_variable(text: &[u8]) -> bool {
    let name = |rest: &[u8]| {
        !rest.is_empty() && rest.iter().all(|b| b.is_ascii_alphanumeric() || b"_.".contains(b))
    };
    match text {
        [b'$', b'{' | b'(', ..] | [b'%', b'(' | b'{', ..] | [b'@' | b'#', b'{', ..] => true,
        // A driver's settings put a password with odd signs into braces.
        [b'{', inner @ .., b'}'] | [b'{', inner @ ..] if is_noise(inner) => false,
        [b'{', .., b'}'] | [b'<', .., b'>'] | [b'[', .., b']'] | [b'^', .., b'$'] => true,
        [b'%', b's' | b'd' | b'v' | b'q'] | [b'.', b'.', b'.'] | [b'{' | b'<'] => true,
        [b'$', rest @ ..] => {
            // `$PASSWORD` and `$1`, but not the `$2b$12$…` of a hash nor `$ecret1`.
            let shouted = rest.iter().all(|b| !b.is_ascii_lowercase());
            name(rest) && (shouted || !rest.iter().any(u8::is_ascii_digit))
        }
        [b'%', middle @ .., b'%'] | [b'{', middle @ ..] if name(middle) => true,
        _ => {
            memchr::memchr2(b'$', b'{', text).is_some()
                && (contains(text, b"${") || contains(text, b"{{") || contains(text, b"$("))
        }
    }
}

/// `xxxxxxxx`, `********`, `........`, `--------`, `00000000`: one sign again and again.
fn is_mask(text: &[u8]) -> bool {
    let first = text.first().copied().unwrap_or(b'*');
    let same = text.iter().all(|byte| byte.eq_ignore_ascii_case(&first));
    // Three counts in one sum; no value is so long that one runs into the next.
    let sum = text.iter().fold(0, |sum, &byte| sum + MASKS[usize::from(byte)]);
    let count = |field: u32| (sum >> (field * MASK_BITS)) as usize & ((1 << MASK_BITS) - 1);
    let (crosses, stars, others) = (count(0), count(1), count(2));
    (same && text.len() > 2)
        || (crosses + stars + others) * 10 >= text.len() * 8
        || (crosses >= 5 && has_row(text, 5))
        || (stars >= 4 && contains(text, b"****"))
        || text.ends_with(b"...")
}

/// Room for a count of bytes.
const MASK_BITS: u32 = 20;

/// What masks are made of: `x`, `*`, and other signs, each a count of its own.
static MASKS: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'x' | b'X' => 1,
            b'*' => 1 << MASK_BITS,
            b'.' | b'#' | b'?' | b'_' | b'-' | 0x80.. => 1 << (2 * MASK_BITS),
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// Whether so many `x` stand in a row, in any case.
fn has_row(text: &[u8], count: usize) -> bool {
    let mut row = 0;
    text.iter().any(|&byte| {
        row = if byte | 0x20 == b'x' { row + 1 } else { 0 };
        row == count
    })
}

/// A path, a link to where the secret is kept, or a public key.
fn is_reference(text: &[u8]) -> bool {
    let Some(&first) = text.first() else { return false };
    let starts: &[&str] = match first.to_ascii_lowercase() {
        b'/' => &["/"],
        b'.' => &["./", "../"],
        b'~' => &["~/", "~\\"],
        b'!' => &["!vault"],
        b'a' => &["arn:"],
        b'e' => &["env:", "env.", "ecdsa-sha2"],
        b'f' => &["file:"],
        b'h' => &["http://", "https://"],
        b'o' => &["op://"],
        b'p' => &["projects/"],
        b's' => &["ssm:", "secretref:", "ssh-rsa", "ssh-ed25519"],
        b'v' => &["vault:"],
        _ => &[],
    };
    let fits = |start: &&str| starts_like(text, start.as_bytes());
    let drive = matches!(text, [b'a'..=b'z' | b'A'..=b'Z', b':', b'\\' | b'/', ..]);
    // Base64 may start with a slash, and paths have dots, hyphens, blanks or words.
    let base64 = || {
        let long = text.len() >= 40 && !text[1..].iter().any(|byte| b".- ".contains(byte));
        let pure = || text.iter().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b));
        long || (text.len() >= 12 && pure() && is_noise(&text[1..]))
    };
    drive || (starts.iter().any(fits) && !(first == b'/' && base64()))
}

/// Whether a word in it says that the real one is elsewhere.
fn tells(text: &[u8]) -> bool {
    let (mut rest, mut last) = (text, Word::default());
    while let Some(start) = rest.iter().position(u8::is_ascii_alphanumeric) {
        let length = rest[start..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let part = &rest[start..start + length];
        let word = if may_tell(part) { Word::lower(part) } else { Word::default() };
        let joined = start > 0 && matches!(rest[start - 1], b'-' | b'_');
        rest = &rest[start + length..];
        let pair = match (last.text(), word.text()) {
            (b"change", b"me") | (b"goes", b"here") => joined && start == 1,
            (_, b"here") => joined && rest.is_empty(),
            (_, _) => false,
        };
        if pair || (!word.is_empty() && TELLING.has(&word)) {
            return true;
        }
        last = word;
    }
    false
}

/// Placeholders of tokens with a prefix. Narrower than for free values: people test with tokens
/// of one letter, and a token in a manual has the shape of one that opens a door.
fn is_token_placeholder(text: &[u8]) -> bool {
    let mut letters = text.iter().enumerate().filter(|(_, byte)| byte.is_ascii_alphanumeric());
    let tail = letters.nth(TOKEN_HEAD).map_or(text.len(), |(at, _)| at);
    let (head, tail) = text.split_at(tail);
    let (head, tail) = (tally(head), tally(tail));
    let count = |sum: u64, field: u32| (sum >> (field * TALLY_BITS)) as usize & 0xffff;
    let whole = |field: u32| count(head, field) + count(tail, field);
    let (all, crosses, zeros) = (count(tail, LETTERS), count(tail, CROSSES), count(tail, ZEROS));
    (all > 0 && (crosses * 10 >= all * 8 || zeros * 10 >= all * 9))
        || (whole(CROSSES) >= 6 && has_row(text, 6))
        || (whole(SIGNS_OF_MASKS) >= 4 && (contains(text, b"****") || contains(text, b"....")))
        || speaks(text)
}

/// How often letters and digits, `x`, zeros, and `*` and `.` stand in a text: four counts in one
/// sum. No token is so long that one runs into the next.
fn tally(text: &[u8]) -> u64 {
    text.iter().fold(0, |sum, &byte| sum + TALLIES[usize::from(byte)])
}

/// Room for a count of bytes.
const TALLY_BITS: u32 = 16;
const LETTERS: u32 = 0;
const CROSSES: u32 = 1;
const ZEROS: u32 = 2;
const SIGNS_OF_MASKS: u32 = 3;

static TALLIES: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let letter = 1 << (LETTERS * TALLY_BITS);
        table[byte] = match byte as u8 {
            b'x' | b'X' => letter | 1 << (CROSSES * TALLY_BITS),
            b'0' => letter | 1 << (ZEROS * TALLY_BITS),
            b'1'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => letter,
            b'*' | b'.' => 1 << (SIGNS_OF_MASKS * TALLY_BITS),
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// The letters and digits at the start of a token that name its kind.
const TOKEN_HEAD: usize = 8;

/// Whether one of the words that manuals put into tokens is in it, in any case.
fn speaks(text: &[u8]) -> bool {
    // Most tokens have none of the pairs that the words start with: one look tells for all.
    let starts = text.iter().map(|byte| PAIRS[usize::from(*byte)]);
    let seconds = starts.clone().skip(1).map(|(_, second)| second);
    if starts.zip(seconds).fold(0, |all, ((first, _), second)| all | first & second) == 0 {
        return false;
    }
    text.iter().enumerate().any(|(at, &byte)| {
        let words: &[&[u8]] = match byte {
            b'_' => &[b"_here"],
            b'-' => &[b"-here"],
            b'y' | b'Y' => &[b"your_", b"your-"],
            b'p' | b'P' => &[b"placeholder"],
            b'c' | b'C' => &[b"changeme", b"change_me"],
            b'r' | b'R' => &[b"redacted"],
            _ => return false,
        };
        let rest = &text[at..];
        words.iter().any(|word| {
            // `here` must end there: noise has its letters by chance.
            let open = word.ends_with(b"here")
                && rest.get(word.len()).is_some_and(u8::is_ascii_alphanumeric);
            starts_like(rest, word) && !open
        })
    })
}

/// For each byte the words that it starts, and those that it is the second of, one bit each.
static PAIRS: [(u8, u8); 256] = {
    let words = *b"_h-hyoplchre";
    let mut table = [(0, 0); 256];
    let mut word = 0;
    while word < words.len() / 2 {
        let (first, second) = (words[2 * word], words[2 * word + 1]);
        table[first as usize].0 |= 1 << word;
        table[first.to_ascii_uppercase() as usize].0 |= 1 << word;
        table[second as usize].1 |= 1 << word;
        table[second.to_ascii_uppercase() as usize].1 |= 1 << word;
        word += 1;
    }
    table
};

/// Whether the text starts with this word, in any case.
fn starts_like(text: &[u8], word: &[u8]) -> bool {
    text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word)
}

/// Whole passwords of URLs that stand for one.
static URL_WORDS: Words<32> =
    Words::of("password pass pwd passwd secret token xxx changeme x-oauth-basic");

fn is_url_password(text: &[u8]) -> bool {
    // `host:8080/path@x` and `c:443@` hold a port, not a password.
    !is_variable(text) && !is_mask(text) && !tells(text) && !URL_WORDS.has(&Word::lower(text))
}

fn is_basic_auth(text: &[u8]) -> bool {
    decode_base64(text).is_some_and(|plain| {
        let printable = plain.iter().all(|byte| (b' '..0x7f).contains(byte) || *byte >= 0x80);
        let colon = plain.iter().position(|&byte| byte == b':');
        printable && colon.is_some_and(|at| !is_placeholder(&plain[at + 1..]))
    }) || (text.len() >= 20 && is_noise(text))
}

fn is_cookie(text: &[u8]) -> bool {
    const NAMES: [&str; 9] =
        ["sess", "sid", "auth", "token", "jwt", "csrf", "xsrf", "remember", "login"];
    text.split(|&byte| byte == b';').any(|pair| {
        let mut halves = pair.splitn(2, |&byte| byte == b'=');
        let name = halves.next().unwrap_or_default().to_ascii_lowercase();
        let value = halves.next().unwrap_or_default();
        let named = NAMES.iter().any(|word| contains(&name, word.as_bytes()));
        (value.len() >= 16 || (named && value.len() >= 6))
            && !is_placeholder(value)
            && (named || is_noise(value))
    })
}

/// Values are short: making a searcher would take longer than looking.
fn contains(text: &[u8], part: &[u8]) -> bool {
    memchr::memchr_iter(part[0], text).any(|at| text[at..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_told_from_secrets() {
        for text in [
            "changeme",
            "<your-token>",
            "${TOKEN}",
            "$TOKEN",
            "%TOKEN%",
            "xxxxxxxx",
            "********",
            "{{ token }}",
            "your-api-key-here",
            "YOUR_API_KEY",
            "/run/secrets/db",
            "REDACTED",
            "$(cat file)",
            "ssh-rsa AAAAB3",
            "%s",
            "{}",
            "...",
            "replace-with-your-key",
            "null",
        ] {
            assert!(is_placeholder(text.as_bytes()), "{text}");
        }
        for text in ["hunter2", "p@ssw0rd!", "$2b$12$abcdefgh", "s3cr3t", "Tr0ub4dor&3", "$ecret1"]
        {
            assert!(!is_placeholder(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_token_of_one_letter_is_a_token_and_a_mask_is_not() {
        assert!(Check::Token.holds(&[&b"sk-ant-api03-"[..], &[b'A'; 82]].concat()));
        assert!(Check::Token.holds(b"ghp_abcdefghijklmnopqrstuvwxyz0123456789"));
        assert!(!Check::Token.holds(&[&b"ghp_"[..], &[b'x'; 36]].concat()));
        assert!(!Check::Token.holds(b"sk_live_your_key_here_000000"));
    }
}
