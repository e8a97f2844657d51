//! Secrets that a name gives away: `password: …`, `"apiKey": "…"`, `--token …`, `<secret>…`. The
//! name, its punctuation and its quotes stay; the value goes when it is no placeholder, word or
//! code. Pure: a function of the text from the name on and of a few bytes before it.

mod cursor;
mod joint;
mod name;
mod value;

use crate::check;
use crate::edge::is_word;
use crate::expression::{is_code, is_digest, is_version};
use crate::kinds::Stem;
use crate::likeness::{entropy_percent, is_jumbled, is_mixed, is_noise, is_strewn, is_wordy};
use crate::pattern::End;
use crate::placeholder::{is_placeholder, is_prose};
use crate::words::Words;
use cursor::Cursor;
use name::{
    ends_in, is_element, is_flag, is_shouted, required_letter, starts_address, word_before,
};
use std::ops::{Range, RangeInclusive};

/// Longest value before it is redacted piecemeal, and so what waits at most.
const VALUE_BYTES: usize = 4 * 1024;

/// Longest rest of a name behind its telling part: `_production_base64`, with room.
const SUFFIX_BYTES: usize = 32;

/// Longest run of blanks between name and value: aligned tables of settings.
const GAP_BYTES: usize = 24;

/// How far a mark behind a value is followed to see whether another name starts there.
const NEXT_BYTES: usize = 48;

/// Entropy that no sentence and no code of this length has, in hundredths of a bit.
const SALT_PERCENT: usize = 500;
const SALT_BYTES: RangeInclusive<usize> = 40..=128;

/// Shorter words in the next column may be anything.
const COLUMN_BYTES: usize = 12;

/// What only wraps a text, in lower case.
static WRAPPERS: Words = Words::new(
    "some secret secretstr secretstring string str just optional option sensitive redacted \
    protected bytes token from new",
);

/// What may follow the telling part of a name, in lower case, without its joint. Anything else
/// makes another thing of it: `token_count`, `secretName`, `password_policy`, `apiKeyId`.
static SUFFIXES: Words = Words::new(
    "\
    key keys token secret password passwd pass value text string base prod production dev \
    development test staging stage live main b64 base64 hex data new old current primary \
    secondary plain plaintext raw default encoded auth admin root user db phrase code enc \
    header private access word wd",
);

/// Words before `token` that make it a place in a list or a piece of text.
static HARMLESS_TOKENS: Words = Words::new(
    "\
    next page continuation pagination sync cursor resume cancel cancellation end start stop \
    bos eos pad unk mask sep cls special num max min total input output prompt completion \
    cached per invalid unexpected expected design last first previous prev progress marker \
    sort client_request request idempotency non syntax",
);

/// Words before `key` that make it a name, a place or a public half.
static HARMLESS_KEYS: Words = Words::new(
    "\
    public pub cache primary foreign sort partition hash row routing object lookup index \
    group map registry publishable anon site feature translation locale config range unique \
    composite shard tag label metric topic field dict json event restore i hot short arrow \
    enter return any no press host known fingerprint gpg s context idempotency dedup merge \
    order search socket prop data query message item node react trusted sender bucket \
    prefix store content entry record blob digest asset chunk block tree artifact layer image \
    snapshot version source target file path directory folder workspace package dependency \
    module lock task column document doc bundle state",
);

/// Words before `key` that leave no doubt.
static TELLING_KEYS: Words = Words::new(
    "\
    api secret private access encryption encrypt signing sign account auth master shared \
    license licence service deploy app application admin crypt crypto cipher aes hmac jwt \
    session integration write ingest consumer subscription server preshared psk ssh \
    wireguard root client function functions bot webhook security decrypt decryption \
    signature salt hook management rest user team project org",
);

/// What a name led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Assigned {
    /// No secret, whatever follows.
    Nothing,
    /// More bytes decide; nothing before this place can belong to a secret.
    Undecided(usize),
    /// The secret, and whether it is longer than [`VALUE_BYTES`].
    Secret { range: Range<usize>, endless: bool },
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

/// Looks at a name from its telling part on.
pub(crate) fn assigned(stem: Stem, rest: &[u8], before: &[u8], end: End) -> Assigned {
    let mut cursor = Cursor::new(rest);
    let found = find_assigned(&mut cursor, stem, before);
    match cursor.met_end().filter(|_| end == End::Open) {
        Some(shown) => Assigned::Undecided(shown),
        None => found.unwrap_or(Assigned::Nothing),
    }
}

fn find_assigned(cursor: &mut Cursor<'_>, stem: Stem, before: &[u8]) -> Option<Assigned> {
    cursor.read_name(stem, before)?;
    let joint = cursor.read_joint(stem, before)?;
    let trust = trust(stem, cursor.bytes, before)?;
    let start = cursor.at;
    let (end, endless) = cursor.guarded(start, |cursor| cursor.read_value(joint.quote))?;
    let value = &cursor.bytes[start..end];
    // Generated salts have signs and blanks like code and sentences, but more entropy.
    let salt = || trust != Trust::Weak && is_salt(value);
    let secret = !is_other_value(stem, trust, value, before, cursor.bytes)
        && fits(joint, trust, value)
        && holds(trust, joint.quote, value)
        || salt();
    secret.then_some(Assigned::Secret { range: start..end, endless })
}

