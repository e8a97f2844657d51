//! The reader's target: whatever the bytes, it answers, quickly, with spans that make sense.
//!
//! A broken promise is told as text; the driver decides what to do with it.

use std::time::{Duration, Instant};

use ricasso_shell::tree::{Part, Piece, Word};
use ricasso_shell::{Script, Shell, Span, read};

use crate::engine::Target;
use crate::mutate::mutate;
use crate::random::Random;

/// The longest input.
pub const INPUT_BYTES: usize = 4096;

/// An input of the longest size may nest to the depth limit, and each level may look at all of
/// it: well under a millisecond of work each. A hundred milliseconds mean a loop gone wild.
const SLOW: Duration = Duration::from_millis(100);

/// Reads a text by the rules of both shells and checks every promise.
///
/// # Errors
/// The promise that was broken.
pub fn check(text: &[u8]) -> Result<(), String> {
    for shell in [Shell::Bash, Shell::Sh] {
        let start = Instant::now();
        let script = read(text, shell);
        promises(&script, text)?;
        if start.elapsed() > SLOW && (0..3).all(|_| time(text, shell) > SLOW) {
            return Err(format!("took {:?}", start.elapsed()));
        }
    }
    Ok(())
}

fn time(text: &[u8], shell: Shell) -> Duration {
    let start = Instant::now();
    std::hint::black_box(read(text, shell));
    start.elapsed()
}

fn promises(script: &Script, text: &[u8]) -> Result<(), String> {
    let whole = Span::new(0, text.len());
    if let Some(unreadable) = script.unreadable()
        && (unreadable.at > text.len() || unreadable.from > unreadable.at)
    {
        return Err(format!("unreadable at {} from {}", unreadable.at, unreadable.from));
    }
    for found in script.commands() {
        if !whole.contains(found.span) || found.span.is_empty() {
            return Err(format!("span {:?} of a command", found.span));
        }
        for word in found.words {
            inside(found.span, word)?;
        }
    }
    for code in script.code() {
        if !whole.contains(code.span) {
            return Err(format!("span {:?} of code", code.span));
        }
        if let Some(again) = code.reread(Shell::Bash) {
            for found in again.commands() {
                if !whole.contains(found.span) {
                    return Err(format!("span {:?} of a command in code", found.span));
                }
            }
        }
    }
    Ok(())
}

fn inside(outer: Span, word: &Word) -> Result<(), String> {
    if !outer.contains(word.span) {
        return Err(format!("word {:?} outside {outer:?}", word.span));
    }
    parts(word.span, &word.parts)
}

fn parts(outer: Span, inner: &[Part]) -> Result<(), String> {
    for part in inner {
        if !outer.contains(part.span) {
            return Err(format!("part {:?} outside {outer:?}", part.span));
        }
        match &part.kind {
            Piece::Double(inner) | Piece::Locale(inner) => parts(part.span, inner)?,
            Piece::Parameter(parameter) => parts(part.span, &parameter.operand)?,
            Piece::Arith(arith) => parts(part.span, &arith.parts)?,
            _ => {}
        }
    }
    Ok(())
}

/// What a run found.
#[derive(Debug, Default)]
pub struct Report {
    /// Inputs read.
    pub inputs: u64,
    /// Bytes read.
    pub bytes: u64,
    /// The first input that broke a promise, and the promise.
    pub broken: Option<(Vec<u8>, String)>,
}

/// Reads `inputs` mutations of `seeds`; stops at the first broken promise.
#[must_use]
pub fn run(seeds: &[Vec<u8>], inputs: u64, seed: u64) -> Report {
    run_target(check, seeds, inputs, seed)
}

/// The same for any target.
#[must_use]
pub fn run_target(check: Target, seeds: &[Vec<u8>], inputs: u64, seed: u64) -> Report {
    let mut random = Random::new(seed);
    let mut report = Report::default();
    let mut text: Vec<u8> = Vec::new();
    for number in 0..inputs {
        // A mutation is mutated further a few times before a fresh start.
        if number % 4 == 0 || text.is_empty() {
            text.clone_from(random.pick(seeds));
        }
        if number % 64 == 0 {
            while text.len() < INPUT_BYTES {
                text.extend_from_slice(random.pick(seeds).as_slice());
                text.push(*random.pick(b"\n; |("));
            }
        }
        text = mutate(&mut random, &text, seeds, INPUT_BYTES);
        report.inputs += 1;
        report.bytes += text.len() as u64;
        if let Err(promise) = check(&text) {
            report.broken = Some((text, promise));
            break;
        }
    }
    report
}

/// The texts that mutations start from: those at hand, cut to the longest input.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = crate::corpus::own();
    if let Some(shared) = crate::corpus::shared() {
        seeds.extend(crate::corpus::commands(&shared));
        for _ in 0..3 {
            seeds.extend(crate::corpus::snippets(&shared));
        }
    }
    seeds.extend(crate::mutate::PIECES.iter().map(|piece| piece.to_vec()));
    seeds.iter_mut().for_each(|seed| seed.truncate(INPUT_BYTES));
    seeds
}
