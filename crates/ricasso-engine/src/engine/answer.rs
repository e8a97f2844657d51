//! A reply from what is known: values in, value out.

use super::admit::Admitted;
use super::close::{Opening, StepDone};
use super::denials;
use crate::capture::{
    self, Budget, Canvas, Lean, Picture, Redacted, Redactor, Spool, Totals, Watermark,
};
use crate::plan::{self, Deadline, Dropped, Enforced};
use crate::policy::{self, Policy};
use crate::record;
use crate::reply::{self, Reply, StepReply, Used, Whole};
use crate::request::{Bytes, Request, WindowSize};
use crate::run::{Ending, JobId};
use std::time::{Duration, SystemTime};

/// A command rarely names more variables that it lacks; the rest is in `check --json`.
const MAX_MISSING: usize = 8;

/// What a reply is made of, beside the request itself.
pub(super) struct Parts {
    pub(super) id: JobId,
    pub(super) verdict: &'static str,
    pub(super) reasons: Vec<reply::Reason>,
    pub(super) ending: Ending,
    pub(super) enforced: Enforced,
    pub(super) deadline: Deadline,
    pub(super) began: SystemTime,
}

/// Reasons as they leave the house.
pub(super) fn reasons(
    reasons: &[policy::Reason],
    request: &Request,
    redactor: &Redactor,
) -> Vec<reply::Reason> {
    // Spans count in the text as it was sent; what comes from earlier runs has none.
    let prefix = request.prefix_bytes();
    let span = |reason: &policy::Reason| {
        let [from, to] = reason.span?;
        Some([from.checked_sub(prefix)?, to.checked_sub(prefix)?])
    };
    let marked = |reason: &policy::Reason| {
        let step = request.steps.get(reason.step)?;
        Some(redactor.mark(&request.sent(step), span(reason)?))
    };
    let one = |reason: &policy::Reason| reply::Reason {
        rule: reason.rule.clone(),
        layer: reason.layer.name(),
        span: span(reason),
        message: redactor.text(reason.message.as_bytes()),
        remedy: redactor.text(reason.remedy.as_bytes()),
        step: reason.step,
        marked: marked(reason),
    };
    reasons.iter().map(one).collect()
}

/// The reply of a request of which nothing ran.
pub(super) fn unstarted(opening: &Opening<'_>, ending: Ending, enforced: Enforced) -> Reply {
    let parts = Parts {
        id: opening.id.clone(),
        verdict: "allow",
        reasons: Vec::new(),
        ending,
        enforced,
        deadline: Deadline { asked: opening.request.timeout, applied: None },
        began: opening.began,
    };
    bare_reply(parts, opening.request, opening.redactor)
}

pub(super) fn bare_reply(parts: Parts, request: &Request, redactor: &Redactor) -> Reply {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Reply {
        session: request.caller.session.clone(),
        command: command(request, redactor),
        label: request.manner.label.as_deref().map(|label| redactor.text(label.as_bytes())),
        cwd: cwd(request, redactor),
        verdict: parts.verdict,
        reasons: parts.reasons,
        exit_code: Some(parts.ending.exit_code()),
        ending: Some(parts.ending),
        duration_ms: Duration::ZERO,
        deadline: reply::Deadline {
            asked_ms: parts.deadline.asked.map(millis),
            applied_ms: parts.deadline.applied.map(millis),
        },
        running: false,
        waiting_for_input: None,
        pid: None,
        started_at: record::rfc3339(parts.began),
        stdout: Redacted::default(),
        stderr: Redacted::default(),
        output: Whole {
            id: parts.id.clone(),
            stdout_bytes: 0,
            stderr_bytes: 0,
            omitted: Vec::new(),
            redactions: 0,
        },
        enforced: parts.enforced,
        denials: Vec::new(),
        usage: Used::default(),
        survivors: Vec::new(),
        later: Vec::new(),
        hints: Vec::new(),
        steps: Vec::new(),
        record: None,
        screen: None,
        waited: None,
        id: parts.id,
    }
}

