//! The spellings in which a known value turns up in output: as it is, in base64 at each of the
//! three alignments, in hexadecimal, in the cells of `od -c`, URL-encoded, quoted for a shell,
//! inside a JSON string or an HTML text. Pure.

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const HEX_LOWER: &[u8; 16] = b"0123456789abcdef";
const HEX_UPPER: &[u8; 16] = b"0123456789ABCDEF";

/// How a text is read in which a spelling is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// Bytes, broken into lines at any place.
    Text,
    /// The same; up to three characters behind a spelling still carry bits of the value.
    Base64,
    /// Digits, with signs, addresses and columns of characters between them.
    Hex,
    /// The same, in groups of two bytes whose second one comes first. Only in dumps.
    Words,
    /// Cells of four columns, as `od -c` writes them. Only in dumps.
    Cells,
}

/// One spelling, without line breaks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spelling {
    pub(crate) form: Form,
    pub(crate) bytes: Vec<u8>,
}

/// What a program writes in place of a byte.
type Pair = (u8, &'static str);
/// The bytes that a program replaces, and what it does with those that are no printed ASCII.
type Style = (&'static [Pair], fn(&[u8]) -> Vec<u8>);

const QUOTE: Pair = (b'"', "\\\"");
const APOSTROPHE: Pair = (b'\'', "\\'");
const BACKSLASH: Pair = (b'\\', "\\\\");
const NEWLINE: Pair = (b'\n', "\\n");
const RETURN: Pair = (b'\r', "\\r");
const TAB: Pair = (b'\t', "\\t");
const LESS: Pair = (b'<', "\\u003c");
const GREATER: Pair = (b'>', "\\u003e");
const AND: Pair = (b'&', "\\u0026");
const AND_NAME: Pair = (b'&', "&amp;");
const LESS_NAME: Pair = (b'<', "&lt;");
const GREATER_NAME: Pair = (b'>', "&gt;");
const QUOTE_NAME: Pair = (b'"', "&quot;");

#[rustfmt::skip]
const STYLES: &[Style] = &[
    // `echo $x` without quotes.
    (&[(b'\n', " ")], keep),
    // JSON as most write it, in ASCII alone, for PHP, and safe in HTML.
    (&[QUOTE, BACKSLASH, NEWLINE, RETURN, TAB], keep),
    (&[QUOTE, BACKSLASH, NEWLINE, RETURN, TAB], utf16),
    (&[QUOTE, BACKSLASH, NEWLINE, RETURN, TAB, (b'/', "\\/")], utf16),
    (&[QUOTE, BACKSLASH, NEWLINE, RETURN, TAB, LESS, GREATER, AND], keep),
    (&[QUOTE, BACKSLASH, NEWLINE, RETURN, TAB, LESS, GREATER, AND, (b'\'', "\\u0027")], utf16),
    // HTML and XML by the libraries of five languages.
    (&[AND_NAME, LESS_NAME, GREATER_NAME, QUOTE_NAME, (b'\'', "&#39;")], keep),
    (&[AND_NAME, LESS_NAME, GREATER_NAME, QUOTE_NAME, (b'\'', "&#x27;")], keep),
    (&[AND_NAME, LESS_NAME, GREATER_NAME, QUOTE_NAME, (b'\'', "&apos;")], keep),
    (&[AND_NAME, LESS_NAME, GREATER_NAME, (b'"', "&#34;"), (b'\'', "&#39;")], keep),
    (&[(b'&', "&#38;"), (b'<', "&#60;"), (b'>', "&#62;"), (b'"', "&#34;"), (b'\'', "&#39;")],
     entity),
    // Shells: single quotes in two ways, double quotes, `$'…'`.
    (&[(b'\'', "'\\''")], keep),
    (&[(b'\'', "'\"'\"'")], keep),
    (&[QUOTE, BACKSLASH, (b'$', "\\$"), (b'`', "\\`")], keep),
    (&[APOSTROPHE, BACKSLASH, NEWLINE, RETURN, TAB], octal),
    // Python's `repr` of text and of bytes, strings of C and git, `sed -n l`, `cat -v` and `-A`.
    (&[APOSTROPHE, BACKSLASH, NEWLINE, RETURN, TAB], keep),
    (&[APOSTROPHE, BACKSLASH, NEWLINE, RETURN, TAB], escaped),
    (&[QUOTE, BACKSLASH, NEWLINE, RETURN, TAB], octal),
    (&[BACKSLASH, (b'\n', "$"), RETURN, TAB], octal),
    (&[(b'\t', "\t")], meta),
    (&[(b'\n', "$")], meta),
];

/// What URL encoders leave as it is beside letters, digits and `-._`, and how they write a blank.
const PERCENT: [(&[u8], &[u8]); 7] = [
    (b"~", b"%20"),
    (b"~/", b"%20"),
    (b"~", b"+"),
    // `encodeURIComponent`, `encodeURI`, `escape` and `URLSearchParams` of browsers.
    (b"~!'()*", b"%20"),
    (b"~!'()*;,/?:@&=+$#", b"%20"),
    (b"@*+/", b"%20"),
    (b"*", b"+"),
];

/// The spellings of `value`.
pub(crate) fn spellings(value: &[u8]) -> Vec<Spelling> {
    let mut all = Vec::new();
    let mut add = |form, bytes| all.push(Spelling { form, bytes });
    add(Form::Text, value.to_vec());
    if !value.iter().all(|&byte| is_plain(byte)) {
        for style in STYLES.iter().filter(|style| changes(value, style)) {
            add(Form::Text, styled(value, style));
        }
        for digits in [HEX_LOWER, HEX_UPPER] {
            for (kept, blank) in PERCENT {
                add(Form::Text, percent(value, digits, blank, kept));
            }
        }
        add(Form::Text, backslashed(value));
    }
    for alignment in 0..3 {
        let text = base64(value, alignment);
        add(Form::Base64, text.iter().map(|&c| web_alphabet(c)).collect());
        add(Form::Base64, text);
    }
    let swapped = |value: &[u8]| -> Vec<u8> {
        value.chunks_exact(2).flat_map(|two| hex(&[two[1], two[0]], HEX_LOWER)).collect()
    };
    add(Form::Hex, hex(value, HEX_LOWER));
    add(Form::Hex, hex(value, HEX_UPPER));
    add(Form::Words, swapped(value));
    add(Form::Words, swapped(&value[1..]));
    let cells: Vec<u8> = value.iter().flat_map(|&byte| cell(byte)).collect();
    add(Form::Cells, cells.trim_ascii_start().to_vec());
    all
}

/// The bytes that a base64 text stands for, in either alphabet; none if it is no such text.
pub(crate) fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let text = &text[..text.iter().rposition(|&byte| byte != b'=').map_or(0, |last| last + 1)];
    if text.len() % 4 == 1 {
        return None;
    }
    let mut plain = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0);
    for &character in text {
        let standard = match character {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        };
        let value = STANDARD.iter().position(|&known| known == standard)?;
        bits = bits << 6 | value as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            plain.push((bits >> held) as u8);
        }
    }
    Some(plain)
}

