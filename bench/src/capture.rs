//! One gibibyte of output through read and store, with one known value, beside `cmd | cat > file`:
//! wall time as a ratio within interleaved rounds, and the peak of resident memory.
//!
//! It must never leave its files behind: each round removes what it wrote.

use ricasso_engine::capture::{
    Appended, BLOCK_BYTES, Bounds, Budget, Lean, Owner, Reading, Redactor, Secrets, Spool, Stream,
    Which,
};
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The bar is set for one gibibyte.
const OUTPUT_BYTES: u64 = 1 << 30;

/// Enough for a median on a machine that does other work too; more with `ROUNDS`.
const ROUNDS: usize = 7;

/// Wall time of the capture over that of `cmd | cat > file`.
const BAR_RATIO: f64 = 1.4;

/// Resident memory of the whole process.
const BAR_KIB: u64 = 64 * 1024;

pub(crate) type Done<T> = Result<T, Box<dyn Error>>;

/// Measures all three kinds of output and prints a line for each.
pub(crate) fn run() -> Done<()> {
    let rounds = std::env::var("ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(ROUNDS);
    let place = Place::make()?;
    let redactor = Redactor::new(&Secrets {
        values: vec![("BENCH_TOKEN".to_owned(), b"correct-horse-battery".to_vec())],
        patterns: Vec::new(),
    })?;
    print_line(&format!("{} bytes, {rounds} rounds, {}", OUTPUT_BYTES, place.dir.display()));
    for (name, line) in
        [("log", log_line as fn(u64) -> Vec<u8>), ("base64", base64), ("zeros", zeros)]
    {
        let source = place.dir.join("source");
        generate(&source, line)?;
        measure(name, &source, &place.dir, &redactor, rounds)?;
    }
    measure_making()?;
    measure_small(&place.dir, &redactor)?;
    let peak = peak_kib()?;
    print_line(&format!("peak resident: {peak} KiB (bar {BAR_KIB})"));
    Ok(())
}

fn measure(name: &str, source: &Path, dir: &Path, redactor: &Redactor, rounds: usize) -> Done<()> {
    let mut ratios = Vec::new();
    let (mut ours_best, mut theirs_best) = (Duration::MAX, Duration::MAX);
    let mut processor = Vec::new();
    for _ in 0..rounds {
        let start = all_ticks()?;
        let theirs = through_cat(source, &dir.join("copy"))?;
        let middle = all_ticks()?;
        let ours = through_spool(source, &dir.join("job"), redactor)?;
        processor.push((all_ticks()? - middle) / (middle - start));
        ratios.push(ours.as_secs_f64() / theirs.as_secs_f64());
        ours_best = ours_best.min(ours);
        theirs_best = theirs_best.min(theirs);
    }
    ratios.sort_by(f64::total_cmp);
    processor.sort_by(f64::total_cmp);
    print_line(&format!(
        "{name:7} ratio median {:.2} min {:.2} max {:.2} (bar {BAR_RATIO}); \
         best {:.2} s beside {:.2} s; CPU ratio median {:.2}",
        ratios[ratios.len() / 2],
        ratios[0],
        ratios[ratios.len() - 1],
        ours_best.as_secs_f64(),
        theirs_best.as_secs_f64(),
        processor[processor.len() / 2],
    ));
    Ok(())
}

fn through_cat(source: &Path, copy: &Path) -> Done<Duration> {
    let start = Instant::now();
    let status = Command::new("sh")
        .args(["-c", "cat \"$0\" | cat > \"$1\""])
        .args([source, copy])
        .status()?;
    let took = start.elapsed();
    assert!(status.success(), "cat failed");
    std::fs::remove_file(copy)?;
    Ok(took)
}

fn through_spool(source: &Path, dir: &Path, redactor: &Redactor) -> Done<Duration> {
    std::fs::create_dir(dir)?;
    let start = Instant::now();
    let mut child = Command::new("cat").arg(source).stdout(Stdio::piped()).spawn()?;
    let mut pipe = child.stdout.take().expect("stdout was set to piped above");
    let mut spool =
        Spool::create(dir, redactor.clone(), Bounds { output_bytes: OUTPUT_BYTES * 2 })?;
    let mut buffer = vec![0; BLOCK_BYTES];
    loop {
        let count = pipe.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        let stored = spool.append(Stream::Stdout, &buffer[..count])?;
        assert_eq!(stored, Appended::Stored);
    }
    let totals = spool.finish()?;
    child.wait()?;
    let took = start.elapsed();
    assert_eq!(totals.stdout_bytes, OUTPUT_BYTES);
    check(dir, redactor)?;
    std::fs::remove_dir_all(dir)?;
    Ok(took)
}

/// The last block must be readable.
fn check(dir: &Path, redactor: &Redactor) -> Done<()> {
    let reading = Reading::open(dir, redactor, Owner::Gone)?;
    let mut tail = Vec::new();
    reading.bytes(Which::One(Stream::Stdout), OUTPUT_BYTES - 64..OUTPUT_BYTES, &mut tail)?;
    assert_eq!(tail.len(), 64);
    Ok(())
}

/// A job that prints one line: what the spool adds to it, its files' making included.
fn measure_small(dir: &Path, redactor: &Redactor) -> Done<()> {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..500 {
        let job = dir.join("small");
        std::fs::create_dir(&job)?;
        let start = Instant::now();
        let mut spool = Spool::create(&job, redactor.clone(), Bounds { output_bytes: 1 << 20 })?;
        let stored = spool.append(Stream::Stdout, b"hello\n")?;
        spool.finish()?;
        let excerpt = spool.excerpt("ID", Budget::default(), Lean::Success)?;
        times.push(start.elapsed());
        assert_eq!((stored, excerpt.stdout.as_str()), (Appended::Stored, "hello\n"));
        std::fs::remove_dir_all(&job)?;
    }
    times.sort();
    print_line(&format!("one line: median {:?}, min {:?}", times[times.len() / 2], times[0]));
    Ok(())
}

/// What a one-shot program pays for its redactor.
fn measure_making() -> Done<()> {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..1000 {
        let start = Instant::now();
        std::hint::black_box(Redactor::new(&Secrets::default())?);
        times.push(start.elapsed());
    }
    let first = times[0];
    times.sort();
    let median = times[times.len() / 2];
    print_line(&format!("redactor: first {first:?}, median {median:?} (bar 200µs)"));
    Ok(())
}

fn generate(path: &Path, line: fn(u64) -> Vec<u8>) -> Done<()> {
    let mut file = BufWriter::with_capacity(BLOCK_BYTES, File::create(path)?);
    let (mut written, mut number) = (0, 0);
    while written < OUTPUT_BYTES {
        let line = line(number);
        let room = (OUTPUT_BYTES - written).min(line.len() as u64) as usize;
        file.write_all(&line[..room])?;
        written += room as u64;
        number += 1;
    }
    file.flush()?;
    Ok(())
}

pub(crate) fn log_line(number: u64) -> Vec<u8> {
    let mix = mixed(number);
    format!(
        "2026-11-15T12:{:02}:{:02}.{:03}Z INFO task-{} worker[{}]: \
         GET https://host{}.example/v1/items/{mix:016x} 200 in {} ms\n",
        number / 60 % 60,
        number % 60,
        mix % 1000,
        mix % 97,
        mix % 13,
        mix % 31,
        mix % 4093,
    )
    .into_bytes()
}

fn base64(number: u64) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut line: Vec<u8> =
        (0..76).map(|column| ALPHABET[(mixed(number * 76 + column) >> 58) as usize]).collect();
    line.push(b'\n');
    line
}

