//! What redaction costs a user of the installed program: a gibibyte of output through
//! `ricasso run`, beside `cmd | cat > file`, and a page of it read back.
//!
//! Each variant is started once a round, one after the other. It must never leave its files behind.

use crate::capture::{Done, Place, log_line, mixed};
use crate::run::median;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The whole is four times this file, so that its pages are read from memory.
const PIECE_BYTES: usize = 256 << 20;
const PIECES: usize = 4;
const ROUNDS: usize = 5;
/// Pages are read so often.
const PAGES: usize = 100;
/// Milliseconds that a page of a mebibyte may take, the start of the program included.
const PAGE_BAR_MS: f64 = 10.0;

/// Values that the environment names as secret.
const SECRETS: [(&str, &str); 5] = [
    ("BENCH_TOKEN", "correct-horse-battery"),
    ("BENCH_PASSWORD", "p@ss w0rd/with+signs"),
    ("BENCH_API_KEY", "0123456789abcdefABCDEF"),
    ("BENCH_SECRET", "another-long-value-of-a-service"),
    ("BENCH_AUTH_TOKEN", "q8Zk2pLm9Xw4"),
];

/// A way to run the command, and how often the time of `cmd | cat > file` it may take.
struct Variant {
    name: &'static str,
    bar: f64,
    arguments: &'static [&'static str],
    secrets: usize,
    /// The configuration.
    policy: &'static str,
}

const VARIANTS: [Variant; 4] = [
    Variant { name: "run --json", bar: 1.25, arguments: &["--json"], secrets: 0, policy: "" },
    Variant {
        name: "run --json, five values",
        bar: 1.4,
        arguments: &["--json"],
        secrets: 5,
        policy: "",
    },
    Variant { name: "run > /dev/null", bar: 4.0, arguments: &[], secrets: 0, policy: "" },
    Variant {
        name: "redact.on_write",
        bar: 4.0,
        arguments: &["--json"],
        secrets: 0,
        policy: "[redact]\non_write = true\n",
    },
];

/// A line of some text by its number.
type Line = fn(u64) -> Vec<u8>;

const TEXTS: [(&str, Line); 3] = [("log", log_line), ("json", json_line), ("source", source_line)];

/// Measures each text, or those that are named; whether all bars were held.
pub(crate) fn run() -> Done<bool> {
    let program = std::env::current_exe()?.with_file_name("ricasso");
    if !program.exists() {
        return Err(format!("build {} first, with the same profile", program.display()).into());
    }
    let place = Place::make()?;
    let named: Vec<String> = std::env::args().skip(2).collect();
    let mut held = true;
    for (name, line) in TEXTS {
        if named.is_empty() || named.iter().any(|one| one == name) {
            held &= measure(&program, &place.dir, name, line)?;
        }
    }
    Ok(held)
}

fn measure(program: &Path, dir: &Path, name: &str, line: Line) -> Done<bool> {
    let piece = piece(dir, line)?;
    let text = format!("cat {}", vec![piece.display().to_string(); PIECES].join(" "));
    let script = format!("{text} | cat > {}", dir.join("plain").display());
    let mut ratios = VARIANTS.map(|_| Vec::new());
    let mut pages = Vec::new();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        succeed(Command::new("sh").args(["-c", &script]))?;
        let plain = began.elapsed();
        std::fs::remove_file(dir.join("plain"))?;
        for (variant, ratios) in VARIANTS.iter().zip(&mut ratios) {
            let home = dir.join("home");
            let began = Instant::now();
            let said = start(program, &home, variant, &text)?;
            ratios.push(began.elapsed().as_secs_f64() / plain.as_secs_f64());
            if variant.name == VARIANTS[0].name {
                read_pages(program, &home, &said, &mut pages)?;
            }
            std::fs::remove_dir_all(&home)?;
        }
    }
    let mut held = true;
    for (variant, ratios) in VARIANTS.iter().zip(ratios) {
        let ratio = median(ratios);
        held &= ratio <= variant.bar;
        let word = if ratio <= variant.bar { "held" } else { "MISSED" };
        println!("{name}: {} x{ratio:.2} (at most x{}): {word}", variant.name, variant.bar);
    }
    let page = median(pages);
    held &= page <= PAGE_BAR_MS;
    let word = if page <= PAGE_BAR_MS { "held" } else { "MISSED" };
    println!("{name}: a page of 1 MiB {page:.1} ms (at most {PAGE_BAR_MS}): {word}");
    Ok(held)
}

