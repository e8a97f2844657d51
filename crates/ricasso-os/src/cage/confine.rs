//! The last steps before exec, in the command's own process: rights away, files, calls.

use super::filter::Filter;
use super::landlock::{
    DEVICE, EXECUTE, MOVE, READ, READ_DIR, READ_FILE, Reach, Ruleset, SOCKET, WRITE,
};
use super::mounts::{DEVICES, existing, real};
use super::programs::Listed;
use super::reading::{grant_around, placed};
use super::{Cage, Net, Tmp, capability, raw};
use crate::wire::{Order, Stage};
use rustix::fd::OwnedFd;
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

/// Everything that can be made ready before the command's process is there.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(super) cage: Cage,
    pub(super) listed: Option<Listed>,
    filter: Filter,
}

/// A confined process; what it needs somebody else for.
#[derive(Debug)]
pub(crate) struct Confined {
    /// Where its questions arrive, if it has any.
    pub(crate) listener: Option<OwnedFd>,
}

impl Standing {
    /// Finds the real names of all that the cage names.
    pub(crate) fn prepare(order: &Order, cage: &Cage) -> Result<Standing, (Stage, Errno)> {
        let mut cage = cage.clone();
        cage.write = existing(&cage.write);
        if let Tmp::Session(path) = &cage.tmp {
            cage.tmp = Tmp::Session(real(path));
        }
        let path = order.path();
        let find = |list: &Vec<String>| {
            Listed::find(list, path.unwrap_or_default(), &cage.write)
                .map_err(|errno| (Stage::Programs, errno))
        };
        let listed = cage.programs.as_ref().map(find).transpose()?;
        let filter = Filter::of(&cage);
        Ok(Standing { cage, listed, filter })
    }
}

/// Gives up every right that the cage does not grant. There is no way back.
pub(crate) fn confine(standing: &Standing) -> Result<Confined, (Stage, Errno)> {
    let at = |stage| move |errno| (stage, errno);
    capability::drop_all().map_err(at(Stage::Privileges))?;
    raw::prctl(libc::PR_SET_NO_NEW_PRIVS, 1).map_err(at(Stage::Privileges))?;
    if standing.listed.as_ref().is_some_and(|listed| !listed.programs.is_empty()) {
        refuse_made_code().map_err(at(Stage::Programs))?;
    }
    if standing.cage.walls.landlock > 0 && standing.cage.walls.files {
        let rules = rules(standing).map_err(at(Stage::Files))?;
        rules.restrict_self().map_err(at(Stage::Files))?;
    }
    if !standing.cage.walls.calls {
        return Ok(Confined { listener: None });
    }
    let listener = standing.filter.install().map_err(at(Stage::Calls))?;
    Ok(Confined { listener })
}

/// Memory that was written never becomes code (from Linux 6.3 on).
fn refuse_made_code() -> Result<(), Errno> {
    const SET_MDWE: libc::c_int = 65;
    const REFUSE_EXEC_GAIN: libc::c_ulong = 1;
    raw::prctl(SET_MDWE, REFUSE_EXEC_GAIN)
}

/// Whether this kernel can do that at all.
pub(super) fn can_refuse_made_code() -> bool {
    const GET_MDWE: libc::c_int = 66;
    raw::prctl(GET_MDWE, 0).is_ok()
}

fn rules(standing: &Standing) -> Result<Ruleset, Errno> {
    let cage = &standing.cage;
    let tcp = match cage.net {
        Net::Open => Reach::Free,
        Net::Loopback if cage.walls.netns => Reach::Free,
        Net::Loopback | Net::None => Reach::Shut,
    };
    let rules = Ruleset::new(cage.walls.landlock, tcp)?;
    let execute = if standing.listed.is_some() { EXECUTE } else { 0 };
    let sockets = match cage.net {
        Net::Open => 0,
        Net::Loopback | Net::None => SOCKET,
    };
    grant_reading(&rules, cage, READ & !execute)?;
    if sockets == 0 {
        rules.grant(Path::new("/"), SOCKET)?;
    }
    let write = (WRITE | MOVE) & !execute & !sockets;
    for root in writable_places(cage) {
        rules.grant(&root, write)?;
    }
    for device in DEVICES {
        rules.grant(Path::new(device), DEVICE)?;
    }
    for path in &cage.sockets {
        rules.grant(path, SOCKET)?;
    }
    if let Some(listed) = &standing.listed {
        for program in listed.programs.iter().chain(&listed.loaders) {
            rules.grant(program, EXECUTE | READ_FILE)?;
        }
    }
    Ok(rules)
}

fn grant_reading(rules: &Ruleset, cage: &Cage, rights: u64) -> Result<(), Errno> {
    let everything = cage.read.iter().any(|root| root == Path::new("/"));
    let mut roots: Vec<PathBuf> = cage.read.clone();
    if !everything {
        roots.extend(NEEDED.iter().map(PathBuf::from));
    }
    let mut hidden = placed(&cage.hide);
    if !cage.has_namespaces() {
        hidden.extend(SHARED_PLACES.iter().map(PathBuf::from));
    }
    for root in existing(&roots) {
        // Masks lie over what is hidden now, so directories above it may be listed. What comes
        // later shows its name at most.
        if cage.has_namespaces() {
            rules.grant(&root, rights & READ_DIR)?;
        }
        grant_around(rules, &root, &hidden, rights)?;
    }
    for path in existing(&cage.show) {
        rules.grant(&path, rights & !EXECUTE)?;
    }
    for path in existing(&cage.seen) {
        rules.grant(&path, rights)?;
    }
    Ok(())
}

/// Everything below which may be written.
pub(super) fn writable_places(cage: &Cage) -> Vec<PathBuf> {
    let mut places = cage.write.clone();
    match &cage.tmp {
        Tmp::Host => places.push("/tmp".into()),
        Tmp::Private if cage.has_namespaces() => places.push("/tmp".into()),
        Tmp::Private => {}
        Tmp::Session(path) => {
            if cage.has_namespaces() {
                places.push("/tmp".into());
            }
            places.push(path.clone());
        }
    }
    if cage.has_namespaces() {
        places.extend(["/dev/shm", "/dev/pts", "/dev/ptmx"].map(PathBuf::from));
    }
    places
}
