//! Which files a cage grants, as rules of Landlock.
//!
//! Most of them are on objects that are the same inside and outside, so anybody can make them. A
//! few are on what is laid anew for each command, and are made where that is seen.

use super::landlock::{
    DEVICE, EXECUTE, MOVE, READ, READ_DIR, READ_FILE, Reach, Ruleset, SOCKET, WRITE,
};
use super::mounts::{DEVICES, SURFACES, existing, hides_proc, real};
use super::programs::Listed;
use super::reading::{Hidden, grant_around, placed};
use super::{Cage, Net, Tmp, people};
use rustix::io::Errno;
use std::path::{Path, PathBuf};

/// What no program starts without, where the policy names the roots for reading.
const NEEDED: [&str; 17] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/alternatives",
    "/etc/passwd",
    "/etc/group",
    "/etc/nsswitch.conf",
    "/etc/localtime",
    "/etc/ssl",
    "/etc/ca-certificates",
    "/proc",
    "/sys/devices/system/cpu",
];
/// Places of the machine that all its processes share: shut where they cannot be replaced.
const SHARED_PLACES: [&str; 2] = ["/tmp", "/dev"];

const PROC: &str = "/proc";
const SHM: &str = "/dev/shm";
const TMP: &str = "/tmp";

/// Rules, and what they were made from.
#[derive(Debug)]
pub(super) struct Drawn {
    pub(super) rules: Ruleset,
    /// Directories whose entries were granted one by one.
    pub(super) searched: Vec<PathBuf>,
    /// What is hidden, by its real names.
    hidden: Vec<PathBuf>,
}

impl Drawn {
    /// Whether something hidden is reached in /proc by another name. Whose number it has there
    /// depends on who asks, so only the command itself can make rules for it.
    pub(super) fn is_led_to_proc(&self, cage: &Cage) -> bool {
        self.hidden.iter().any(|path| in_proc(path) && !cage.hide.contains(path))
    }
}

/// The rights of a cage at its different places.
struct Rights {
    read: u64,
    write: u64,
    tcp: Reach,
    sockets: u64,
}

impl Rights {
    fn of(cage: &Cage, listed: Option<&Listed>) -> Rights {
        let execute = if listed.is_some() { EXECUTE } else { 0 };
        let sockets = match cage.net {
            Net::Open => 0,
            Net::Loopback | Net::None => SOCKET,
        };
        let tcp = match cage.net {
            Net::Open => Reach::Free,
            Net::Loopback if cage.walls.netns => Reach::Free,
            Net::Loopback | Net::None => Reach::Shut,
        };
        let write = (WRITE | MOVE) & !execute & !sockets;
        Rights { read: READ & !execute, write, tcp, sockets }
    }
}

/// Rules on what is the same inside and outside. The cage has its real names.
pub(super) fn outside(cage: &Cage, listed: Option<&Listed>) -> Result<Drawn, Errno> {
    let rights = Rights::of(cage, listed);
    let rules = Ruleset::new(cage.walls.landlock, rights.tcp)?;
    let mut drawn = Drawn { rules, searched: Vec::new(), hidden: placed(&cage.hide) };
    grant_reading(&mut drawn, cage, rights.read)?;
    grant_writing(&mut drawn, cage, rights.write)?;
    let rules = &drawn.rules;
    if rights.sockets == 0 {
        rules.grant(Path::new("/"), SOCKET)?;
    }
    for device in DEVICES {
        rules.grant(Path::new(device), DEVICE)?;
    }
    for path in &cage.sockets {
        rules.grant(path, SOCKET)?;
    }
    if let Some(listed) = listed {
        for program in listed.programs.iter().chain(&listed.loaders) {
            rules.grant(program, EXECUTE | READ_FILE)?;
        }
    }
    Ok(drawn)
}

/// Grants the writable roots. Where no mount can lie over what is hidden in a root, its other
/// entries are granted one by one instead of it.
fn grant_writing(drawn: &mut Drawn, cage: &Cage, rights: u64) -> Result<(), Errno> {
    let Drawn { rules, searched, hidden } = drawn;
    let hidden = if cage.has_namespaces() { Vec::new() } else { hidden.clone() };
    let hidden = Hidden::new(hidden);
    for root in kept_places(cage) {
        grant_around(rules, &root, &hidden.below(&root), rights, searched)?;
    }
    Ok(())
}

/// Rules on what was laid anew in the view of this process; nothing where it has none.
pub(super) fn inside(rules: &Ruleset, cage: &Cage, listed: Option<&Listed>) -> Result<(), Errno> {
    if !cage.has_namespaces() {
        return Ok(());
    }
    if !hides_proc(cage) && !hidden_in_proc(cage).is_empty() {
        let rights = Rights::of(cage, listed);
        let hidden = Hidden::new(hidden_in_proc(cage));
        rules.grant(Path::new(PROC), rights.read & READ_DIR)?;
        grant_around(rules, Path::new(PROC), &hidden, rights.read, &mut Vec::new())?;
    }
    anew(cage, listed).iter().try_for_each(|(path, rights)| rules.grant(path, *rights))
}

/// The same as a list, where it is known before there is a view: `None` where something in /proc is
/// hidden, so that the others in it are granted one by one.
pub(super) fn known_inside(cage: &Cage) -> Option<Vec<(PathBuf, u64)>> {
    let known = hides_proc(cage) || hidden_in_proc(cage).is_empty();
    (known && cage.has_namespaces()).then(|| anew(cage, None))
}

