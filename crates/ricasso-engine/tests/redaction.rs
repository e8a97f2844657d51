//! The labelled set: secrets of every kind and texts that only look like them, made from the
//! templates in `cases/redact`, in the places where output has them. Nothing here was ever issued.

#![allow(clippy::unwrap_used, reason = "a template that does not fit is a fault of the test")]

use ricasso_engine::capture::{Redactor, Scan, Secrets, Span};
use std::path::PathBuf;

/// Texts made from each template; more in the long form.
const ROUNDS: u64 = 2;
const LONG_ROUNDS: u64 = 40;

/// Redactions that are none, among all: at most 0.5 of 100.
const PRECISION_PER_MILLE: usize = 995;

/// A piece of a secret this long tells something of it.
const PIECE_BYTES: usize = 8;

fn lines(name: &str) -> Vec<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases/redact").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

fn rounds() -> u64 {
    if std::env::var_os("RICASSO_LONG").is_some() { LONG_ROUNDS } else { ROUNDS }
}

/// SplitMix64: well mixed and the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }

    fn text(&mut self, alphabet: &str, count: usize) -> String {
        let alphabet = alphabet.as_bytes();
        (0..count).map(|_| char::from(alphabet[self.below(alphabet.len())])).collect()
    }
}

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

/// What stands in a template between braces.
fn piece(random: &mut Random, what: &str) -> String {
    if what == "u" {
        let lengths = [8, 4, 4, 4, 12];
        return lengths.map(|count| random.text("0123456789abcdef", count)).join("-");
    }
    let (sort, count) = what.split_once(':').unwrap();
    let count: usize = count.parse().unwrap();
    let alphabet = match sort {
        "a" => LOWER.to_owned(),
        "U" => UPPER.to_owned(),
        "D" => DIGITS.to_owned(),
        "A" => [LOWER, UPPER, DIGITS].concat(),
        "z" => [LOWER, DIGITS].concat(),
        "Z" => [UPPER, DIGITS].concat(),
        "h" => "0123456789abcdef".to_owned(),
        "H" => "0123456789ABCDEF".to_owned(),
        "B" | "P" => [LOWER, UPPER, DIGITS, "+/"].concat(),
        "w" => [LOWER, UPPER, DIGITS, "_-"].concat(),
        "5" => "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".to_owned(),
        "p" => {
            // A password of a generator: letters of both cases, digits, a few signs.
            let start = random.text(&[LOWER, UPPER].concat(), 1);
            let rest = random.text(&[LOWER, UPPER, DIGITS, "!@#%^*-_=+.?~"].concat(), count - 2);
            return start + &rest + &random.text(DIGITS, 1);
        }
        other => panic!("no such piece: {other}"),
    };
    let text = random.text(&alphabet, count);
    if sort != "P" {
        return text;
    }
    let rows: Vec<&[u8]> = text.as_bytes().chunks(64).collect();
    String::from_utf8(rows.join(&b'\n')).unwrap()
}

fn fill(template: &str, random: &mut Random) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = template;
    while let Some(first) = rest.chars().next() {
        let inner =
            rest.strip_prefix('{').and_then(|more| more.split_once('}')).map(|(in_, _)| in_);
        let named = inner.filter(|inner| *inner == "u" || inner.as_bytes().get(1) == Some(&b':'));
        if let Some(what) = named.filter(|what| what.len() < 8 && !what.contains(' ')) {
            text.extend(piece(random, what).into_bytes());
            rest = &rest[what.len() + 2..];
        } else if let Some((byte, length)) = escape(rest) {
            text.push(byte);
            rest = &rest[length..];
        } else {
            let length = first.len_utf8();
            text.extend(&rest.as_bytes()[..length]);
            rest = &rest[length..];
        }
    }
    text
}

