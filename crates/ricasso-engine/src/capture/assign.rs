//! Secrets that a name gives away: `password: …`, `"apiKey": "…"`, `--token …`, `<secret>…`. The
//! name, its punctuation and its quotes stay; the value goes when it is no placeholder, word or
//! code. Pure: a function of the text from the name on, so that every split gives the same.

use super::bare::{needs, stem_bytes};
use super::before::{BEFORE_BYTES, Before};
use super::check;
use super::dfa::End;
use super::kinds::Stem;
use super::likeness::is_wordy;
use super::words::{Word, Words, is_joint, parts};

/// Longest value before it is redacted piecemeal, and so what waits at most.
pub(super) const VALUE_BYTES: usize = 4 * 1024;

/// Longest rest of a name behind its telling part: `_production_base64`, with room.
pub(super) const SUFFIX_BYTES: usize = 32;

/// Longest run of blanks between name and value: aligned tables of settings.
pub(super) const GAP_BYTES: usize = 24;

/// How far a mark behind a value is followed to see whether another name starts there.
const NEXT_BYTES: usize = 48;

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
    order search storage prop data query message item node react trusted sender bucket \
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
    let quote = cursor.joint(before)?;
    let trust = trust(stem, rest, before).ok_or(Stop::Nothing)?;
    let start = cursor.at;
    let (value_end, endless) = cursor.value(quote).map_err(|stop| stop.not_behind(start))?;
    let value = &rest[start..value_end];
    if !holds(trust, quote, value) {
        return Ok(Assigned::Nothing);
    }
    Ok(Assigned::Secret { start, end: value_end, endless })
}

/// What the name is worth, by the word before its telling part.
fn trust(stem: Stem, rest: &[u8], before: &Before) -> Option<Trust> {
    let text = before.text();
    let shown = &text[..text.len() - usize::from(needs(stem, rest).is_some())];
    // `arn:…:secret:name` is a path, whose parts are no names of values.
    if shown.last() == Some(&b':') {
        return None;
    }
    match stem {
        Stem::Pass | Stem::Pwd => Some(Trust::Password),
        Stem::Token if HARMLESS_TOKENS.has(&word_before(shown)) => None,
        Stem::Token | Stem::Secret => Some(Trust::Strong),
        Stem::Key => key_trust(text, rest),
        Stem::Auth => Some(Trust::Weak),
    }
}

fn holds(trust: Trust, quote: Quote, value: &[u8]) -> bool {
    if check::is_placeholder(value) || value.starts_with(b"-----BEGIN") {
        return false;
    }
    let digits = value.iter().all(u8::is_ascii_digit);
    let blank = value.contains(&b' ');
    match (trust, quote) {
        (Trust::Password, Quote::None) => value.len() >= 4 && (digits || check::is_password(value)),
        (Trust::Password, Quote::Sign(..) | Quote::Tag) => {
            value.len() >= 4 && !check::is_prose(value) && !is_interpolated(value)
        }
        (Trust::Strong, _) => {
            value.len() >= 8
                && !blank
                && !(digits && value.len() < 16)
                && check::is_password(value)
                && !is_wordy(value)
        }
        (Trust::Weak, _) => value.len() >= 16 && !blank && check::is_noise(value),
    }
}

/// A piece of code inside quotes.
fn is_interpolated(value: &[u8]) -> bool {
    let has = |marks: &[&[u8; 2]]| value.windows(2).any(|pair| marks.iter().any(|m| pair == *m));
    has(&[b"${", b"#{", b"{{"]) || (has(&[b"%s", b"%d", b"%("]) && is_wordy(value))
}

/// Whether the name is a long option, whose value may follow after a blank.
pub(super) fn is_flag(before: &Before) -> bool {
    let text = before.text();
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-' || *byte == b'_';
    let start = text.iter().rposition(|byte| !word(byte)).map_or(0, |last| last + 1);
    text[start..].starts_with(b"--")
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    end: End,
}

