//! The walls round a command: what they keep out, as one value, and how they are built.
//!
//! A cage is drawn by the engine and carried in the order. It says which mechanisms must hold; a
//! step that fails here fails the start, and nothing ever runs with less than was asked for.

mod ahead;
mod arrived;
mod aside;
mod bpf;
mod capability;
mod confine;
mod early;
mod fence;
mod filter;
mod hedge;
mod holders;
mod init;
mod landlock;
mod mounts;
mod narrowed;
mod notify;
mod other_names;
mod people;
mod powers;
mod programs;
mod protected;
mod raw;
mod reading;
mod realm;
mod rules;
mod session;
mod settle;
mod shared_tmp;
mod stay;
mod template;
mod terminal;
mod trial;
mod wire;
mod witness;

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub(crate) use ahead::{Ahead, Ready, Wanted};
pub(crate) use arrived::Arrived;
pub(crate) use capability::{
    Bounds, Reserve, drop_all_but, empty_bounds, raise_reserve, with_reserve,
};
use confine::by_real_names;
pub(crate) use confine::{Confined, Standing, confine, rehearse};
pub(crate) use early::Rest;
pub(crate) use fence::Fence;
pub(crate) use hedge::Hedge;
pub(crate) use init::{Begun, Birth, Parts, Queues, bear, heard, lead};
pub use narrowed::NarrowedRoot;
pub use notify::{Denied, Told};
pub(crate) use notify::{Gatekeeper, Survey, loads};
pub use powers::{Namespaces, Powers};
pub(crate) use realm::{Realm, Users, source};
pub(crate) use session::Loopback;
pub use settle::is_kernels;
pub(crate) use template::{Builder, Copy, Progress, Template, read_wish, wish};

/// What a command may touch, and by which mechanisms that is held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cage {
    /// What holds it; agreed with the host before.
    pub walls: Walls,
    /// Below these everything may be written. Absolute.
    pub write: Vec<PathBuf>,
    /// Below these everything may be read. Absolute.
    pub read: Vec<PathBuf>,
    /// Cannot be read or listed. Absolute.
    pub hide: Vec<PathBuf>,
    /// Exceptions from `hide`. Absolute.
    pub show: Vec<PathBuf>,
    /// Stays where it is though something else is laid over the directory above it. Absolute.
    pub seen: Vec<PathBuf>,
    /// Never written; a relative one below every writable root.
    pub protect: Vec<PathBuf>,
    /// What the command finds as its temporary directory.
    pub tmp: Tmp,
    /// How far the network reaches.
    pub net: Net,
    /// Unix sockets of listeners outside that may be reached. Absolute.
    pub sockets: Vec<PathBuf>,
    /// The only programs that start: base names, globs of them, or absolute paths; `!` before one
    /// takes out what was named before it. None means any.
    pub programs: Option<Vec<String>>,
}

/// The mechanisms of one cage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Walls {
    /// The version of Landlock that is used; 0 for none.
    pub landlock: u32,
    /// Where namespaces come from.
    pub namespaces: Namespaces,
    /// Whether the network is a namespace of the session.
    pub netns: bool,
    /// Whether files are held at all.
    pub files: bool,
    /// Whether system calls are filtered at all.
    pub calls: bool,
    /// Whether the warden is asked about names that are made or written.
    pub gate: bool,
}

/// How far the network reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Net {
    /// Nowhere.
    #[default]
    None,
    /// The session's own loopback.
    Loopback,
    /// As far as the machine's.
    Open,
}

/// The temporary directory of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Tmp {
    /// One of its own, gone with it.
    #[default]
    Private,
    /// This directory.
    Session(PathBuf),
    /// This directory, and beside its own files those of the machine's, which can only be read.
    Layered(PathBuf),
    /// The machine's.
    Host,
}

/// In a home directory that is writable as a whole there are hundreds, and whoever works there
/// opens much.
const MOST_CARVED: usize = 16;

impl Cage {
    /// Whether the command's filter asks the warden.
    pub(crate) fn asks(&self) -> bool {
        let listed = self.programs.as_ref().is_some_and(|list| !list.is_empty());
        self.walls.calls && (self.walls.gate || listed || !self.has_namespaces())
    }

    /// What is hidden below a writable root, where that is little enough to ask about everything
    /// that is opened: masks hold what is there, and no rule denies inside of what another grants.
    pub(crate) fn carved(&self) -> Vec<PathBuf> {
        // Of many paths, most of which lie elsewhere: by their bytes.
        let is_below = |path: &Path, root: &Path| {
            let (path, root) = (path.as_os_str().as_bytes(), root.as_os_str().as_bytes());
            path.strip_prefix(root).is_some_and(|rest| rest.starts_with(b"/"))
        };
        let in_a_root = |path: &&PathBuf| self.write.iter().any(|root| is_below(path, root));
        let found: Vec<&PathBuf> = self.hide.iter().filter(in_a_root).collect();
        let asked = self.walls.gate && self.has_namespaces() && found.len() <= MOST_CARVED;
        if asked { found.into_iter().cloned().collect() } else { Vec::new() }
    }

    /// How many bytes its paths have.
    pub(crate) fn bytes(&self) -> usize {
        let lists = [&self.write, &self.read, &self.hide, &self.show, &self.seen, &self.protect];
        let paths = lists.into_iter().chain([&self.sockets]).flatten();
        paths.map(|path| path.as_os_str().len() + size_of::<u64>()).sum()
    }

    /// Whether the kernel counts the tasks of this job apart from all others.
    pub(crate) fn counts_tasks(&self) -> bool {
        match self.walls.namespaces {
            Namespaces::None | Namespaces::Root => false,
            Namespaces::User => true,
        }
    }

    /// Whether the command lives in namespaces of its own.
    pub(crate) fn has_namespaces(&self) -> bool {
        match self.walls.namespaces {
            Namespaces::None => false,
            Namespaces::User | Namespaces::Root => true,
        }
    }
}