/// The reply of a job that runs, before anything of it is known.
pub(super) fn running(admitted: &Admitted) -> Reply {
    let redactor = admitted.redactor();
    let parts = Parts {
        id: admitted.id().clone(),
        verdict: "allow",
        reasons: reasons(&admitted.reasons, admitted.request(), redactor),
        ending: Ending::Lost,
        enforced: admitted.plan().fit().enforced().clone(),
        deadline: admitted.plan().allowance().deadline,
        began: admitted.began,
    };
    let mut reply = bare_reply(parts, admitted.request(), redactor);
    reply.ending = None;
    reply.exit_code = None;
    reply.running = true;
    reply.record = Some(admitted.opened.clone());
    reply
}

/// The same once it is over.
pub(super) fn end(reply: &mut Reply, ending: Ending) {
    reply.exit_code = Some(ending.exit_code());
    reply.ending = Some(ending);
    reply.running = false;
    reply.record = None;
}

/// What is known of the output of a job that runs.
pub(super) fn fill_running(reply: &mut Reply, water: &Watermark, excerpt: capture::Excerpt) {
    let [stdout_bytes, stderr_bytes] = water.bytes;
    reply.output.stdout_bytes = stdout_bytes;
    reply.output.stderr_bytes = stderr_bytes;
    reply.output.redactions = water.removed + excerpt.redactions;
    reply.output.omitted = excerpt.omitted;
    reply.stdout = excerpt.stdout;
    reply.stderr = excerpt.stderr;
}

/// A screen as it leaves the house.
pub(super) fn screen(size: WindowSize, picture: Picture) -> reply::Screen {
    let Picture { text, cursor, .. } = picture;
    reply::Screen { columns: size.columns, rows: size.rows, text, cursor }
}

/// What the terminal of a job shows at its end, where it had one and it can be drawn.
pub(super) fn last_screen(admitted: &Admitted, spool: &Spool) -> Option<reply::Screen> {
    let size = admitted.request().manner.terminal?;
    let mut canvas = Canvas::new(size.columns, size.rows);
    Some(screen(size, canvas.draw(&spool.reading().ok()?).ok()?))
}

/// The first failure is the ending of the whole; without one, the last step's.
pub(super) fn overall(steps: &[StepDone]) -> Ending {
    let failed = steps.iter().find(|step| !step.outcome.ending.is_success());
    let told = failed.or(steps.last()).map(|step| step.outcome.ending.clone());
    told.unwrap_or(Ending::Lost)
}

pub(super) fn excerpt(spool: &Spool, reply: &Reply) -> Result<capture::Excerpt, capture::Error> {
    let good = reply.ending.as_ref().is_some_and(Ending::is_success);
    let lean = if good { Lean::Success } else { Lean::Failure };
    spool.excerpt(reply.id.as_str(), Budget::default(), lean)
}

pub(super) fn fill_output(reply: &mut Reply, totals: Totals, excerpt: capture::Excerpt) {
    reply.output.stdout_bytes = totals.stdout_bytes;
    reply.output.stderr_bytes = totals.stderr_bytes;
    reply.output.redactions = totals.removed + excerpt.redactions;
    reply.output.omitted = excerpt.omitted;
    reply.stdout = excerpt.stdout;
    reply.stderr = excerpt.stderr;
}

pub(super) fn fill_steps(reply: &mut Reply, admitted: &Admitted, steps: &[StepDone]) {
    reply.duration_ms = steps.iter().map(|step| step.outcome.duration).sum();
    reply.pid = steps.iter().rev().find_map(|step| step.outcome.pid);
    if let Some(last) = steps.last() {
        reply.usage = Used {
            user_ms: last.outcome.usage.user,
            system_ms: last.outcome.usage.system,
            max_rss_bytes: last.outcome.usage.max_rss_bytes,
        };
    }
    let redactor = admitted.redactor();
    for step in steps {
        let left = step.outcome.survivors.iter();
        reply.survivors.extend(left.map(|survivor| reply::Survivor {
            pid: survivor.pid,
            command: redactor.text(&survivor.command),
            job: step.adopted.clone(),
        }));
    }
    for (asked, done) in admitted.request().steps.iter().zip(steps) {
        let told = denials::told((admitted.request(), asked), &done.outcome);
        reply.denials.extend(told.map(|denied| denials::denial(denied, admitted)));
    }
    if admitted.request().steps.len() > 1 {
        let asked = admitted.request().steps.iter().enumerate();
        reply.steps = asked
            .map(|(at, step)| {
                step_reply(redactor.text(&admitted.request().sent(step)), steps.get(at))
            })
            .collect();
    }
}