/// What the name is worth, by the word before its telling part.
fn trust(stem: Stem, rest: &[u8], before: &[u8]) -> Option<Trust> {
    let shown = &before[..before.len() - usize::from(required_letter(stem, rest).is_some())];
    // `arn:…:secret:name` is a path, whose parts are no names of values; `:password` in Ruby and
    // `$env:PASSWORD` are names.
    let path = matches!(shown, [.., last, b':'] if is_word(*last) || *last == b':');
    if path && !ends_in(shown, b"env:") && !ends_in(shown, b"/p:") && !is_element(before) {
        return None;
    }
    // `https://x-access-token:…@host`: a row knows where such a password ends.
    if starts_address(shown) {
        return None;
    }
    match stem {
        Stem::Pass | Stem::Pwd => Some(Trust::Password),
        Stem::Token if HARMLESS_TOKENS.has(&word_before(shown)) => None,
        Stem::Token | Stem::Secret => Some(Trust::Strong),
        Stem::Key => key_trust(before, rest),
        // Which key signed a link is no secret.
        Stem::Auth if ends_in(shown, b"-goog-") || ends_in(shown, b"-amz-") => None,
        Stem::Auth => Some(Trust::Weak),
    }
}

/// Whether this is a value that things of such a name have too.
fn is_other_value(stem: Stem, trust: Trust, value: &[u8], before: &[u8], rest: &[u8]) -> bool {
    match stem {
        // Digests have keys of many names; variables are named after what they are for.
        Stem::Key => trust == Trust::Weak && is_digest(value) && !is_shouted(before, rest),
        // The working directory.
        Stem::Pwd => matches!(value, [b'/' | b'~' | b'\\', ..] | [_, b':', b'\\' | b'/', ..]),
        // How many tests pass.
        Stem::Pass => {
            let number = value.iter().all(|byte| byte.is_ascii_digit() || b",;".contains(byte));
            number && value.len() < 7 && !is_word(rest[4]) && before.last() != Some(&b'_')
        }
        Stem::Token | Stem::Secret | Stem::Auth => false,
    }
}

fn is_salt(value: &[u8]) -> bool {
    SALT_BYTES.contains(&value.len()) && entropy_percent(value) >= SALT_PERCENT
}

/// Whether the value is what such a joint asks for.
fn fits(joint: Joint, trust: Trust, value: &[u8]) -> bool {
    // In `<user>:<password>@host` and `-p "<password>" host` nothing is an element.
    let placeholder = || {
        let marked = value.first().is_some_and(|byte| b"@\"'),;".contains(byte));
        marked || value.starts_with(b" ") && !value.ends_with(b" ")
    };
    if joint.quote == Quote::Tag && placeholder() {
        return false;
    }
    // In `input("Password: ")` the sign behind the colon ends a text that started before the name.
    let ended = matches!(joint.quote, Quote::Sign(..))
        && value.first().is_some_and(|byte| *byte <= b' ' || b"),;]}".contains(byte));
    let sure = match joint.sure {
        Sure::Assigned => true,
        Sure::Listed => check::is_password(value),
        Sure::Called => check::is_spoken(value),
        Sure::Cell if trust == Trust::Password => value.len() >= 6 && check::is_spoken(value),
        Sure::Cell | Sure::Column => {
            value.len() >= COLUMN_BYTES
                && !value.iter().any(|b| b".:(".contains(b))
                && is_noise(value)
        }
        Sure::Beside => {
            let mixed = match joint.quote {
                Quote::Sign(..) => check::is_password(value) && !value.contains(&b' '),
                Quote::None | Quote::Tag | Quote::Encoded => is_noise(value),
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
    // What ends a statement is no part of a word.
    let bare = matches!(quote, Quote::None | Quote::Encoded) && matches!(value, [.., b';' | b',']);
    let value = &value[..value.len() - usize::from(bare)];
    let digits = value.iter().all(u8::is_ascii_digit);
    let blank = value.contains(&b' ');
    // What most values are, and what costs least to know, is asked first.
    let other = match trust {
        Trust::Password => false,
        Trust::Strong => {
            let number = digits && value.len() < 16;
            let noise = || is_mixed(value) || is_strewn(value) || is_jumbled(value);
            blank || number || (is_wordy(value) && !noise()) || is_version(value)
        }
        Trust::Weak => blank || !is_noise(value) || is_version(value) || is_code(value),
    };
    if other || is_placeholder(value) || value.starts_with(b"-----BEGIN") {
        return false;
    }
    match (trust, quote) {
        (Trust::Password, Quote::None | Quote::Encoded) => digits || check::is_no_word(value),
        (Trust::Password, Quote::Sign(..) | Quote::Tag) => {
            !is_prose(value) && !is_interpolated(value)
        }
        (Trust::Strong, _) => check::is_no_word(value),
        (Trust::Weak, _) => true,
    }
}

/// A piece of code inside quotes.
fn is_interpolated(value: &[u8]) -> bool {
    let has = |marks: &[&[u8; 2]]| value.windows(2).any(|pair| marks.iter().any(|m| pair == *m));
    has(&[b"${", b"#{", b"{{"]) || (has(&[b"%s", b"%d", b"%("]) && is_wordy(value))
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn key_trust(before: &[u8], stem: &[u8]) -> Option<Trust> {
    // The stem's first byte is a joint, or the last letter of the word before.
    let text = match stem[0].is_ascii_alphanumeric() {
        true => &[before, &stem[..1]].concat(),
        false => before,
    };
    let word = word_before(text);
    if word.is_empty() {
        // `--key …`
        return is_flag(text).then_some(Trust::Weak);
    }
    if HARMLESS_KEYS.has(&word) {
        return None;
    }
    let joined = [&b"api"[..], b"secret", b"access", b"private"];
    let joined = joined.iter().any(|known| word.text().ends_with(known));
    if joined || TELLING_KEYS.has(&word) { Some(Trust::Strong) } else { Some(Trust::Weak) }
}
