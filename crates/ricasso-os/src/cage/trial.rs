//! What can be had here, found out by trying it in a child: most of it cannot be taken back.

use super::init::{namespaces, own_proc};
use super::mounts::Processes;
use super::raw::{self, Depth, NO_SUID, READ_ONLY};
use super::{Birth, Cage, Namespaces, Walls};
use crate::after_fork::leave;
use crate::channel::{Arrival, Channel, Wait};
use crate::warden::serve::Ground;
use rustix::io::Errno;

/// Whether the next child of this process, the first one of its pid namespace, can have a /proc.
pub(super) fn can_mount_processes(processes: Processes) -> bool {
    try_in_a_child(|| own_proc(processes)).is_ok()
}

/// Tries the whole way in a child: whether namespaces of this kind can be had here, or why not.
pub(super) fn rehearse(kind: Namespaces) -> Result<(), Errno> {
    try_in_a_child(|| {
        try_namespaces(kind)?;
        try_in_a_child(|| own_proc(Processes::Shown))
    })
}

/// Tries something that cannot be taken back. The caller has one thread.
pub(super) fn try_in_a_child(act: impl FnOnce() -> Result<(), Errno>) -> Result<(), Errno> {
    let (ours, theirs) = Channel::pair().map_err(|error| error.as_errno())?;
    let Some(pid) = crate::keeper::fork().map_err(|error| error.as_errno())? else {
        let failed = act().map_or_else(Errno::raw_os_error, |()| 0);
        let _ = theirs.send(&failed.to_le_bytes(), &[]);
        leave()
    };
    drop(theirs);
    let answer = ours.receive(Wait::Forever);
    crate::tree::wait_for(pid);
    match answer {
        Ok(Arrival::Message(told, _)) if told == 0i32.to_le_bytes() => Ok(()),
        Ok(Arrival::Message(told, _)) => {
            let told = told.first_chunk().map_or(0, |told| i32::from_le_bytes(*told));
            Err(if told > 0 { Errno::from_raw_os_error(told) } else { Errno::PERM })
        }
        // Somebody ended it on its way.
        Ok(Arrival::Nothing | Arrival::Closed) | Err(_) => Err(Errno::PERM),
    }
}

fn try_namespaces(kind: Namespaces) -> Result<(), Errno> {
    let cage = Cage { walls: Walls { namespaces: kind, ..Walls::default() }, ..Cage::default() };
    namespaces(&cage, Ground::default(), Birth::Plain)?;
    raw::seal(c"/", Depth::All, READ_ONLY | NO_SUID)?;
    match raw::clone_tree(c"/dev/null", Depth::One) {
        // Who may not copy at all is told so before the name is looked up.
        Ok(_) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(errno),
    }
}
