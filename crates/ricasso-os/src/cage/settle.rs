//! What an owner sees to before each order: names of a cage that mean more, or less, than they say.
//!
//! The same files may be mounted at several places, and hidden means hidden at all of them. And a
//! granted path may be a link that lies where every command can turn it.

use super::mounts::{SURFACES, real};
use super::reading::placed;
use super::{Cage, Tmp};
use crate::mounted::Mounts;
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Other names of hidden places; a machine with more mounts than that is told so.
const MOST_NAMES: usize = 4096;
/// Places of the machine that something else is laid over, unless the cage says otherwise.
const COVERED: [&str; 2] = ["/tmp", "/dev/shm"];

/// What a cage means, kept as long as nothing is mounted and the cage stays the same.
#[derive(Debug, Default)]
pub(crate) struct Settler(Mutex<Option<Kept>>);

#[derive(Debug)]
struct Kept {
    mounts: Mounts,
    table: Vec<Mount>,
    /// The last cage, as it was drawn and as it is meant.
    last: Option<[Arc<Cage>; 2]>,
}

/// One line of the kernel's list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mount {
    number: u64,
    /// What it is mounted on.
    parent: u64,
    device: String,
    /// Which directory of its file system it shows.
    root: PathBuf,
    place: PathBuf,
}

impl Settler {
    /// The cage as the machine means it: itself, unless it hides what has other names.
    pub(crate) fn settle(&self, cage: &Arc<Cage>) -> Result<Arc<Cage>, Errno> {
        // It is whole between any two statements, so a panic elsewhere spoils nothing.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_mut().is_none_or(|kept| kept.mounts.changed()) {
            *kept = Kept::new();
        }
        // Without a list there are no processes of ours either.
        let Some(kept) = kept.as_mut() else { return Ok(Arc::clone(cage)) };
        if kept.table.is_empty() {
            return Ok(Arc::clone(cage));
        }
        if let Some([drawn, meant]) = &kept.last
            && drawn == cage
        {
            return Ok(Arc::clone(meant));
        }
        let others = other_names(&kept.table, &hidden(cage))?;
        let mut meant = Arc::clone(cage);
        if !others.is_empty() {
            Arc::make_mut(&mut meant).hide.extend(others);
        }
        kept.last = Some([Arc::clone(cage), Arc::clone(&meant)]);
        Ok(meant)
    }
}

impl Kept {
    fn new() -> Option<Kept> {
        // Watched before it is read, so that no change is missed.
        let mut mounts = Mounts::watch()?;
        mounts.changed();
        let text = std::fs::read("/proc/self/mountinfo").ok()?;
        let mut table: Vec<Mount> = text.split(|byte| *byte == b'\n').filter_map(mount).collect();
        // Where each file system is mounted once, nothing has two names.
        if !table.iter().enumerate().any(|(at, one)| table[..at].iter().any(|it| it.is_like(one))) {
            table.clear();
        }
        Some(Kept { mounts, table, last: None })
    }
}

impl Mount {
    fn is_like(&self, other: &Mount) -> bool {
        self.device == other.device
    }
}

/// Everything that nobody is to see, by its real names.
fn hidden(cage: &Cage) -> Vec<PathBuf> {
    let mut all = placed(&cage.hide);
    match cage.tmp {
        Tmp::Host => {}
        Tmp::Private | Tmp::Session(_) => all.extend(COVERED.map(PathBuf::from)),
        // What lies in the machine's own can be read there.
        Tmp::Layered(_) => all.push(COVERED[1].into()),
    }
    all.extend(SURFACES.map(PathBuf::from));
    all
}

/// What a cage hides, by all the names that it has on this machine now.
pub(super) fn all_hidden_names(cage: &Cage) -> Vec<PathBuf> {
    let mut all = placed(&cage.hide);
    // A machine with too many names is told so when the order is made.
    let others = Kept::new().and_then(|kept| other_names(&kept.table, &hidden(cage)).ok());
    all.extend(others.unwrap_or_default());
    all
}

