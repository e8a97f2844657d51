//! `ricasso doctor`: makes real attempts in each mode on this machine, and says what held, what is
//! missing and what to do about it. It judges nothing itself: the engine runs every attempt.

mod attempts;
mod host;
mod stage;
mod text;

use super::print;
use crate::exit;
use attempts::{ATTEMPTS, Attempt, Outcome, Promise, Seen, judge};
use host::Facts;
use ricasso_engine::engine::Engine;
use ricasso_engine::policy::Mode;
use ricasso_engine::reply::Reply;
use ricasso_os::{Cancel, Cancelled};
use serde::Serialize;
use serde_json::Value;
use stage::Stage;
use std::collections::BTreeMap;
use std::error::Error;

/// The flags.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Runs about thirty small commands in a temporary workspace and looks from outside whether they had
an effect. It changes nothing else and leaves nothing behind. Exit code: 0 the default mode holds
here and nothing escaped, 1 otherwise, 2 bad usage.")]
pub(super) struct Doctor {
    /// Answer with JSON
    #[arg(long)]
    json: bool,
    /// What an attempt does: connect to ADDRESS:PORT, or to a unix socket by its path
    #[arg(long, hide = true, value_name = "WHERE")]
    connect: Option<String>,
}

/// All that was found.
#[derive(Debug, Serialize)]
struct Report {
    host: Facts,
    modes: BTreeMap<&'static str, ModeReport>,
    attempts: Vec<Tried>,
    advice: Vec<String>,
}

/// How much of a mode this machine enforces.
#[derive(Debug, Default, Serialize)]
struct ModeReport {
    /// `full`, `partial` where something is missing, `none` where no command could be started.
    fit: &'static str,
    missing: Vec<String>,
    /// Why no command runs in this mode.
    why: Vec<String>,
    /// What else could be done than to change the machine.
    instead: Vec<String>,
    /// Where less is granted than the policy allows.
    stricter: Vec<String>,
    enforced: Value,
    #[serde(skip)]
    runs: bool,
}

/// One attempt in one mode.
#[derive(Debug, Serialize)]
struct Tried {
    name: &'static str,
    mode: &'static str,
    result: Outcome,
    detail: String,
}

/// Open comes first: what it shows is the control of the others.
const MODES: [Mode; 3] = [Mode::Open, Mode::Workspace, Mode::Read];

/// Tries and returns the exit code.
pub(super) fn doctor(args: &Doctor) -> u8 {
    if let Some(place) = &args.connect {
        return connect(place);
    }
    match examine() {
        Ok(Ok(report)) => {
            let page = match args.json {
                true => format!("{}\n", serde_json::json!(report)),
                false => text::of(&report),
            };
            let is_told = print::put(page.as_bytes());
            if is_told && report.is_good() { exit::DOCTOR_GOOD } else { exit::DOCTOR_BAD }
        }
        Ok(Err(Cancelled::Signal(signal))) => exit::of(128 + signal),
        Ok(Err(Cancelled::Asked)) => exit::DOCTOR_BAD,
        Err(error) => {
            print::error(error.as_ref());
            exit::DOCTOR_BAD
        }
    }
}

fn connect(place: &str) -> u8 {
    let reached = match place.starts_with('/') {
        true => std::os::unix::net::UnixStream::connect(place).is_ok(),
        false => std::net::TcpStream::connect(place).is_ok(),
    };
    if reached { exit::DOCTOR_GOOD } else { exit::DOCTOR_BAD }
}

/// Makes all attempts in all modes, unless a signal says to stop.
fn examine() -> Result<Result<Report, Cancelled>, Box<dyn Error>> {
    let cancel = Cancel::on_signals()?;
    let mut stage = Stage::new()?;
    let mut host = Facts::unprobed();
    let mut controls = vec![None; ATTEMPTS.len()];
    let (mut modes, mut tried) = (BTreeMap::new(), Vec::new());
    for mode in MODES {
        let (report, seen) = match stage.engine(mode) {
            Ok(engine) => {
                if mode == Mode::Workspace {
                    host = Facts::probed(engine.host());
                }
                try_all(&mut stage, &engine, &cancel)?
            }
            Err(error) => (ModeReport::without_engine(error.as_ref()), Vec::new()),
        };
        if let Some(cancelled) = cancel.rung() {
            return Ok(Err(cancelled));
        }
        let why = || Seen::NotRun(report.why.join("; "));
        let seen = seen.into_iter().chain(std::iter::repeat_with(why));
        for ((attempt, seen), control) in ATTEMPTS.iter().zip(seen).zip(&mut controls) {
            tried.extend(Tried::of(attempt, mode, &seen, control.as_ref()));
            if attempt.promise(mode) == Promise::Free {
                *control = Some(seen);
            }
        }
        modes.insert(mode.name(), report);
    }
    let advice = host.advice();
    Ok(Ok(Report { host, modes, attempts: tried, advice }))
}

