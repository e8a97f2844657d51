//! How a job ended: a tagged value from the kernel, never a guess, never -1.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// The ending of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub enum Ending {
    /// The command returned this code.
    Exited(i32),
    /// A signal that we did not send ended the command.
    Signalled(i32),
    /// It outlasted its deadline.
    TimedOut,
    /// It was silent for longer than the policy's idle time.
    Idle,
    /// Somebody cancelled it: a caller, or the signal that a person sent to ricasso.
    Cancelled(Option<i32>),
    /// It went beyond a limit.
    Limit(LimitName),
    /// The policy or the plan refused it; nothing ran.
    Refused(Failure),
    /// It could not be started; nothing of it ran.
    NotStarted(Failure),
    /// Its warden or its owner was killed; the tree is gone, how the command ended is not known.
    Lost,
}

/// Why nothing ran, as far as the exit code needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The policy said no, or asked and nobody answered.
    Policy,
    /// The host cannot enforce what the policy asks for.
    Confinement,
    /// The program is there but cannot be executed.
    NotExecutable,
    /// There is no such program.
    NotFound,
    /// Something of our own: a directory, a descriptor, a full disk.
    Ours,
}

/// The limits that can end a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitName {
    /// Resident memory of the tree.
    Memory,
    /// Number of processes.
    Processes,
    /// CPU time of a process.
    Cpu,
    /// Size of a written file.
    FileSize,
    /// Bytes of output.
    Output,
    /// The disk under the spool is full or broken.
    Disk,
    /// The session's `/tmp`.
    Tmp,
}

impl Ending {
    /// The word of the JSON form.
    pub fn kind(&self) -> &'static str {
        match self {
            Ending::Exited(_) => "exited",
            Ending::Signalled(_) => "signalled",
            Ending::TimedOut => "timed_out",
            Ending::Cancelled(_) => "cancelled",
            Ending::Idle | Ending::Limit(_) => "limit",
            Ending::Refused(_) => "refused",
            Ending::NotStarted(_) => "not_started",
            Ending::Lost => "lost",
        }
    }

    /// The number that `ricasso run` exits with: a convenience, the truth is the value itself.
    pub fn exit_code(&self) -> i32 {
        match self {
            Ending::Exited(code) => *code,
            Ending::Signalled(signal) => 128 + signal,
            Ending::TimedOut => 124,
            Ending::Cancelled(Some(signal)) => 128 + signal,
            Ending::Cancelled(None) => 130,
            // What ends it is SIGKILL, and shells call that 137.
            Ending::Idle | Ending::Limit(_) => 137,
            Ending::Refused(failure) | Ending::NotStarted(failure) => failure.exit_code(),
            Ending::Lost => 125,
        }
    }

    /// Whether it was asked to end, by a caller or a clock.
    pub fn was_asked(&self) -> bool {
        match self {
            Ending::TimedOut | Ending::Idle | Ending::Cancelled(_) => true,
            Ending::Exited(_)
            | Ending::Signalled(_)
            | Ending::Limit(_)
            | Ending::Refused(_)
            | Ending::NotStarted(_)
            | Ending::Lost => false,
        }
    }

    /// Whether later steps may follow.
    pub fn is_success(&self) -> bool {
        *self == Ending::Exited(0)
    }

    /// The limit that ended the job.
    pub fn limit(&self) -> Option<&'static str> {
        match self {
            Ending::Limit(name) => Some(name.name()),
            Ending::Idle => Some("idle"),
            Ending::Exited(_)
            | Ending::Signalled(_)
            | Ending::TimedOut
            | Ending::Cancelled(_)
            | Ending::Refused(_)
            | Ending::NotStarted(_)
            | Ending::Lost => None,
        }
    }

    fn code(&self) -> Option<i32> {
        if let Ending::Exited(code) = self { Some(*code) } else { None }
    }

    fn signal(&self) -> Option<i32> {
        match self {
            Ending::Signalled(signal) => Some(*signal),
            Ending::Cancelled(signal) => *signal,
            Ending::Exited(_)
            | Ending::TimedOut
            | Ending::Idle
            | Ending::Limit(_)
            | Ending::Refused(_)
            | Ending::NotStarted(_)
            | Ending::Lost => None,
        }
    }
}

impl Failure {
    fn exit_code(self) -> i32 {
        match self {
            Failure::Policy | Failure::NotExecutable => 126,
            Failure::NotFound => 127,
            Failure::Confinement | Failure::Ours => 125,
        }
    }
}

impl LimitName {
    /// The name as in the policy's `[limits]`.
    pub fn name(self) -> &'static str {
        match self {
            LimitName::Memory => "memory",
            LimitName::Processes => "processes",
            LimitName::Cpu => "cpu",
            LimitName::FileSize => "file_size",
            LimitName::Output => "output",
            LimitName::Disk => "disk",
            LimitName::Tmp => "tmp",
        }
    }
}

impl Serialize for Ending {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Ending", 4)?;
        out.serialize_field("kind", self.kind())?;
        out.serialize_field("code", &self.code())?;
        out.serialize_field("signal", &self.signal())?;
        out.serialize_field("limit", &self.limit())?;
        out.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_form_tells_every_kind_apart() {
        let json = |ending: Ending| serde_json::to_string(&ending).unwrap();
        assert_eq!(
            json(Ending::Exited(3)),
            r#"{"kind":"exited","code":3,"signal":null,"limit":null}"#
        );
        assert_eq!(
            json(Ending::Signalled(11)),
            r#"{"kind":"signalled","code":null,"signal":11,"limit":null}"#
        );
        assert_eq!(
            json(Ending::Limit(LimitName::Memory)),
            r#"{"kind":"limit","code":null,"signal":null,"limit":"memory"}"#
        );
        assert_eq!(
            json(Ending::TimedOut),
            r#"{"kind":"timed_out","code":null,"signal":null,"limit":null}"#
        );
    }

    #[test]
    fn exit_codes_are_those_of_the_outside_shape() {
        let table = [
            (Ending::Exited(0), 0),
            (Ending::Exited(77), 77),
            (Ending::TimedOut, 124),
            (Ending::Refused(Failure::Confinement), 125),
            (Ending::NotStarted(Failure::Ours), 125),
            (Ending::Refused(Failure::Policy), 126),
            (Ending::NotStarted(Failure::NotExecutable), 126),
            (Ending::NotStarted(Failure::NotFound), 127),
            (Ending::Signalled(11), 139),
            (Ending::Cancelled(None), 130),
            (Ending::Cancelled(Some(2)), 130),
            (Ending::Cancelled(Some(15)), 143),
        ];
        for (ending, code) in table {
            assert_eq!(ending.exit_code(), code, "{ending:?}");
        }
    }
}
