//! Secrets that a name gives away: `password: …`, `"apiKey": "…"`, `--token …`, `<secret>…`. The
//! name, its punctuation and its quotes stay; the value goes when it is no placeholder, word or
//! code. Pure: a function of the text from the name on, so that every split gives the same.

mod cursor;
mod value;

use super::bare::needs;
use super::before::{BEFORE_BYTES, Before, is_word};
use super::check;
use super::dfa::End;
use super::kinds::Stem;
use super::likeness::{entropy_percent, is_wordy};
use super::words::{WORD_BYTES, Word, Words, is_joint, parts};
use cursor::Cursor;
use std::ops::RangeInclusive;

/// Longest value before it is redacted piecemeal, and so what waits at most.
pub(super) const VALUE_BYTES: usize = 4 * 1024;

/// Longest rest of a name behind its telling part: `_production_base64`, with room.
pub(super) const SUFFIX_BYTES: usize = 32;

/// Longest run of blanks between name and value: aligned tables of settings.
pub(super) const GAP_BYTES: usize = 24;

/// How far a mark behind a value is followed to see whether another name starts there.
const NEXT_BYTES: usize = 48;

/// Entropy that no sentence and no code of this length has, in hundredths of a bit.
const SALT_PERCENT: usize = 500;
const SALT_BYTES: RangeInclusive<usize> = 40..=128;

/// Shorter words in the next column may be anything.
const COLUMN_BYTES: usize = 12;

/// What only wraps a text, in lower case.
static WRAPPERS: Words<32> = Words::of(
    "some secret secretstr secretstring string str just optional option sensitive redacted \
    protected bytes token",
);

/// What may follow the telling part of a name, in lower case, without its joint. Anything else
/// makes another thing of it: `token_count`, `secretName`, `password_policy`, `apiKeyId`.
static SUFFIXES: Words<128> = Words::of(
    "\
    key keys token secret password passwd pass value text string base prod production dev \
    development test staging stage live main b64 base64 hex data new old current primary \
    secondary plain plaintext raw default encoded auth admin root user db phrase code enc \
    header private access word wd",
);

/// Words before `token` that make it a place in a list or a piece of text.
static HARMLESS_TOKENS: Words<128> = Words::of(
    "\
    next page continuation pagination sync cursor resume cancel cancellation end start stop \
    bos eos pad unk mask sep cls special num max min total input output prompt completion \
    cached per invalid unexpected expected design last first previous prev progress marker \
    sort client_request request idempotency non syntax",
);

/// Words before `key` that make it a name, a place or a public half.
static HARMLESS_KEYS: Words<256> = Words::of(
    "\
    public pub cache primary foreign sort partition hash row routing object lookup index \
    group map registry publishable anon site feature translation locale config range unique \
    composite shard tag label metric topic field dict json event restore i hot short arrow \
    enter return any no press host known fingerprint gpg s context idempotency dedup merge \
    order search socket prop data query message item node react trusted sender bucket \
    prefix",
);

/// Words before `key` that leave no doubt.
static TELLING_KEYS: Words<128> = Words::of(
    "\
    api secret private access encryption encrypt signing sign account auth master shared \
    license licence service deploy app application admin crypt crypto cipher aes hmac jwt \
    session integration write ingest consumer subscription server preshared psk ssh \
    wireguard root client function functions bot webhook security decrypt decryption \
    signature salt hook management rest user team project org",
);

/// What a name led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assigned {
    /// No secret, whatever follows.
    Nothing,
    /// More bytes decide; nothing before this place can belong to a secret.
    Wait(usize),
    /// The secret is here.
    Secret {
        /// Its first byte.
        start: usize,
        /// The byte behind its last.
        end: usize,
        /// Whether it is longer than [`VALUE_BYTES`].
        endless: bool,
    },
}

/// How sure a name makes us, and so what its value must be like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// A password: any value that is no placeholder.
    Password,
    /// Anything of eight bytes that is not made of words.
    Strong,
    /// Noise of sixteen bytes.
    Weak,
}

/// How a value is enclosed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    /// This sign, and whether a backslash stands before both ends.
    Sign(u8, bool),
    /// The end of an element.
    Tag,
    /// Signs that a query has to encode.
    Encoded,
}

/// What stands between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Joint {
    quote: Quote,
    sure: Sure,
}

/// How sure it is that the value belongs to the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sure {
    /// A sign assigns it.
    Assigned,
    /// Both are arguments of a call: `define('PASSWORD', '…')`.
    Listed,
    /// It is compared with what has the name, or handed to it: `setPassword("…")`.
    Called,
    /// It only stands behind the name: `requirepass …`, and in sentences too.
    Beside,
    /// It stands behind a variable's name, or in the next cell: `ENV API_KEY …`, `| token | … |`.
    Cell,
    /// It stands in the next column or line, far from the name.
    Column,
}

/// Why reading stopped.
enum Stop {
    Nothing,
    Wait(usize),
}

impl Stop {
    /// The same, but nothing behind this place can be shown yet.
    fn not_behind(self, place: usize) -> Stop {
        match self {
            Stop::Nothing => Stop::Nothing,
            Stop::Wait(at) => Stop::Wait(at.min(place)),
        }
    }
}