fn hidden_in_proc(cage: &Cage) -> Vec<PathBuf> {
    cage.hide.iter().filter(|path| in_proc(path)).cloned().collect()
}

/// What is laid anew, but for /proc where something in it is hidden, and the rights on it.
fn anew(cage: &Cage, listed: Option<&Listed>) -> Vec<(PathBuf, u64)> {
    let rights = Rights::of(cage, listed);
    let mut all = Vec::new();
    if !hides_proc(cage) && hidden_in_proc(cage).is_empty() {
        all.push((PROC.into(), rights.read));
    }
    if people::are_made_up(cage) {
        all.extend(people::places().map(|list| (list.to_path_buf(), rights.read)));
    }
    // A directory of the session has its rule, wherever it is seen.
    let is_new = |place: &&str| *place != TMP || cage.tmp == Tmp::Private;
    let places = laid_anew(cage).into_iter().filter(is_new);
    all.extend(places.map(|place| (place.into(), rights.write)));
    all
}

/// Whether what lies in the machine's own /tmp can be read.
fn shows_tmp(cage: &Cage) -> bool {
    match cage.tmp {
        Tmp::Layered(_) => true,
        Tmp::Private | Tmp::Session(_) | Tmp::Host => false,
    }
}

fn in_proc(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().starts_with(PROC.as_bytes()) && path.starts_with(PROC)
}

/// Writable places that are new for each command.
fn laid_anew(cage: &Cage) -> Vec<&'static str> {
    if !cage.has_namespaces() {
        return Vec::new();
    }
    let mut places = vec!["/dev/shm", "/dev/pts", "/dev/ptmx"];
    places.extend((cage.tmp != Tmp::Host).then_some(TMP));
    places
}

/// Where the rules begin: the roots for reading, by the names that the policy has for them.
pub(super) fn reading_roots(cage: &Cage) -> Vec<PathBuf> {
    let everything = cage.read.iter().any(|root| root == Path::new("/"));
    let mut roots: Vec<PathBuf> = cage.read.clone();
    if !everything {
        roots.extend(NEEDED.iter().map(PathBuf::from));
    }
    roots
}

fn grant_reading(drawn: &mut Drawn, cage: &Cage, rights: u64) -> Result<(), Errno> {
    let Drawn { rules, searched, hidden } = drawn;
    let mut hidden = hidden.clone();
    if !cage.has_namespaces() {
        hidden.extend(shut(cage));
    } else if !hidden.is_empty() {
        // Something else lies over them inside.
        hidden.push(PROC.into());
        let covered = cage.tmp != Tmp::Host && !shows_tmp(cage);
        hidden.extend(covered.then(|| PathBuf::from(TMP)));
    }
    let hidden = Hidden::new(hidden);
    for root in existing(&reading_roots(cage)) {
        // Masks lie over what is hidden now, so directories above it may be listed. What comes
        // later shows its name at most.
        if cage.has_namespaces() {
            rules.grant(&root, rights & READ_DIR)?;
        }
        grant_around(rules, &root, &hidden, rights, searched)?;
    }
    // What is granted by name is granted whatever lies above it, but not what is hidden below.
    for path in existing(&cage.show) {
        grant_around(rules, &path, &hidden.below(&path), rights & !EXECUTE, searched)?;
    }
    for path in existing(&cage.seen) {
        if cage.has_namespaces() {
            rules.grant(&path, rights & READ_DIR)?;
        }
        grant_around(rules, &path, &hidden.below(&path), rights, searched)?;
    }
    if cage.has_namespaces() {
        return Ok(());
    }
    let mut listed = searched.iter().filter(|directory| hidden.holds_only_files(directory));
    listed.try_for_each(|directory| rules.grant(directory, rights & READ_DIR))
}

/// What is shut where nothing can be laid over it.
fn shut(cage: &Cage) -> impl Iterator<Item = PathBuf> {
    let shows_tmp = shows_tmp(cage);
    let shared = SHARED_PLACES.into_iter().filter(move |place| *place != TMP || !shows_tmp);
    let shared = shared.chain([SHM]).map(PathBuf::from);
    // Where the name is a link, the place that it leads to.
    let shared = shared.flat_map(|place| [real(&place), place]);
    shared.chain(SURFACES.map(PathBuf::from))
}

/// Without mounts: everything below which may be read, but for what is in the next list, and what
/// may be read all the same.
pub(super) fn reading_places(cage: &Cage) -> Vec<PathBuf> {
    existing(&reading_roots(cage))
}

/// What may not be read, by its real names.
pub(super) fn unread(cage: &Cage) -> Vec<PathBuf> {
    placed(&cage.hide).into_iter().chain(shut(cage)).collect()
}

/// What is shown though something above it is hidden.
pub(super) fn shown(cage: &Cage) -> Vec<PathBuf> {
    [existing(&cage.show), existing(&cage.seen)].concat()
}

/// Everything below which may be written.
pub(super) fn writable_places(cage: &Cage) -> Vec<PathBuf> {
    let mut places = kept_places(cage);
    places.extend(laid_anew(cage).into_iter().map(PathBuf::from));
    places
}

/// Those of them that were there before the command, and stay.
pub(super) fn kept_places(cage: &Cage) -> Vec<PathBuf> {
    let mut places = cage.write.clone();
    match &cage.tmp {
        Tmp::Host => places.push(TMP.into()),
        Tmp::Private => {}
        Tmp::Session(path) | Tmp::Layered(path) => places.push(path.clone()),
    }
    places
}
