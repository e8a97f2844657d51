//! The reader: microseconds for a typical agent command, the ratio against `bash -n`, long texts.
//!
//! Reader and bash take turns on each text, so that a busy machine slows both. `bash -n` only
//! reads; nothing is run.

use std::hint::black_box;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ricasso_shell::{Shell, read};

/// Commands of the kind that agents send all day.
pub(crate) const TYPICAL: [&str; 20] = [
    "ls -la",
    "git status",
    "cat src/main.rs | head -50",
    "grep -rn \"fn main\" --include='*.rs' .",
    "cd /tmp && ls",
    "cargo test -p engine 2>&1 | tail -20",
    "find . -name '*.py' -not -path './venv/*' | xargs wc -l",
    "git diff HEAD~1 -- src/ | head -100",
    "python3 -c 'import json,sys; print(json.load(sys.stdin)[\"a\"])' < x.json",
    "for f in *.txt; do echo \"$f: $(wc -l < \"$f\")\"; done",
    "export PATH=\"$HOME/.local/bin:$PATH\" && npm run build",
    "sed -n '10,40p' file.c",
    "mkdir -p out/{a,b} && cp -r src/* out/a/",
    "if [ -f package.json ]; then npm ci; else echo none; fi",
    "curl -s https://example.org/x | jq '.items[] | .name'",
    "cat > a.txt <<'EOF'\nhello\nworld\nEOF",
    "git commit -m \"$(cat <<'EOF'\nfix: it's done\n\nbody\nEOF\n)\"",
    "ps aux | grep -v grep | awk '{print $2}' | sort -n",
    "rm -rf build && cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build -j8",
    "echo $((1 + 2)) ${x:-default} \"${arr[@]}\" `date`",
];

/// Rounds over the typical commands.
const ROUNDS: usize = 2_000;

/// Turns of reader and bash on each typical command.
const TURNS: usize = 15;

/// Prints the measurements.
pub(crate) fn run() {
    typical();
    against_bash();
    long_texts();
}

fn typical() {
    let mut times = Vec::with_capacity(ROUNDS * TYPICAL.len());
    for _ in 0..ROUNDS {
        for text in TYPICAL {
            times.push(time(|| {
                black_box(read(black_box(text.as_bytes()), Shell::Bash));
            }));
        }
    }
    println!("typical command, read: {}", spread(&mut times));
    let mut times = Vec::with_capacity(ROUNDS * TYPICAL.len());
    for _ in 0..ROUNDS {
        for text in TYPICAL {
            times.push(time(|| {
                let script = read(black_box(text.as_bytes()), Shell::Bash);
                black_box((script.commands().count(), script.code().count()));
            }));
        }
    }
    println!("typical command, read, find commands and code: {}", spread(&mut times));
}

fn against_bash() {
    let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        for text in TYPICAL {
            let our = time(|| {
                black_box(read(black_box(text.as_bytes()), Shell::Bash));
            });
            let their = time(|| bash(text.as_bytes()));
            ratios.push(their.as_secs_f64() / our.as_secs_f64());
            ours.push(our);
            theirs.push(their);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let (least, median) = (ratios[0], ratios[ratios.len() / 2]);
    println!("bash -n, spawned for each text: {}", spread(&mut theirs));
    println!("reader in the same turns: {}", spread(&mut ours));
    println!("bash -n takes {least:.0} times as long at least, {median:.0} times in the median");
}

fn long_texts() {
    let texts = [
        ("1 MB of ordinary lines", "git log --oneline | head -n 5 > \"$out\"\n".repeat(27_000)),
        ("1 MB of `$(ls) `", "$(ls) ".repeat(175_000)),
        (
            "1 MB here-document with `$(ls)` a line",
            format!("cat <<E\n{}E\n", "$(ls)\n".repeat(175_000)),
        ),
        ("100,000 words", "word ".repeat(100_000)),
        ("10,000 nested parentheses", "( ".repeat(10_000) + ":" + &" )".repeat(10_000)),
        ("10,000 here-documents", "cat <<E\nx\nE\n".repeat(10_000)),
        ("80,000 commands in one list", "a && ".repeat(80_000) + "a"),
    ];
    for (name, text) in texts {
        let took = time(|| {
            let script = read(text.as_bytes(), Shell::Bash);
            black_box((script.commands().count(), script.code().count()));
        });
        println!("{name}: {:.1} ms, read and walked", took.as_secs_f64() * 1000.0);
    }
}

pub(crate) fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

pub(crate) fn spread(times: &mut [Duration]) -> String {
    times.sort();
    let micros = |share: f64| {
        let index = ((times.len() - 1) as f64 * share) as usize;
        times[index].as_secs_f64() * 1e6
    };
    let (least, half, most) = (micros(0.0), micros(0.5), micros(0.99));
    format!("min {least:.2} µs, p50 {half:.2} µs, p99 {most:.2} µs")
}

pub(crate) fn bash(text: &[u8]) {
    let child = Command::new("bash")
        .args(["--noprofile", "--norc", "-n"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return };
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(text);
    }
    let _ = child.wait();
}