fn step_reply(command: Redacted<String>, done: Option<&StepDone>) -> StepReply {
    let Some(StepDone { outcome, before, after, .. }) = done else {
        return StepReply {
            command,
            ending: None,
            exit_code: None,
            duration_ms: Duration::ZERO,
            stdout_bytes: [0, 0],
            stderr_bytes: [0, 0],
        };
    };
    StepReply {
        command,
        ending: Some(outcome.ending.clone()),
        exit_code: Some(outcome.ending.exit_code()),
        duration_ms: outcome.duration,
        stdout_bytes: [before.stdout_bytes, after.stdout_bytes],
        stderr_bytes: [before.stderr_bytes, after.stderr_bytes],
    }
}

/// Why a command could not be started: what was tried, on what, what to do.
pub(super) fn not_started(
    at: usize,
    step: &StepDone,
    admitted: &Admitted,
) -> Option<Redacted<String>> {
    let (stage, errno) = step.outcome.not_started?;
    let told = super::start_failure::sentence(stage, errno, admitted.plan().starts().get(at)?);
    Some(admitted.redactor().text(told.as_bytes()))
}

/// A word about each variable that the command names and that it was not given.
pub(super) fn missing_variables(
    admitted: &Admitted,
    policy: &Policy,
    environment: &[(Bytes, Bytes)],
) -> Vec<Redacted<String>> {
    let request = admitted.request();
    let texts: Vec<Vec<u8>> = request.steps.iter().map(|step| step.text()).collect();
    let text = texts.join(&b'\n');
    if !text.contains(&b'$') {
        return Vec::new();
    }
    let set = |name: &str| request.env.iter().any(|(own, _)| own.as_slice() == name.as_bytes());
    let missing = plan::dropped(policy, environment)
        .into_iter()
        .filter(|dropped| !set(&dropped.name) && !shells_own(&dropped.name))
        .filter(|dropped| names_variable(&text, dropped.name.as_bytes()));
    missing
        .take(MAX_MISSING)
        .map(|Dropped { name, why, remedy }| {
            let told = format!("the command was not given {name}: {why}; {remedy}");
            admitted.redactor().text(told.as_bytes())
        })
        .collect()
}

/// Variables that every shell has by itself, whatever it was given.
const SHELLS_OWN: [&str; 28] = [
    "_",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "IFS",
    "OPTIND",
    "OPTARG",
    "OPTERR",
    "PPID",
    "UID",
    "EUID",
    "GROUPS",
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "EPOCHSECONDS",
    "EPOCHREALTIME",
    "LINENO",
    "HOSTNAME",
    "HOSTTYPE",
    "OSTYPE",
    "MACHTYPE",
    "FUNCNAME",
    "PIPESTATUS",
    "REPLY",
    "DIRSTACK",
    "SHELLOPTS",
    "PS4",
];

/// Whether a shell sets the variable itself: saying that it was not given would be untrue.
fn shells_own(name: &str) -> bool {
    SHELLS_OWN.contains(&name) || name.starts_with("BASH")
}

/// Whether `$NAME` or `${NAME` stands in the text.
fn names_variable(text: &[u8], name: &[u8]) -> bool {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    (0..text.len()).filter(|&at| text[at] == b'$').any(|at| {
        let rest = text[at + 1..].strip_prefix(b"{").unwrap_or(&text[at + 1..]);
        rest.strip_prefix(name).is_some_and(|behind| !behind.first().is_some_and(word))
    })
}

pub(super) fn command(request: &Request, redactor: &Redactor) -> Redacted<String> {
    let texts: Vec<Vec<u8>> = request.steps.iter().map(|step| request.sent(step)).collect();
    redactor.text(&texts.join(&b'\n'))
}

pub(super) fn cwd(request: &Request, redactor: &Redactor) -> Redacted<String> {
    redactor.text(request.cwd.as_os_str().as_encoded_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_sets_itself_is_never_missing() {
        for name in ["PWD", "OLDPWD", "SHLVL", "_", "RANDOM", "UID", "BASH_VERSION", "BASHPID"] {
            assert!(shells_own(name), "{name}");
        }
        for name in ["PWD2", "MY_TOKEN", "EDITOR", "HOSTNAME_X", "PATH"] {
            assert!(!shells_own(name), "{name}");
        }
    }
}
