//! What the command sees of the file system: everything read-only but its roots, its own
//! temporary directories, nothing where secrets lie.
//!
//! All of it happens in a mount namespace of the command alone, so nothing is left behind, and
//! nothing is ever made in the workspace.

use super::programs::Listed;
use super::protected::{Shut, links_below};
use super::raw::{self, Depth, NO_DEVICES, NO_EXEC, NO_SUID, READ_ONLY};
use super::{Cage, Tmp, holders, people, shared_tmp};
use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};

/// Devices that every program may use.
pub(super) const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];
/// Where the kernel tells root, capabilities or not, of everybody's processes, and names the queues
/// of all. What is mounted there later does not reach a cage.
pub(super) const SURFACES: [&str; 5] =
    ["/sys/kernel/debug", "/sys/kernel/tracing", "/sys/fs/pstore", "/sys/fs/bpf", "/dev/mqueue"];
/// The same in a /proc of the command's own.
const SURFACES_OF_PROC: [&CStr; 2] = [c"/proc/timer_list", c"/proc/keys"];
pub(super) const TMP: &str = "/tmp";
const SHM: &str = "/dev/shm";
const PROC: &str = "/proc";
const SYS: &str = "/sys";
/// Where masks are made before they are laid over secrets.
const STAGE: &CStr = c"/proc";
/// A mask holds nothing.
pub(super) const MASK: &CStr = c"size=64k,mode=0711";
/// Shared memory of the command's processes; a quarter of a gibibyte is what browsers ask for.
const SHARED_MEMORY: &CStr = c"size=256m,mode=1777";
/// A temporary directory in memory; as much as the machine lets a user have.
const PRIVATE_TMP: &CStr = c"size=1g,mode=1777";

/// Something that is laid over a path. Those with shorter paths come first.
enum Layer {
    /// Nothing is to be seen here.
    Mask,
    /// A copy of what was there, writable or not.
    Tree(OwnedFd),
    /// A copy of what others may take away at any time; it is left out then.
    Passing(OwnedFd),
    /// A file with this text.
    Text(Vec<u8>),
    /// A new file system in memory.
    Memory(&'static CStr),
}

/// Builds the whole view. The caller has a mount namespace of its own and may mount.
pub(super) fn build(cage: &Cage, listed: Option<&Listed>) -> Result<(), Errno> {
    let noexec = if listed.is_some() { NO_EXEC } else { 0 };
    let hidden = existing(&cage.hide);
    let mut layers = layers(cage, &hidden, noexec)?;
    layers.extend(memory(cage));
    lay_all(cage, listed, layers)?;
    terminals()?;
    protect(cage, &hidden)
}

/// Builds what commands of the same cage may share; what is each one's own is not there.
pub(super) fn build_shared(cage: &Cage) -> Result<(), Errno> {
    let hidden = existing(&cage.hide);
    lay_all(cage, None, layers(cage, &hidden, 0)?)?;
    protect(cage, &hidden)
}

/// Lays memory of the command's own over what is shared, and nothing else of its own.
pub(super) fn build_memory(cage: &Cage) -> Result<(), Errno> {
    lay(memory(cage), 0)
}

/// Whether what is a command's own can be laid last: nothing else lies above or below it. The cage
/// has its real names.
pub(super) fn is_shareable(cage: &Cage) -> bool {
    let mut own = vec![PathBuf::from(SHM), "/dev/pts".into(), "/dev/ptmx".into()];
    own.extend(memory(cage).into_iter().map(|(path, _)| path));
    let mut others = existing(&cage.hide);
    for paths in [&cage.write, &cage.show, &cage.seen] {
        others.extend(existing(paths));
    }
    match &cage.tmp {
        Tmp::Private | Tmp::Host => {}
        Tmp::Session(path) => others.push(path.clone()),
        // What lies in the machine's own is another thing each time.
        Tmp::Layered(_) => return false,
    }
    let apart =
        |other: &PathBuf| own.iter().all(|own| !other.starts_with(own) && !own.starts_with(other));
    cage.programs.is_none() && others.iter().all(apart)
}

/// Everything but terminals and what is protected.
fn lay_all(
    cage: &Cage,
    listed: Option<&Listed>,
    mut layers: Vec<(PathBuf, Layer)>,
) -> Result<(), Errno> {
    let noexec = if listed.is_some() { NO_EXEC } else { 0 };
    let devices = copies(DEVICES.iter().map(Path::new), Depth::One)?;
    for (_, device) in &devices {
        // Writing to a device needs no writable mount; changing its mode or owner would.
        raw::seal_tree(device, Depth::One, READ_ONLY | NO_SUID | NO_EXEC)?;
    }
    let programs = match listed {
        None => Vec::new(),
        Some(listed) => listed.copies()?,
    };
    // Stable: of two layers on one path the later one covers the earlier.
    layers.sort_by(|one, other| one.0.cmp(&other.0));
    let everything = NO_SUID | NO_DEVICES | noexec;
    let writable = cage.write.iter().any(|root| root == Path::new("/"));
    raw::seal(c"/", Depth::All, if writable { everything } else { everything | READ_ONLY })?;
    // Whoever may write everywhere may write files, and not to the kernel.
    if writable && Path::new(SYS).is_dir() {
        raw::seal(&raw::c_path(Path::new(SYS))?, Depth::All, everything | READ_ONLY)?;
    }
    for (path, tree) in devices.iter().chain(&programs) {
        raw::attach(tree, &raw::c_path(path)?)?;
    }
    lay(layers, noexec)
}

/// What the command finds as /proc; the first process of the namespace lays it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Processes {
    /// Its own, to be read.
    Shown,
    /// The numbers of its own; Landlock lets it open nothing there, but a program still finds out
    /// where it lies itself, without which some do not start.
    Numbers,
    /// Nothing.
    Masked,
}