/// Looks at a name from its telling part on.
pub(super) fn assigned(stem: Stem, rest: &[u8], before: &Before, end: End) -> Assigned {
    match read(stem, rest, before, end) {
        Ok(assigned) => assigned,
        Err(Stop::Nothing) => Assigned::Nothing,
        Err(Stop::Wait(at)) => Assigned::Wait(at),
    }
}

fn read(stem: Stem, rest: &[u8], before: &Before, end: End) -> Result<Assigned, Stop> {
    let mut cursor = Cursor { bytes: rest, at: 0, end };
    cursor.name(stem, before)?;
    let joint = cursor.joint(stem, before)?;
    let trust = trust(stem, rest, before).ok_or(Stop::Nothing)?;
    let start = cursor.at;
    let (value_end, endless) = cursor.value(joint.quote).map_err(|stop| stop.not_behind(start))?;
    let value = &rest[start..value_end];
    // Generated salts have signs and blanks like code and sentences, but more entropy.
    let salt = || trust != Trust::Weak && is_salt(value);
    let secret = (fits(joint, trust, value) && holds(trust, joint.quote, value)) || salt();
    if !secret {
        return Ok(Assigned::Nothing);
    }
    Ok(Assigned::Secret { start, end: value_end, endless })
}

/// What the name is worth, by the word before its telling part.
fn trust(stem: Stem, rest: &[u8], before: &Before) -> Option<Trust> {
    let text = before.text();
    let shown = &text[..text.len() - usize::from(needs(stem, rest).is_some())];
    // `arn:…:secret:name` is a path, whose parts are no names of values; `:password` in Ruby and
    // `$env:PASSWORD` are names.
    let path = matches!(shown, [.., last, b':'] if is_word(*last) || *last == b':');
    if path && !ends_in(shown, b"env:") && !is_element(before) {
        return None;
    }
    match stem {
        Stem::Pass | Stem::Pwd => Some(Trust::Password),
        Stem::Token if HARMLESS_TOKENS.has(&word_before(shown)) => None,
        Stem::Token | Stem::Secret => Some(Trust::Strong),
        Stem::Key => key_trust(text, rest),
        // Which key signed a link is no secret.
        Stem::Auth if ends_in(shown, b"-goog-") || ends_in(shown, b"-amz-") => None,
        Stem::Auth => Some(Trust::Weak),
    }
}

fn is_salt(value: &[u8]) -> bool {
    SALT_BYTES.contains(&value.len()) && entropy_percent(value) >= SALT_PERCENT
}

/// Whether the value is what such a joint asks for.
fn fits(joint: Joint, trust: Trust, value: &[u8]) -> bool {
    // In `<user>:<password>@host` nothing is an element.
    if joint.quote == Quote::Tag && value.starts_with(b"@") {
        return false;
    }
    // In `input("Password: ")` the sign behind the colon ends a text that started before the name.
    let ended = matches!(joint.quote, Quote::Sign(..))
        && value.first().is_some_and(|byte| b"),;]}".contains(byte));
    let sure = match joint.sure {
        Sure::Assigned => true,
        Sure::Listed => check::is_password(value),
        Sure::Called => check::is_spoken(value),
        Sure::Cell if trust == Trust::Password => value.len() >= 6 && check::is_spoken(value),
        Sure::Cell | Sure::Column => {
            value.len() >= COLUMN_BYTES
                && !value.iter().any(|b| b".:(".contains(b))
                && check::is_noise(value)
        }
        Sure::Beside => {
            let mixed = match joint.quote {
                Quote::Sign(..) => check::is_password(value) && !value.contains(&b' '),
                Quote::None | Quote::Tag | Quote::Encoded => check::is_noise(value),
            };
            value.len() >= 8 && !value.iter().any(|b| b"/.:(".contains(b)) && mixed
        }
    };
    !ended && sure
}

fn holds(trust: Trust, quote: Quote, value: &[u8]) -> bool {
    let short = match trust {
        Trust::Password => 4,
        Trust::Strong => 8,
        Trust::Weak => 16,
    };
    if value.len() < short {
        return false;
    }
    let digits = value.iter().all(u8::is_ascii_digit);
    let blank = value.contains(&b' ');
    // What most values are, and what costs least to know, is asked first.
    let other = match trust {
        Trust::Password => false,
        Trust::Strong => {
            let number = digits && value.len() < 16;
            let noise =
                || check::is_mixed(value) || check::is_strewn(value) || check::is_jumbled(value);
            blank || number || (is_wordy(value) && !noise())
        }
        Trust::Weak => blank || !check::is_noise(value),
    };
    // What ends a statement is no part of a word.
    let bare = matches!(quote, Quote::None | Quote::Encoded) && matches!(value, [.., b';' | b',']);
    if other
        || check::is_placeholder(&value[..value.len() - usize::from(bare)])
        || value.starts_with(b"-----BEGIN")
    {
        return false;
    }
    // Without such an end, that it is no placeholder was asked already.
    let password = || if bare { check::is_password(value) } else { check::is_no_word(value) };
    match (trust, quote) {
        (Trust::Password, Quote::None | Quote::Encoded) => digits || password(),
        (Trust::Password, Quote::Sign(..) | Quote::Tag) => {
            !check::is_prose(value) && !is_interpolated(value)
        }
        (Trust::Strong, _) => password(),
        (Trust::Weak, _) => true,
    }
}

