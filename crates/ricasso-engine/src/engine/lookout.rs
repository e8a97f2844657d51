//! Tells when a job waits for input: asks the kernel now and then, and believes it the second time.

use super::inlet::Inlet;
use ricasso_os::{Asleep, Mouth};
use std::time::{Duration, Instant};

/// How often the kernel is asked. With [`AGAIN`] a wait is told after 150 ms at most.
const EVERY: Duration = Duration::from_millis(100);
/// One look may meet a reader between two writes; the second one decides.
const AGAIN: Duration = Duration::from_millis(40);
/// A process that waits for input is told of within this.
const PROMISED: Duration = Duration::from_millis(200);
const _: () = assert!(EVERY.as_millis() + AGAIN.as_millis() < PROMISED.as_millis());

/// Words that a line asks for a secret with.
const SECRET_WORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pin",
    "secret",
    "token",
    "otp",
    "api key",
    "verification code",
    "one-time code",
    "2fa",
    "private key",
];
/// What a line asks for a yes or no with.
const CONFIRM_WORDS: &[&str] = &[
    "y/n",
    "yes/no",
    "n/y",
    "[yes]",
    "(yes)",
    "are you sure",
    "continue?",
    "proceed?",
    "ok?",
    "overwrite",
    "[y]",
    "(y)",
    "is this ok",
    "do you want",
    "yes or no",
];

/// What the kernel is asked about, and what it said.
#[derive(Debug)]
pub(super) struct Lookout {
    mouth: Mouth,
    next: Instant,
    candidate: Option<(Asleep, u64)>,
}

/// What a look says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// It is not known yet.
    Unsure,
    /// Nobody waits.
    Nobody,
    /// This one does.
    Waits(Asleep),
}

impl Lookout {
    pub(super) fn new(mouth: Mouth) -> Lookout {
        Lookout { mouth, next: Instant::now() + EVERY, candidate: None }
    }

    /// `stdin` or `terminal`.
    pub(super) fn on(mouth: Mouth) -> &'static str {
        match mouth {
            Mouth::Pipe(..) => "stdin",
            Mouth::Terminal(_) => "terminal",
        }
    }

    pub(super) fn mouth(&self) -> Mouth {
        self.mouth
    }

    /// How long until the kernel is to be asked.
    pub(super) fn due_in(&self) -> Duration {
        self.next.saturating_duration_since(Instant::now())
    }

    /// Asks, where it is time. `said` is how much the job has written: one that goes on writing
    /// does not wait.
    pub(super) fn look(&mut self, pid: i32, inlet: &Inlet, said: u64) -> Sight {
        let now = Instant::now();
        if now < self.next {
            return Sight::Unsure;
        }
        let found = look_once(pid, self.mouth, inlet).map(|asleep| (asleep, said));
        let twice = found.is_some() && found == self.candidate;
        self.next = now + if found.is_some() && !twice { AGAIN } else { EVERY };
        self.candidate = found;
        match (found, twice) {
            (Some((asleep, _)), true) => Sight::Waits(asleep),
            (Some(_), false) => Sight::Unsure,
            (None, _) => Sight::Nobody,
        }
    }
}

/// Who sleeps on the job's input at this moment. A process that hides its system call is believed
/// to wait where its terminal does not echo.
pub(super) fn look_once(pid: i32, mouth: Mouth, inlet: &Inlet) -> Option<Asleep> {
    if inlet.holds_bytes() {
        return None;
    }
    let seen = ricasso_os::seen(pid, mouth);
    let hidden = seen.hidden.filter(|_| inlet.is_silent()).map(|pid| Asleep { pid, fd: None });
    seen.asleep.or(hidden)
}

/// What is asked for: `password`, `confirm` or `other`.
pub(super) fn kind(line: &str, silent: bool) -> &'static str {
    let line = line.to_lowercase();
    if silent || SECRET_WORDS.iter().any(|word| has_word(&line, word)) {
        return "password";
    }
    if CONFIRM_WORDS.iter().any(|word| line.contains(word)) {
        return "confirm";
    }
    "other"
}

/// Whether a word stands in the line by itself: a `pin` is none in `spinning`.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_tells_the_kind() {
        let passwords = [
            "Password: ",
            "[sudo] password for bob:",
            "Enter passphrase for key '/x':",
            "PIN:",
            "Verification code: ",
            "API key> ",
        ];
        for line in passwords {
            assert_eq!(kind(line, false), "password", "{line}");
        }
        for line in ["Overwrite? [y/N] ", "Continue (yes/no)?", "Do you want to go on? "] {
            assert_eq!(kind(line, false), "confirm", "{line}");
        }
        for line in ["", "name: ", ">>> ", "spinning", "tokenizer ready"] {
            assert_eq!(kind(line, false), "other", "{line}");
        }
        assert_eq!(kind("", true), "password");
    }
}