/// What this cage shows of the processes.
pub(super) fn processes(cage: &Cage) -> Processes {
    match hides_proc(cage) {
        false => Processes::Shown,
        true if cage.walls.landlock > 0 && cage.walls.files => Processes::Numbers,
        true => Processes::Masked,
    }
}

/// Whether the processes are hidden too.
pub(super) fn hides_proc(cage: &Cage) -> bool {
    // Of many paths, none of which is likely to be it: by their bytes.
    cage.hide.iter().any(|path| path.as_os_str() == PROC || path.as_os_str() == "/")
}

/// Lays the whole list, and then seals what only served as mount points.
fn lay(layers: Vec<(PathBuf, Layer)>, noexec: u64) -> Result<(), Errno> {
    let paths: Vec<PathBuf> = layers.iter().map(|(path, _)| path.clone()).collect();
    let texts = layers.iter().filter_map(|(_, layer)| match layer {
        Layer::Text(text) => Some(text.clone()),
        Layer::Mask | Layer::Tree(_) | Layer::Passing(_) | Layer::Memory(_) => None,
    });
    let texts: Vec<Vec<u8>> = texts.collect();
    let mut stage = if texts.is_empty() { None } else { Some(Stage::set(&texts)?) };
    let mut open_masks = Vec::new();
    let mut number = 0;
    let mut laid: Vec<PathBuf> = Vec::new();
    for (at, (path, layer)) in layers.into_iter().enumerate() {
        let in_tmp = holders::is_in_tmp(&path, &laid);
        let here = path.clone();
        match layer {
            // What lies there on the machine is covered already.
            Layer::Mask if in_tmp => continue,
            Layer::Tree(tree) if in_tmp => holders::place(&path, &tree)?,
            Layer::Passing(tree) if in_tmp => drop_unplaced(holders::place(&path, &tree)),
            Layer::Tree(tree) => place(&path, &tree)?,
            Layer::Passing(tree) => drop_unplaced(place(&path, &tree)),
            Layer::Text(_) => {
                place(&path, &raw::clone_tree(&Stage::text(number)?, Depth::One)?)?;
                number += 1;
            }
            Layer::Memory(options) => {
                mount_memory(&path, options)?;
                if noexec != 0 {
                    raw::seal(&raw::c_path(&path)?, Depth::One, noexec)?;
                }
            }
            Layer::Mask if paths.get(at + 1).is_some_and(|next| next.starts_with(&path)) => {
                if path.symlink_metadata().is_err() {
                    continue;
                }
                mount_memory(&path, MASK)?;
                open_masks.push(path);
            }
            Layer::Mask => {
                // What another layer covers is hidden by that.
                let Ok(found) = path.symlink_metadata() else { continue };
                if stage.is_none() {
                    stage = Some(Stage::set(&[])?);
                }
                let is_directory = found.is_dir();
                stage.as_ref().map_or(Ok(()), |stage| stage.mask(&path, is_directory))?;
            }
        }
        laid.push(here);
    }
    for path in open_masks {
        raw::seal(&raw::c_path(&path)?, Depth::One, READ_ONLY)?;
    }
    Ok(())
}