/// A piece of code inside quotes.
fn is_interpolated(value: &[u8]) -> bool {
    let has = |marks: &[&[u8; 2]]| value.windows(2).any(|pair| marks.iter().any(|m| pair == *m));
    has(&[b"${", b"#{", b"{{"]) || (has(&[b"%s", b"%d", b"%("]) && is_wordy(value))
}

/// Whether the name is an option, whose value may follow after a blank.
pub(super) fn is_flag(before: &Before) -> bool {
    let text = before.text();
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || is_joint(*byte);
    let start = text.iter().rposition(|byte| !word(byte)).map_or(0, |last| last + 1);
    text[start..].starts_with(b"-")
}

/// Whether the name is that of a variable of the environment: in capitals, in parts.
pub(super) fn is_shouted(before: &Before, rest: &[u8]) -> bool {
    let text = before.text();
    let name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let capital = |byte: &u8| !byte.is_ascii_lowercase();
    let parted = text.last() == Some(&b'_') || rest[0] == b'_' || text.contains(&b'_');
    parted && rest[..3].iter().all(capital) && text.iter().rev().take_while(name).all(capital)
}

/// Whether the name is in the first column of a table: a line starts before it, or a cell.
pub(super) fn is_cell(before: &Before) -> bool {
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-. `\"'*".contains(byte);
    before.text().iter().rev().find(|byte| !name(byte)).is_none_or(|byte| b"\n|\x82".contains(byte))
}

pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Whether the name is that of an element, whose attributes may follow: `<wsse:Password Type="…">`.
pub(super) fn is_element(before: &Before) -> bool {
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(byte);
    before.text().iter().rev().find(|byte| !name(byte)) == Some(&b'<')
}

/// Whether the name is the whole word `password`, `passwd` or `passphrase`, up to its end.
fn is_whole_pass(rest: &[u8]) -> bool {
    let longer = [&b"word"[..], b"wd", b"phrase"];
    longer.iter().any(|word| {
        let end = 4 + word.len();
        rest.len() > end && rest[4..end].eq_ignore_ascii_case(word) && !is_word(rest[end])
    })
}

/// Whether the name is a password's: such a word, or `pass` as the last part of a name.
pub(super) fn is_pass(before: &Before, rest: &[u8]) -> bool {
    let ends = rest.get(4).is_some_and(|byte| is_blank(*byte));
    is_whole_pass(rest) || (ends && before.last() == Some(b'_'))
}

/// Whether the name is the key of a registry's token, whose value `npm config set` takes next.
pub(super) fn is_npm(before: &Before) -> bool {
    ends_in(before.text(), b":_autht")
}

/// Whether a name part starts here: after no letter, in a hump of its own, or after a short form
/// that is written without a joint.
fn starts_word(before: &[u8], first: u8) -> bool {
    const SHORT: [&[u8]; 5] = [b"db", b"pg", b"my", b"user", b"ssh"];
    let Some(last) = before.last().filter(|last| last.is_ascii_alphabetic()) else { return true };
    let hump = first.is_ascii_uppercase() && last.is_ascii_lowercase();
    let escape = matches!(before, [.., b'\\', b'n' | b't' | b'r']);
    hump || escape || SHORT.iter().any(|short| ends_in(before, short))
}

/// Whether the text ends in this word, in any case.
fn ends_in(text: &[u8], word: &[u8]) -> bool {
    text.len() >= word.len() && text[text.len() - word.len()..].eq_ignore_ascii_case(word)
}

fn key_trust(before: &[u8], stem: &[u8]) -> Option<Trust> {
    let mut text = [0; BEFORE_BYTES + 1];
    text[..before.len()].copy_from_slice(before);
    // The stem's first byte is a joint, or the last letter of the word before.
    text[before.len()] = stem[0];
    let length = before.len() + usize::from(stem[0].is_ascii_alphanumeric());
    let word = word_before(&text[length.saturating_sub(WORD_BYTES)..length]);
    if word.is_empty() || HARMLESS_KEYS.has(&word) {
        return None;
    }
    let joined = [&b"api"[..], b"secret", b"access", b"private"];
    let joined = joined.iter().any(|known| word.text().ends_with(known));
    if joined || TELLING_KEYS.has(&word) { Some(Trust::Strong) } else { Some(Trust::Weak) }
}

/// The last word of a name that goes on behind `text`, in lower case.
fn word_before(text: &[u8]) -> Word {
    let joint = text.last().is_some_and(|&byte| is_joint(byte));
    let text = &text[..text.len() - usize::from(joint)];
    let start = text.iter().rposition(|b| !b.is_ascii_alphabetic()).map_or(0, |last| last + 1);
    parts(&text[start..]).last().map(Word::lower).unwrap_or_default()
}
