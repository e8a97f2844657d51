//! Which system calls a caged command may make.
//!
//! Everything is allowed that programs live on; what reaches other processes, the kernel's inner
//! surfaces or the machine as a whole is not. Files are held by Landlock and mounts, not here.

use super::bpf::{Action, Foreign, Instruction, Rules, Steps};
use super::fence::{self, Fence, Kind};
use super::{Cage, Net, raw};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::os::fd::FromRawFd;

/// The flags of clone and unshare that make namespaces (clone(2)): time, mount, cgroup, UTS, IPC,
/// user, pid, network.
const NEW_NAMESPACES: u32 = 0x7e02_0080;
/// Types of unix sockets that send to an address without connecting: datagrams, and raw ones,
/// which the kernel turns into datagrams.
const ADDRESSED_TYPES: [u32; 2] = [2, 3];
/// The bits of a socket's type that name it; the others are flags.
const TYPE: u32 = 0xf;
const PROT_EXEC: u32 = 4;
/// Flags of clone: the numbers of open files are shared, and with a thread or with a process.
const SHARING: u32 = (libc::CLONE_FILES | libc::CLONE_THREAD) as u32;
const MAP_ANONYMOUS: u32 = 0x20;
/// Ignored by the kernel; the C library's loader has always set it.
const MAP_DENYWRITE: u32 = 0x800;

pub(super) const FCHMODAT2: libc::c_long = 452;

/// No command needs these. Our own processes do, before there is one or in its place; those that
/// they do not need either are the fence's.
const NEVER: &[libc::c_long] = &[
    libc::SYS_process_vm_readv,
    libc::SYS_pidfd_getfd,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
];

