//! The time and the resources that a job gets.

use crate::policy::Policy;
use crate::request::{Request, Tenure};
use ricasso_os::{Ceilings, Host};
use std::time::Duration;

/// What a job may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// Its deadline.
    pub deadline: Deadline,
    /// The longest silence.
    pub idle: Option<Duration>,
    /// Between asking and killing.
    pub grace: Duration,
    /// Resources.
    pub ceilings: Ceilings,
    /// Bytes of output.
    pub output_bytes: Option<u64>,
    /// Bytes in the session's own temporary directory.
    pub tmp_bytes: Option<u64>,
}

/// The deadline asked for and the one that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// By the request.
    pub asked: Option<Duration>,
    /// After the policy's default and maximum; `None` where the policy switched both off.
    pub applied: Option<Duration>,
}

impl Allowance {
    pub(super) fn of(request: &Request, policy: &Policy, host: &Host) -> Allowance {
        let limits = policy.limits();
        Allowance {
            deadline: match request.manner.tenure {
                Tenure::Call => {
                    deadline(request.timeout, limits.timeout.bound(), limits.max_timeout.bound())
                }
                Tenure::Background => {
                    let most = limits.max_background.bound();
                    deadline(request.timeout, most, most)
                }
            },
            idle: limits.idle.bound(),
            grace: limits.grace.0,
            ceilings: Ceilings {
                memory_bytes: limits.memory.bound().map(|size| size.0),
                processes: limits.processes.bound().map(|count| count.0),
                // The kernel counts whole seconds; less than one would mean none at all.
                cpu_seconds: limits.cpu.bound().map(|time| time.as_secs().max(1)),
                file_bytes: limits.file_size.bound().map(|size| size.0),
                open_files: limits.open_files.bound().map(|count| count.0),
                grouping: host.powers.groups,
                ..Ceilings::default()
            },
            output_bytes: limits.output.bound().map(|size| size.0),
            tmp_bytes: limits.tmp.bound().map(|size| size.0),
        }
    }
}

impl Deadline {
    /// Whether the request got less than it asked for.
    pub fn is_clamped(&self) -> bool {
        self.asked.is_some_and(|asked| self.applied.is_some_and(|applied| applied < asked))
    }
}

/// Whether the policy asks for any limit that needs a mechanism of the host.
pub(super) fn asks(policy: &Policy) -> bool {
    let limits = policy.limits();
    limits.memory.bound().is_some()
        || limits.processes.bound().is_some()
        || limits.cpu.bound().is_some()
        || limits.file_size.bound().is_some()
        || limits.open_files.bound().is_some()
}

fn deadline(asked: Option<Duration>, usual: Option<Duration>, most: Option<Duration>) -> Deadline {
    let wanted = asked.or(usual);
    let applied = match (wanted, most) {
        (Some(wanted), Some(most)) => Some(wanted.min(most)),
        (Some(only), None) | (None, Some(only)) => Some(only),
        (None, None) => None,
    };
    Deadline { asked, applied }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Option<Duration> {
        Some(Duration::from_secs(seconds))
    }

    #[test]
    fn the_maximum_clamps_and_says_so() {
        let clamped = deadline(s(100), s(10), s(60));
        assert_eq!(clamped, Deadline { asked: s(100), applied: s(60) });
        assert!(clamped.is_clamped());
        assert!(!deadline(s(60), s(10), s(60)).is_clamped());
    }

    #[test]
    fn a_default_beyond_the_maximum_is_held_by_it() {
        assert_eq!(deadline(None, s(100), s(60)).applied, s(60));
        assert_eq!(deadline(None, None, s(60)).applied, s(60));
        assert_eq!(deadline(None, s(10), None).applied, s(10));
        assert_eq!(deadline(None, None, None).applied, None);
    }
}
