//! What is appended is what is read back, in every size, and errors lose nothing stored.

use super::super::{BLOCK_BYTES, Label, Owner, Secrets, Which, spooled_bytes};
use super::*;
use proptest::prelude::*;
use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const TOKEN: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
const PLENTY: Bounds = Bounds { output_bytes: 1 << 30 };

/// A directory of one test, gone with it.
pub(super) struct Dir(pub(super) PathBuf);

impl Dir {
    pub(super) fn new() -> Dir {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ricasso-capture-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Dir(path)
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _gone = std::fs::remove_dir_all(&self.0);
    }
}

fn redactor() -> Redactor {
    Redactor::new(&Secrets::default()).unwrap()
}

fn knows_a_value() -> Redactor {
    let values = vec![("PIN".to_owned(), b"hunter2!x".to_vec())];
    Redactor::new(&Secrets { values, patterns: Vec::new() }).unwrap()
}

fn spool(dir: &Dir) -> Spool {
    Spool::create(&dir.0, redactor(), PLENTY).unwrap()
}

fn append(spool: &mut Spool, stream: Stream, bytes: &[u8]) {
    assert_eq!(spool.append(stream, bytes).unwrap(), Appended::Stored);
}

fn read(dir: &Dir, which: Which, owner: Owner) -> Vec<u8> {
    let mut bytes = Vec::new();
    let reading = Reading::open(&dir.0, &redactor(), owner).unwrap();
    reading.bytes(which, 0..u64::MAX, &mut bytes).unwrap();
    bytes
}

fn all_fresh(spool: &mut Spool, stream: Stream) -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        let part = spool.fresh(stream).unwrap().into_inner();
        if part.is_empty() {
            return all;
        }
        all.extend(part);
    }
}

#[test]
fn a_job_without_output_makes_no_file() {
    let dir = Dir::new();
    let mut spool = spool(&dir);
    append(&mut spool, Stream::Stdout, b"");
    assert_eq!(spool.finish().unwrap(), Totals::default());
    let excerpt = spool.excerpt("ID", Budget::default(), Lean::Success).unwrap();
    assert_eq!(excerpt, Excerpt::default());
    assert!(spool.fresh(Stream::Stdout).unwrap().get().is_empty());
    assert_eq!(std::fs::read_dir(&dir.0).unwrap().count(), 0);
    assert_eq!(read(&dir, Which::Both, Owner::Gone), b"");
}

#[test]
fn files_are_private_and_only_those_needed() {
    let dir = Dir::new();
    let mut spool = spool(&dir);
    append(&mut spool, Stream::Stdout, b"?");
    spool.finish().unwrap();
    assert_eq!(names_in(&dir), ["stdout"]);
    assert_eq!(spooled_bytes(&dir.0), 1);
    let dir = Dir::new();
    let mut spool = Spool::create(&dir.0, knows_a_value(), PLENTY).unwrap();
    append(&mut spool, Stream::Stderr, b"my hunter2!x\n");
    spool.finish().unwrap();
    assert_eq!(names_in(&dir), ["stderr", "stderr.searched", "stderr.values"]);
    let recorded = std::fs::read_to_string(dir.0.join("stderr.values")).unwrap();
    assert_eq!(recorded, "3 12 PIN\n");
    assert_eq!(spooled_bytes(&dir.0), 13 + recorded.len() as u64 + 2 * 8);
}

/// The files of a spool, which are all private.
fn names_in(dir: &Dir) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(&dir.0)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            entry.file_name().into_string().unwrap()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_that_is_there_is_never_overwritten() {
    let dir = Dir::new();
    std::os::unix::fs::symlink("/etc/hostname", dir.0.join("stdout")).unwrap();
    let error = spool(&dir).append(Stream::Stdout, b"x").unwrap_err();
    assert!(matches!(error, Error::CreateSpool { .. }), "{error}");
    let error = Reading::open(&dir.0, &redactor(), Owner::Gone).unwrap_err();
    assert!(matches!(error, Error::ForeignSpool { .. }), "{error}");
}

