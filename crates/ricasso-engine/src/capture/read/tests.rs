//! Ranges, lines and patterns, and no range that shows a part of a secret.

use super::super::{Bounds, Secrets, Spool};
use super::*;

const TOKEN: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

fn redactor() -> Redactor {
    Redactor::new(&Secrets::default()).unwrap()
}

/// A spool of these pieces, read after its end.
fn reading(name: &str, pieces: &[(Stream, &str)]) -> (PathBuf, Reading) {
    let dir = std::env::temp_dir().join(format!("ricasso-read-{}-{name}", std::process::id()));
    std::fs::create_dir(&dir).unwrap();
    let bounds = Bounds { output_bytes: 1 << 30 };
    let mut spool = Spool::create(&dir, redactor(), bounds).unwrap();
    for (stream, text) in pieces {
        let _stored = spool.append(*stream, text.as_bytes()).unwrap();
    }
    spool.finish().unwrap();
    let reading = Reading::open(&dir, &redactor(), Owner::Gone).unwrap();
    (dir, reading)
}

fn bytes(reading: &Reading, which: Which, range: Range<u64>) -> String {
    let mut out = Vec::new();
    reading.bytes(which, range, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn lines(reading: &Reading, which: Which, range: RangeInclusive<u64>) -> String {
    let mut out = Vec::new();
    reading.lines(which, range, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn grep(reading: &Reading, which: Which, regex: &str) -> (u64, String) {
    let mut out = Vec::new();
    let count = reading.grep(which, regex, &mut out).unwrap();
    (count, String::from_utf8(out).unwrap())
}

#[test]
fn ranges_lines_and_patterns() {
    let secret = format!("key {TOKEN}\n");
    let (dir, reading) = reading(
        "all",
        &[
            (Stream::Stdout, "one\ntwo\n"),
            (Stream::Stderr, "warn: x\n"),
            (Stream::Stdout, "three\n"),
            (Stream::Stdout, &secret),
            (Stream::Stdout, "last"),
        ],
    );
    let out = Which::One(Stream::Stdout);
    assert_eq!(bytes(&reading, out, 4..10), "two\nth");
    assert_eq!(bytes(&reading, out, 100..200), "");
    assert_eq!(bytes(&reading, Which::Both, 6..12), "o\nwarn");
    assert_eq!(lines(&reading, out, 2..=3), "two\nthree\n");
    assert_eq!(lines(&reading, out, 5..=9), "last");
    assert_eq!(lines(&reading, out, 6..=9), "");
    assert_eq!(lines(&reading, Which::Both, 3..=4), "warn: x\nthree\n");
    assert_eq!(grep(&reading, Which::Both, "^t|x$"), (3, "2:two\n3:warn: x\n4:three\n".into()));
    assert_eq!(grep(&reading, out, "RED"), (1, "4:key [REDACTED:github-token]\n".into()));
    assert_eq!(grep(&reading, out, "ghp|abcdef").0, 0, "a pattern must not tell a secret");
    assert_eq!(grep(&reading, out, "last"), (1, "5:last\n".into()));
    assert!(reading.grep(out, "(", &mut Vec::new()).unwrap_err().to_string().contains("\"(\""));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_line_longer_than_any_buffer_is_searched_and_shown() {
    let long = format!("{}needle{}", "x".repeat(600_000), "y".repeat(300_000));
    let (dir, reading) = reading("long", &[(Stream::Stdout, "short\n"), (Stream::Stdout, &long)]);
    let out = Which::One(Stream::Stdout);
    let (count, text) = grep(&reading, out, "xneedley");
    assert_eq!((count, text), (1, format!("2:{long}\n")));
    assert_eq!(grep(&reading, out, "^y").0, 0, "a window's start is no line's start");
    assert_eq!(grep(&reading, out, "x$").0, 0, "a window's end is no line's end");
    assert_eq!(grep(&reading, out, "^x.*").0, 1);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_secret_split_by_the_other_stream_is_hidden_in_both_views() {
    let (dir, reading) = reading(
        "split",
        &[
            (Stream::Stdout, &TOKEN[..10]),
            (Stream::Stderr, "between\n"),
            (Stream::Stdout, &TOKEN[10..]),
            (Stream::Stdout, "\nend\n"),
        ],
    );
    let all = bytes(&reading, Which::Both, 0..u64::MAX);
    assert_eq!(all, "[REDACTED:github-token]between\n\nend\n");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn damage_is_told_and_nothing_is_served() {
    let (dir, _) = reading("damage", &[(Stream::Stdout, "text and more\n")]);
    std::fs::write(dir.join("stdout.searched"), 14u64.to_le_bytes()).unwrap();
    std::fs::write(dir.join("stdout.values"), "0 4 PIN\nnonsense\n").unwrap();
    let damaged = Reading::open(&dir, &redactor(), Owner::Gone).unwrap();
    let error = damaged.bytes(Which::Both, 0..99, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, Error::DamagedSpool { .. }), "{error}");
    // A line that was being written when its owner died is not damage.
    std::fs::write(dir.join("stdout.values"), "0 4 PIN\n9 1").unwrap();
    let whole = Reading::open(&dir, &redactor(), Owner::Gone).unwrap();
    assert_eq!(bytes(&whole, Which::Both, 0..99), "[REDACTED:PIN] and more\n");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn streams_that_take_turns_are_read_as_fast_as_others() {
    let dir = std::env::temp_dir().join(format!("ricasso-read-{}-turns", std::process::id()));
    std::fs::create_dir(&dir).unwrap();
    let mut spool = Spool::create(&dir, redactor(), Bounds { output_bytes: 1 << 30 }).unwrap();
    for number in 0..20_000 {
        let _ = spool.append(Stream::BOTH[number % 2], b"some words of a line\n").unwrap();
    }
    spool.finish().unwrap();
    let reading = Reading::open(&dir, &redactor(), Owner::Gone).unwrap();
    let mut blocks = std::collections::BTreeSet::new();
    let mut parts = 0;
    let each = &mut |block: &HiddenBlock, _: Range<u64>| {
        parts += 1;
        blocks.insert(std::ptr::from_ref(block) as usize + block.end() as usize);
        Ok(())
    };
    reading.each_hidden(Which::Both, 0..u64::MAX, each).unwrap();
    assert!(parts >= 20_000 && blocks.len() <= 4, "{parts} {}", blocks.len());
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn no_range_shows_a_part_of_a_secret() {
    let text = format!("ab {TOKEN} cd\n{TOKEN}\n");
    let (dir, reading) = reading("ranges", &[(Stream::Stdout, &text)]);
    let length = text.len() as u64;
    for start in 0..length {
        for end in start..=length {
            let shown = bytes(&reading, Which::One(Stream::Stdout), start..end);
            let rest = shown.replace("[REDACTED:github-token]", "");
            assert!(rest.chars().all(|c| "ab cd\n".contains(c)) && rest.len() < 12, "{shown}");
            let between = bytes(&reading, Which::One(Stream::Stdout), 0..start)
                + &shown
                + &bytes(&reading, Which::One(Stream::Stdout), end..length);
            assert_eq!(between, text.replace(TOKEN, "[REDACTED:github-token]"));
        }
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn output_of_an_older_version_is_refused_with_its_remedy() {
    let (dir, _) = reading("older", &[(Stream::Stdout, "a value that it knew\n")]);
    std::fs::write(dir.join("spans"), "s o 2 7 PIN\nz o 21 1\n").unwrap();
    let error = Reading::open(&dir, &redactor(), Owner::Gone).unwrap_err();
    assert!(error.to_string().contains("ricasso forget"), "{error}");
    std::fs::remove_dir_all(dir).unwrap();
}