/// The names that hidden places have at other mounts of their file system.
fn other_names(table: &[Mount], hidden: &[PathBuf]) -> Result<Vec<PathBuf>, Errno> {
    let mut found = Vec::new();
    let mut showing = BTreeSet::new();
    for path in hidden {
        let Some(at) = seen_at(table, path) else { continue };
        for (mount, name) in elsewhere(table, at, path) {
            if !hidden.iter().any(|path| name.starts_with(path)) {
                showing.insert(mount);
                found.push(name);
            }
        }
        if found.len() > MOST_NAMES {
            return Err(Errno::TOOBIG);
        }
    }
    // Rules are bound to objects: a directory above such a mount is the same one where the mount is
    // not, so it may be granted there no more than here.
    for place in showing.into_iter().map(|mount| &table[mount].place) {
        let above = place.parent().and_then(|above| seen_at(table, above));
        found.extend(above.into_iter().flat_map(|at| elsewhere(table, at, place)).map(|it| it.1));
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// What shows a path of one mount at other places, and under which names.
fn elsewhere(table: &[Mount], at: usize, path: &Path) -> Vec<(usize, PathBuf)> {
    let here = &table[at];
    let Ok(rest) = path.strip_prefix(&here.place) else { return Vec::new() };
    let within = joined(&here.root, rest);
    let others =
        table.iter().enumerate().filter(|(other, mount)| *other != at && mount.is_like(here));
    let named = |mount: &Mount| match within.strip_prefix(&mount.root) {
        Ok(rest) => Some(joined(&mount.place, rest)),
        // It shows a part of what is hidden.
        Err(_) => mount.root.starts_with(&within).then(|| mount.place.clone()),
    };
    let named = others.filter_map(|(other, mount)| Some((other, named(mount)?)));
    // What another mount covers is not seen there, and that one has names of its own.
    named.filter(|(other, name)| seen_at(table, name) == Some(*other)).collect()
}

/// Without a slash at the end where nothing is added.
fn joined(path: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { path.to_path_buf() } else { path.join(rest) }
}

/// The mount that shows a path. As the kernel walks: from the root into what is mounted first on
/// the way, and again from there; what lies below a mount that covers it is never met.
fn seen_at(table: &[Mount], path: &Path) -> Option<usize> {
    let over = |at: &usize| path.starts_with(&table[*at].place);
    let is_first = |at: &usize| !table.iter().any(|other| other.number == table[*at].parent);
    let mut here = (0..table.len()).filter(over).find(is_first)?;
    // Each mount is entered once at most.
    for _ in 0..table.len() {
        let inside = |at: &usize| *at != here && table[*at].parent == table[here].number;
        let next = (0..table.len()).filter(over).filter(inside);
        match next.min_by_key(|at| table[*at].place.as_os_str().len()) {
            Some(next) => here = next,
            None => break,
        }
    }
    Some(here)
}

/// A line of mountinfo: number, parent, device, root, place, … (proc_pid_mountinfo(5)).
fn mount(line: &[u8]) -> Option<Mount> {
    let mut words = line.split(|byte| *byte == b' ');
    let mut number = || std::str::from_utf8(words.next()?).ok()?.parse().ok();
    let (number, parent) = (number()?, number()?);
    let device = String::from_utf8(words.next()?.to_vec()).ok()?;
    let (root, place) = (unescaped(words.next()?), unescaped(words.next()?));
    Some(Mount { number, parent, device, root, place })
}

/// Blanks, new lines and backslashes stand there as three octal digits.
fn unescaped(word: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let number =
            digits.and_then(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 8).ok());
        bytes.push(number.unwrap_or(*first));
        rest = if number.is_some() { &after[3..] } else { after };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

/// Where the kernel shows itself, its devices and everybody's processes as files.
const KERNELS: [&str; 3] = ["/proc", "/sys", "/dev"];
/// What is a place for files there.
const FOR_FILES: &str = "/dev/shm";

/// Whether what is written below a path changes the kernel and no file.
pub fn is_kernels(path: &Path) -> bool {
    !path.starts_with(FOR_FILES) && KERNELS.iter().any(|place| path.starts_with(place))
}

impl Cage {
    /// A writable root that is no place for files but a part of the kernel.
    pub fn kernels(&self) -> Option<&Path> {
        let found = self.write.iter().find(|path| is_kernels(path) || is_kernels(&real(path)));
        found.map(PathBuf::as_path)
    }

    /// A granted path that lies below a root, where every command can turn a link, and leads out of
    /// it: what it means now may be what a command before wanted it to mean.
    pub fn turned(&self) -> Option<&Path> {
        let granted = [&self.write, &self.read, &self.show, &self.sockets].into_iter().flatten();
        let mut turned = granted.filter(|path| {
            let roots = self.write.iter().filter(|root| *root != *path && path.starts_with(root));
            roots.into_iter().any(|root| {
                let real = |path: &PathBuf| placed(std::slice::from_ref(path));
                let roots = real(root);
                real(path).iter().any(|place| !roots.iter().any(|root| place.starts_with(root)))
            })
        });
        turned.next().map(PathBuf::as_path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Vec<Mount> {
        text.lines().filter_map(|line| mount(line.as_bytes())).collect()
    }

    #[test]
    fn hidden_places_have_the_names_that_other_mounts_give_them() {
        let table = table(
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
             2 1 8:2 / /home rw - ext4 /dev/sda2 rw\n\
             3 1 8:2 /me /srv/a\\040b rw - ext4 /dev/sda2 rw\n\
             4 1 8:2 /me/.ssh/key /srv/key rw - ext4 /dev/sda2 rw\n\
             5 1 8:2 /you /srv/you rw - ext4 /dev/sda2 rw\n\
             6 1 8:3 / /mnt rw - ext4 /dev/sda3 rw\n",
        );
        let hidden = ["/home/me/.ssh", "/etc/shadow"].map(PathBuf::from);
        let found = other_names(&table, &hidden).unwrap();
        assert_eq!(found, ["/srv/a b/.ssh", "/srv/key"].map(PathBuf::from));
        let covered = table.iter().cloned().chain([Mount {
            number: 7,
            parent: 2,
            device: "8:3".into(),
            root: "/".into(),
            place: "/home/me".into(),
        }]);
        // Something else is seen there now.
        let covered: Vec<Mount> = covered.collect();
        assert_eq!(other_names(&covered, &hidden).unwrap(), [PathBuf::from("/mnt/.ssh")]);
    }

    #[test]
    fn a_mount_that_another_one_covers_shows_nothing() {
        let table = table(
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
             2 1 0:9 / /st/home rw - tmpfs t rw\n\
             3 1 8:1 /real /st rw - ext4 /dev/sda1 rw\n",
        );
        let found = other_names(&table, &[PathBuf::from("/real/home/.ssh")]).unwrap();
        assert_eq!(found, [PathBuf::from("/st/home/.ssh")]);
    }

    #[test]
    fn a_mount_inside_what_it_shows_is_no_way_round() {
        let table = table(
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
             2 1 8:1 /a /a/out/dir rw - ext4 /dev/sda1 rw\n",
        );
        let found = other_names(&table, &[PathBuf::from("/a/secret")]).unwrap();
        assert_eq!(found, ["/a/out/dir/out/dir", "/a/out/dir/secret"].map(PathBuf::from));
    }

    #[test]
    fn what_is_mounted_over_another_name_is_not_hidden_with_it() {
        let table = table(
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
             2 1 0:5 / /dev rw - devtmpfs dev rw\n\
             3 1 8:1 / /out rw - ext4 /dev/sda1 rw\n\
             4 3 0:5 / /out/dev rw - devtmpfs dev rw\n",
        );
        let found = other_names(&table, &[PathBuf::from("/dev/mqueue")]).unwrap();
        assert_eq!(found, [PathBuf::from("/out/dev/mqueue")], "and never all of /dev");
    }

    #[test]
    fn a_grant_may_not_lead_out_of_the_root_that_its_link_lies_in() {
        let place = std::env::temp_dir().join(format!("ricasso-settle-{}", std::process::id()));
        std::fs::create_dir_all(place.join("w/real")).unwrap();
        let place = place.canonicalize().unwrap();
        std::os::unix::fs::symlink("real", place.join("w/inside")).unwrap();
        std::os::unix::fs::symlink("..", place.join("w/out")).unwrap();
        std::os::unix::fs::symlink("w", place.join("granted")).unwrap();
        let cage = |names: &[&str]| Cage {
            write: names.iter().map(|name| place.join(name)).collect(),
            ..Cage::default()
        };
        let found = [
            cage(&["w", "w/inside", "w/unborn"]).turned().is_some(),
            cage(&["granted"]).turned().is_some(),
            cage(&["w", "w/out"]).turned().is_some(),
            Cage { show: vec![place.join("w/out/x")], ..cage(&["w"]) }.turned().is_some(),
        ];
        std::fs::remove_dir_all(&place).unwrap();
        assert_eq!(found, [false, false, true, true]);
    }
}
