//! The labelled set: secrets of every kind and texts that only look like them, made from the
//! templates in `cases/redact` and in the rows, in the places where output has them. Nothing here
//! was ever issued.

#![allow(clippy::unwrap_used, reason = "a template that does not fit is a fault of the test")]

mod templates;

use ricasso_redact::{RedactedStream, Redactor, Span, row_examples};
use std::collections::HashSet;
use templates::{Random, Secret, fill, framed, lines};

/// Texts made from each template; more in the long form.
const ROUNDS: u64 = 2;
const LONG_ROUNDS: u64 = 40;
const ROW_ROUNDS: u64 = 8;

/// Redactions that are right, among all: at least 99.8 of 100.
const PRECISION_PER_MILLE: usize = 998;

/// Secrets that may be missed: of noise of letters alone, one in some 300,000 looks like a word.
const MISSED_PER_MILLION: usize = 10;

/// A piece of a secret this long tells something of it.
const PIECE_BYTES: usize = 8;

fn rounds() -> u64 {
    if std::env::var_os("RICASSO_LONG").is_some() { LONG_ROUNDS } else { ROUNDS }
}

/// A template of a secret, and its kind.
fn secret_templates() -> Vec<(String, String)> {
    let listed = lines("secrets.txt").into_iter().map(|line| {
        let (kind, template) = line.split_once('\t').unwrap();
        (kind.to_owned(), template.to_owned())
    });
    let of_rows = row_examples().flat_map(|row| {
        row.takes.iter().map(move |take| (row.kind.to_owned(), (*take).to_owned()))
    });
    of_rows.chain(listed).collect()
}

fn decoy_templates() -> Vec<String> {
    let of_rows = row_examples().flat_map(|row| row.leaves).map(|leaf| (*leaf).to_owned());
    of_rows.chain(lines("decoys.txt")).collect()
}

/// The text without these spans.
fn text_without(spans: &[Span], raw: &[u8]) -> Vec<u8> {
    let (mut text, mut at) = (Vec::new(), 0);
    for span in spans {
        text.extend(&raw[at..span.start as usize]);
        text.extend(b"[REDACTED]");
        at = span.end as usize;
    }
    text.extend(&raw[at..]);
    text
}

fn shows_a_piece(shown: &[u8], secret: &[u8]) -> bool {
    let length = secret.len().min(PIECE_BYTES);
    secret.windows(length).any(|piece| shown.windows(length).any(|window| window == piece))
}