fn layers(cage: &Cage, hidden: &[PathBuf], noexec: u64) -> Result<Vec<(PathBuf, Layer)>, Errno> {
    let mut layers = Vec::new();
    for path in hidden.iter().filter(|path| *path != Path::new(PROC)) {
        layers.push((path.clone(), Layer::Mask));
    }
    let surfaces = SURFACES.map(PathBuf::from);
    for path in existing(&surfaces) {
        if !layers.iter().any(|(hidden, _)| path.starts_with(hidden)) {
            layers.push((path, Layer::Mask));
        }
    }
    let hidden: Vec<PathBuf> = layers.iter().map(|(path, _)| path.clone()).collect();
    let is_hidden = |path: &Path| hidden.iter().any(|hidden| path.starts_with(hidden));
    let covered = |path: &Path| cage.tmp != Tmp::Host && path.starts_with(TMP);
    let shown = existing(&cage.show).into_iter().filter(|path| is_hidden(path));
    let written = |path: &PathBuf| cage.write.iter().any(|root| path.starts_with(root));
    let seen = existing(&cage.seen).into_iter().filter(|path| covered(path) && !written(path));
    for path in shown.chain(seen) {
        let tree = raw::clone_tree(&raw::c_path(&path)?, Depth::All)?;
        raw::seal_tree(&tree, Depth::All, READ_ONLY | NO_SUID | NO_DEVICES | noexec)?;
        layers.push((path, Layer::Tree(tree)));
    }
    if people::are_made_up(cage) {
        let lists = people::lists().into_iter();
        layers.extend(lists.map(|(path, text)| (path, Layer::Text(text))));
    }
    for path in existing(&cage.write).into_iter().filter(|path| path != Path::new("/")) {
        layers.push((path.clone(), Layer::Tree(writable(&path, noexec)?)));
    }
    match &cage.tmp {
        Tmp::Host | Tmp::Private => {}
        Tmp::Session(path) | Tmp::Layered(path) => {
            if Path::new(TMP).is_dir() {
                layers.push((TMP.into(), Layer::Tree(writable(path, noexec)?)));
            }
            layers.push((real(path), Layer::Tree(writable(path, noexec)?)));
        }
    }
    if let Tmp::Layered(path) = &cage.tmp {
        let beside = shared_tmp::beside(path).into_iter().filter(|path| !cage.write.contains(path));
        layers.extend(beside.filter_map(|path| {
            let tree = raw::clone_tree(&raw::c_path(&path).ok()?, Depth::All).ok()?;
            let sealed = READ_ONLY | NO_SUID | NO_DEVICES | noexec;
            raw::seal_tree(&tree, Depth::All, sealed).ok()?;
            Some((path, Layer::Passing(tree)))
        }));
    }
    Ok(layers)
}

/// New file systems in memory, which each command has for itself.
fn memory(cage: &Cage) -> Vec<(PathBuf, Layer)> {
    let mut layers = Vec::new();
    match &cage.tmp {
        Tmp::Private if Path::new(TMP).is_dir() => {
            layers.push((TMP.into(), Layer::Memory(PRIVATE_TMP)));
        }
        Tmp::Private | Tmp::Host | Tmp::Session(_) | Tmp::Layered(_) => {}
    }
    if Path::new(SHM).is_dir() {
        layers.push((SHM.into(), Layer::Memory(SHARED_MEMORY)));
    }
    layers
}

/// A copy of a directory that stays writable when all else is sealed.
fn writable(path: &Path, noexec: u64) -> Result<OwnedFd, Errno> {
    let tree = raw::clone_tree(&raw::c_path(path)?, Depth::All)?;
    raw::seal_tree(&tree, Depth::All, NO_SUID | NO_DEVICES | noexec)?;
    Ok(tree)
}

