//! What this machine can do, probed where the job will run. A plan is drawn against it.

use crate::cage::Powers;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The machine's list of users.
const USERS: &str = "/etc/passwd";

/// The facts of a machine that plans depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Host {
    /// The kernel's release, as `uname -r` says it.
    pub kernel: String,
    /// `/bin/bash`, where there is one.
    pub bash: Option<PathBuf>,
    /// `/bin/sh`.
    pub sh: Option<PathBuf>,
    /// The Z shell, where there is one.
    pub zsh: Option<PathBuf>,
    /// How the whole tree of a job is ended.
    pub kill: Option<&'static str>,
    /// What cages can be built from. Nothing until it was asked for: mode open needs none.
    pub powers: Powers,
    /// How limits are held.
    pub limits: Option<&'static str>,
    /// This user's home, as the machine's list of users has it; HOME may name another, or none.
    pub home: Option<PathBuf>,
}

impl Host {
    /// Looks at the machine. Cheap: a handful of system calls.
    pub fn probe() -> Host {
        let kernel = rustix::system::uname().release().to_string_lossy().into_owned();
        Host {
            kernel,
            bash: first_of(&["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"]),
            sh: first_of(&["/bin/sh", "/usr/bin/sh"]),
            zsh: first_of(&["/bin/zsh", "/usr/bin/zsh", "/usr/local/bin/zsh"]),
            kill: crate::tree::can_walk().then_some("subreaper"),
            powers: Powers::default(),
            limits: crate::tree::can_walk().then_some("rlimit+poll"),
            home: std::fs::read(USERS).ok().and_then(|text| home_in(&text, own_uid())),
        }
    }
}

fn first_of(paths: &[&str]) -> Option<PathBuf> {
    paths.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// The home of a user in a list of them: name, password, number, group, words, home, shell.
fn home_in(users: &[u8], number: u32) -> Option<PathBuf> {
    let number = number.to_string();
    let home = users.split(|byte| *byte == b'\n').find_map(|line| {
        let mut fields = line.split(|byte| *byte == b':').skip(2);
        let is_it = fields.next()? == number.as_bytes();
        is_it.then(|| fields.nth(2)).flatten()
    })?;
    let home = PathBuf::from(OsStr::from_bytes(home));
    // Many who own nothing have the root for their home, and nothing there is theirs.
    (home.is_absolute() && home.parent().is_some()).then_some(home)
}

/// The user that this process runs as.
pub fn own_uid() -> u32 {
    rustix::process::getuid().as_raw()
}
