//! What asking about a running job costs beside a plain request over a unix socket, with the same
//! bytes there and back, one connection each, and nothing else; and then what stopping one takes.

use crate::run::median;
use ricasso_engine::engine::{Jobs, Scope, Spares, Until};
use ricasso_engine::policy::{Layer, Origin, Overrides, Policy, Preset};
use ricasso_engine::request::{Caller, Manner, OnFailure, Request, Stdin, Step, Tenure};
use ricasso_engine::run::StateDir;
use ricasso_os::{Cancel, Keeper};
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

/// Interleaved rounds, as for the other bars.
const ROUNDS: usize = 1000;
/// The bar.
const MOST: f64 = 1.5;
/// Short enough for many stops that have to wait for it.
const SHORT_GRACE: Duration = Duration::from_millis(200);
/// So long that nobody overlooks a stop that waits for it.
const LONG_GRACE: Duration = Duration::from_secs(10);

/// Measures and prints; returns whether the bar holds.
pub(crate) fn run(keeper: Keeper, other: Keeper) -> Result<bool, Box<dyn std::error::Error>> {
    let place = std::env::temp_dir().join(format!("ricasso-bench-jobs-{}", std::process::id()));
    let engine = crate::run::engine_of(keeper, &place, Spares::None, policy(LONG_GRACE)?);
    let job = engine.start(&request("echo ready; read -r x"), Cancel::new()?)?;
    let jobs = Jobs::at(StateDir::at(&place)?, Policy::preset(Preset::Open), Scope::Person);
    let id = job.id().to_string();
    let size = jobs.look(&id)?.to_string().len();
    let socket = place.join("plain.sock");
    let listener = UnixListener::bind(&socket)?;
    std::thread::spawn(move || serve(&listener, size));
    let (mut plain, mut look) = (Vec::new(), Vec::new());
    let (mut wait, mut find) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        plain.push(timed(|| ask(&socket, size))?);
        look.push(timed(|| jobs.look(&id).map(drop).map_err(Into::into))?);
        wait.push(timed(|| jobs.wait(&id, &Until::Input, None).map(drop).map_err(Into::into))?);
        let line = Until::Match("ready".into());
        find.push(timed(|| jobs.wait(&id, &line, None).map(drop).map_err(Into::into))?);
    }
    println!("a running job asked from outside, {ROUNDS} interleaved rounds");
    let ratio = |these: &[Duration]| {
        let ratios = these.iter().zip(&plain).map(|(a, b)| a.as_secs_f64() / b.as_secs_f64());
        median(ratios.collect())
    };
    let found = ratio(&find);
    println!(
        "  wait for a line      x{found:.2} of a plain request (a regex is built for it: no bar)"
    );
    let held = [("look", &look), ("wait that is met", &wait)].map(|(name, these)| {
        let ratio = ratio(these);
        let held = if ratio <= MOST { "held" } else { "MISSED" };
        println!("  {name:20} x{ratio:.2} of a plain request (at most x{MOST}: {held})");
        ratio <= MOST
    });
    job.stop();
    drop(job);
    let stubborn = place.join("stubborn");
    let stubborn = crate::run::engine_of(other, &stubborn, Spares::None, policy(SHORT_GRACE)?);
    let stopped = crate::stops::run((&stubborn, SHORT_GRACE), (&engine, LONG_GRACE))?;
    drop((engine, stubborn));
    // The place is ours alone; what cannot be removed is in the temporary directory.
    let _ = std::fs::remove_dir_all(place);
    Ok(held.iter().all(|held| *held) && stopped)
}

fn timed(
    work: impl FnOnce() -> Result<(), Box<dyn std::error::Error>>,
) -> Result<Duration, Box<dyn std::error::Error>> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed())
}

/// A request of a hundred bytes, an answer as long as a reply.
fn ask(socket: &Path, size: usize) -> Result<(), Box<dyn std::error::Error>> {
    let mut stream = UnixStream::connect(socket)?;
    stream.write_all(&[b'q'; 100])?;
    let mut answer = vec![0; size];
    stream.read_exact(&mut answer)?;
    std::hint::black_box(answer);
    Ok(())
}

fn serve(listener: &UnixListener, size: usize) {
    let answer = format!("\"{}\"", "x".repeat(size - 2));
    for stream in listener.incoming().flatten() {
        let answer = answer.clone();
        // Each visitor has a thread, as at a desk.
        std::thread::spawn(move || {
            let mut stream = stream;
            let mut question = [0; 100];
            let answered =
                stream.read_exact(&mut question).and_then(|()| stream.write_all(answer.as_bytes()));
            answered.expect("the bench asks and listens");
        });
    }
}

fn policy(grace: Duration) -> Result<Policy, ricasso_engine::policy::Error> {
    let millis = grace.as_millis();
    let text = format!("version = 1\nextends = \"open\"\n[limits]\ngrace = \"{millis}ms\"\n");
    let layer = Layer { origin: Origin::User, name: "bench".into(), text };
    Policy::from_layers(&[layer], &Overrides::default())
}

pub(crate) fn request(text: &str) -> Request {
    Request {
        steps: vec![Step::Shell(text.into())],
        on_failure: OnFailure::Stop,
        cwd: "/".into(),
        workspace: None,
        env: Vec::new(),
        stdin: Stdin::Fed,
        timeout: None,
        caller: Caller { door: "library".into(), session: "bench".into(), client: None },
        manner: Manner { tenure: Tenure::Background, ..Manner::default() },
    }
}
