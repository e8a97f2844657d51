//! The engine's targets: excerpt, redaction, spool and the life of a command.
//!
//! Each takes bytes and tells a broken promise as text. Only the spool's target touches a disk, in
//! a directory of its own.

use crate::random::Random;
use ricasso_engine::capture::excerpt::{Part, Sample, plan, render};
use ricasso_engine::capture::{self, Bounds, Budget, Lean, Owner, Reading, Spool, Stream, Which};
use ricasso_engine::run::{Action, Ending, Event, Failure, LimitName, Phase, step};
use ricasso_redact::{End, Label, RedactedStream, Redactor, Secrets, Span, Window, window_around};
use std::convert::Infallible;
use std::ops::Range;

/// A target: bytes in, a broken promise out.
pub type Target = fn(&[u8]) -> Result<(), String>;

/// All targets by name.
pub const TARGETS: [(&str, Target); 4] =
    [("excerpt", excerpt), ("redact", redact), ("spool", spool), ("state", state)];

/// Pieces of output that have met every special case once.
pub fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "plain\nlines\n\nand a last one without an end",
        "\x1b[31mred\x1b[0m and ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8 in a line\n",
        "10%\r20%\r30%\r100%\ndone\n",
        "same\nsame\nsame\nsame\nsame\nsame\nsame\nsame\nsame\nsame\nsame\nsame\n",
        "https://user:hunter2hunter2@host/ AKIAIOSFODNN7EXAMPLE\nAuthorization: Bearer abcdefgh\n",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAK\n-----END RSA PRIVATE KEY-----\n",
        "DB_PASSWORD=hunter2x9 api_key: 'k3jf9sd8fj2lq0' --token k3jf9sd8fj2lq0zz\n",
        "{\"name\": \"DB_PASSWORD\", \"value\": \"hunter2x9\"} token: &str = \"k3jf9sd8fj\"\n",
        "grüße 日本語 🎉 ünïcödé\n",
    ];
    let mut seeds: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    seeds.push((0..=255).collect());
    seeds.push(texts.concat().repeat(40).into_bytes());
    seeds
}

/// The excerpt tiles the stream, cuts no secret and no character, and renders.
pub fn excerpt(raw: &[u8]) -> Result<(), String> {
    let mut random = Random::new(raw.len() as u64);
    let spans = redactor()?.find_spans(raw);
    for lean in [Lean::Success, Lean::Failure] {
        let budget =
            Budget { stream_bytes: 200 + random.below(2000), line_bytes: 40 + random.below(400) };
        let sample = Sample::of(Stream::Stdout, raw, &spans, budget);
        let parts = plan(&sample, budget, lean);
        let mut at = 0;
        for part in &parts {
            let (Part::Shown(range) | Part::Omitted(range, ..)) = part;
            if range.start != at || range.end <= range.start {
                return Err(format!("parts do not tile at {at}: {range:?}"));
            }
            if spans.iter().any(|span| span.start < range.end && range.end < span.end) {
                return Err(format!("a secret is cut at {}", range.end));
            }
            at = range.end;
        }
        if at != raw.len() as u64 {
            return Err(format!("parts end at {at} of {}", raw.len()));
        }
        std::hint::black_box(render(&sample, &parts, "ID"));
    }
    Ok(())
}

/// A stream in any pieces is the whole, and no page shows a byte that the whole hides.
pub fn redact(raw: &[u8]) -> Result<(), String> {
    // Of secrets that overlap, a piece may show the name of the first alone.
    let redactor = redactor()?.labelled(Label::Plain);
    let mut random = Random::new(raw.iter().map(|byte| u64::from(*byte)).sum());
    let (mut stream, mut shown) = (RedactedStream::new(redactor.clone()), Vec::new());
    let mut rest = raw;
    while !rest.is_empty() {
        let (chunk, later) = rest.split_at(1 + random.below(rest.len().min(50)));
        shown.extend(stream.push(chunk));
        rest = later;
    }
    shown.extend(stream.finish());
    let whole = redactor.redact(raw);
    if shown != whole {
        return Err(format!("{} but in pieces {}", whole.escape_ascii(), shown.escape_ascii()));
    }
    let patterns = redactor.without_values();
    let spans = patterns.find_spans(raw);
    for _ in 0..8 {
        let start = random.below(raw.len() + 1) as u64;
        let range = start..(start + 1 + random.below(300) as u64).min(raw.len() as u64);
        let page = page_spans(&patterns, raw, &range);
        let hides = |spans: &[Span], at: u64| spans.iter().any(|s| s.start <= at && at < s.end);
        if let Some(at) = range.clone().find(|at| hides(&spans, *at) != hides(&page, *at)) {
            return Err(format!("byte {at} of {range:?} is hidden otherwise in the whole"));
        }
    }
    Ok(())
}

