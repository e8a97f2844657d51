//! The same attempts in a copy of a view that was built ahead: an owner that has run something in
//! the same cage before, which a single `ricasso run` never has.

use super::stage::Stage;
use super::table::Attempt;
use crate::place::PATIENCE;
use crate::views::{MOUNTS, is_copied};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};

/// Whether an attempt can be made so: nothing stands round ricasso, and its control is with it.
pub(super) fn is_for(attempt: &Attempt) -> bool {
    let plain = attempt.wrap.is_none()
        && attempt.input.is_none()
        && !attempt.bare
        && attempt.during.is_none();
    // Commands with a list of programs, or with the machine's network, have no views ahead, and
    // those that are refused none at all.
    let views = attempt.nets.last().is_none_or(|net| net != "open");
    plain && views && attempt.policy.is_none() && attempt.refusal.is_none()
}

/// Runs the act in a copied view; the reply. Nothing where no command ever gets a copy.
pub(super) fn run(stage: &Stage, attempt: &Attempt, act: &Path) -> Option<Value> {
    let mode = attempt.modes.last().map_or("workspace", String::as_str);
    let net =
        attempt.nets.last().map_or(String::new(), |net| format!("[net]\nallow = \"{net}\"\n"));
    let limits = "[limits]\ntimeout = \"20s\"\n";
    let mut owner = Owner::start(stage, &format!("extends = \"{mode}\"\n{net}{limits}"));
    let mounts = act.with_file_name("mounts.sh");
    fs::write(&mounts, MOUNTS).unwrap();
    let began = Instant::now();
    while !is_copied(owner.run(&mounts)["stdout"].as_str().unwrap_or_default()) {
        if began.elapsed() > PATIENCE {
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Some(owner.run(act))
}

/// A program with an engine of its own, which runs what it is told by whoever acts.
pub(crate) struct Owner {
    child: Child,
    says: BufReader<ChildStdout>,
}

impl Owner {
    /// Starts one with this policy.
    pub(crate) fn start(stage: &Stage, text: &str) -> Owner {
        let policy = stage.fill("{stage}/copied.toml");
        fs::write(&policy, format!("version = 1\n{text}")).unwrap();
        let mut command = stage.as_actor(&stage.bin.join("owner"));
        command.args([policy, stage.fill("{state}/ricasso"), stage.fill("{work}")]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the owner starts");
        let says = BufReader::new(child.stdout.take().expect("it was piped above"));
        Owner { child, says }
    }

    /// The reply to this script.
    pub(crate) fn run(&mut self, script: &Path) -> Value {
        let input = self.child.stdin.as_mut().expect("it was piped above");
        writeln!(input, "{}", script.display()).unwrap();
        let mut line = String::new();
        self.says.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("the owner ended: {line}"))
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
