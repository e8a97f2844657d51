//! What is tried, as a table, and what an observation means. Every script needs `/bin/sh` and the
//! usual small programs only.

use serde::Serialize;

/// What a mode promises about an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Promise {
    /// It has no effect.
    Stopped,
    /// It has its effect.
    Works,
    /// Nothing: the effect shows that the attempt itself works.
    Free,
}

/// The effect of an attempt, seen from outside of the sandbox.
#[derive(Debug, Clone, Copy)]
pub(super) enum Effect {
    /// This file is there afterwards.
    Exists(&'static str),
    /// This file is gone afterwards.
    Gone(&'static str),
    /// The output has this word.
    Said(&'static str),
    /// Something connected to the TCP port.
    CalledTcp,
    /// Something connected to the unix socket.
    CalledUnix,
    /// The process outside was ended.
    EndedBystander,
    /// A process of the command still runs.
    LeftRunning,
}

/// One attempt: its names, how it is made, how its effect is seen, and the promises of the modes
/// `read`, `workspace` and `open`.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) script: &'static str,
    pub(super) effect: Effect,
    pub(super) promises: [Promise; 3],
}

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    /// As promised.
    Held,
    /// It had an effect that the mode does not allow.
    Escaped,
    /// It could not be made here, or shows nothing.
    Unavailable,
}

/// What was seen of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Seen {
    /// The script did not run, for this reason.
    NotRun(String),
    /// It ran and had its effect.
    Effect,
    /// It ran and had none.
    Nothing,
}

/// The word that every script says first.
pub(super) const BEGUN: &str = "attempt-begun";
/// The word in places that are not to be read.
pub(super) const SECRET: &str = "doctor-planted-word";
/// What a script says that got to its end.
pub(super) const DONE: &str = "doctor-attempt-done";
/// The limit of processes that holds for every attempt.
pub(super) const PROCESSES: u32 = 24;

const INSIDE_ALWAYS: [Promise; 3] = [Promise::Works; 3];
const STOPPED_IN_SANDBOX: [Promise; 3] = [Promise::Stopped, Promise::Stopped, Promise::Free];
const STOPPED_ALWAYS: [Promise; 3] = [Promise::Stopped; 3];

/// `{out}`, `{home}`, … are filled by the stage.
pub(super) const ATTEMPTS: &[Attempt] = &[
    Attempt {
        name: "write-inside",
        what: "write a file in the workspace",
        script: "echo x > made",
        effect: Effect::Exists("work/made"),
        promises: [Promise::Stopped, Promise::Works, Promise::Works],
    },
    Attempt {
        name: "temporary-file",
        what: "write a temporary file in $TMPDIR",
        script: "f=$(mktemp) && echo {done} > \"$f\" && cat \"$f\" && rm \"$f\"",
        effect: Effect::Said(DONE),
        promises: INSIDE_ALWAYS,
    },
    Attempt {
        name: "write-outside",
        what: "write a file outside the workspace",
        script: "echo x > {out}/made",
        effect: Effect::Exists("out/made"),
        promises: STOPPED_IN_SANDBOX,
    },
    Attempt {
        name: "delete-outside",
        what: "delete a file outside the workspace",
        script: "rm -f {out}/file",
        effect: Effect::Gone("out/file"),
        promises: STOPPED_IN_SANDBOX,
    },
    Attempt {
        name: "read-secret",
        what: "read a key in ~/.ssh",
        script: "cat {home}/.ssh/id_doctor",
        effect: Effect::Said(SECRET),
        promises: STOPPED_IN_SANDBOX,
    },
    Attempt {
        name: "read-other-process",
        what: "read the environment of another process",
        script: "tr '\\0' '\\n' < /proc/{pid}/environ",
        effect: Effect::Said(SECRET),
        promises: STOPPED_IN_SANDBOX,
    },
    Attempt {
        name: "end-other-process",
        what: "end another process",
        script: "kill -KILL {pid}; sleep 0.1",
        effect: Effect::EndedBystander,
        promises: STOPPED_IN_SANDBOX,
    },
    Attempt {
        name: "connect-port",
        what: "connect to a TCP port of this machine",
        script: "./ricasso doctor --connect {address}",
        effect: Effect::CalledTcp,
        promises: STOPPED_IN_SANDBOX,
    },
    Attempt {
        name: "connect-socket",
        what: "connect to a unix socket outside the workspace",
        script: "./ricasso doctor --connect {out}/socket",
        effect: Effect::CalledUnix,
        promises: STOPPED_IN_SANDBOX,
    },
    Attempt {
        name: "leave-running",
        what: "leave a process running with setsid",
        script: "if command -v setsid > /dev/null; then setsid sleep {mark} > /dev/null 2>&1 &
else (sleep {mark} > /dev/null 2>&1 &) fi
sleep 0.1",
        effect: Effect::LeftRunning,
        promises: STOPPED_ALWAYS,
    },
    Attempt {
        name: "exceed-processes",
        what: "start more processes than limits.processes",
        script: "i=0; while [ $i -lt 60 ]; do sleep {mark} & i=$((i+1)); done
sleep 3; echo {done}",
        effect: Effect::Said(DONE),
        promises: STOPPED_ALWAYS,
    },
    Attempt {
        name: "exceed-deadline",
        what: "run longer than the deadline",
        script: "sleep 4; echo {done}",
        effect: Effect::Said(DONE),
        promises: STOPPED_ALWAYS,
    },
];

