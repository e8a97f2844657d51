//! What stands outside the cage: a process of the probe that tells its state when asked.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A stand answers in microseconds; one that was stopped never does.
const ANSWER: Duration = Duration::from_secs(5);

pub(super) struct Stand {
    child: Child,
    ask: ChildStdin,
    lines: Receiver<String>,
    /// What an act must know to reach it.
    pub(super) words: BTreeMap<String, String>,
    before: String,
}

impl Stand {
    /// Starts it and takes its first state. Nothing where the host does not offer such a thing.
    pub(super) fn start(mut command: Command) -> Option<Stand> {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = piped.spawn().unwrap();
        let ask = child.stdin.take().unwrap();
        let lines = listen(child.stdout.take().unwrap());
        let first = lines.recv_timeout(ANSWER).unwrap_or_default();
        if first.is_empty() || first.starts_with("tried ") {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        let words = first
            .split(' ')
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        let before = lines.recv_timeout(ANSWER).unwrap();
        Some(Stand { child, ask, lines, words, before })
    }

    /// What has changed since the start, in words.
    pub(super) fn difference(&mut self) -> Option<String> {
        let asked = self.ask.write_all(b"\n").and_then(|()| self.ask.flush());
        let now = match asked {
            Ok(()) => self.lines.recv_timeout(ANSWER).unwrap_or_else(|_| "gone".into()),
            Err(_) => "gone".into(),
        };
        (now != self.before).then(|| format!("{:?} is now {now:?}", self.before))
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        // The end of its input ends it, and it takes its object of the kernel along.
        let (_, closed) = std::os::unix::net::UnixStream::pair().unwrap();
        drop(std::mem::replace(&mut self.ask, child_input(closed)));
        if self.lines.recv_timeout(ANSWER).is_ok_and(|line| !line.starts_with("tried")) {
            let _ = self.child.kill();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn child_input(stream: std::os::unix::net::UnixStream) -> ChildStdin {
    ChildStdin::from(std::os::fd::OwnedFd::from(stream))
}

fn listen(out: ChildStdout) -> Receiver<String> {
    let (send, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