#[test]
fn both_streams_come_back_in_observed_order() {
    let dir = Dir::new();
    let mut spool = spool(&dir);
    for (stream, text) in [
        (Stream::Stdout, "a1 "),
        (Stream::Stdout, "a2 "),
        (Stream::Stderr, "b1 "),
        (Stream::Stdout, "a3 "),
        (Stream::Stderr, "b2\n"),
    ] {
        append(&mut spool, stream, text.as_bytes());
    }
    let totals = spool.finish().unwrap();
    assert_eq!((totals.stdout_bytes, totals.stderr_bytes), (9, 6));
    assert_eq!((totals.stdout_lines, totals.stderr_lines), (1, 1));
    assert_eq!(read(&dir, Which::Both, Owner::Gone), b"a1 a2 b1 a3 b2\n");
    assert_eq!(read(&dir, Which::One(Stream::Stderr), Owner::Gone), b"b1 b2\n");
}

#[test]
fn the_bound_is_told_and_what_crossed_it_is_stored() {
    let dir = Dir::new();
    let bounds = Bounds { output_bytes: 10 };
    let mut spool = Spool::create(&dir.0, redactor(), bounds).unwrap();
    append(&mut spool, Stream::Stdout, b"12345");
    assert_eq!(spool.append(Stream::Stdout, b"6789abc").unwrap(), Appended::Full);
    assert_eq!(spool.append(Stream::Stdout, b"lost").unwrap(), Appended::Full);
    let totals = spool.finish().unwrap();
    assert_eq!((totals.stdout_bytes, totals.unstored_bytes), (12, 4));
    assert_eq!(read(&dir, Which::Both, Owner::Gone), b"123456789abc");
}

#[test]
fn output_of_exactly_the_bound_is_not_too_much() {
    let dir = Dir::new();
    let bounds = Bounds { output_bytes: 10 };
    let mut spool = Spool::create(&dir.0, redactor(), bounds).unwrap();
    // Turns take up room of their own on disk, which is not output.
    for byte in [b"a", b"b", b"c", b"d", b"e"] {
        assert_eq!(spool.append(Stream::Stdout, byte).unwrap(), Appended::Stored);
        assert_eq!(spool.append(Stream::Stderr, byte).unwrap(), Appended::Stored);
    }
    assert_eq!(spool.append(Stream::Stdout, b"").unwrap(), Appended::Stored);
    assert_eq!(spool.append(Stream::Stdout, b"f").unwrap(), Appended::Full);
}

#[test]
fn digests_are_those_of_the_bytes_that_came() {
    use crate::capture::DIGEST_BYTES;
    use sha2::{Digest, Sha256};
    for size in [0, 5, 300_000, (DIGEST_BYTES + 9) as u32] {
        let dir = Dir::new();
        let mut spool = spool(&dir);
        let bytes: Vec<u8> = (0..size).map(|at: u32| (at % 251) as u8).collect();
        bytes.chunks(70_000).for_each(|part| append(&mut spool, Stream::Stderr, part));
        let totals = spool.finish().unwrap();
        let covered = &bytes[..bytes.len().min(DIGEST_BYTES as usize)];
        let expected = (size > 0).then(|| <[u8; 32]>::from(Sha256::digest(covered)));
        assert_eq!((totals.stdout_digest, totals.stderr_digest), (None, expected), "{size}");
    }
}

#[test]
fn a_full_disk_is_told_and_what_was_stored_stays() {
    let dir = Dir::new();
    let mut spool = spool(&dir);
    append(&mut spool, Stream::Stdout, b"before\n");
    let real = File::open(dir.0.join("stdout")).unwrap();
    let full = File::options().append(true).open("/dev/full").unwrap();
    spool.streams[0].log.file = Some(Arc::new(full));
    let error = spool.append(Stream::Stdout, b"after\n").unwrap_err();
    assert!(error.to_string().contains("stdout"), "{error}");
    assert!(matches!(error, Error::WriteSpool { .. }), "{error}");
    spool.streams[0].log.file = Some(Arc::new(real));
    assert!(spool.append(Stream::Stdout, b"later\n").is_err(), "a gap must not be hidden");
    assert_eq!(spool.finish().unwrap().stdout_bytes, 7);
    assert_eq!(read(&dir, Which::Both, Owner::Gone), b"before\n");
}