#[test]
fn every_row_takes_its_examples_and_leaves_what_looks_like_them() {
    let redactor = Redactor::default();
    let mut faults = Vec::new();
    for (index, row) in row_examples().enumerate() {
        assert!(!row.takes.is_empty() && !row.leaves.is_empty(), "{} lacks examples", row.kind);
        for seed in 0..rounds().max(ROW_ROUNDS) {
            let mut random = Random(seed << 32 | index as u64);
            for template in row.takes {
                let Secret { text, range } = Secret::fill(template, &mut random);
                let spans = redactor.find_spans(&text);
                let hides = |span: &Span| {
                    span.kind.as_str() == row.kind
                        && (span.start as usize..span.end as usize) == range
                };
                if !spans.iter().any(hides) {
                    faults.push(format!(
                        "{} {template}: {} {spans:?}",
                        row.kind,
                        text.escape_ascii()
                    ));
                }
            }
            for template in row.leaves {
                let text = fill(template, &mut random);
                let spans = redactor.find_spans(&text);
                if !spans.is_empty() {
                    faults.push(format!(
                        "{} {template}: {} {spans:?}",
                        row.kind,
                        text.escape_ascii()
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_secret_is_found_and_nearly_nothing_else() {
    let redactor = Redactor::default();
    let (secrets, decoys, frames) = (secret_templates(), decoy_templates(), lines("frames.txt"));
    let mut random = Random(8);
    let (mut missed, mut taken) = (Vec::new(), Vec::new());
    let (mut found, mut tried, mut seen) = (0, 0, 0);
    for _ in 0..rounds() {
        for frame in &frames {
            for (kind, template) in &secrets {
                let secret = Secret::fill(template, &mut random);
                let raw = framed(frame, &secret.text);
                let spans = redactor.find_spans(&raw);
                tried += 1;
                found += spans.len();
                if shows_a_piece(&text_without(&spans, &raw), secret.secret()) {
                    missed.push(format!("{kind} {}", raw.escape_ascii()));
                }
            }
            for template in &decoys {
                let raw = framed(frame, &fill(template, &mut random));
                let spans = redactor.find_spans(&raw);
                seen += 1;
                if !spans.is_empty() {
                    let text = text_without(&spans, &raw);
                    taken.push(format!("{} became {}", raw.escape_ascii(), text.escape_ascii()));
                }
            }
        }
    }
    let some = |list: &[String]| list.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    let counts = format!(
        "{} of {tried} secrets missed, {} of {seen} decoys taken beside {found} redactions",
        missed.len(),
        taken.len()
    );
    let few = missed.len() * 1_000_000 <= tried * MISSED_PER_MILLION;
    assert!(few, "{counts}:\n{}", some(&missed));
    assert!(
        found * 1000 >= (found + taken.len()) * PRECISION_PER_MILLE,
        "{counts}:\n{}",
        some(&taken)
    );
}

/// Redacts a stream that comes in these chunks.
fn redact_in<'a>(redactor: &Redactor, chunks: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut stream = RedactedStream::new(redactor.clone());
    let mut shown: Vec<u8> = chunks.flat_map(|chunk| stream.push(chunk)).collect();
    shown.extend(stream.finish());
    shown
}

#[test]
fn every_chunk_border_gives_the_same_text() {
    let redactor = Redactor::default();
    let mut random = Random(9);
    let (mut all, frames) = (secret_templates(), lines("frames.txt"));
    all.extend(decoy_templates().into_iter().map(|template| ("decoy".to_owned(), template)));
    let step = if rounds() == LONG_ROUNDS { 1 } else { 41 };
    let first = random.below(step);
    for (index, (_, template)) in all.iter().enumerate().skip(first).step_by(step) {
        let raw = framed(&frames[index % frames.len()], &Secret::fill(template, &mut random).text);
        let whole = redactor.redact(&raw);
        assert_eq!(redact_in(&redactor, raw.chunks(1)), whole, "{}", raw.escape_ascii());
        for cut in 1..raw.len() {
            let (front, back) = raw.split_at(cut);
            let shown = redact_in(&redactor, [front, back].into_iter());
            assert_eq!(shown, whole, "{cut}: {}", raw.escape_ascii());
        }
    }
}

#[test]
fn in_one_long_stream_every_secret_is_found_too() {
    let redactor = Redactor::default();
    let (mut random, mut raw, mut all) = (Random(10), Vec::new(), Vec::new());
    for frame in lines("frames.txt") {
        for (kind, template) in secret_templates() {
            let secret = Secret::fill(&template, &mut random);
            raw.extend(framed(&frame, &secret.text));
            raw.push(b'\n');
            all.push((kind, secret));
        }
    }
    let whole = redactor.redact(&raw);
    for size in [64 * 1024, 3_001] {
        assert!(redact_in(&redactor, raw.chunks(size)) == whole, "chunks of {size} bytes differ");
    }
    let pieces: HashSet<&[u8]> = whole.windows(PIECE_BYTES).collect();
    for (kind, secret) in &all {
        // In so much text the ends of one secret are by chance words of another's frame.
        let (secret, text) = (secret.secret(), &secret.text);
        let end = (secret.len() * 3 / 4).max(secret.len() / 2 + PIECE_BYTES).min(secret.len());
        let inside = &secret[secret.len() / 2..end];
        let leaked = inside.windows(PIECE_BYTES).find(|piece| pieces.contains(piece));
        let leaked = leaked.map(|piece| piece.escape_ascii().to_string());
        assert!(leaked.is_none(), "{kind}: {leaked:?} of {}", text.escape_ascii());
    }
}

#[test]
fn logs_without_secrets_stay_as_they_are() {
    let redactor = Redactor::default();
    let log = lines("logs.txt").join("\n");
    let spans = redactor.find_spans(log.as_bytes());
    let lines_of_spans = spans.iter().map(|span| {
        let start = log[..span.start as usize].rfind('\n').map_or(0, |newline| newline + 1);
        log[start..].lines().next().unwrap_or_default()
    });
    assert!(spans.is_empty(), "{}", lines_of_spans.collect::<Vec<_>>().join("\n"));
}
