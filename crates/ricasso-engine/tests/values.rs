//! Values that are known to be secret, in every spelling in which output has them and in every
//! place: binary, coloured, in one giant line, cut by chunks. Nothing here was ever issued.

#![allow(clippy::unwrap_used, reason = "a value that does not fit is a fault of the test")]

use ricasso_engine::capture::{BLOCK_BYTES, Redactor, Scan, Secrets, Span};

/// Six bytes to many, with what each spelling has to change.
const VALUES: [&[u8]; 5] = [
    b"hunter2!",
    b"p@ss w0rd/with+signs=&\"quotes\"",
    b"0123456789abcdef0123456789ABCDEF",
    b"\xc3\xbcml\xc3\xa4ut-and-more",
    b"sixsix",
];

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Written apart from the product's own, so that a fault in one shows.
fn base64(bytes: &[u8], web: bool) -> Vec<u8> {
    let mut text = Vec::new();
    for three in bytes.chunks(3) {
        let padded = [three[0], *three.get(1).unwrap_or(&0), *three.get(2).unwrap_or(&0)];
        let bits = u32::from_be_bytes([0, padded[0], padded[1], padded[2]]);
        for place in 0..4 {
            let kept = place <= three.len();
            let sign = STANDARD[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(match sign {
                _ if !kept => b'=',
                b'+' if web => b'-',
                b'/' if web => b'_',
                sign => sign,
            });
        }
    }
    text
}

fn hex(bytes: &[u8], upper: bool) -> Vec<u8> {
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    if upper { text.to_uppercase().into_bytes() } else { text.into_bytes() }
}

fn percent(bytes: &[u8], upper: bool, plus: bool) -> Vec<u8> {
    let one = |&byte: &u8| match byte {
        b' ' if plus => "+".to_owned(),
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        other if upper => format!("%{other:02X}"),
        other => format!("%{other:02x}"),
    };
    bytes.iter().map(one).collect::<String>().into_bytes()
}

fn json(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|&b| if b == b'"' { vec![b'\\', b] } else { vec![b] }).collect()
}

/// A way to write a value, and how many of its characters hold bits of neighbours, which may stay.
struct Spelling {
    text: Vec<u8>,
    others: usize,
}

/// In base64 a value behind other bytes is written in three ways.
fn spellings(value: &[u8]) -> Vec<Spelling> {
    let mut all = vec![value.to_vec(), json(value), hex(value, false), hex(value, true)];
    for (upper, plus) in [(false, false), (false, true), (true, false), (true, true)] {
        all.push(percent(value, upper, plus));
    }
    let mut all: Vec<Spelling> = all.into_iter().map(|text| Spelling { text, others: 0 }).collect();
    for web in [false, true] {
        for before in ["", "u", "u:", "bob:"] {
            for behind in ["", "\n", " and more"] {
                all.push(in_base64(value, before, behind, web));
            }
        }
    }
    all
}

fn in_base64(value: &[u8], before: &str, behind: &str, web: bool) -> Spelling {
    let text = base64(&[before.as_bytes(), value, behind.as_bytes()].concat(), web);
    let end = (before.len() + value.len()) * 8 / 6;
    let others = (before.len() * 8).div_ceil(6) + text.len() - end;
    Spelling { text, others }
}

fn redactor(value: &[u8]) -> Redactor {
    let values = vec![("SOME_SECRET".to_owned(), value.to_vec())];
    Redactor::new(&Secrets { values, patterns: Vec::new() }).unwrap()
}

fn spans(redactor: &Redactor, chunks: &[&[u8]]) -> Vec<Span> {
    let (mut scan, mut found) = (Scan::new(redactor), Vec::new());
    for chunk in chunks {
        scan.push(chunk, &mut found);
    }
    scan.finish(&mut found);
    found
}

/// How much is shown of the text at `at`.
fn shown(spans: &[Span], at: usize, length: usize) -> usize {
    let hidden =
        |place: &usize| spans.iter().any(|span| (span.start..span.end).contains(&(*place as u64)));
    (at..at + length).filter(|place| !hidden(place)).count()
}

#[test]
fn a_known_value_is_hidden_in_every_spelling_and_at_every_border() {
    for value in VALUES {
        let redactor = redactor(value);
        for Spelling { text, others } in spellings(value) {
            let raw = [b"x=\"", &text[..], b"\" y"].concat();
            let whole = spans(&redactor, &[&raw]);
            let left = shown(&whole, 3, text.len());
            assert!(left <= others, "{left} of {}", text.escape_ascii());
            for cut in 1..raw.len() {
                let (front, back) = raw.split_at(cut);
                assert_eq!(spans(&redactor, &[front, back]), whole, "{cut}");
            }
        }
    }
}

#[test]
fn a_known_value_is_hidden_in_binary_in_colours_and_in_one_giant_line() {
    for value in VALUES {
        let redactor = redactor(value);
        let exact = |text: Vec<u8>| Spelling { text, others: 0 };
        let ways =
            [exact(value.to_vec()), exact(hex(value, true)), in_base64(value, "", "", false)];
        for Spelling { text: spelling, others } in ways {
            let binary = [&b"\0\x01\xff\x80"[..], &spelling, b"\0\xfe"].concat();
            assert!(shown(&spans(&redactor, &[&binary]), 4, spelling.len()) <= others, "binary");
            let half = spelling.len() / 2;
            let coloured =
                [b"\x1b[1m", &spelling[..half], b"\x1b[0;31m", &spelling[half..], b"\x1b[0m"]
                    .concat();
            let left = shown(&spans(&redactor, &[&coloured]), 4, spelling.len() + 7);
            assert!(left <= others, "coloured: {left}");
            let mut giant = vec![b'.'; 20 * BLOCK_BYTES];
            for block in 1..20 {
                // Across every border of a block, a byte further each time.
                let at = block * BLOCK_BYTES - block.min(spelling.len() - 1);
                giant[at..at + spelling.len()].copy_from_slice(&spelling);
            }
            let blocks: Vec<&[u8]> = giant.chunks(BLOCK_BYTES).collect();
            let found = spans(&redactor, &blocks);
            for block in 1..20 {
                let at = block * BLOCK_BYTES - block.min(spelling.len() - 1);
                assert!(shown(&found, at, spelling.len()) <= others, "block {block}");
            }
        }
    }
}