#[test]
fn a_prompt_is_fresh_at_once_and_a_secret_never_in_part() {
    let dir = Dir::new();
    let mut spool = spool(&dir);
    append(&mut spool, Stream::Stderr, b"Password: ");
    assert_eq!(spool.fresh(Stream::Stderr).unwrap().get(), b"Password: ");
    assert_eq!(spool.fresh(Stream::Stderr).unwrap().get(), b"");
    append(&mut spool, Stream::Stderr, &TOKEN.as_bytes()[..20]);
    assert_eq!(spool.fresh(Stream::Stderr).unwrap().get(), b"");
    append(&mut spool, Stream::Stderr, &TOKEN.as_bytes()[20..]);
    append(&mut spool, Stream::Stderr, b"\n> ");
    assert_eq!(spool.fresh(Stream::Stderr).unwrap().get(), b"[REDACTED:github-token]\n> ");
    let excerpt = spool.excerpt("ID", Budget::default(), Lean::Success).unwrap();
    assert_eq!(excerpt.redactions, 1);
}

/// Two megabytes with secrets, NULs, bytes that are no text, and a line of half a megabyte.
fn large() -> Vec<u8> {
    let mut raw = Vec::new();
    while raw.len() < 1_500_000 {
        raw.extend_from_slice(format!("line {} {TOKEN}\n", raw.len()).as_bytes());
        raw.extend_from_slice(b"\0\xff\xfe bytes \x1b[32mgreen\x1b[0m\n");
    }
    raw.extend(std::iter::repeat_n(b'x', 500_000));
    raw.extend_from_slice(TOKEN.as_bytes());
    raw
}

#[test]
fn long_output_is_shown_as_it_comes_and_read_the_same() {
    let dir = Dir::new();
    let mut spool = spool(&dir);
    let raw = large();
    let mut live = Vec::new();
    for chunk in raw.chunks(BLOCK_BYTES) {
        append(&mut spool, Stream::Stdout, chunk);
        live.extend(spool.fresh(Stream::Stdout).unwrap().into_inner());
    }
    let totals = spool.finish().unwrap();
    live.extend(all_fresh(&mut spool, Stream::Stdout));
    assert!(std::fs::read(dir.0.join("stdout")).unwrap() == raw, "the spool is the output");
    assert_eq!(totals.stdout_bytes, raw.len() as u64);
    let newlines = raw.iter().filter(|&&b| b == b'\n').count() as u64;
    assert_eq!(totals.stdout_lines, newlines + 1);
    let text =
        String::from_utf8_lossy(&raw).replace(&format!(" {TOKEN}"), " [REDACTED:github-token]");
    assert!(String::from_utf8_lossy(&live) == text);
    let whole = read(&dir, Which::Both, Owner::Gone);
    assert!(String::from_utf8_lossy(&whole) == text);
}

#[test]
fn what_an_excerpt_leaves_out_can_be_read() {
    let dir = Dir::new();
    let mut spool = spool(&dir);
    let raw = large();
    for chunk in raw.chunks(BLOCK_BYTES) {
        append(&mut spool, Stream::Stdout, chunk);
    }
    spool.finish().unwrap();
    let excerpt = spool.excerpt("ID", Budget::default(), Lean::Failure).unwrap();
    assert!(excerpt.stdout.as_str().len() < 32 * 1024);
    assert!(excerpt.stdout.as_str().starts_with("line 0 [REDACTED:github-token]\n\0\\xff\\xfe"));
    assert!(!excerpt.stdout.as_str().contains(&format!(" {TOKEN}")));
    let middle = excerpt.omitted.iter().max_by_key(|gap| gap.bytes[1] - gap.bytes[0]).unwrap();
    let mut rest = Vec::new();
    let [start, end] = middle.bytes;
    let reading = spool.reading().unwrap();
    reading.bytes(Which::One(middle.stream), start..end, &mut rest).unwrap();
    let expected = String::from_utf8_lossy(&raw[start as usize..end as usize])
        .replace(&format!(" {TOKEN}"), " [REDACTED:github-token]");
    assert!(String::from_utf8_lossy(&rest) == expected);
    let lines = |bytes: &[u8]| bytes.iter().filter(|&&b| b == b'\n').count() as u64;
    assert_eq!(middle.lines[0], 1 + lines(&raw[..start as usize]));
    assert_eq!(middle.lines[1], 1 + lines(&raw[..end as usize - 1]));
}