fn zeros(_number: u64) -> Vec<u8> {
    vec![0; BLOCK_BYTES]
}

/// SplitMix64: well mixed and the same in every run.
pub(crate) fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// What this process and the children it has waited for used, in clock ticks.
fn all_ticks() -> Done<f64> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let behind_name = text.rsplit(')').next().ok_or("no stat")?;
    // The fields utime, stime, cutime and cstime are the 14th to the 17th; the name is the 2nd.
    let ticks = behind_name.split_whitespace().skip(11).take(4);
    Ok(ticks.filter_map(|field| field.parse::<f64>().ok()).sum())
}

fn peak_kib() -> Done<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).ok_or("no VmHWM")?;
    Ok(kib.parse()?)
}

/// The directory of the measurement, removed at the end in every case.
pub(crate) struct Place {
    pub(crate) dir: PathBuf,
}

impl Place {
    pub(crate) fn make() -> Done<Place> {
        let dir = std::env::temp_dir().join(format!("ricasso-bench-{}", std::process::id()));
        std::fs::create_dir(&dir)?;
        Ok(Place { dir })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _gone = std::fs::remove_dir_all(&self.dir);
    }
}

#[expect(clippy::print_stdout, reason = "printing is what a measurement is for")]
fn print_line(line: &str) {
    println!("{line}");
}