fn page_spans(redactor: &Redactor, raw: &[u8], range: &Range<u64>) -> Vec<Span> {
    let part = |part: &Range<u64>| raw[part.start as usize..part.end as usize].to_vec();
    let read = |range: Range<u64>| Ok::<_, Infallible>(part(&range));
    let Ok(around) = window_around(range.clone(), raw.len() as u64, read);
    let (bytes, offset) = (part(&around.bytes), around.bytes.start);
    redactor.search(&Window { bytes: &bytes, offset, from: around.from, end: End::Closed }).spans
}

/// Every byte comes back, also while the spool is still open.
pub fn spool(raw: &[u8]) -> Result<(), String> {
    let name = format!("ricasso-fuzz-spool-{}", std::process::id());
    let dir = std::env::temp_dir().join(name);
    let told = |error: std::io::Error| error.to_string();
    std::fs::create_dir(&dir).map_err(told)?;
    let result = fill_and_read(raw, &dir);
    std::fs::remove_dir_all(&dir).map_err(told)?;
    result
}

fn fill_and_read(raw: &[u8], dir: &std::path::Path) -> Result<(), String> {
    let told = |error: capture::Error| error.to_string();
    let redactor = capture::Redactor::new(&secrets()).map_err(told)?;
    let bounds = Bounds { output_bytes: u64::MAX };
    let mut spool = Spool::create(dir, redactor.clone(), bounds).map_err(told)?;
    let mut random = Random::new(raw.len() as u64 + 7);
    let mut said = [Vec::new(), Vec::new()];
    let mut rest = raw;
    while !rest.is_empty() {
        let (chunk, later) = rest.split_at(1 + random.below(rest.len().min(700)));
        let which = random.below(2);
        let _ = spool.append(Stream::BOTH[which], chunk).map_err(told)?;
        said[which].extend_from_slice(chunk);
        rest = later;
    }
    let totals = spool.finish().map_err(told)?;
    for (stream, said) in Stream::BOTH.into_iter().zip(&said) {
        let kept = std::fs::read(dir.join(stream.name())).unwrap_or_default();
        if kept != *said {
            return Err(format!("{} bytes kept of {}", kept.len(), said.len()));
        }
    }
    if totals.stdout_bytes + totals.stderr_bytes != raw.len() as u64 {
        return Err(format!("{totals:?} for {} bytes", raw.len()));
    }
    let reading = Reading::open(dir, &redactor, Owner::Gone).map_err(told)?;
    let mut both = Vec::new();
    reading.bytes(Which::Both, 0..u64::MAX, &mut both).map_err(told)?;
    let hidden = said.iter().any(|said| !redactor_finds_nothing(said));
    if !hidden && both.len() != raw.len() {
        return Err(format!("{} bytes read back of {}", both.len(), raw.len()));
    }
    Ok(())
}

/// A life never kills twice, never asks after killing, and never changes its ending.
pub fn state(raw: &[u8]) -> Result<(), String> {
    let mut phase = Phase::Starting;
    let (mut asked, mut killed) = (0, 0);
    for byte in raw {
        let before = phase.clone();
        let (next, action) = step(phase, event(*byte));
        match action {
            Action::Terminate if killed > 0 => return Err("asked after killing".into()),
            Action::Terminate => asked += 1,
            Action::Kill => killed += 1,
            Action::Nothing => {}
        }
        if let (Some(old), new) = (ending(&before), ending(&next))
            && new != Some(old)
        {
            return Err(format!("the ending {old:?} became {new:?}"));
        }
        phase = next;
    }
    if asked > 1 || killed > 1 { Err(format!("{asked} asked, {killed} killed")) } else { Ok(()) }
}

fn event(byte: u8) -> Event {
    let ending = Ending::Exited(i32::from(byte >> 4));
    match byte % 13 {
        0 => Event::Started,
        1 => Event::NotStarted(Ending::NotStarted(Failure::NotFound)),
        2 => Event::Ended { ending, tree_gone: true },
        3 => Event::Ended { ending, tree_gone: false },
        4 => Event::TreeGone,
        5 => Event::Lost,
        6 => Event::Deadline,
        7 => Event::Idle,
        8 => Event::Grace,
        9 => Event::Cancel(None),
        10 => Event::Full(LimitName::Output),
        11 => Event::StreamsClosed,
        _ => Event::DrainOver,
    }
}

fn ending(phase: &Phase) -> Option<&Ending> {
    match phase {
        Phase::Draining(ending) | Phase::Done(ending) => Some(ending),
        Phase::Starting | Phase::Running | Phase::Asked(_) | Phase::Forced(_) => None,
    }
}

fn secrets() -> Secrets {
    Secrets { values: vec![("PIN".to_owned(), b"s3cret value".to_vec())], patterns: Vec::new() }
}

fn redactor() -> Result<Redactor, String> {
    Redactor::new(&secrets()).map_err(|error| error.to_string())
}

fn redactor_finds_nothing(raw: &[u8]) -> bool {
    redactor().is_ok_and(|redactor| redactor.find_spans(raw).is_empty())
}