impl Cursor<'_> {
    /// The next byte; none at the end of the stream.
    fn peek(&self) -> Result<Option<u8>, Stop> {
        self.ahead(0)
    }

    fn ahead(&self, more: usize) -> Result<Option<u8>, Stop> {
        match (self.bytes.get(self.at + more), self.end) {
            (Some(&byte), _) => Ok(Some(byte)),
            (None, End::Closed) => Ok(None),
            (None, End::Open) => Err(Stop::Wait(self.bytes.len())),
        }
    }

    fn takes_text(&mut self, text: &[u8]) -> Result<bool, Stop> {
        for (index, &byte) in text.iter().enumerate() {
            if self.ahead(index)? != Some(byte) {
                return Ok(false);
            }
        }
        self.at += text.len();
        Ok(true)
    }

    fn skip(&mut self, most: usize, test: fn(u8) -> bool) -> Result<usize, Stop> {
        let from = self.at;
        while self.at - from < most && self.peek()?.is_some_and(test) {
            self.at += 1;
        }
        Ok(self.at - from)
    }

    /// Reads the rest of the name.
    fn name(&mut self, stem: Stem, before: &Before) -> Result<(), Stop> {
        let text = before.text();
        let needs = needs(stem, self.bytes);
        if needs.is_some() && text.last().map(u8::to_ascii_lowercase) != needs {
            return Err(Stop::Nothing);
        }
        self.at = stem_bytes(stem, self.bytes);
        if stem == Stem::Auth {
            self.skip(1, |byte| byte == b's' || byte == b'S')?;
        }
        self.suffix(stem, text)
    }

    /// The words behind the telling part.
    fn suffix(&mut self, stem: Stem, before: &[u8]) -> Result<(), Stop> {
        let from = self.at;
        self.skip(SUFFIX_BYTES, |byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))?;
        let suffix = &self.bytes[from..self.at];
        let whole = suffix.first().is_none_or(|&byte| is_joint(byte));
        let mut words = parts(suffix);
        match stem {
            Stem::Pass if !whole => {
                // `passed`, `Passive`, `passport`: only these make a longer word of it.
                let first = words.next().unwrap_or_default();
                if !matches!(first.text(), b"word" | b"wd" | b"phrase" | b"code") {
                    return Err(Stop::Nothing);
                }
            }
            Stem::Pass | Stem::Pwd if !starts_word(before, self.bytes[0]) => {
                return Err(Stop::Nothing);
            }
            Stem::Pass | Stem::Pwd | Stem::Token | Stem::Secret | Stem::Key | Stem::Auth => {}
        }
        let known = |word: Word| {
            SUFFIXES.has(&word)
                || matches!(word.text(), [b'0'..=b'9'] | [b'0'..=b'9', b'0'..=b'9'])
                || matches!(word.text(), [b'v', b'0'..=b'9'])
                || (stem == Stem::Secret && word.text() == b"id")
        };
        if words.all(known) { Ok(()) } else { Err(Stop::Nothing) }
    }

    /// Reads what stands between name and value, up to the value's first byte.
    fn joint(&mut self, before: &Before) -> Result<Quote, Stop> {
        let closed = self.close_name()?;
        let blanks = self.skip(GAP_BYTES, is_blank)?;
        match self.peek()? {
            Some(b'=') => {
                self.at += 1;
                match self.peek()? {
                    Some(b'=' | b'~') => return Err(Stop::Nothing),
                    Some(b'>') => self.at += 1,
                    Some(_) | None => {}
                }
            }
            Some(b':') => {
                self.at += 1;
                match self.peek()? {
                    Some(b':') => return Err(Stop::Nothing),
                    Some(b'=') => self.at += 1,
                    Some(_) | None => {}
                }
            }
            Some(b'>') if !closed => {
                self.at += 1;
                return Ok(Quote::Tag);
            }
            Some(b',') if closed => {
                self.at += 1;
                self.named_value()?;
            }
            Some(b'v' | b'V' | b'"') if closed && blanks > 0 => self.named_value()?,
            Some(b'\r' | b'\n') => self.named_value()?,
            Some(b'\'') if blanks > 0 && self.bytes[0].is_ascii_uppercase() => {}
            Some(_) if blanks > 0 && is_flag(before) => {}
            Some(_) | None => return Err(Stop::Nothing),
        }
        self.skip(GAP_BYTES, is_blank)?;
        // From here on what waits may be the secret itself.
        let start = self.at;
        let opened = self.skip_type().and_then(|()| self.open_value());
        opened.map_err(|stop| stop.not_behind(start))
    }

    /// The sign that closes a quoted name: `"`, `'`, `]`, with a backslash in nested texts.
    fn close_name(&mut self) -> Result<bool, Stop> {
        let from = self.at;
        self.skip(3, |byte| byte == b'\\')?;
        let closed = self.skip(2, |byte| b"\"'`])".contains(&byte))? > 0;
        if !closed {
            self.at = from;
        }
        Ok(closed)
    }

    /// `"value": ` of a pair that names its parts: `{"name": "DB_PASSWORD", "value": "…"}`, and the
    /// same over two lines or as attributes.
    fn named_value(&mut self) -> Result<(), Stop> {
        self.skip(2 * GAP_BYTES, |byte| is_blank(byte) || byte == b'\r' || byte == b'\n')?;
        self.close_name()?;
        if !(self.takes_text(b"value")? || self.takes_text(b"Value")?) {
            return Err(Stop::Nothing);
        }
        self.close_name()?;
        self.skip(GAP_BYTES, is_blank)?;
        match self.peek()? {
            Some(b':' | b'=') => self.at += 1,
            Some(_) | None => return Err(Stop::Nothing),
        }
        Ok(())
    }

    /// The type in `token: &str = "…"`.
    fn skip_type(&mut self) -> Result<(), Stop> {
        let from = self.at;
        let named = self.skip(24, |b| b.is_ascii_alphabetic() || b"&<>[]|'".contains(&b))?;
        let blanks = self.skip(GAP_BYTES, is_blank)?;
        if named > 0 && blanks > 0 && self.peek()? == Some(b'=') && self.ahead(1)? == Some(b' ') {
            self.at += 2;
            return Ok(());
        }
        self.at = from;
        Ok(())
    }

    fn open_value(&mut self) -> Result<Quote, Stop> {
        let from = self.at;
        // Letters that make other strings of it: b"…", r"…", f"…", @"…".
        if self.peek()?.is_some_and(|byte| b"bBrRuUfFL@".contains(&byte))
            && self.ahead(1)?.is_some_and(|byte| b"\"'".contains(&byte))
        {
            self.at += 1;
        }
        let slashes = self.skip(3, |byte| byte == b'\\')?;
        match self.peek()? {
            Some(sign @ (b'"' | b'\'' | b'`')) => {
                self.at += 1;
                Ok(Quote::Sign(sign, slashes > 0))
            }
            Some(_) => {
                self.at = from;
                Ok(Quote::None)
            }
            None => Err(Stop::Nothing),
        }
    }

    /// Where the value ends, and whether it is longer than it may be.
    fn value(&mut self, quote: Quote) -> Result<(usize, bool), Stop> {
        let limit = self.at + VALUE_BYTES;
        loop {
            if self.at >= limit {
                return Ok((self.at, true));
            }
            let Some(byte) = self.peek()? else {
                return if quote == Quote::Tag { Err(Stop::Nothing) } else { Ok((self.at, false)) };
            };
            let done = match quote {
                Quote::Sign(sign, escaped) => self.ends_quoted(byte, sign, escaped)?,
                // `<password>` alone is a placeholder; an element has an end.
                Quote::Tag if matches!(byte, b'\r' | b'\n') => return Err(Stop::Nothing),
                Quote::Tag => byte == b'<' && self.ahead(1)? == Some(b'/'),
                Quote::None => self.ends_bare(byte)?,
            };
            if done {
                return Ok((self.at, false));
            }
            self.at += 1;
        }
    }

    fn ends_quoted(&mut self, byte: u8, sign: u8, escaped: bool) -> Result<bool, Stop> {
        if matches!(byte, b'\r' | b'\n') {
            return Ok(true);
        }
        if byte != b'\\' {
            return Ok(byte == sign);
        }
        let next = self.ahead(1)?;
        if escaped && next.is_none_or(|next| next == sign || next == b'\\') {
            return Ok(true);
        }
        self.at += usize::from(next.is_some() && !matches!(next, Some(b'\r' | b'\n')));
        Ok(false)
    }

    fn ends_bare(&self, byte: u8) -> Result<bool, Stop> {
        Ok(match byte {
            0..=b' ' | b'"' | b'\'' | b'`' | b'<' | b'>' | 0x7f => true,
            b'\\' => matches!(self.ahead(1)?, Some(b'n' | b'r' | b't' | b'"' | b'\'') | None),
            b',' | b';' | b'&' => self.starts_another()?,
            b')' | b']' | b'}' => {
                self.ahead(1)?.is_none_or(|next| next <= b' ' || b",;)]}\"'.:`".contains(&next))
            }
            _ => false,
        })
    }

    /// Whether behind this mark the line ends or another name starts.
    fn starts_another(&self) -> Result<bool, Stop> {
        for more in 1..NEXT_BYTES {
            match self.ahead(more)? {
                None => return Ok(true),
                Some(b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b'}' | b']') if more == 1 => {
                    return Ok(true);
                }
                Some(b'=' | b':') => return Ok(more > 1),
                Some(b' ') if more > 1 => {}
                Some(byte) if byte.is_ascii_alphanumeric() || b"_.-%$".contains(&byte) => {}
                Some(_) => return Ok(false),
            }
        }
        Ok(false)
    }
}

pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
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
    let word = word_before(&text[length.saturating_sub(BEFORE_BYTES)..length]);
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
    parts(&text[start..]).last().unwrap_or_default()
}