/// Whether `byte` belongs to one of the two base64 alphabets or their padding.
pub(crate) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
}

/// The characters that depend on nothing but `value` when it follows `alignment` other bytes.
fn base64(value: &[u8], alignment: usize) -> Vec<u8> {
    let bits = value.len() * 8;
    let first = (alignment * 8).div_ceil(6);
    let last = (alignment * 8 + bits) / 6;
    (first..last)
        .map(|index| {
            let bit = index * 6 - alignment * 8;
            let high = u16::from(value[bit / 8]) << 8;
            let low = value.get(bit / 8 + 1).copied().map_or(0, u16::from);
            STANDARD[usize::from(((high | low) >> (10 - bit % 8)) & 63)]
        })
        .collect()
}

fn web_alphabet(character: u8) -> u8 {
    match character {
        b'+' => b'-',
        b'/' => b'_',
        other => other,
    }
}

fn hex(value: &[u8], digits: &[u8; 16]) -> Vec<u8> {
    value.iter().flat_map(|&byte| pair(byte, digits)).collect()
}

fn pair(byte: u8, digits: &[u8; 16]) -> [u8; 2] {
    [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]
}

/// Whether every encoder of text leaves a byte as it is.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')
}

fn percent(value: &[u8], digits: &[u8; 16], blank: &[u8], kept: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(value.len() * 3);
    for &byte in value {
        match byte {
            b' ' => text.extend_from_slice(blank),
            _ if is_plain(byte) || kept.contains(&byte) => text.push(byte),
            _ => text.extend([&b"%"[..], &pair(byte, digits)].concat()),
        }
    }
    text
}

/// As `printf %q` writes it: a backslash before each sign, before some only at the start.
fn backslashed(value: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(value.len() * 2);
    for (at, &byte) in value.iter().enumerate() {
        let is_kept = b"%+-./:=@_".contains(&byte) || at > 0 && b"#~".contains(&byte);
        if byte == b' ' || byte.is_ascii_punctuation() && !is_kept {
            text.push(b'\\');
        }
        text.push(byte);
    }
    text
}

