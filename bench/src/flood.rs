//! One gibibyte of output through the whole engine, against `cmd | cat > file`.
//!
//! Both write to the same file system. Rounds are interleaved; the digest of what was kept is
//! compared with that of what was said, once.

use crate::run::{engine, median};
use ricasso_engine::engine::{Engine, Spares};
use ricasso_engine::request::{Caller, Manner, OnFailure, Request, Stdin, Step};
use ricasso_os::{Cancel, Keeper};
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The whole is four times this file, so that its pages are read from memory.
const PIECE_BYTES: usize = 256 << 20;
const PIECES: usize = 4;
const ROUNDS: usize = 5;
/// What the bar allows.
const MOST: f64 = 1.4;
/// Resident memory of the owner in KiB.
const MOST_KIB: usize = 64 * 1024;

/// Measures and prints; returns whether the bar holds.
pub(crate) fn run(keeper: Keeper) -> Result<bool, Box<dyn Error>> {
    let place = std::env::temp_dir().join(format!("ricasso-flood-{}", std::process::id()));
    std::fs::create_dir_all(&place)?;
    let held = measure(keeper, &place);
    // The place is ours alone; what cannot be removed is in the temporary directory.
    let _ = std::fs::remove_dir_all(&place);
    held
}

fn measure(keeper: Keeper, place: &Path) -> Result<bool, Box<dyn Error>> {
    let piece = piece(place)?;
    let text = format!("cat {}", vec![piece.display().to_string(); PIECES].join(" "));
    let engine = engine(keeper, &place.join("state"), Spares::None);
    let mut ratios = Vec::new();
    for round in 0..ROUNDS {
        let plain = plain(&text, place)?;
        let (ours, id) = ours(&engine, &text)?;
        println!("  round {round}: engine {ours:?}, cmd | cat > file {plain:?}");
        ratios.push(ours.as_secs_f64() / plain.as_secs_f64());
        if round == 0 {
            compare(&engine, &id, &text)?;
        }
        // The last papers may still be written beside us; what stays goes with the place.
        let _ = std::fs::remove_dir_all(engine.state().jobs().join(&id));
    }
    let (ratio, peak) = (median(ratios), peak_kib()?);
    let held = ratio <= MOST && peak < MOST_KIB;
    let word = if held { "held" } else { "MISSED" };
    println!(
        "1 GiB of log lines, redaction on: x{ratio:.2} of cmd | cat > file (at most x{MOST}),"
    );
    println!("  peak resident {} MiB (under 64): {word}; read back identical", peak / 1024);
    Ok(held)
}

fn plain(text: &str, place: &Path) -> Result<Duration, Box<dyn Error>> {
    let file = place.join("plain");
    let began = Instant::now();
    let script = format!("{text} | cat > {}", file.display());
    let status = Command::new("sh").args(["-c", &script]).status()?;
    let took = began.elapsed();
    std::fs::remove_file(file)?;
    if status.success() { Ok(took) } else { Err("cat failed".into()) }
}

fn ours(engine: &Engine, text: &str) -> Result<(Duration, String), Box<dyn Error>> {
    let request = Request {
        steps: vec![Step::Shell(text.into())],
        on_failure: OnFailure::Stop,
        cwd: "/".into(),
        workspace: None,
        env: Vec::new(),
        stdin: Stdin::Closed,
        timeout: None,
        caller: Caller { door: "library".into(), session: "bench".into(), client: None },
        manner: Manner::default(),
    };
    let began = Instant::now();
    let reply = engine.run(&request, &Cancel::new()?)?;
    let took = began.elapsed();
    let whole = (PIECE_BYTES * PIECES) as u64;
    if reply.output.stdout_bytes != whole {
        return Err(format!("{} bytes instead of {whole}", reply.output.stdout_bytes).into());
    }
    Ok((took, reply.id.to_string()))
}

fn compare(engine: &Engine, id: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let kept = engine.state().jobs().join(id).join("stdout");
    let script = format!("test \"$({text} | sha256sum)\" = \"$(sha256sum < {})\"", kept.display());
    match Command::new("sh").args(["-c", &script]).status()?.success() {
        true => Ok(()),
        false => Err("what was kept is not what was said".into()),
    }
}

fn piece(place: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let path = place.join("piece");
    let mut out = std::io::BufWriter::new(File::create(&path)?);
    let mut written = 0;
    let mut number = 0u64;
    while written < PIECE_BYTES {
        let line = format!(
            "2026-11-15T10:00:{:02}Z INFO server::http request id={number:016x} path=/v1/items/{} \
             status=200 took={}ms\n",
            number % 60,
            number % 9973,
            number % 317
        );
        let part = &line.as_bytes()[..line.len().min(PIECE_BYTES - written)];
        out.write_all(part)?;
        written += part.len();
        number += 1;
    }
    out.flush()?;
    Ok(path)
}

fn peak_kib() -> Result<usize, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.split_whitespace().nth(1).ok_or("no number")?.parse()?)
}
