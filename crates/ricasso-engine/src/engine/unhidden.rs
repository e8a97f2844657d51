//! Tells when something that is hidden inside a writable root was made or replaced while a command
//! ran.
//!
//! What is there when a command starts has something else laid over it. A file that somebody saves
//! anew outside, as editors do, takes its name away from under that; and no rule of the kernel
//! denies inside of what another one grants. The warden is asked then, where there is little of it,
//! and a command may outrun it. So it is told.

use super::admit::Admitted;
use crate::capture::Redacted;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// More of them are counted and not named.
const MOST_NAMED: usize = 8;

/// Hidden places in writable roots, as they were.
pub(super) struct Hidden(Vec<(PathBuf, Seen)>);

/// The name itself, and what it leads to where it is a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    itself: Option<Identity>,
    leads_to: Option<Identity>,
}

/// Which object it is; numbers are given out again, and then the birth tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    number: u64,
    born: Option<SystemTime>,
}

impl Identity {
    fn of(found: &Metadata) -> Identity {
        Identity { device: found.dev(), number: found.ino(), born: found.created().ok() }
    }
}

impl Seen {
    fn at(path: &Path) -> Seen {
        let itself = path.symlink_metadata().ok().as_ref().map(Identity::of);
        Seen { itself, leads_to: path.metadata().ok().as_ref().map(Identity::of) }
    }

    fn is_something(&self) -> bool {
        self.leads_to.is_some()
    }
}

impl Hidden {
    /// Looks at them before the run.
    pub(super) fn before(admitted: &Admitted) -> Hidden {
        let places = admitted.plan().hidden_in_roots().iter();
        Hidden(places.map(|path| (path.clone(), Seen::at(path))).collect())
    }

    /// Looks again after it.
    pub(super) fn told(&self, admitted: &Admitted) -> Vec<Redacted<String>> {
        let is_new = |(path, was): &&(PathBuf, Seen)| {
            let now = Seen::at(path);
            now.is_something() && now != *was
        };
        let new: Vec<&Path> =
            self.0.iter().filter(is_new).map(|(path, _)| path.as_path()).collect();
        let named = new.iter().take(MOST_NAMED).map(|path| {
            format!(
                "{} is hidden, but it was made or replaced while the command ran, which may have \
                 read it: a place inside a writable root stays hidden only if it stays",
                path.display()
            )
        });
        let more = new.len().saturating_sub(MOST_NAMED);
        let more = (more > 0).then(|| format!("so were {more} more hidden places"));
        let redactor = admitted.redactor();
        named.chain(more).map(|hint| redactor.text(hint.as_bytes())).collect()
    }
}
