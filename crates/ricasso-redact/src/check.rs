//! The second look at what a pattern matched: placeholders, words and code stay visible. Pure, and
//! a function of the matched text alone, so that no split of the stream changes the answer.

use crate::expression::is_code;
use crate::likeness::{has_noise, is_all_words, is_noise, is_shuffled};
use crate::placeholder::{
    contains, is_mask, is_placeholder, is_token_placeholder, is_variable, starts_like,
    tells_placeholder,
};
use crate::spellings::decode_base64;
use crate::words::{Word, Words};

/// What the text of a secret must be like, besides matching its pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
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

impl Check {
    /// Whether `secret` is one.
    pub(crate) fn holds(self, secret: &[u8]) -> bool {
        match self {
            Check::Anything => true,
            Check::Token => !is_token_placeholder(secret),
            Check::Random => {
                !is_token_placeholder(secret) && (is_noise(secret) || has_noise(secret))
            }
            Check::Password => !is_placeholder(secret) && !is_placeholder(without_closing(secret)),
            Check::Value => is_password(secret) && is_password(without_closing(secret)),
            Check::UrlPassword => is_url_password(secret),
            Check::Header => !is_placeholder(secret) && !is_token_placeholder(secret),
            Check::BasicAuth => is_basic_auth(secret),
            Check::Cookie => is_cookie(secret),
            Check::Spoken => is_spoken(secret),
        }
    }
}

/// The text without the tag and the signs that close what is round it, which patterns take in.
fn without_closing(text: &[u8]) -> &[u8] {
    let text = &text[..memchr::memmem::find(text, b"</").unwrap_or(text.len())];
    let text = text.strip_prefix(b"\"").unwrap_or(text);
    let end = text.iter().rposition(|byte| !b")]},;'\"`".contains(byte)).map_or(0, |last| last + 1);
    &text[..end]
}

/// Whether the text could be a password where a plain word would be a word.
pub(crate) fn is_password(text: &[u8]) -> bool {
    !is_placeholder(text) && is_no_word(text)
}

/// Whether the text could be a password where most words are none: one word, of letters and a
/// digit, or noise.
pub(crate) fn is_spoken(text: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| text.iter().any(test);
    let odd = (has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)) || is_noise(text);
    odd && !text.contains(&b' ') && is_password(text)
}

/// Whether a text that is no placeholder is no code, number or plain word either.
pub(crate) fn is_no_word(text: &[u8]) -> bool {
    let end = text.iter().rposition(|byte| !b".,:;!?)".contains(byte)).map_or(0, |last| last + 1);
    let word = &text[..end];
    let letter = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | 0x80..);
    let plain = word.iter().all(letter);
    // A number, or what `/etc/passwd` has in the place of a password, and two numbers.
    let numbers = text.strip_prefix(b"x:").unwrap_or(text);
    let digits = numbers.iter().all(|byte| byte.is_ascii_digit() || *byte == b':');
    // Words of other languages, and constants: `EAP_ATTRIBUTE_TYPE`.
    let foreign = || !word.is_ascii();
    let constant = || word.contains(&b'_') && !word.iter().any(u8::is_ascii_lowercase);
    // Mail services make passwords of sixteen small letters; few words are that long.
    let long = word.len() >= 16 && word.iter().all(u8::is_ascii_lowercase);
    let name =
        plain && !long && !is_shuffled(word) && (is_all_words(word) || foreign() || constant());
    !digits && !name && !is_code(word)
}

/// Whole passwords of URLs that stand for one, or that images and tutorials start with.
static URL_WORDS: Words = Words::new(
    "\
    password pass pwd passwd secret token xxx changeme x-oauth-basic postgres root guest admin \
    test app user username example minio minio123 minioadmin anonymous elastic mysql mariadb \
    mongo redis rabbitmq demo dev docker",
);

fn is_url_password(text: &[u8]) -> bool {
    // `c:443@` and `host%3A8080%2Fpath%40x` hold a port, not a password.
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let port = (1..=5).contains(&digits) && starts_like(&text[digits..], b"%2f");
    text.len() > 3
        && !port
        && !is_variable(text)
        && !is_mask(text)
        && !tells_placeholder(text)
        && !URL_WORDS.has(&Word::lower(text))
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
        (value.len() >= 12 || (named && value.len() >= 6))
            && !is_placeholder(value)
            && (named || is_noise(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_of_one_letter_is_a_token_and_a_mask_is_not() {
        assert!(Check::Token.holds(&[&b"sk-ant-api03-"[..], &[b'A'; 82]].concat()));
        assert!(Check::Token.holds(b"ghp_abcdefghijklmnopqrstuvwxyz0123456789"));
        assert!(!Check::Token.holds(&[&b"ghp_"[..], &[b'x'; 36]].concat()));
        assert!(!Check::Token.holds(b"sk_live_your_key_here_000000"));
    }
}
