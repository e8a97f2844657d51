//! What a warden tells, in the words of this room: values in, value out.

use super::ending::{Ending, Failure, LimitName};
use ricasso_os::{Ended, Order, Stage, Status};
use std::io;

/// SIGXCPU and SIGXFSZ, as Linux numbers them on every machine that we run on but MIPS and SPARC.
const CPU_SIGNAL: i32 = 24;
const FILE_SIZE_SIGNAL: i32 = 25;

/// Why a command could not be started.
pub(super) fn failure_of(stage: Stage, errno: i32) -> Failure {
    let kind = io::Error::from_raw_os_error(errno).kind();
    match stage {
        Stage::Execute if kind == io::ErrorKind::NotFound => Failure::NotFound,
        Stage::Execute => Failure::NotExecutable,
        _ => Failure::Ours,
    }
}

/// Whether the kernel may have sent the signal of the limit. It counts in steps; a program that
/// sends itself that signal has used next to nothing.
fn has_used_its_time(ended: &Ended, order: &Order) -> bool {
    let used = (ended.usage.user + ended.usage.system).as_secs();
    order.ceilings.cpu_seconds.is_some_and(|most| used + 1 >= most)
}

/// How a command ended, as the kernel and the warden's limits say.
pub(super) fn ending_of(ended: &Ended, order: &Order) -> Ending {
    match ended.limit {
        Some(ricasso_os::Limit::Memory) => return Ending::Limit(LimitName::Memory),
        Some(ricasso_os::Limit::Processes) => return Ending::Limit(LimitName::Processes),
        Some(ricasso_os::Limit::Cpu) => return Ending::Limit(LimitName::Cpu),
        Some(_) | None => {}
    }
    match ended.status {
        Status::Exited(code) => Ending::Exited(code),
        Status::Signalled { signal: CPU_SIGNAL, .. } if has_used_its_time(ended, order) => {
            Ending::Limit(LimitName::Cpu)
        }
        Status::Signalled { signal: FILE_SIZE_SIGNAL, .. }
            if order.ceilings.file_bytes.is_some() =>
        {
            Ending::Limit(LimitName::FileSize)
        }
        Status::Signalled { signal, .. } => Ending::Signalled(signal),
        // The os crate may learn another way to end; it is not known here how.
        _ => Ending::Lost,
    }
}
