//! The engine's targets: excerpt, scan, spool and the life of a command.
//!
//! Each takes bytes and tells a broken promise as text. Only the spool's target touches a disk, in
//! a directory of its own.

use crate::random::Random;
use ricasso_engine::capture::excerpt::{Part, Sample, plan, render};
use ricasso_engine::capture::{
    Bounds, Budget, Lean, Owner, Reading, Redactor, Scan, Secrets, Span, Spool, Stream, Which,
};
use ricasso_engine::run::{Action, Ending, Event, Failure, LimitName, Phase, step};

/// A target: bytes in, a broken promise out.
pub type Target = fn(&[u8]) -> Result<(), String>;

/// All targets by name.
pub const TARGETS: [(&str, Target); 4] =
    [("excerpt", excerpt), ("scan", scan), ("spool", spool), ("state", state)];

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
    let spans = spans_at_once(raw)?;
    for lean in [Lean::Success, Lean::Failure] {
        let budget =
            Budget { stream_bytes: 200 + random.below(2000), line_bytes: 40 + random.below(400) };
        let sample = Sample::of(raw, &spans, budget);
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
        std::hint::black_box(render(&sample, &parts, Stream::Stdout, "ID"));
    }
    Ok(())
}

/// Any split into chunks finds the same secrets.
pub fn scan(raw: &[u8]) -> Result<(), String> {
    let whole = spans_at_once(raw)?;
    let mut random = Random::new(raw.iter().map(|byte| u64::from(*byte)).sum());
    let redactor = redactor()?;
    let mut scan = Scan::new(&redactor);
    let mut spans = Vec::new();
    let mut rest = raw;
    while !rest.is_empty() {
        let (chunk, later) = rest.split_at(1 + random.below(rest.len().min(50)));
        let (known, shown) = (spans.len(), scan.mark().bytes);
        let mark = scan.push(chunk, &mut spans);
        if let Some(late) = spans[known..].iter().find(|span| span.start < shown) {
            return Err(format!("{late:?} was shown up to {shown}"));
        }
        if mark.bytes > scan.taken() {
            return Err("the watermark is ahead of the bytes".into());
        }
        rest = later;
    }
    scan.finish(&mut spans);
    let spans = joined(&spans);
    if spans == joined(&whole) { Ok(()) } else { Err(format!("{whole:?} but split {spans:?}")) }
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
    let told = |error: ricasso_engine::capture::Error| error.to_string();
    let redactor = redactor()?;
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
    if totals.redactions == 0 && both.len() != raw.len() {
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

fn redactor() -> Result<Redactor, String> {
    let secrets = Secrets {
        values: vec![("PIN".to_owned(), b"s3cret value".to_vec())],
        patterns: Vec::new(),
    };
    Redactor::new(&secrets).map_err(|error| error.to_string())
}

fn spans_at_once(raw: &[u8]) -> Result<Vec<Span>, String> {
    let redactor = redactor()?;
    let mut scan = Scan::new(&redactor);
    let mut spans = Vec::new();
    scan.push(raw, &mut spans);
    scan.finish(&mut spans);
    Ok(joined(&spans))
}

/// A long secret may be told in pieces that continue each other.
fn joined(spans: &[Span]) -> Vec<Span> {
    let mut whole: Vec<Span> = Vec::new();
    for span in spans {
        match whole.last_mut() {
            Some(last) if last.continues_with(span) => last.end = span.end,
            Some(_) | None => whole.push(span.clone()),
        }
    }
    whole
}
