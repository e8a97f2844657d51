//! Pages of any size, anywhere in a stream, never show a byte that the whole hides.

use crate::{End, Redactor, Secrets, Span, Window, window_around};
use proptest::prelude::*;
use std::convert::Infallible;
use std::ops::Range;

fn redactor() -> Redactor {
    let values = vec![("DB_PASSWORD".to_owned(), b"hunter2!x".to_vec())];
    Redactor::new(&Secrets { values, patterns: vec![r"CORP[ ]{2,}[^z]*z".to_owned()] }).unwrap()
}

/// Whether each byte of a range is hidden by a search of its window.
fn hidden_in(redactor: &Redactor, raw: &[u8], range: &Range<u64>) -> Vec<bool> {
    let read = |part: Range<u64>| {
        Ok::<_, Infallible>(raw[part.start as usize..part.end as usize].to_vec())
    };
    let around = window_around(range.clone(), raw.len() as u64, read).unwrap();
    let bytes = &raw[around.bytes.start as usize..around.bytes.end as usize];
    let window = Window { bytes, offset: around.bytes.start, from: around.from, end: End::Closed };
    hidden_by(&redactor.search(&window).spans, range)
}

fn hidden_by(spans: &[Span], range: &Range<u64>) -> Vec<bool> {
    let mut hidden = vec![false; (range.end - range.start) as usize];
    for span in spans.iter().filter(|span| span.start < range.end && span.end > range.start) {
        let (start, end) = (span.start.max(range.start), span.end.min(range.end));
        hidden[(start - range.start) as usize..(end - range.start) as usize].fill(true);
    }
    hidden
}

/// Colours round each of the bytes.
fn coloured(text: &str, sequence: &str) -> String {
    text.chars().map(|letter| format!("{sequence}{letter}")).collect()
}

/// Secrets that are long, coloured, of many lines, side by side, and beyond their maximum.
fn stream_of_secrets(fill: usize) -> Vec<u8> {
    let token = "a1B2c3D4e5F6g7H8i9J0".repeat(2);
    let line = "0123456789abcdefABCDEF+/0123456789abcdefABCDEF+/0123456789abcdef\n";
    let pem = |lines: usize| {
        format!("-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----\n", line.repeat(lines))
    };
    let words = "the quick brown fox jumps over the lazy dog 4711 times\n".repeat(fill);
    let gap = "\x1b[38;5;154m".repeat(40);
    let parts = [
        format!("ghp_{token}"),
        pem(3),
        format!("ghp_{}", token.repeat(600)),
        format!("password = {}", token.repeat(150)),
        pem(190),
        coloured(&format!("ghp_{token}"), "\x1b[38;5;154m"),
        coloured(&pem(20), "\x1b[1m"),
        coloured(&format!("ghp_{}", token.repeat(30)), &gap),
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk".to_owned(),
        format!("CORP  {}", "ab ".repeat(2_000)),
        format!("CORP  {}z", "ab ".repeat(700)),
        "hunter2!xhunter2!x".to_owned(),
        format!("https://u:{}@host/", token.repeat(20)),
        "postgres://app:s3cret-word@db/app".to_owned(),
        line.trim_end().repeat(900),
    ];
    let all = parts.iter().map(|part| format!("{words}x {part} y\n{part}\n"));
    all.collect::<String>().into_bytes()
}

fn check_range(redactor: &Redactor, raw: &[u8], whole: &[Span], range: Range<u64>) {
    let (expected, found) = (hidden_by(whole, &range), hidden_in(redactor, raw, &range));
    let differs = expected.iter().zip(&found).position(|(one, other)| one != other);
    assert_eq!(differs, None, "hidden otherwise in {range:?}");
}

#[test]
fn pages_of_every_size_hide_what_the_whole_hides() {
    let redactor = redactor().without_values();
    let raw = stream_of_secrets(10);
    let whole = redactor.find_spans(&raw);
    assert!(whole.len() >= 24, "{}", whole.len());
    let length = raw.len() as u64;
    for size in [1, 80, 65_536] {
        for span in &whole {
            for at in [span.start, (span.start + span.end) / 2, span.end - 1, span.end] {
                for start in [at.saturating_sub(size), at] {
                    let range = start.min(length)..(start + size).min(length);
                    check_range(&redactor, &raw, &whole, range);
                }
            }
        }
    }
}

/// Streams that pages are taken of; more in the long form.
fn cases() -> u32 {
    if std::env::var_os("RICASSO_LONG").is_some() { 400 } else { 8 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]
    #[test]
    fn pages_anywhere_hide_what_the_whole_hides(
        fill in 0usize..60,
        starts in prop::collection::vec((any::<u32>(), 1u64..70_000), 12),
    ) {
        let redactor = redactor().without_values();
        let raw = stream_of_secrets(fill);
        let whole = redactor.find_spans(&raw);
        for (start, size) in starts {
            let start = u64::from(start) % raw.len() as u64;
            let range = start..(start + size).min(raw.len() as u64);
            check_range(&redactor, &raw, &whole, range);
        }
    }
}