/// Runs the command in a home of its own; what the program said.
fn start(program: &Path, home: &Path, variant: &Variant, text: &str) -> Done<Vec<u8>> {
    std::fs::create_dir_all(home.join("config/ricasso"))?;
    std::fs::write(home.join("config/ricasso/config.toml"), variant.policy)?;
    let stdout = if variant.arguments.is_empty() { Stdio::null() } else { Stdio::piped() };
    let mut command = in_home(program, home);
    command.arg("run").args(variant.arguments).args(["-c", text]);
    let output = command.envs(SECRETS.into_iter().take(variant.secrets)).stdout(stdout).output()?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}

/// Reads pages of a mebibyte from all over the output, in milliseconds each.
fn read_pages(program: &Path, home: &Path, said: &[u8], pages: &mut Vec<f64>) -> Done<()> {
    let said = String::from_utf8_lossy(said);
    let id = said.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let id = id.ok_or("a reply without an id")?;
    for page in 0..PAGES as u64 {
        let at = (mixed(page) % 1023) << 20;
        let range = format!("{at}-{}", at + (1 << 20));
        let mut command = in_home(program, home);
        command.args(["output", id, "--stream", "stdout", "--bytes", &range]);
        let began = Instant::now();
        succeed(command.stdout(Stdio::null()))?;
        pages.push(began.elapsed().as_secs_f64() * 1e3);
    }
    Ok(())
}

fn in_home(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", home);
    command.env("XDG_STATE_HOME", home.join("state")).env("XDG_CONFIG_HOME", home.join("config"));
    command.current_dir(home.parent().unwrap_or(home));
    command
}

fn succeed(command: &mut Command) -> Done<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}

fn piece(dir: &Path, line: Line) -> Done<PathBuf> {
    let path = dir.join("piece");
    let mut out = BufWriter::new(File::create(&path)?);
    let (mut written, mut number) = (0, 0);
    while written < PIECE_BYTES {
        let line = line(number);
        let part = &line[..line.len().min(PIECE_BYTES - written)];
        out.write_all(part)?;
        written += part.len();
        number += 1;
    }
    out.flush()?;
    Ok(path)
}

fn source_line(number: u64) -> Vec<u8> {
    let lines = [
        "/// Reads the next block and says whether the stream goes on behind it.\n",
        "pub(crate) fn read_block(file: &File, at: u64) -> Result<usize, Error> {\n",
        "    let count = file.read_at(&mut buffer[..], at).map_err(read)?;\n",
        "        if (options.flags & KEEP_ORDER) != 0 && previous > index {\n",
        "            return Err(ParseError::new(token.span(), \"expected a name\"));\n",
        "    static const struct option longs[] = { { \"verbose\", 0, 0, 'v' } };\n",
        "        self.assertEqual(response.status_code, 200, msg=response.content)\n",
        "    }\n\n",
    ];
    lines[number as usize % lines.len()].as_bytes().to_vec()
}

fn json_line(number: u64) -> Vec<u8> {
    let mix = mixed(number);
    format!(
        "{{\"id\":\"{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}\",\"name\":\"item {number}\",\
         \"tags\":[\"new\",\"blue\"],\"sha\":\"{mix:016x}{mix:016x}\",\"size\":{},\
         \"next_page\":null,\"url\":\"https://api.example.org/v1/items/{number}?expand=owner\"}}\n",
        mix >> 32,
        mix & 0xffff,
        mix & 0xfff,
        mix >> 52,
        mix & 0xffff_ffff_ffff,
        mix % 100_000,
    )
    .into_bytes()
}
