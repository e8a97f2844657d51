//! What the engine adds to a bare spawn: `sh -c true` with both streams captured, no cage.
//!
//! Rounds are interleaved, so that load hits every variant alike; a ratio is taken within a round
//! and the median of the ratios counts. The minimum of each variant is printed beside it.

use ricasso_engine::engine::{Chores, Engine, Setup, Spares, Stays};
use ricasso_engine::policy::{Policy, Preset};
use ricasso_engine::request::{Caller, Manner, OnFailure, Request, Stdin, Step};
use ricasso_engine::run::StateDir;
use ricasso_os::{Cancel, Keeper};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// As many as the bars ask for.
const ROUNDS: usize = 400;
/// What a big owner holds.
const BALLAST_BYTES: usize = 400 << 20;

/// Measures and prints; returns whether the bars hold.
pub(crate) fn run(cold: Keeper, warm: Keeper) -> bool {
    let place = std::env::temp_dir().join(format!("ricasso-bench-{}", std::process::id()));
    let cold = engine(cold, &place, Spares::None);
    let warm = engine(warm, &place, Spares::Kept);
    let mut held = true;
    println!("sh -c true, both streams captured, {ROUNDS} interleaved rounds");
    held &= measure(&cold, &warm, "owner of a few megabytes");
    let ballast = ballast();
    held &= measure(&cold, &warm, "owner with 400 MB resident");
    drop(ballast);
    drop((cold, warm));
    // The place is ours alone; what cannot be removed is in the temporary directory.
    let _ = std::fs::remove_dir_all(place);
    held
}

pub(crate) fn engine(keeper: Keeper, place: &std::path::Path, spares: Spares) -> Engine {
    engine_of(keeper, place, spares, Policy::preset(Preset::Open))
}

pub(crate) fn engine_of(
    keeper: Keeper,
    place: &std::path::Path,
    spares: Spares,
    policy: Policy,
) -> Engine {
    let state = StateDir::at(place).expect("a temporary state directory can be made");
    let environment =
        std::env::vars_os().map(|(name, value)| (name.into(), value.into())).collect();
    let chores = Chores::Beside;
    let (told, powers) = (Vec::new(), None);
    let stays = Stays::WithItsJobs;
    Engine::open(Setup { keeper, policy, state, environment, spares, chores, told, powers, stays })
        .expect("the engine opens")
}

fn measure(cold_engine: &Engine, warm_engine: &Engine, what: &str) -> bool {
    let request = request();
    let cancel = Cancel::new().expect("an event descriptor can be made");
    let (mut bare, mut cold, mut warm) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        // Each variant starts from rest: what an engine does beside its jobs, spare wardens and
        // papers, would otherwise be measured in the next variant's time.
        rest();
        bare.push(bare_spawn());
        rest();
        cold.push(once(cold_engine, &request, &cancel));
        rest();
        warm.push(once(warm_engine, &request, &cancel));
    }
    println!("{what}");
    let cold = report("engine, no spare", &cold, &bare, 1.6);
    let warm = report("engine, a spare warden waiting", &warm, &bare, 1.3);
    cold && warm
}

/// Longer than an engine works on behind a job: rules for the next one take some milliseconds.
const REST: Duration = Duration::from_millis(8);

/// Idles at full clock.
pub(crate) fn rest() {
    let until = Instant::now() + REST;
    while Instant::now() < until {
        std::hint::spin_loop();
    }
}

pub(crate) fn report(name: &str, these: &[Duration], bare: &[Duration], most: f64) -> bool {
    let ratios = these.iter().zip(bare).map(|(a, b)| a.as_secs_f64() / b.as_secs_f64());
    let ratio = median(ratios.collect());
    let least = |all: &[Duration]| all.iter().min().copied().unwrap_or_default();
    let (own, base) = (least(these), least(bare));
    let held = if ratio <= most { "held" } else { "MISSED" };
    println!(
        "  {name:32} x{ratio:.2} of a bare spawn (at most x{most}: {held}); \
         minimum {own:?}, bare {base:?}, x{:.2}",
        own.as_secs_f64() / base.as_secs_f64()
    );
    ratio <= most
}

pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

pub(crate) fn once(engine: &Engine, request: &Request, cancel: &Cancel) -> Duration {
    let began = Instant::now();
    let reply = engine.run(request, cancel).expect("the engine runs sh -c true");
    let took = began.elapsed();
    assert_eq!(reply.exit_code, Some(0), "sh -c true succeeds");
    took
}

pub(crate) fn bare_spawn() -> Duration {
    let began = Instant::now();
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "true"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("sh can be spawned");
    let mut all = Vec::new();
    let mut out = child.stdout.take().expect("stdout was set to piped above");
    let mut err = child.stderr.take().expect("stderr was set to piped above");
    out.read_to_end(&mut all).expect("a pipe can be read");
    err.read_to_end(&mut all).expect("a pipe can be read");
    child.wait().expect("our own child can be waited for");
    began.elapsed()
}

fn ballast() -> Vec<u8> {
    let mut bytes = vec![0u8; BALLAST_BYTES];
    bytes.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    bytes
}

/// The same program as the bare spawn: no bash in between.
pub(crate) fn request() -> Request {
    Request {
        steps: vec![Step::Argv(vec!["/bin/sh".into(), "-c".into(), "true".into()])],
        on_failure: OnFailure::Stop,
        cwd: "/".into(),
        workspace: None,
        env: Vec::new(),
        stdin: Stdin::Closed,
        timeout: None,
        caller: Caller { door: "library".into(), session: "bench".into(), client: None },
        manner: Manner::default(),
    }
}