fn escape(rest: &str) -> Option<(u8, usize)> {
    let found = match rest.as_bytes() {
        [b'\\', b'n', ..] => (b'\n', 2),
        [b'\\', b'r', ..] => (b'\r', 2),
        [b'\\', b't', ..] => (b'\t', 2),
        [b'\\', b'e', ..] => (0x1b, 2),
        [b'\\', b'0', ..] => (0, 2),
        [b'\\', b'\\', ..] => (b'\\', 2),
        [b'\\', b'x', ..] => (u8::from_str_radix(&rest[2..4], 16).unwrap(), 4),
        _ => return None,
    };
    Some(found)
}

/// A made-up secret in its text, and which part of the text it is.
struct Secret {
    kind: String,
    text: Vec<u8>,
    secret: Vec<u8>,
}

fn secret(line: &str, random: &mut Random) -> Secret {
    let (kind, template) = line.split_once('\t').unwrap();
    let mut text = fill(template, random);
    let place = |text: &[u8], mark: &[u8]| text.windows(2).position(|pair| pair == mark);
    let secret = match (place(&text, b"[["), place(&text, b"]]")) {
        (Some(start), Some(end)) => {
            let secret = text[start + 2..end].to_vec();
            text.drain(end..end + 2);
            text.drain(start..start + 2);
            secret
        }
        _ => text.clone(),
    };
    Secret { kind: kind.to_owned(), text, secret }
}

fn framed(frame: &str, text: &[u8]) -> Vec<u8> {
    let (front, back) = frame.split_once("{}").unwrap();
    let mut random = Random(0);
    [fill(front, &mut random), text.to_vec(), fill(back, &mut random)].concat()
}

/// The text as a reader sees it, raw, and how many secrets were taken out.
fn shown(redactor: &Redactor, raw: &[u8]) -> (Vec<u8>, usize) {
    let spans = spans(redactor, &[raw]);
    let (mut text, mut at) = (Vec::new(), 0);
    for span in &spans {
        text.extend(&raw[at..span.start as usize]);
        text.extend(b"[REDACTED]");
        at = span.end as usize;
    }
    text.extend(&raw[at..]);
    (text, spans.len())
}

/// The spans of a text in these chunks; those that continue each other are one.
fn spans(redactor: &Redactor, chunks: &[&[u8]]) -> Vec<Span> {
    let (mut scan, mut found) = (Scan::new(redactor), Vec::new());
    let mut mark = scan.mark();
    for chunk in chunks {
        let known = found.len();
        let next = scan.push(chunk, &mut found);
        let shown = |span: &Span| span.start < mark.bytes;
        assert!(!found[known..].iter().any(shown), "a secret was shown: {found:?} {mark:?}");
        assert!(next.bytes >= mark.bytes && next.newlines >= mark.newlines, "a mark goes on");
        mark = next;
    }
    scan.finish(&mut found);
    let mut whole: Vec<Span> = Vec::new();
    for span in found {
        match whole.last_mut() {
            Some(last) if last.continues_with(&span) => last.end = span.end,
            Some(_) | None => whole.push(span),
        }
    }
    whole
}

fn shows_a_piece(shown: &[u8], secret: &[u8]) -> bool {
    let length = secret.len().min(PIECE_BYTES);
    secret.windows(length).any(|piece| shown.windows(length).any(|window| window == piece))
}

#[test]
fn every_secret_is_found_and_nearly_nothing_else() {
    let redactor = Redactor::new(&Secrets::default()).unwrap();
    let (secrets, decoys, frames) =
        (lines("secrets.txt"), lines("decoys.txt"), lines("frames.txt"));
    let mut random = Random(8);
    let (mut missed, mut taken) = (Vec::new(), Vec::new());
    let (mut found, mut tried, mut seen) = (0, 0, 0);
    for _ in 0..rounds() {
        for frame in &frames {
            for line in &secrets {
                let secret = secret(line, &mut random);
                let raw = framed(frame, &secret.text);
                let (text, count) = shown(&redactor, &raw);
                tried += 1;
                found += count;
                if shows_a_piece(&text, &secret.secret) {
                    missed.push(format!("{} {}", secret.kind, raw.escape_ascii()));
                }
            }
            for line in &decoys {
                let raw = framed(frame, &fill(line, &mut random));
                let (text, count) = shown(&redactor, &raw);
                seen += 1;
                if count > 0 {
                    taken.push(format!("{} became {}", raw.escape_ascii(), text.escape_ascii()));
                }
            }
        }
    }
    assert!(seen >= tried, "{seen} decoys beside {tried} secrets");
    let some = |list: &[String]| list.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(missed.is_empty(), "{} of {tried} missed:\n{}", missed.len(), some(&missed));
    assert!(
        found * 1000 >= (found + taken.len()) * PRECISION_PER_MILLE,
        "{} of {seen} decoys taken:\n{}",
        taken.len(),
        some(&taken)
    );
}

