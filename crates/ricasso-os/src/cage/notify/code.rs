//! What becomes code under a list of programs: libraries of the system and nothing else, loaded
//! by listed programs and not by a loader that was started itself.
//!
//! Both answers look at what the kernel holds for the asker (an open file, the program that it
//! executes, its first environment), so names that change meanwhile change nothing.

use super::{Gatekeeper, Question, Said};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Variables by which a loader takes in other libraries than those that a program names.
const LOADING: [&[u8]; 3] = [b"LD_PRELOAD=", b"LD_AUDIT=", b"LD_LIBRARY_PATH="];
/// The kernel takes no longer environment: a quarter of the largest stack (execve(2)).
const MOST_ENVIRONMENT_BYTES: u64 = 8 * 1024 * 1024;

impl Gatekeeper {
    /// A file that is mapped as code, or by a loader, must be a library of the system. A library
    /// needs no code of its own to do harm: its tables name functions of others. A second thread
    /// could turn the number of the file between this look and the call, so there must be none; no
    /// other process shares these numbers, since the filter refuses that.
    pub(super) fn decide_code(&mut self, question: &Question) -> Said {
        let path = format!("/proc/{}/fd/{}", question.pid, question.arguments[4] as i32);
        let is_library = |path: &Path| self.listed.as_ref().is_some_and(|one| one.is_library(path));
        let alone = has_one_thread(question.pid);
        match std::fs::read_link(path) {
            Ok(path) if alone && is_library(&path) => Said::GoOn,
            Ok(path) => {
                self.note(question, "load", &path);
                Said::Refused(Errno::ACCESS)
            }
            Err(_) => Said::Refused(Errno::ACCESS),
        }
    }

    /// Every program makes this call once at its start, before anything of a library runs. One
    /// that is a loader itself, or was given libraries by its environment, ends here.
    pub(super) fn decide_start(&mut self, question: &Question) -> Said {
        let denied = match self.started(question.pid) {
            Ok(None) => return Said::GoOn,
            Ok(Some(program)) => program,
            Err(_) => PathBuf::from(format!("/proc/{}/exe", question.pid)),
        };
        self.note(question, "execute", &denied);
        let pid = Pid::from_raw(question.pid as i32);
        if let Some(asker) = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok())
            && self.still_asks(question.id)
        {
            // Loaders do not look at the answer, so an error would not stop them.
            let _ = pidfd_send_signal(&asker, Signal::KILL);
        }
        Said::Refused(Errno::ACCESS)
    }

    /// The program, if it may not go on.
    fn started(&self, pid: u32) -> std::io::Result<Option<PathBuf>> {
        let program = std::fs::read_link(format!("/proc/{pid}/exe"))?;
        let Some(listed) = &self.listed else { return Ok(None) };
        if listed.loaders.contains(&program) {
            return Ok(Some(program));
        }
        let mut environment = Vec::new();
        let file = std::fs::File::open(format!("/proc/{pid}/environ"))?;
        file.take(MOST_ENVIRONMENT_BYTES).read_to_end(&mut environment)?;
        let foreign = |entry: &[u8]| loads(entry) && !self.loading.iter().any(|own| own == entry);
        Ok(environment.split(|byte| *byte == 0).any(foreign).then_some(program))
    }
}

/// Whether nobody else has the open files of an asker, which itself stands still.
fn has_one_thread(pid: u32) -> bool {
    use std::os::unix::fs::MetadataExt;
    // A directory has a link from each one below it, and two more.
    std::fs::metadata(format!("/proc/{pid}/task")).is_ok_and(|about| about.nlink() == 3)
}

/// Whether an entry of an environment makes a loader take in other libraries.
pub(crate) fn loads(entry: &[u8]) -> bool {
    LOADING.iter().any(|name| entry.starts_with(name) && entry.len() > name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_that_load_something_count() {
        assert!(loads(b"LD_PRELOAD=x.so") && loads(b"LD_AUDIT=a") && loads(b"LD_LIBRARY_PATH=."));
        assert!(!loads(b"LD_PRELOAD=") && !loads(b"LD_DEBUG=all") && !loads(b"XLD_PRELOAD=x"));
    }
}
