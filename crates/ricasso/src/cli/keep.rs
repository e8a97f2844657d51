//! `run --background`, `run --yield`, `run` where survivors are adopted, and the hidden verb
//! `keep`: an owner for one job that stays when its terminal goes.

use super::args::Run;
use super::run::{Failure, Ready, code_of, hold, ready};
use super::{look, print, watch};
use crate::exit;
use ricasso_engine::engine::{Jobs, Shown, Until};
use ricasso_os::Cancel;
use serde_json::Value;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long those who were asking when the job ended get to take their answers.
const LAST_ANSWERS: Duration = Duration::from_secs(60);
/// How often somebody who waits for a yield looks at the signals.
const SLICE: Duration = Duration::from_millis(100);

/// The hidden verb: owns one job from its start to its end.
pub(super) fn keep(args: &Run) -> u8 {
    match try_keep(args) {
        Ok(code) => code,
        Err(error) => {
            print::error(&error);
            exit::OURS
        }
    }
}

fn try_keep(args: &Run) -> Result<u8, Failure> {
    ricasso_os::leave_session().map_err(Failure::Os)?;
    let (places, held) = hold(args)?;
    let Ready { engine, request, cancel } = ready(args, &places, held)?;
    let job = engine.start_findable(&request, cancel.clone()).map_err(Failure::Engine)?;
    if let (Some(_), Some(handle), Some(lease)) = (args.yields, job.handle(), engine.lease()) {
        // Whoever follows it asks all the time; later it must be asked about now and then.
        handle.lease(lease);
    }
    let reply = job.look().map_err(Failure::Engine)?;
    // Whoever follows it says the rest.
    if !args.json && (args.background || reply.verdict != "allow") {
        print::after(&reply);
    }
    let mut line = serde_json::to_vec(&reply).unwrap_or_default();
    line.push(b'\n');
    print::put(&line);
    // From now on nobody waits for our streams; a failure to let go only keeps a pipe open.
    let _ = ricasso_os::let_go_of_streams();
    // Not by asking: our own waiting would renew its lease for ever.
    job.stay().map_err(Failure::Engine)?;
    let code = code_of(&job.wait().map_err(Failure::Engine)?);
    // What it left running may be a job of ours now.
    engine.stay(&cancel).map_err(Failure::Engine)?;
    engine.close_desk(LAST_ANSWERS);
    // As in `run`: housekeeping changes nothing any more.
    let _ = engine.tidy_up();
    Ok(code)
}

/// Starts an owner for this job; tells its id, or follows it until it yields.
pub(super) fn start(args: &Run) -> Result<u8, Failure> {
    // Before the owner exists, so that no Ctrl+C falls between the two.
    let cancel = Cancel::on_signals().map_err(Failure::Os)?;
    let (child, first) = spawn()?;
    let Some(first) = first else { return Ok(code_of_child(child)) };
    let refused = look::text(&first, "/ending/kind") == "refused";
    if refused || args.background {
        if args.json {
            look::put(&first);
        } else if !refused {
            print::put(format!("{}\n", text(&first, "id")).as_bytes());
        }
        return Ok(if refused { look::code(&first) } else { 0 });
    }
    follow(args, &text(&first, "id"), &yields(args)?, &cancel)
}

/// When a job yields, and how long it then lives without being asked about.
struct Yield {
    after: Option<Duration>,
    lease: Option<Duration>,
}

fn yields(args: &Run) -> Result<Yield, Failure> {
    let (_, held) = hold(args)?;
    let after =
        args.yields.and_then(|yields| yields.or_else(|| held.policy.limits().yield_after.bound()));
    Ok(Yield { after, lease: held.policy.jobs().lease.bound() })
}

/// The same program with the same words, as an owner; and what it says first.
fn spawn() -> Result<(Child, Option<Value>), Failure> {
    let failed = |source| Failure::Keep { source };
    let mut command = Command::new("/proc/self/exe");
    command.arg0("ricasso").arg("keep").args(std::env::args_os().skip(2)).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let mut said = Vec::new();
    let mut out = child.stdout.take().expect("stdout was set to piped above");
    out.read_to_end(&mut said).map_err(failed)?;
    Ok((child, serde_json::from_slice(&said).ok()))
}

/// An owner that said nothing has told its sentence on our standard error, unless it was killed.
fn code_of_child(mut child: Child) -> u8 {
    let code = child.wait().ok().and_then(|status| status.code());
    if code.is_none() {
        print::say(
            "ricasso: the owner of the job was killed before it answered; what it may have begun \
             is ended, and `ricasso jobs` shows it as lost",
        );
    }
    code.map_or(exit::OURS, exit::of)
}

/// Shows the job until it is over, a signal comes, or its yield time is over.
fn follow(args: &Run, id: &str, yields: &Yield, cancel: &Cancel) -> Result<u8, Failure> {
    let jobs = look::jobs(None).map_err(Failure::Engine)?;
    let until = yields.after.map(|after| Instant::now() + after);
    let shown = (!args.json).then(|| show_beside(id.to_string()));
    loop {
        let left = until.map_or(SLICE, |until| until.saturating_duration_since(Instant::now()));
        let reply = jobs.wait(id, &Until::Exit, Some(left.min(SLICE))).map_err(Failure::Engine)?;
        let signal = cancel.take_signal();
        let over = !look::runs(&reply);
        if over || signal.is_some() {
            let reply = if over { reply } else { jobs.stop(id).map_err(Failure::Engine)? };
            if let Some(shown) = shown {
                // It ends with the job; a panic in it has told its sentence.
                let _ = shown.join();
            }
            tell(args, &reply);
            return Ok(signal.map_or(look::code(&reply), |signal| exit::of(128 + signal)));
        }
        if left.is_zero() {
            tell(args, &reply);
            if !args.json {
                let lease = yields.lease.map(|lease| {
                    format!(
                        "; it ends when nobody asks about it for {} (jobs.lease)",
                        look::short(lease)
                    )
                });
                print::say(&format!(
                    "ricasso: it outlasted its yield time and goes on as job {id}: \
                     ricasso look|wait|watch|stop {id}{}",
                    lease.unwrap_or_default()
                ));
            }
            return Ok(0);
        }
    }
}

fn tell(args: &Run, reply: &Value) {
    if args.json {
        look::put(reply);
    } else {
        look::after(reply);
    }
}

fn show_beside(id: String) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let show = |jobs: Jobs| {
            jobs.watch(&id, None, &mut |shown| match shown {
                Shown::Batch(batch) => watch::lines(&batch),
                Shown::Over(_) => false,
            })
        };
        if let Err(error) = look::jobs(None).and_then(show) {
            print::error(&error);
        }
    })
}

fn text(reply: &Value, name: &str) -> String {
    reply.get(name).and_then(Value::as_str).unwrap_or_default().to_string()
}
