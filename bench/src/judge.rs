//! The judge: microseconds for a typical agent command, reader included, without questions to the
//! file system; the ratio against `bash -n`; growth with the length of the text.
//!
//! Judge and bash take turns on each text, so that a busy machine slows both.

use crate::reader::{TYPICAL, bash, spread, time};
use ricasso_engine::policy::{Policy, Preset, judge};
use ricasso_engine::request::{Caller, Manner, OnFailure, Request, Stdin, Step};
use ricasso_engine::scene::Described;
use std::hint::black_box;
use std::time::Duration;

/// Rounds over the typical commands.
const ROUNDS: usize = 1_000;
/// Turns of judge and bash on each typical command.
const TURNS: usize = 15;
/// Bars for a typical command.
const P50: Duration = Duration::from_micros(30);
const P99: Duration = Duration::from_micros(300);
/// Twice the text may take this much longer; two is linear, and the rest is noise.
const GROWTH: f64 = 3.0;

/// A kind of text, and one of a given length.
type Shape = (&'static str, fn(usize) -> String);

/// Measures, and says whether the bars were held.
pub(crate) fn run() -> bool {
    let world = Described::new().set("HOME", "/home/user");
    let presets = [Preset::Workspace, Preset::Open];
    let quick = presets.map(|preset| typical(preset, &world)) == [true; 2];
    against_bash(&world);
    let linear = growth(&world);
    quick && linear
}

fn typical(preset: Preset, world: &Described) -> bool {
    let policy = Policy::preset(preset);
    let requests: Vec<Request> = TYPICAL.iter().map(|text| request(text)).collect();
    let mut times = Vec::with_capacity(ROUNDS * requests.len());
    for _ in 0..ROUNDS {
        for request in &requests {
            times.push(time(|| {
                let _ = black_box(judge(black_box(request), &policy, world));
            }));
        }
    }
    let shown = spread(&mut times);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let held = at(0.5) <= P50 && at(0.99) <= P99;
    let word = if held { "held" } else { "NOT HELD" };
    println!(
        "typical command, judged under {}: {shown}; bars 30 and 300 µs: {word}",
        preset.name()
    );
    held
}

fn against_bash(world: &Described) {
    let policy = Policy::preset(Preset::Workspace);
    let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        for text in TYPICAL {
            let request = request(text);
            let our = time(|| {
                let _ = black_box(judge(&request, &policy, world));
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
    println!("judge in the same turns: {}", spread(&mut ours));
    println!("bash -n takes {least:.1} times as long at least, {median:.0} times in the median");
}

/// Texts of doubled length, each judged: how much longer the longer one takes.
fn growth(world: &Described) -> bool {
    let policy = Policy::preset(Preset::Workspace);
    let shapes: [Shape; 7] = [
        ("lines", |n| "git log --oneline | head -n 5 > out.txt\n".repeat(n)),
        ("words", |n| format!("rm {}", "build/x ".repeat(n * 5))),
        ("assignments", |n| "x=1; y=$x; echo \"$y\"\n".repeat(n)),
        ("substitutions", |n| format!("echo {}", "$(ls src) ".repeat(n))),
        ("growing arrays", |n| "a+=(x); echo \"${a[@]}\"\n".repeat(n)),
        ("growing parameters", |n| "set -- \"$@\" x; echo \"$@\"\n".repeat(n)),
        ("nested shells", |n| "sh -c 'ls; git status'\n".repeat(n)),
    ];
    let mut linear = true;
    for (name, make) in shapes {
        let took = |n: usize| {
            let request = request(&make(n));
            let each = (0..5).map(|_| {
                time(|| {
                    let _ = black_box(judge(&request, &policy, world));
                })
            });
            each.min().unwrap_or_default().as_secs_f64()
        };
        let (half, whole) = (took(500), took(1000));
        let ratio = whole / half;
        linear &= ratio <= GROWTH;
        let word = if ratio <= GROWTH { "linear" } else { "NOT LINEAR" };
        println!("1,000 {name}: {:.2} ms, {ratio:.2} times 500: {word}", whole * 1000.0);
    }
    linear
}

fn request(text: &str) -> Request {
    Request {
        steps: vec![Step::Shell(text.into())],
        on_failure: OnFailure::Stop,
        cwd: "/home/user/project".into(),
        workspace: Some("/home/user/project".into()),
        env: Vec::new(),
        stdin: Stdin::Closed,
        timeout: None,
        caller: Caller { door: "library".into(), session: "bench".into(), client: None },
        manner: Manner::default(),
    }
}