#[test]
fn every_chunk_border_gives_the_same_spans() {
    let redactor = Redactor::new(&Secrets::default()).unwrap();
    let mut random = Random(9);
    let frames = lines("frames.txt");
    let mut all = lines("secrets.txt");
    all.extend(lines("decoys.txt").iter().map(|line| format!("decoy\t{line}")));
    let step = if rounds() == LONG_ROUNDS { 1 } else { 7 };
    let first = random.below(step);
    for (index, line) in all.iter().enumerate().skip(first).step_by(step) {
        let raw = framed(&frames[index % frames.len()], &secret(line, &mut random).text);
        let whole = spans(&redactor, &[&raw]);
        let single: Vec<&[u8]> = raw.chunks(1).collect();
        assert_eq!(spans(&redactor, &single), whole, "{}", raw.escape_ascii());
        for cut in 1..raw.len() {
            let (front, back) = raw.split_at(cut);
            assert_eq!(spans(&redactor, &[front, back]), whole, "{cut}: {}", raw.escape_ascii());
        }
    }
}

#[test]
fn in_one_long_stream_every_secret_is_found_too() {
    let redactor = Redactor::new(&Secrets::default()).unwrap();
    let (mut random, mut raw, mut all) = (Random(10), Vec::new(), Vec::new());
    for frame in lines("frames.txt") {
        for line in lines("secrets.txt") {
            let secret = secret(&line, &mut random);
            raw.extend(framed(&frame, &secret.text));
            raw.push(b'\n');
            all.push(secret);
        }
    }
    let whole = spans(&redactor, &[&raw]);
    let blocks: Vec<&[u8]> = raw.chunks(64 * 1024).collect();
    assert_eq!(spans(&redactor, &blocks), whole);
    let odd: Vec<&[u8]> = raw.chunks(3_001).collect();
    assert_eq!(spans(&redactor, &odd), whole);
    let (text, _) = shown(&redactor, &raw);
    let pieces: std::collections::HashSet<&[u8]> = text.windows(PIECE_BYTES).collect();
    for Secret { kind, secret, text } in &all {
        // In so much text the ends of one secret are by chance words of another's frame.
        let end = (secret.len() * 3 / 4).max(secret.len() / 2 + PIECE_BYTES).min(secret.len());
        let inside = &secret[secret.len() / 2..end];
        let leaked = inside.windows(PIECE_BYTES).find(|piece| pieces.contains(piece));
        let leaked = leaked.map(|piece| piece.escape_ascii().to_string());
        assert!(leaked.is_none(), "{kind}: {leaked:?} of {}", text.escape_ascii());
    }
}

#[test]
fn a_prompt_is_shown_at_once() {
    let redactor = Redactor::new(&Secrets::default()).unwrap();
    for prompt in [
        "Password:",
        "Password: ",
        "[sudo] password for bob:",
        "[sudo] password for bob: ",
        "bob@host's password: ",
        "Enter passphrase for key '/home/bob/.ssh/id_ed25519': ",
        "Password for 'https://bob@example.org': ",
        "Enter token:",
        "API key: ",
        "Paste an authentication token: ",
        "Continue? [y/N] ",
        "Overwrite (y/n)?",
        "(gdb) ",
        "mysql> ",
        "$ ",
        "done 100%",
    ] {
        let mut scan = Scan::new(&redactor);
        let mark = scan.push(prompt.as_bytes(), &mut Vec::new());
        assert_eq!(mark.bytes, prompt.len() as u64, "{prompt}");
    }
}