/// Makes the attempts of one mode; no more where the first one did not run.
fn try_all(
    stage: &mut Stage,
    engine: &Engine,
    cancel: &Cancel,
) -> Result<(ModeReport, Vec<Seen>), Box<dyn Error>> {
    let (mut report, mut all) = (ModeReport::default(), Vec::new());
    for attempt in ATTEMPTS {
        let (reply, seen) = stage.attempt(engine, attempt, cancel)?;
        if all.is_empty() {
            report = ModeReport::of(&reply, &seen);
        }
        let runs = report.runs && cancel.rung().is_none();
        all.push(seen);
        if !runs {
            break;
        }
    }
    Ok((report, all))
}

impl Attempt {
    fn promise(&self, mode: Mode) -> Promise {
        let [read, workspace, open] = self.promises;
        match mode {
            Mode::Read => read,
            Mode::Workspace => workspace,
            // Open, the only other one that is tried.
            _ => open,
        }
    }
}

impl Tried {
    /// Nothing where the mode promises nothing.
    fn of(attempt: &Attempt, mode: Mode, seen: &Seen, control: Option<&Seen>) -> Option<Tried> {
        let promise = attempt.promise(mode);
        if promise == Promise::Free {
            return None;
        }
        let (result, detail) = judge(promise, seen, control);
        Some(Tried { name: attempt.name, mode: mode.name(), result, detail })
    }
}

impl ModeReport {
    /// From the first reply of a mode. All of one mode say the same.
    fn of(reply: &Reply, seen: &Seen) -> ModeReport {
        let enforced = serde_json::json!(reply.enforced);
        let list = |name: &str| {
            let items = enforced.get(name).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(|item| item.as_str().map(str::to_string)).collect::<Vec<_>>()
        };
        let (missing, stricter) = (list("missing"), list("stricter"));
        let (runs, why) = match seen {
            Seen::NotRun(why) => (false, vec![why.clone()]),
            Seen::Effect | Seen::Nothing => (true, Vec::new()),
        };
        let fit = match (missing.is_empty(), runs) {
            (false, _) => "partial",
            (true, true) => "full",
            (true, false) => "none",
        };
        let instead = reply.reasons.iter().map(|reason| reason.remedy.to_string()).collect();
        ModeReport { fit, missing, why, instead, stricter, enforced, runs }
    }

    fn without_engine(error: &dyn Error) -> ModeReport {
        ModeReport { fit: "none", why: vec![error.to_string()], ..ModeReport::default() }
    }
}

impl Report {
    /// Whether commands run in a mode.
    fn runs(&self, mode: Mode) -> bool {
        self.modes.get(mode.name()).is_some_and(|mode| mode.runs)
    }

    /// Whether the default mode holds and nothing escaped.
    fn is_good(&self) -> bool {
        let works = |attempt: &Attempt| attempt.promise(Mode::Workspace) == Promise::Works;
        let fails = |tried: &Tried| {
            let must_work = ATTEMPTS.iter().any(|row| row.name == tried.name && works(row));
            must_work && tried.mode == Mode::Workspace.name() && tried.result != Outcome::Held
        };
        let holds = self.runs(Mode::Workspace);
        holds && !self.attempts.iter().any(|tried| tried.result == Outcome::Escaped || fails(tried))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_escape_or_a_default_mode_that_does_not_work_makes_the_report_bad() {
        let report = |mode: Mode, name: &'static str, result: Outcome, runs: bool| {
            let tried = Tried { name, mode: mode.name(), result, detail: String::new() };
            let workspace = ModeReport { fit: "full", runs, ..ModeReport::default() };
            Report {
                host: Facts::unprobed(),
                modes: BTreeMap::from([(Mode::Workspace.name(), workspace)]),
                attempts: vec![tried],
                advice: Vec::new(),
            }
        };
        let good = |mode, name, result, runs| report(mode, name, result, runs).is_good();
        assert!(good(Mode::Workspace, "write-outside", Outcome::Held, true));
        assert!(good(Mode::Workspace, "write-outside", Outcome::Unavailable, true));
        assert!(good(Mode::Read, "temporary-file", Outcome::Unavailable, true));
        assert!(!good(Mode::Workspace, "write-outside", Outcome::Held, false));
        assert!(!good(Mode::Workspace, "write-inside", Outcome::Unavailable, true));
        for mode in MODES {
            assert!(!good(mode, "leave-running", Outcome::Escaped, true));
        }
        let escaped = report(Mode::Read, "write-outside", Outcome::Escaped, true);
        assert!(text::of(&escaped).contains("1 attempts ESCAPED"), "{}", text::of(&escaped));
    }
}