/// Copies of those that are there.
pub(super) fn copies<'a>(
    paths: impl Iterator<Item = &'a Path>,
    depth: Depth,
) -> Result<Vec<(PathBuf, OwnedFd)>, Errno> {
    let mut found = Vec::new();
    for path in paths {
        match raw::clone_tree(&raw::c_path(path)?, depth) {
            Ok(tree) => found.push((path.to_path_buf(), tree)),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(found)
}

/// What others took away meanwhile is left out.
fn drop_unplaced(_placed: Result<(), Errno>) {}

/// Lays a tree over its place, which is made where a layer above it covers the real one.
fn place(path: &Path, tree: &OwnedFd) -> Result<(), Errno> {
    let name = raw::c_path(path)?;
    match raw::attach(tree, &name) {
        Err(Errno::NOENT) => {}
        other => return other,
    }
    if FileType::from_raw_mode(rustix::fs::fstat(tree)?.st_mode) == FileType::Directory {
        path.parent().map_or(Ok(()), make_directories)?;
        make_directory(path, shared_tmp::HOLDER)?;
    } else {
        path.parent().map_or(Ok(()), make_directories)?;
        let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty())?;
    }
    raw::attach(tree, &name)
}

fn make_directories(path: &Path) -> Result<(), Errno> {
    let missing = path.ancestors().take_while(|above| above.symlink_metadata().is_err());
    for above in missing.collect::<Vec<_>>().into_iter().rev() {
        make_directory(above, shared_tmp::HOLDER)?;
    }
    Ok(())
}

fn make_directory(path: &Path, mode: u32) -> Result<(), Errno> {
    match rustix::fs::mkdir(path, Mode::from_raw_mode(mode)) {
        Ok(()) | Err(Errno::EXIST | Errno::ROFS | Errno::ACCESS) => Ok(()),
        Err(errno) => Err(errno),
    }
}

fn mount_memory(path: &Path, options: &CStr) -> Result<(), Errno> {
    raw::mount(c"tmpfs", &raw::c_path(path)?, libc::MS_NOSUID | libc::MS_NODEV, options)
}

/// An empty directory and an empty file that nobody may open, to be laid over secrets.
struct Stage {
    directory: CString,
    file: CString,
}

impl Stage {
    /// Made where the command's own /proc will cover it: to unmount it would cost milliseconds,
    /// since the kernel waits until nobody can be looking.
    fn set(texts: &[Vec<u8>]) -> Result<Stage, Errno> {
        raw::mount(c"tmpfs", STAGE, libc::MS_NOSUID | libc::MS_NODEV, MASK)?;
        let stage = Path::new(STAGE.to_str().unwrap_or_default());
        let (directory, file) = (stage.join("directory"), stage.join("file"));
        rustix::fs::mkdir(&directory, Mode::empty())?;
        let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
        rustix::fs::open(&file, flags, Mode::empty())?;
        for (number, text) in texts.iter().enumerate() {
            let made = rustix::fs::open(Stage::text(number)?, flags, Mode::from_raw_mode(0o444))?;
            rustix::io::write(made, text)?;
        }
        // What is copied from it is sealed like it.
        raw::seal(STAGE, Depth::One, READ_ONLY)?;
        Ok(Stage { directory: raw::c_path(&directory)?, file: raw::c_path(&file)? })
    }

    fn text(number: usize) -> Result<CString, Errno> {
        raw::c_path(&Path::new(PROC).join(format!("text-{number}")))
    }

    fn mask(&self, path: &Path, is_directory: bool) -> Result<(), Errno> {
        let from = if is_directory { &self.directory } else { &self.file };
        let mask = raw::clone_tree(from, Depth::One)?;
        raw::attach(&mask, &raw::c_path(path)?)
    }
}

/// Hides what a new /proc tells of everybody. The device that swallows everything lies over it,
/// which as a file is empty.
pub(super) fn hide_surfaces_of_proc() -> Result<(), Errno> {
    for path in SURFACES_OF_PROC {
        match raw::bind(c"/dev/null", path) {
            Ok(()) => {}
            // This kernel does not have it.
            Err(Errno::NOENT) if rustix::fs::lstat(path).is_err() => {}
            Err(Errno::NOENT) => hide_without_device(path)?,
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// The same on a machine without that device, by an empty file. A directory that every /proc has
/// holds it until it is laid, and is seen again afterwards.
fn hide_without_device(path: &CStr) -> Result<(), Errno> {
    const HOLDER: &CStr = c"/proc/fs";
    const EMPTY: &CStr = c"/proc/fs/empty";
    raw::mount(c"tmpfs", HOLDER, libc::MS_NOSUID | libc::MS_NODEV, MASK)?;
    let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
    rustix::fs::open(EMPTY, flags, Mode::from_raw_mode(0o444))?;
    // What is copied from it is sealed like it.
    raw::seal(HOLDER, Depth::One, READ_ONLY)?;
    raw::bind(EMPTY, path)?;
    rustix::mount::unmount(HOLDER, rustix::mount::UnmountFlags::DETACH)
}

/// Terminals of the command's own, so that it cannot reach those of others.
pub(super) fn terminals() -> Result<(), Errno> {
    if !Path::new("/dev/pts").is_dir() {
        return Ok(());
    }
    let options = c"newinstance,ptmxmode=0666,mode=0620";
    raw::mount(c"devpts", c"/dev/pts", libc::MS_NOSUID | libc::MS_NOEXEC, options)?;
    let is_link = std::fs::symlink_metadata("/dev/ptmx").is_ok_and(|found| found.is_symlink());
    if !is_link && Path::new("/dev/ptmx").exists() {
        raw::attach(&raw::clone_tree(c"/dev/pts/ptmx", Depth::One)?, c"/dev/ptmx")?;
    }
    Ok(())
}

/// Makes what is protected below the roots read-only, and the directories above it immovable; also
/// those above what is hidden there, or the next command would find it under another name.
fn protect(cage: &Cage, hidden: &[PathBuf]) -> Result<(), Errno> {
    let Shut { places, mut links } = Shut::of(cage);
    // Nor is a link turned that leads to it.
    links.extend(cage.hide.iter().flat_map(|path| links_below(cage, path)));
    links.sort();
    links.dedup();
    for path in hidden.iter().chain(&links).chain(&places) {
        pin_above(cage, path)?;
    }
    for link in &links {
        let name = raw::c_path(link)?;
        raw::attach_to_link(&raw::clone_link(&name)?, &name)?;
    }
    let is_below_a_root = |path: &&PathBuf| cage.write.iter().any(|root| path.starts_with(root));
    places.iter().filter(is_below_a_root).try_for_each(|path| lay_over_itself(path, READ_ONLY))
}

/// Keeps the directories between a root and what lies below it where they are.
fn pin_above(cage: &Cage, path: &Path) -> Result<(), Errno> {
    // Of roots inside each other the outermost is the only one whose own name stays by itself.
    let roots = cage.write.iter().filter(|root| path.starts_with(root) && path != root.as_path());
    let Some(root) = roots.min_by_key(|root| root.as_os_str().len()) else { return Ok(()) };
    let between = path.ancestors().skip(1).take_while(|above| *above != root);
    let mut pins: Vec<&Path> = between.collect();
    pins.reverse();
    pins.into_iter().try_for_each(|pin| lay_over_itself(pin, 0))
}

pub(super) fn lay_over_itself(path: &Path, set: u64) -> Result<(), Errno> {
    if is_mount_point(path)? && set == 0 {
        return Ok(());
    }
    let tree = raw::clone_tree(&raw::c_path(path)?, Depth::All)?;
    if set != 0 {
        raw::seal_tree(&tree, Depth::All, set)?;
    }
    raw::attach(&tree, &raw::c_path(path)?)
}

fn is_mount_point(path: &Path) -> Result<bool, Errno> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    /// STATX_ATTR_MOUNT_ROOT (statx(2)).
    const MOUNT_ROOT: u64 = 0x2000;
    let found = statx(CWD, path, AtFlags::empty(), StatxFlags::empty())?;
    Ok(found.stx_attributes.bits() & MOUNT_ROOT != 0)
}

/// Those that are there, by their real names.
pub(super) fn existing(paths: &[PathBuf]) -> Vec<PathBuf> {
    // Most hidden places are not there, and to ask for that is cheaper than to follow a path.
    let there = paths.iter().filter(|path| path.symlink_metadata().is_ok());
    let mut found: Vec<PathBuf> = there.filter_map(|path| path.canonicalize().ok()).collect();
    found.sort();
    found.dedup();
    found
}

/// Where a path really leads; itself where that cannot be told.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