fn changes(value: &[u8], (pairs, _): &Style) -> bool {
    let is_replaced = |&byte: &u8| pairs.iter().any(|(from, _)| *from == byte);
    value.iter().any(|byte| !matches!(byte, b' '..=b'~' | b'\n') || is_replaced(byte))
}

fn styled(value: &[u8], (pairs, beyond): &Style) -> Vec<u8> {
    let mut text = Vec::with_capacity(value.len());
    let mut put = |unit: &[u8]| match pairs.iter().find(|(from, _)| unit == [*from]) {
        Some((_, to)) => text.extend_from_slice(to.as_bytes()),
        None if unit[0].is_ascii_graphic() || matches!(unit, b" " | b"\n") => {
            text.extend_from_slice(unit);
        }
        None => text.extend(beyond(unit)),
    };
    for chunk in value.utf8_chunks() {
        chunk.valid().chars().for_each(|c| put(c.encode_utf8(&mut [0; 4]).as_bytes()));
        chunk.invalid().iter().for_each(|&byte| put(&[byte]));
    }
    text
}

fn keep(unit: &[u8]) -> Vec<u8> {
    unit.to_vec()
}

fn utf16(unit: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(unit);
    text.encode_utf16().flat_map(|half| format!("\\u{half:04x}").into_bytes()).collect()
}

fn entity(unit: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(unit);
    text.chars().flat_map(|c| format!("&#{};", u32::from(c)).into_bytes()).collect()
}

fn octal(unit: &[u8]) -> Vec<u8> {
    unit.iter().flat_map(|byte| format!("\\{byte:03o}").into_bytes()).collect()
}

fn escaped(unit: &[u8]) -> Vec<u8> {
    unit.iter().flat_map(|byte| format!("\\x{byte:02x}").into_bytes()).collect()
}

/// As `cat -v` writes it.
fn meta(unit: &[u8]) -> Vec<u8> {
    let spell = |byte: &u8| {
        let high: &[u8] = if byte.is_ascii() { b"" } else { b"M-" };
        match byte & 0x7f {
            low @ (..0x20 | 0x7f) => [high, &[b'^', low ^ 0x40]].concat(),
            low => [high, &[low]].concat(),
        }
    };
    unit.iter().flat_map(spell).collect()
}

fn cell(byte: u8) -> Vec<u8> {
    let text = match byte {
        0 => "\\0".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("{byte:03o}"),
    };
    format!("{text:>4}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_keeps_what_does_not_depend_on_the_neighbours() {
        assert_eq!(base64(b"hunter2", 0), b"aHVudGVyM");
        // "x:hunter2" is eDpodW50ZXIy, "x" in front gives eGh1bnRlcjI.
        assert_eq!(base64(b"hunter2", 2), b"odW50ZXIy");
        assert_eq!(base64(b"hunter2", 1), b"h1bnRlcj");
    }

    #[test]
    fn base64_is_read_back() {
        assert_eq!(decode_base64(b"Ym9iOmh1bnRlcjI=").unwrap(), b"bob:hunter2");
        assert_eq!(decode_base64(b"Pz8_"), decode_base64(b"Pz8/"));
        assert_eq!(decode_base64(b"a!b"), None);
    }

    #[test]
    fn a_value_of_letters_has_few_spellings() {
        assert_eq!(spellings(b"hunter2_and-more").len(), 12);
    }

    #[test]
    fn every_program_finds_its_spelling() {
        let all = spellings("a \u{fc}/<'\"\\".as_bytes());
        for text in [
            "a \u{fc}/<'\"\\",
            "6120c3bc2f3c27225c",
            "2061bcc33c2f2227",
            "c3202fbc273c5c22",
            "a     303 274   /   <   '   \"   \\",
            "a%20%c3%bc%2f%3c%27%22%5c",
            "a%20%C3%BC/%3C%27%22%5C",
            "a+%C3%BC%2F%3C%27%22%5C",
            "a \u{fc}/<'\\\"\\\\",
            "a \\u00fc\\/<'\\\"\\\\",
            "a \u{fc}/\\u003c'\\\"\\\\",
            "a \u{fc}/&lt;&#x27;&quot;\\",
            "a &#252;/&#60;&#39;&#34;\\",
            "a \u{fc}/<'\\''\"\\",
            "a \u{fc}/<'\"'\"'\"\\",
            "a \\303\\274/<\\'\"\\\\",
            "a \\xc3\\xbc/<\\'\"\\\\",
            "a M-CM-</<'\"\\",
            "a\\ \u{fc}/\\<\\'\\\"\\\\",
        ] {
            assert!(all.iter().any(|spelling| spelling.bytes == text.as_bytes()), "{text}");
        }
    }
}
