//! Every capability away, for good.

use super::raw;
use rustix::io::Errno;

/// More than the kernel has; it answers EINVAL beyond its last one.
const MOST_CAPABILITIES: libc::c_ulong = 64;
/// NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each with its lock (capabilities(7)).
const SECURE_BITS: libc::c_ulong = 0b1100_1111;
/// `_LINUX_CAPABILITY_VERSION_3`.
const VERSION: u32 = 0x2008_0522;

#[repr(C)]
struct Header {
    version: u32,
    pid: i32,
}

/// What one word of a set holds: effective, permitted, inheritable.
type Sets = [[u32; 3]; 2];
/// CAP_DAC_OVERRIDE: directories of groups are often read-only, even for their owner.
const OVERRIDE: u32 = 1 << 1;

/// What is known of the set that bounds what executing can bring.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Bounds {
    /// Nothing.
    #[default]
    Unknown,
    /// It is whole, as in every new user namespace.
    Full,
    /// A process above this one emptied it, in the same user namespace.
    Empty,
}

/// Nothing effective, permitted, inheritable, ambient or to be had by executing.
pub(crate) fn drop_all(bounds: Bounds) -> Result<(), Errno> {
    shut_ways_back(bounds);
    set([[0; 3]; 2])
}

/// Empties the set that bounds what executing can bring, for this process and all that it forks.
/// What they have they keep. It takes longer than all else that a cage needs of capabilities.
pub(crate) fn empty_bounds() -> Bounds {
    empty(Bounds::Unknown)
}

/// How many capabilities there are: the kernel knows no number from this one on.
pub(super) fn count() -> libc::c_ulong {
    let is_one = |number: &libc::c_ulong| raw::prctl_value(libc::PR_CAPBSET_READ, *number).is_ok();
    (0..MOST_CAPABILITIES).take_while(is_one).count() as libc::c_ulong
}

/// Empties that set in a user namespace that this process has just entered, where it is whole.
/// There are so many, and nothing fails where that is true. Allocates nothing.
pub(super) fn empty_whole_bounds(count: libc::c_ulong) -> Result<(), Errno> {
    (0..count).try_for_each(|number| raw::prctl(libc::PR_CAPBSET_DROP, number))
}

fn empty(before: Bounds) -> Bounds {
    for number in 0..MOST_CAPABILITIES {
        // To ask is a tenth of the price of dropping, and mostly somebody above us has dropped it.
        let is_in = match before {
            Bounds::Full => Ok(1),
            Bounds::Unknown | Bounds::Empty => raw::prctl_value(libc::PR_CAPBSET_READ, number),
        };
        match is_in {
            Ok(0) => {}
            Ok(_) if raw::prctl(libc::PR_CAPBSET_DROP, number).is_ok() => {}
            // Beyond the last one.
            Err(_) if number > 0 => return Bounds::Empty,
            Ok(_) | Err(_) => break,
        }
    }
    Bounds::Unknown
}

/// What a warden keeps, though it has no effect: see [`with_reserve`] and [`raise_reserve`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reserve {
    /// What the group of its job needs.
    Group,
    /// What the cage of the next command needs.
    NextCage,
}

/// The same for a warden, who keeps some in reserve, where it has them. Without effect they are no
/// part of what it does for the command.
pub(crate) fn drop_all_but(reserve: Reserve, bounds: Bounds) -> Result<(), Errno> {
    shut_ways_back(bounds);
    let [[_, low, _], [_, high, _]] = sets().unwrap_or_default();
    match reserve {
        Reserve::Group => set([[0, low & OVERRIDE, 0], [0; 3]]),
        Reserve::NextCage => set([[0, low, 0], [0, high, 0]]),
    }
}

/// The builder of the next cage takes up what its warden kept for it.
pub(crate) fn raise_reserve() {
    let [[_, low, _], [_, high, _]] = sets().unwrap_or_default();
    // Where there is nothing, the cage is built without.
    let _ = set([[low, low, 0], [high, high, 0]]);
}

/// Does something with what is in reserve for groups, if anything is.
pub(crate) fn with_reserve<T>(act: impl FnOnce() -> T) -> T {
    let [[effective, low, _], [_, high, _]] = sets().unwrap_or_default();
    let reserved = low & OVERRIDE != 0 && effective == 0;
    let raised = reserved && set([[OVERRIDE, low, 0], [0, high, 0]]).is_ok();
    let done = act();
    if raised && set([[0, low, 0], [0, high, 0]]).is_err() {
        // To lower is always allowed; a kernel that refuses cannot be trusted with more.
        crate::after_fork::leave();
    }
    done
}

/// No capability by executing, and none by the user's number. Both need CAP_SETPCAP; whoever has it
/// not has nothing to lose either.
fn shut_ways_back(bounds: Bounds) {
    let _ = raw::prctl(libc::PR_SET_SECUREBITS, SECURE_BITS);
    match bounds {
        Bounds::Unknown | Bounds::Full => drop(empty(bounds)),
        Bounds::Empty => {}
    }
}

fn set(sets: Sets) -> Result<(), Errno> {
    let header = Header { version: VERSION, pid: 0 };
    // SAFETY: version 3 takes a header and two blocks of three words, which outlive the call;
    // pid 0 means this thread (capset(2)).
    let done = unsafe { libc::syscall(libc::SYS_capset, &raw const header, &raw const sets) };
    raw::answer(done).map(drop)
}

fn sets() -> Option<Sets> {
    let mut header = Header { version: VERSION, pid: 0 };
    let mut sets: Sets = [[0; 3]; 2];
    // SAFETY: version 3 fills two blocks of three words, which outlive the call; the header too.
    let done = unsafe { libc::syscall(libc::SYS_capget, &raw mut header, &raw mut sets) };
    raw::answer(done).ok().map(|_| sets)
}
