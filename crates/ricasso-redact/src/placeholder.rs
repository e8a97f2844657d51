//! Tells what stands in for a secret: variables, masks, words of manuals, paths. Pure.

use crate::likeness::is_noise;
use crate::words::{WORD_BYTES, Word, Words};

/// Whole values that stand for a secret and are none, in lower case.
static EMPTY_WORDS: Words = Words::new(
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
static TELLING: Words =
    Words::new("your placeholder changeme replace insert redacted dummy todo fixme example");

/// Words of sentences about passwords.
const PROSE: &str = "\
    pass enter your must invalid incorrect forgot reset confirm wrong should please required \
    cannot token secret field short match character least";

/// What absolute paths start with.
const ROOTS: [&str; 13] = [
    "/tmp/", "/home/", "/var/", "/usr/", "/etc/", "/opt/", "/run/", "/srv/", "/root/", "/proc/",
    "/dev/", "/mnt/", "/Users/",
];

/// The letters and digits at the start of a token that name its kind.
const TOKEN_HEAD: usize = 8;

/// Whether the text is what stands in for a secret: a variable, a mask, a word, a path.
pub(crate) fn is_placeholder(text: &[u8]) -> bool {
    (text.len() <= WORD_BYTES && EMPTY_WORDS.has(&Word::lower(text)))
        || is_variable(text)
        || is_mask(text)
        || is_reference(text)
        || tells_placeholder(text)
}

/// Placeholders of tokens with a prefix. Narrower than for free values: people test with tokens
/// of one letter, and a token in a manual has the shape of one that opens a door.
pub(crate) fn is_token_placeholder(text: &[u8]) -> bool {
    // Types of keys in hardware, which `ssh -v` lists.
    if text.starts_with(b"sk-ssh-") || text.starts_with(b"sk-ecdsa-") {
        return true;
    }
    let mut letters = text.iter().enumerate().filter(|(_, byte)| byte.is_ascii_alphanumeric());
    let tail = letters.nth(TOKEN_HEAD).map_or(text.len(), |(at, _)| at);
    let tail = &text[tail..];
    let count = |text: &[u8], signs: &[u8]| text.iter().filter(|b| signs.contains(b)).count();
    let all = tail.iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let (crosses, zeros) = (count(tail, b"xX"), count(tail, b"0"));
    (all > 0 && (crosses * 10 >= all * 8 || zeros * 10 >= all * 9))
        || has_row(text, 6)
        || contains(text, b"****")
        || contains(text, b"....")
        || speaks(text)
}

/// Whether a text with blanks speaks about secrets.
pub(crate) fn is_prose(text: &[u8]) -> bool {
    if !text.contains(&b' ') {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    PROSE.split_ascii_whitespace().any(|word| contains(&lower, word.as_bytes()))
}

/// `$NAME`, `${…}`, `$(…)`, `%NAME%`, `%s`, `{{…}}`, `<…>`, `[…]`, `@…@`, a regular expression.
pub(crate) fn is_variable(text: &[u8]) -> bool {
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
            // `$PASSWORD`, `$1` and `$self->`, but not the `$2b$12$…` of a hash nor `$ecret1`.
            let rest = rest.strip_suffix(b"-").unwrap_or(rest);
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
pub(crate) fn is_mask(text: &[u8]) -> bool {
    let first = text.first().copied().unwrap_or(b'*');
    let same = text.iter().all(|byte| byte.eq_ignore_ascii_case(&first));
    let count = |signs: &[u8]| text.iter().filter(|byte| signs.contains(byte)).count();
    let (crosses, stars) = (count(b"xX"), count(b"*"));
    let others = count(b".#?_-") + text.iter().filter(|byte| !byte.is_ascii()).count();
    (same && text.len() > 2)
        || (crosses + stars + others) * 10 >= text.len() * 8
        || (crosses >= 5 && has_row(text, 5))
        || (stars >= 4 && contains(text, b"****"))
        || text.ends_with(b"...")
}

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
    let rooted = || ROOTS.iter().any(|root| text.starts_with(root.as_bytes()));
    drive || (starts.iter().any(fits) && !(first == b'/' && !rooted() && base64()))
}

/// Whether a word in it says that the real one is elsewhere.
pub(crate) fn tells_placeholder(text: &[u8]) -> bool {
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

/// Whether one of the words that manuals put into tokens is in it, in any case.
fn speaks(text: &[u8]) -> bool {
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

/// Whether the text starts with this word, in any case.
pub(crate) fn starts_like(text: &[u8], word: &[u8]) -> bool {
    text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word)
}

/// Values are short: making a searcher would take longer than looking.
pub(crate) fn contains(text: &[u8], part: &[u8]) -> bool {
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
}