#[test]
fn dropped_unfinished_nothing_is_lost() {
    let dir = Dir::new();
    let raw = large();
    let mut spool = spool(&dir);
    for chunk in raw.chunks(BLOCK_BYTES) {
        append(&mut spool, Stream::Stderr, chunk);
    }
    drop(spool);
    assert!(std::fs::read(dir.0.join("stderr")).unwrap() == raw);
    let alive = read(&dir, Which::Both, Owner::Alive);
    let gone = read(&dir, Which::Both, Owner::Gone);
    let text =
        String::from_utf8_lossy(&raw).replace(&format!(" {TOKEN}"), " [REDACTED:github-token]");
    assert!(String::from_utf8_lossy(&gone) == text);
    assert!(gone.starts_with(&alive));
}

#[test]
fn readers_beside_the_writer_see_a_true_beginning() {
    let dir = Dir::new();
    let raw = large();
    let text =
        String::from_utf8_lossy(&raw).replace(&format!(" {TOKEN}"), " [REDACTED:github-token]");
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while done.load(Ordering::Acquire) == 0 {
                    let seen = read(&dir, Which::One(Stream::Stdout), Owner::Alive);
                    let cut =
                        seen.len() - seen.utf8_chunks().last().map_or(0, |c| c.invalid().len());
                    let seen = String::from_utf8_lossy(&seen[..cut]).into_owned();
                    assert!(text.starts_with(&seen));
                }
            });
        }
        let mut spool = spool(&dir);
        for chunk in raw.chunks(7_777) {
            append(&mut spool, Stream::Stdout, chunk);
        }
        spool.finish().unwrap();
        done.store(1, Ordering::Release);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_sequence_comes_back_as_it_was(
        chunks in prop::collection::vec(
            (any::<bool>(), prop::collection::vec(any::<u8>(), 0..300)), 0..20),
    ) {
        let dir = Dir::new();
        let mut spool = spool(&dir);
        let (mut both, mut single) = (Vec::new(), [Vec::new(), Vec::new()]);
        for (error, bytes) in &chunks {
            let stream = if *error { Stream::Stderr } else { Stream::Stdout };
            append(&mut spool, stream, bytes);
            both.extend_from_slice(bytes);
            single[stream.index()].extend_from_slice(bytes);
        }
        // Noise holds no secret of the known kinds.
        drop(spool);
        prop_assert_eq!(&read(&dir, Which::Both, Owner::Gone), &both);
        for stream in Stream::BOTH {
            let read = read(&dir, Which::One(stream), Owner::Gone);
            prop_assert_eq!(&read, &single[stream.index()]);
        }
    }
}

#[test]
fn redacted_on_write_no_secret_is_ever_stored() {
    let dir = Dir::new();
    let mut spool = spool(&dir).redacted_on_write();
    let raw = format!("a {TOKEN} b\nPassword: hunter2!x9\n");
    for byte in raw.as_bytes().chunks(1) {
        append(&mut spool, Stream::Stdout, byte);
        append(&mut spool, Stream::Stderr, byte);
        for name in ["stdout", "stderr"] {
            let stored = std::fs::read(dir.0.join(name)).unwrap_or_default();
            let stored = String::from_utf8(stored).unwrap();
            assert!(!stored.contains(&TOKEN[..8]) && !stored.contains("hunter2"), "{stored}");
        }
    }
    let totals = spool.finish().unwrap();
    let expected = "a [REDACTED:github-token] b\nPassword: [REDACTED:password]\n";
    assert_eq!(std::fs::read_to_string(dir.0.join("stdout")).unwrap(), expected);
    assert_eq!(std::fs::read_to_string(dir.0.join("stderr")).unwrap(), expected);
    assert_eq!((totals.removed, totals.stdout_bytes), (4, expected.len() as u64));
    assert_eq!(read(&dir, Which::One(Stream::Stdout), Owner::Gone), expected.as_bytes());
}

#[test]
fn plain_placeholders_where_they_are_asked_for() {
    let dir = Dir::new();
    let plain = redactor().labelled(Label::Plain);
    let mut spool = Spool::create(&dir.0, plain.clone(), PLENTY).unwrap();
    append(&mut spool, Stream::Stdout, format!("a {TOKEN} b\n").as_bytes());
    spool.finish().unwrap();
    let expected = "a [REDACTED] b\n";
    assert_eq!(all_fresh(&mut spool, Stream::Stdout), expected.as_bytes());
    let excerpt = spool.excerpt("ID", Budget::default(), Lean::Success).unwrap();
    assert_eq!(excerpt.stdout.as_str(), expected);
    let mut bytes = Vec::new();
    let reading = Reading::open(&dir.0, &plain, Owner::Gone).unwrap();
    reading.bytes(Which::Both, 0..u64::MAX, &mut bytes).unwrap();
    assert_eq!(bytes, expected.as_bytes());
    assert_eq!(plain.text(TOKEN.as_bytes()).as_str(), "[REDACTED]");
}