/// What an observation means under a promise. `control` is what the same attempt showed where
/// nothing stops it, for attempts that have such a mode.
pub(super) fn judge(promise: Promise, seen: &Seen, control: Option<&Seen>) -> (Outcome, String) {
    match (promise, seen, control) {
        (_, Seen::NotRun(why), _) => (Outcome::Unavailable, why.clone()),
        (Promise::Works, Seen::Effect, _) => (Outcome::Held, "it works".into()),
        (Promise::Works, Seen::Nothing, _) => {
            (Outcome::Unavailable, "it is allowed and does not work here".into())
        }
        (Promise::Stopped, Seen::Effect, _) => {
            (Outcome::Escaped, "its effect was seen outside of the sandbox".into())
        }
        (Promise::Stopped, Seen::Nothing, None) => (Outcome::Held, "it had no effect".into()),
        (Promise::Stopped, Seen::Nothing, Some(Seen::Effect)) => {
            let detail = "it had no effect; in mode open the same attempt had one";
            (Outcome::Held, detail.into())
        }
        (Promise::Stopped, Seen::Nothing, Some(Seen::Nothing | Seen::NotRun(_))) => {
            let detail = "it had no effect in mode open either, so this shows nothing";
            (Outcome::Unavailable, detail.into())
        }
        (Promise::Free, Seen::Effect | Seen::Nothing, _) => {
            (Outcome::Unavailable, "mode open promises nothing about it".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_that_a_mode_forbids_is_an_escape() {
        let outcome = |promise, seen: &Seen, control| judge(promise, seen, control).0;
        let not_run = Seen::NotRun("refused".into());
        for row in ATTEMPTS {
            let [read, workspace, open] = row.promises;
            assert_ne!(read, Promise::Free, "{}", row.name);
            assert_ne!(workspace, Promise::Free, "{}", row.name);
            // What the control of a row shows is an escape as soon as a sandbox shows it.
            let control = (open == Promise::Free).then_some(&Seen::Effect);
            if workspace == Promise::Stopped {
                assert_eq!(outcome(workspace, &Seen::Effect, control), Outcome::Escaped);
                assert_eq!(outcome(workspace, &Seen::Nothing, control), Outcome::Held);
            } else {
                assert_eq!(outcome(workspace, &Seen::Effect, control), Outcome::Held);
                assert_eq!(outcome(workspace, &Seen::Nothing, control), Outcome::Unavailable);
            }
            assert_eq!(outcome(workspace, &not_run, control), Outcome::Unavailable);
        }
        let without = Some(&Seen::Nothing);
        assert_eq!(outcome(Promise::Stopped, &Seen::Nothing, without), Outcome::Unavailable);
        assert_eq!(outcome(Promise::Stopped, &Seen::Effect, without), Outcome::Escaped);
    }
}