/// Mode, owner, times and attributes: no part of Landlock. Answered by the warden, object by
/// object, where no read-only mount holds them.
pub(super) const METADATA: &[libc::c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

/// Those of them by which a file can be made to run, or not to: where mounts hold all that lies
/// outside, only these matter for what is protected inside.
const MODES: &[libc::c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
];

/// The bit of O_TMPFILE that is its own: a file without a name, which can get one later.
pub(super) const UNNAMED: u32 = 0o20_000_000;
/// Flags of open that write or make a file.
pub(super) const WRITING: u32 =
    (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC) as u32;
/// Making, moving and taking names, and emptying files by theirs: whether one is protected is the
/// warden's to say. Mounts hold what is at the roots, as long as nobody outside puts something else
/// in its place.
const NAMES: &[libc::c_long] = &[
    libc::SYS_unlinkat,
    libc::SYS_truncate,
    libc::SYS_bind,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rmdir,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_renameat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_creat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_link,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_symlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mknod,
];

/// A filter that is ready for the kernel.
#[derive(Debug)]
pub(super) struct Filter {
    program: Vec<Instruction>,
    asks: bool,
}

/// The kernel's `struct sock_fprog`.
#[repr(C)]
struct Program {
    length: u16,
    first: *const Instruction,
}

impl Filter {
    /// The filter of a command in this cage, which stands behind this fence, or behind none.
    pub(super) fn of(cage: &Cage, fence: Fence) -> Filter {
        let (rules, asks) = own_rules(cage);
        let program = match fence.is_for(cage) {
            true => rules.assemble(Foreign::Elsewhere),
            false => rules.behind(fence::rules(Kind::of(cage))).assemble(Foreign::Here),
        };
        Filter { program, asks }
    }

    /// The part that all commands have in common, by itself.
    pub(super) fn of_fence(kind: Kind) -> Filter {
        Filter { program: fence::rules(kind).assemble(Foreign::Here), asks: false }
    }

    /// Lays the filter over this process. Where somebody must answer calls, the descriptor on
    /// which they arrive is returned.
    pub(super) fn install(&self) -> Result<Option<OwnedFd>, Errno> {
        const SET_MODE_FILTER: libc::c_uint = 1;
        /// A listener; while it answers, only a kill interrupts the asker (from Linux 5.19 on).
        const NEW_LISTENER: libc::c_ulong = 1 << 3;
        const WAIT_KILLABLE: libc::c_ulong = 1 << 5;
        let program = Program { length: self.program.len() as u16, first: self.program.as_ptr() };
        let install = |flags: libc::c_ulong| {
            // SAFETY: `program` leads to as many whole instructions as it says, and both outlive
            // the call, which copies them (seccomp(2)).
            raw::answer(unsafe {
                libc::syscall(libc::SYS_seccomp, SET_MODE_FILTER, flags, &raw const program)
            })
        };
        if !self.asks {
            return install(0).map(|_| None);
        }
        let fd = match install(NEW_LISTENER | WAIT_KILLABLE) {
            Err(Errno::INVAL) => install(NEW_LISTENER),
            other => other,
        }?;
        // SAFETY: with that flag the kernel returns a new descriptor, which nobody else owns.
        Ok(Some(unsafe { OwnedFd::from_raw_fd(fd as i32) }))
    }
}

/// What a command may not do, and our own processes must: and whether somebody must answer.
fn own_rules(cage: &Cage) -> (Rules, bool) {
    let mut rules = Rules::default();
    rules.set_all(NEVER, Action::Fail(libc::EPERM));
    // Its flags lie in memory, where a filter cannot see them and another thread can turn them
    // while the warden looks; programs take openat instead.
    rules.set_all(&[libc::SYS_openat2], Action::Fail(libc::ENOSYS));
    let deny = Action::Fail(libc::EPERM);
    let namespaces = || Steps::new().when_any_bit(0, NEW_NAMESPACES, deny).otherwise(Action::Allow);
    rules.set(libc::SYS_clone, namespaces());
    rules.set(libc::SYS_unshare, namespaces());
    leave_no_core(&mut rules, cage);
    // Whoever cannot be looked into can neither be answered nor counted, and nobody here could
    // trace it.
    let hides = (0, libc::PR_SET_DUMPABLE as u32);
    let hides = Steps::new().when_pair(hides, (1, u32::MAX, &[0]), Action::Fail(0));
    rules.set(libc::SYS_prctl, hides.otherwise(Action::Allow));
    let asked = cage.walls.files && !cage.has_namespaces();
    if asked {
        rules.set_all(METADATA, Action::Ask);
        rules.set(libc::SYS_inotify_add_watch, Steps::always(Action::Ask));
    }
    sockets(&mut rules, cage);
    // No command traces another one. It is refused by whoever can tell of it.
    rules.set_all(&[libc::SYS_ptrace], refused(cage, libc::EPERM));
    if cage.walls.gate {
        rules.set_all(MODES, Action::Ask);
        rules.set_all(NAMES, Action::Ask);
    }
    openings(&mut rules, cage);
    let asks = programs(&mut rules, cage) || asked || cage.walls.gate;
    (rules, asks)
}

/// The first process of a namespace is ours; all others that can be seen there are the command's.
const FIRST: [u32; 1] = [1];

/// The limit of core files is what keeps the machine's own program for crashes from being started,
/// and only as it is. Programs that keep secrets set it to nought and end where they cannot.
fn leave_no_core(rules: &mut Rules, cage: &Cage) {
    const CORE: u32 = libc::RLIMIT_CORE as _;
    let as_if_done = Action::Fail(0);
    let setting = Steps::new().when_one_of(0, &[CORE], as_if_done);
    rules.set(libc::SYS_setrlimit, setting.otherwise(Action::Allow));
    // Reading somebody's limits is harmless; setting takes a third argument.
    let setting = Steps::new().when_zero(2, Action::Allow).when_one_of(1, &[CORE], as_if_done);
    let setting = if cage.has_namespaces() {
        setting.when_one_of(0, &FIRST, Action::Fail(libc::EPERM)).otherwise(Action::Allow)
    } else {
        setting.when_one_of(0, &[0], Action::Allow).otherwise(Action::Fail(libc::EPERM))
    };
    rules.set(libc::SYS_prlimit64, setting);
}

/// Where there is a gate, the warden is asked about files that are opened to be written or made,
/// and where something is hidden in a root, about all others too. Without mounts it tells of
/// directories that cannot be listed.
fn openings(rules: &mut Rules, cage: &Cage) {
    let reads = !cage.carved().is_empty();
    for (call, flags) in [
        (libc::SYS_openat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, 1),
    ] {
        let steps = match (reads, cage.walls.gate) {
            (true, _) => Steps::always(Action::Ask),
            (false, true) => {
                let steps = Steps::new().when_any_bit(flags, WRITING | UNNAMED, Action::Ask);
                listings(steps, call, cage).otherwise(Action::Allow)
            }
            (false, false) => continue,
        };
        rules.set(call, steps);
    }
}

/// Without mounts: directories that are opened by a path, and not on a walk through a tree, where
/// each question would cost as much as the walk.
fn listings(steps: Steps, call: libc::c_long, cage: &Cage) -> Steps {
    const FLAGS: u32 = (libc::O_DIRECTORY | libc::O_PATH) as u32;
    if cage.has_namespaces() || call != libc::SYS_openat {
        return steps;
    }
    let lists = [libc::O_DIRECTORY as u32];
    steps.when_pair((0, libc::AT_FDCWD as u32), (2, FLAGS, &lists), Action::Ask)
}

/// A refusal: by the warden where it listens, which says the same and can tell of it.
fn refused(cage: &Cage, errno: i32) -> Action {
    if cage.walls.gate { Action::Ask } else { Action::Fail(errno) }
}

/// Which families of sockets can be made.
fn sockets(rules: &mut Rules, cage: &Cage) {
    const UNIX: u32 = libc::AF_UNIX as u32;
    const INTERNET: [u32; 2] = [libc::AF_INET as u32, libc::AF_INET6 as u32];
    /// Asking for the addresses and routes of the namespace; the other protocols of netlink
    /// reach further.
    const ROUTES: u32 = 0;
    let deny = Action::Fail(libc::EACCES);
    let refused = refused(cage, libc::EACCES);
    // A pair of another family would be a socket of it.
    let pairs = Steps::new().when_pair((0, UNIX), (1, TYPE, &ADDRESSED_TYPES), deny);
    let pairs = pairs.when_one_of(0, &[UNIX], Action::Allow);
    match cage.net {
        // Packet, vsock and the like need rights that the command does not have.
        Net::Open => return,
        Net::None => rules.set(libc::SYS_socket, unix_sockets(cage).otherwise(refused)),
        Net::Loopback => {
            let steps = unix_sockets(cage).when_one_of(0, &INTERNET, Action::Allow);
            let netlink = (0, libc::AF_NETLINK as u32);
            let steps = steps.when_pair(netlink, (2, u32::MAX, &[ROUTES]), Action::Allow);
            rules.set(libc::SYS_socket, steps.otherwise(refused));
        }
    }
    // There is a wall behind the question, a namespace or Landlock, and the call goes on.
    let held = cage.net == Net::Loopback && cage.walls.netns || tells_sockets_apart(cage);
    if cage.walls.gate && held {
        rules.set_all(&[libc::SYS_connect], Action::Ask);
    }
    rules.set(libc::SYS_socketpair, pairs.otherwise(deny));
}

/// Whether rules hold listeners outside; without a part for files none are laid.
fn tells_sockets_apart(cage: &Cage) -> bool {
    cage.walls.files && cage.walls.landlock >= super::landlock::UNIX_BY_PATH
}

/// Unix sockets reach listeners outside by their path, and only Landlock from its ninth version
/// on can tell these apart. Before it there are pairs alone.
fn unix_sockets(cage: &Cage) -> Steps {
    const UNIX: u32 = libc::AF_UNIX as u32;
    let steps = Steps::new();
    if !tells_sockets_apart(cage) {
        return steps;
    }
    steps.when_pair((0, UNIX), (1, TYPE, &[1, 5]), Action::Allow)
}

/// Code that does not come from a listed program. Tells whether somebody must answer.
fn programs(rules: &mut Rules, cage: &Cage) -> bool {
    let Some(list) = &cage.programs else { return false };
    rules.set_all(&[libc::SYS_memfd_create], Action::Fail(libc::ENOSYS));
    if list.is_empty() {
        rules.set_all(&[libc::SYS_execve, libc::SYS_execveat], Action::Fail(libc::EACCES));
        return false;
    }
    // Asked about once in each program, before its libraries begin.
    rules.set(libc::SYS_set_tid_address, Steps::always(Action::Ask));
    let deny = Action::Fail(libc::EACCES);
    // Memory that was written never becomes code: that is refused by another setting. It does not
    // hold for what is shared, which is code in one place and written through another.
    let steps = Steps::new().when_bits_of_both((2, PROT_EXEC), (3, MAP_ANONYMOUS), deny);
    let steps = steps.when_any_bit(3, MAP_ANONYMOUS, Action::Allow);
    // Loaders map whatever they load with a flag that means nothing to the kernel. Of others the
    // warden answers what is mapped as code: files in memory lie on no mount that would forbid it.
    let steps = steps.when_any_bit(3, MAP_DENYWRITE, Action::Ask);
    let steps = steps.when_no_bit(2, PROT_EXEC, Action::Allow);
    rules.set(libc::SYS_mmap, steps.otherwise(Action::Ask));
    // Whoever shares the numbers of open files with another process could turn them while the
    // warden looks. Threads do too, and the warden asks for those.
    let steps = Steps::new().when_any_bit(0, NEW_NAMESPACES, Action::Fail(libc::EPERM));
    let steps = steps.when_masked((0, SHARING), &[libc::CLONE_FILES as u32], deny);
    rules.set(libc::SYS_clone, steps.otherwise(Action::Allow));
    if cage.has_namespaces() {
        // Without namespaces there are no segments at all.
        let steps = Steps::new().when_any_bit(2, libc::SHM_EXEC as u32, deny);
        rules.set(libc::SYS_shmat, steps.otherwise(Action::Allow));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::bpf::run;
    use super::super::{Namespaces, Tmp, Walls};
    use super::*;

    /// Arguments that each call is tried with in each cage: a few seconds in all.
    const DRAWS: usize = 12;

    /// Cages of all kinds that filters differ by.
    fn cages() -> Vec<Cage> {
        let mut all = Vec::new();
        let nets = [Net::None, Net::Loopback, Net::Open];
        let programs = [None, Some(Vec::new()), Some(vec!["git".to_string()])];
        for namespaces in [Namespaces::Root, Namespaces::User, Namespaces::None] {
            for (files, gate) in [(true, true), (true, false), (false, false)] {
                for landlock in [7, 9] {
                    for (net, programs) in nets.iter().flat_map(|net| {
                        programs.iter().map(move |programs| (net, programs.clone()))
                    }) {
                        let calls = true;
                        let netns = namespaces != Namespaces::None && *net != Net::Open;
                        let walls = Walls { landlock, files, gate, calls, namespaces, netns };
                        let (write, tmp) = (vec!["/w".into()], Tmp::Private);
                        let net = *net;
                        let cage = Cage { walls, net, programs, write, tmp, ..Cage::default() };
                        all.push(Cage { hide: vec!["/w/.env".into()], ..cage.clone() });
                        all.push(cage);
                    }
                }
            }
        }
        all
    }

    /// Values that filters look for, and some that they do not.
    fn values() -> Vec<u64> {
        let mut all: Vec<u64> = (0..=6).collect();
        all.extend([16, 31, 0o644, 0o2755, 0o4755, 0o6755, 0o100, 0o1102, 0o20_000_102]);
        all.extend([0x5412, 0x541c, 0x5401, 0xc050_6617, 0x8008_6601, 0x4008_6602, 0x9436]);
        all.extend([1024, 1030, 1036, 1038, 1040, 0x1000_0000, 0x2_0000, 0x800, 0x22, 0x400]);
        all.extend([0x10_0f00, 0x8_0002, 0x8_0001, u64::MAX, 0xffff_ffff, 0x4_0000, 1 << 40]);
        all
    }

    /// What the kernel does where several filters answer: the strictest, of these that we use, and
    /// of two alike the newer one.
    fn strictest(one: u32, other: u32) -> u32 {
        let rank = |answer: u32| match answer & 0xffff_0000 {
            0x0005_0000 => 0,
            0x7fc0_0000 => 1,
            0x7fff_0000 => 2,
            unknown => panic!("{unknown:x}"),
        };
        if rank(other) < rank(one) { other } else { one }
    }

    #[test]
    fn the_longest_filter_fits_the_kernel() {
        let cage = Cage { programs: Some(vec!["git".into()]), ..Cage::default() };
        let filter = Filter::of(&cage, Fence::default());
        assert!(filter.asks);
        assert!(filter.program.len() < 4096, "{}", filter.program.len());
    }

    #[test]
    fn a_fence_and_the_rest_answer_as_the_whole_does() {
        let values = values();
        let mut seed = 1u32;
        let mut draw = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            values[(seed >> 8) as usize % values.len()]
        };
        for cage in cages() {
            let fence = Filter::of_fence(Kind::of(&cage)).program;
            let rest = own_rules(&cage).0.assemble(Foreign::Elsewhere);
            let whole = Filter::of(&cage, Fence::default()).program;
            for call in (0..480).chain([0x4000_0000, 0x4000_003b]) {
                for _ in 0..DRAWS {
                    let arguments = [(); 6].map(|()| draw());
                    let answer = |program: &[_]| run(program, call, arguments);
                    let both = strictest(answer(&rest), answer(&fence));
                    assert_eq!(both, answer(&whole), "call {call}, {arguments:x?}, {cage:?}");
                }
            }
        }
    }

    #[test]
    fn whoever_listens_is_asked_what_the_filter_would_refuse_and_nothing_more() {
        let errors = [(libc::SYS_socket, libc::EACCES), (libc::SYS_ptrace, libc::EPERM)];
        let ask = 0x7fc0_0000;
        for cage in cages().into_iter().filter(|cage| cage.walls.gate) {
            let walls = Walls { gate: false, ..cage.walls };
            let silent = Cage { walls, ..cage.clone() };
            let [with, without] =
                [&cage, &silent].map(|cage| Filter::of(cage, Fence::default()).program);
            for (call, errno) in errors {
                for first in 0..48 {
                    for second in [0, 1, 2, 3, 5, 0x8_0801, 0x8_0002, u64::MAX] {
                        let arguments = [first, second, 0, 0, 0, 0];
                        let on = |program: &[_]| run(program, call as u32, arguments);
                        let expected = match on(&without) {
                            refused if refused == 0x0005_0000 | errno as u32 => ask,
                            allowed => allowed,
                        };
                        assert_eq!(on(&with), expected, "{call} {arguments:x?} {cage:?}");
                        assert!([ask, 0x7fff_0000].contains(&expected), "{call} {arguments:x?}");
                    }
                }
            }
            // A question that goes on is no wall, so there must be one behind it.
            let on = |program: &[_]| run(program, libc::SYS_connect as u32, [0; 6]);
            let spaces = cage.net == Net::Loopback && cage.walls.netns;
            let held = spaces || cage.net != Net::Open && cage.walls.landlock >= 9;
            assert_eq!(on(&with), if held { ask } else { 0x7fff_0000 }, "{cage:?}");
            assert_eq!(on(&without), 0x7fff_0000);
        }
    }

    #[test]
    fn unix_sockets_are_made_only_where_rules_hold_their_listeners() {
        for cage in cages().into_iter().filter(|cage| cage.net != Net::Open) {
            let program = Filter::of(&cage, Fence::default()).program;
            let unix = [libc::AF_UNIX as u64, libc::SOCK_STREAM as u64, 0, 0, 0, 0];
            let is_made = run(&program, libc::SYS_socket as u32, unix) == 0x7fff_0000;
            let held = cage.walls.files && cage.walls.landlock >= 9;
            assert_eq!(is_made, held, "{cage:?}");
        }
    }

    #[test]
    fn no_snapshot_is_made_and_nothing_else_of_files_is_lost() {
        /// Making and destroying snapshots and subvolumes of btrfs, by all their numbers; and of
        /// bcachefs.
        const SNAPSHOTS: [u64; 8] = [
            0x5000_9401,
            0x5000_9417,
            0x5000_940e,
            0x5000_9418,
            0x5000_940f,
            0x5000_943f,
            0x4020_bc10,
            0x4020_bc11,
        ];
        /// Sharing the bytes of two files, and asking for flags and extents.
        const HARMLESS: [u64; 5] =
            [0x4004_9409, 0x4020_940d, 0xc018_9436, 0x8008_6601, 0xc020_660b];
        for cage in cages() {
            let program = Filter::of(&cage, Fence::default()).program;
            let on = |number: u64| run(&program, libc::SYS_ioctl as u32, [3, number, 0, 0, 0, 0]);
            for number in SNAPSHOTS {
                assert_eq!(on(number), 0x0005_0000 | libc::EOPNOTSUPP as u32, "{number:x}");
                assert_eq!(on(number | 1 << 40), on(number), "{number:x}");
            }
            for number in HARMLESS {
                assert_eq!(on(number), 0x7fff_0000, "{number:x}");
            }
        }
    }

    #[test]
    fn a_fence_is_only_for_cages_of_its_kind() {
        let cages = cages();
        let fence = |cage: &Cage| Fence::of_kind(Kind::of(cage));
        let first = |kind| cages.iter().find(|cage| cage.walls.namespaces == kind).unwrap();
        let (with, without) = (first(Namespaces::Root), first(Namespaces::None));
        assert!(fence(with).is_for(with) && fence(without).is_for(without));
        assert!(!fence(with).is_for(without) && !fence(without).is_for(with));
        assert!(!Fence::default().is_for(with));
        let lengths = |cage: &Cage| {
            [Fence::default(), fence(cage)].map(|fence| Filter::of(cage, fence).program.len())
        };
        for [whole, rest] in [lengths(with), lengths(without)] {
            assert!(rest * 2 < whole, "{rest} of {whole} are left to lay for each command");
        }
    }
}