#[test]
fn of_a_short_output_all_secrets_are_counted_and_of_a_long_one_those_shown() {
    let count = |lines: usize| {
        let dir = Dir::new();
        let mut spool = spool(&dir);
        let line = format!("{TOKEN} {}\n", "word ".repeat(39));
        append(&mut spool, Stream::Stdout, line.repeat(lines).as_bytes());
        spool.finish().unwrap();
        let excerpt = spool.excerpt("ID", Budget::default(), Lean::Success).unwrap();
        (excerpt.redactions, excerpt.stdout.as_str().matches("[REDACTED:").count() as u64)
    };
    let (counted, shown) = count(1_000);
    assert!(counted == 1_000 && shown < 300, "{counted} {shown}");
    let (counted, shown) = count(2_000);
    assert!(counted == shown && shown < 300, "{counted} {shown}");
}

#[test]
fn a_value_is_hidden_from_readers_who_do_not_know_it() {
    let dir = Dir::new();
    let mut spool = Spool::create(&dir.0, knows_a_value(), PLENTY).unwrap();
    let line = format!("{}hunter2!x and \x1b[1mhunt\x1b[0mer2!x\n", "word ".repeat(10));
    let expected = format!("{0}[REDACTED:PIN] and \x1b[1m[REDACTED:PIN]\n", "word ".repeat(10));
    let raw = line.repeat(3_000);
    // Cut at every place of the value.
    for chunk in raw.as_bytes().chunks(67) {
        append(&mut spool, Stream::Stdout, chunk);
    }
    let alive = read(&dir, Which::One(Stream::Stdout), Owner::Alive);
    assert!(alive == expected.repeat(3_000).as_bytes(), "while it runs");
    append(&mut spool, Stream::Stdout, b"hunter");
    let alive = read(&dir, Which::One(Stream::Stdout), Owner::Alive);
    assert!(alive == expected.repeat(3_000).as_bytes(), "a beginning waits");
    spool.finish().unwrap();
    let reading = Reading::open(&dir.0, &redactor(), Owner::Gone).unwrap();
    let length = line.len() as u64;
    for at in [0, 1, 1_499, 2_999] {
        for part in [0..length, 50..length, 52..55, 59..60] {
            let range = at * length + part.start..at * length + part.end;
            let mut page = Vec::new();
            reading.bytes(Which::One(Stream::Stdout), range, &mut page).unwrap();
            let page = String::from_utf8(page).unwrap();
            assert!(!["hu", "nt", "er", "r2", "2!", "!x"].iter().any(|part| page.contains(part)));
        }
    }
    let excerpt = spool.excerpt("ID", Budget::default(), Lean::Success).unwrap();
    assert!(!excerpt.stdout.as_str().contains("hunter2"));
}

#[test]
fn what_a_dead_owner_did_not_search_is_searched_by_a_reader_who_knows_the_value() {
    let dir = Dir::new();
    let mut spool = Spool::create(&dir.0, knows_a_value(), PLENTY).unwrap();
    append(&mut spool, Stream::Stdout, b"first hunter2!x\nsecond hunter2");
    drop(spool);
    // As if its owner had died between storing and searching.
    let mut file = File::options().append(true).open(dir.0.join("stdout")).unwrap();
    std::io::Write::write_all(&mut file, b"!x\nthird hunter2!x\n").unwrap();
    let alive = read(&dir, Which::Both, Owner::Alive);
    assert_eq!(String::from_utf8(alive).unwrap(), "first [REDACTED:PIN]\nsecond ");
    let reading = Reading::open(&dir.0, &knows_a_value(), Owner::Gone).unwrap();
    let mut all = Vec::new();
    reading.bytes(Which::Both, 0..u64::MAX, &mut all).unwrap();
    let hidden = "first [REDACTED:PIN]\nsecond [REDACTED:PIN]\nthird [REDACTED:PIN]\n";
    assert_eq!(String::from_utf8(all).unwrap(), hidden);
}
