//! Which system calls a caged command may make.
//!
//! Everything is allowed that programs live on; what reaches other processes, the kernel's inner
//! surfaces or the machine as a whole is not. Files are held by Landlock and mounts, not here.

use super::bpf::{Action, Instruction, Rules, Steps};
use super::{Cage, Net, raw};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::os::fd::FromRawFd;

/// The flags of clone and unshare that make namespaces (clone(2)): time, mount, cgroup, UTS, IPC,
/// user, pid, network.
const NEW_NAMESPACES: u32 = 0x7e02_0080;
/// Pushing bytes into a terminal as if they were typed, and the console's own way to do that.
const TERMINAL_INJECTION: [u32; 2] = [0x5412, 0x541c];
/// Keys of encrypted directories, which everybody on the machine has in common: add, remove, remove
/// for all.
const KEYS_OF_FILES: [u32; 3] = [0xc050_6617, 0xc040_6618, 0xc040_6619];
/// The second byte of a number names who has given it out. These are of file systems, and many of
/// them change a file or directory through a descriptor for reading: flags, versions, attributes,
/// verity, encryption, subvolumes. One by one, each file system would have one more.
const OF_FILE_SYSTEMS: [u32; 8] = [0x6600, 0x5800, 0x7600, 0x9400, 0xf500, 0x9700, 0xcf00, 0x7200];
const GIVEN_OUT_BY: u32 = 0xff00;
/// Those that only tell something, or write to a descriptor for writing: flags, version,
/// attributes, extents, label, map, policy, verity; cloning; of btrfs its own flags, features and
/// the owner of a number; of FAT its attributes.
const TELLING: [u32; 21] = [
    0x8008_6601,
    0x8008_7601,
    0x8008_6603,
    0x801c_581f,
    0xc020_660b,
    0x8100_9431,
    0xc0c0_583b,
    0x400c_6615,
    0xc009_6616,
    0xc004_6686,
    0xc028_6687,
    0x4004_9409,
    0x4020_940d,
    0xc018_9436,
    0x8008_9419,
    0x8018_9439,
    0x8400_941f,
    0xd000_9412,
    0x81f8_943c,
    0x8004_7210,
    0xc010_9414,
];
/// IOPRIO_WHO_USER (ioprio_set(2)).
const DISK_PRIORITY_OF_A_USER: u32 = 3;
/// A program with this bit lends its owner's rights to whoever starts it, long after the job.
const SET_USER: u32 = 0o4000;
/// One with this bit those of its group; directories may have it.
pub(super) const SET_GROUP: u32 = 0o2000;
/// What whoever may only read a file can lay on it for all others (fcntl(2)): a lease stops them
/// from opening it, and so does a delegation; how long its content will live is a hint to the disk.
const LAID_ON_FILES: [u32; 4] = [1024, 1040, 1036, 1038];
/// Asking only, the usual one, and without address randomisation, which debuggers like.
const PERSONALITIES: [u32; 3] = [0, 0xffff_ffff, 0x0004_0000];
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

/// Calls newer than the C library's list, with the same number everywhere.
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const OPEN_TREE_ATTR: libc::c_long = 467;
const FILE_SETATTR: libc::c_long = 469;
pub(super) const FCHMODAT2: libc::c_long = 452;

/// No command needs these; most need rights that it does not have, and all reach beyond it.
const NEVER: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
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
    OPEN_TREE_ATTR,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_open_by_handle_at,
    libc::SYS_vhangup,
    libc::SYS_syslog,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    libc::SYS_fanotify_init,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];

/// Programs ask whether the kernel has these and live without.
const ABSENT: &[libc::c_long] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Their flags lie in memory, where a filter cannot see them and another thread can turn them
    // while the warden looks; programs take clone and openat instead.
    libc::SYS_clone3,
    libc::SYS_openat2,
    // What lies there the kernel reads and the warden does not.
    libc::SYS_memfd_secret,
];

/// Shared memory, semaphores and queues that live beside all processes of the machine.
const SHARED: &[libc::c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
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
    /// The filter of a cage.
    pub(super) fn of(cage: &Cage) -> Filter {
        let mut rules = Rules::default();
        rules.set_all(NEVER, Action::Fail(libc::EPERM));
        rules.set_all(ABSENT, Action::Fail(libc::ENOSYS));
        let deny = Action::Fail(libc::EPERM);
        let namespaces =
            || Steps::new().when_any_bit(0, NEW_NAMESPACES, deny).otherwise(Action::Allow);
        rules.set(libc::SYS_clone, namespaces());
        rules.set(libc::SYS_unshare, namespaces());
        rules.set(
            libc::SYS_personality,
            Steps::new().when_one_of(0, &PERSONALITIES, Action::Allow).otherwise(deny),
        );
        let mut ioctl = Steps::new().when_one_of(1, &TERMINAL_INJECTION, deny);
        ioctl = ioctl.when_one_of(1, &KEYS_OF_FILES, deny);
        leave_no_core(&mut rules, cage);
        // Whoever cannot be looked into can neither be answered nor counted, and nobody here could
        // trace it.
        let hides = (0, libc::PR_SET_DUMPABLE as u32);
        let hides = Steps::new().when_pair(hides, (1, u32::MAX, &[0]), Action::Fail(0));
        rules.set(libc::SYS_prctl, hides.otherwise(Action::Allow));
        if !cage.has_namespaces() {
            hold_without_namespaces(&mut rules);
        }
        let asked = cage.walls.files && !cage.has_namespaces();
        if asked {
            let changes = Action::Fail(libc::EOPNOTSUPP);
            ioctl = ioctl.when_one_of(1, &TELLING, Action::Allow);
            ioctl = ioctl.when_masked((1, GIVEN_OUT_BY), &OF_FILE_SYSTEMS, changes);
            rules.set(libc::SYS_inotify_add_watch, Steps::always(Action::Ask));
        }
        let otherwise = if asked || cage.walls.gate { Action::Ask } else { Action::Allow };
        if otherwise == Action::Ask {
            let calls = if asked { METADATA } else { MODES };
            rules.set_all(calls, Action::Ask);
            let newer = [SETXATTRAT, REMOVEXATTRAT, FILE_SETATTR];
            rules.set_all(&newer, Action::Fail(libc::ENOSYS));
        }
        lend_nothing(&mut rules, otherwise);
        rules.set(libc::SYS_ioctl, ioctl.otherwise(Action::Allow));
        sockets(&mut rules, cage);
        if cage.walls.gate {
            rules.set_all(NAMES, Action::Ask);
        }
        births(&mut rules, cage);
        let asks = programs(&mut rules, cage) || asked || cage.walls.gate;
        Filter { program: rules.assemble(), asks }
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

/// No program that lends its owner's rights, and no lease or hint on a file.
fn lend_nothing(rules: &mut Rules, otherwise: Action) {
    let deny = Action::Fail(libc::EPERM);
    for (call, mode) in [
        (libc::SYS_fchmod, 1),
        (libc::SYS_fchmodat, 2),
        (FCHMODAT2, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, 1),
    ] {
        rules.set(call, Steps::new().when_any_bit(mode, SET_USER, deny).otherwise(otherwise));
    }
    let laid = Steps::new().when_one_of(1, &LAID_ON_FILES, deny);
    rules.set(libc::SYS_fcntl, laid.otherwise(Action::Allow));
}

/// The first process of a namespace is ours; all others that can be seen there are the command's.
const FIRST: [u32; 1] = [1];

/// What namespaces would keep apart by themselves.
fn hold_without_namespaces(rules: &mut Rules) {
    let deny = Action::Fail(libc::EPERM);
    rules.set_all(SHARED, Action::Fail(libc::ENOSYS));
    for call in [
        libc::SYS_sched_setaffinity,
        libc::SYS_sched_setscheduler,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setattr,
    ] {
        rules.set(call, Steps::new().when_one_of(0, &[0], Action::Allow).otherwise(deny));
    }
    // Nought means the caller itself, or its group, which is the command's own; of a user it would
    // mean all processes of that user.
    let never_a_user = |which| Steps::new().when_one_of(0, &[which], deny);
    let own = |which| never_a_user(which).when_zero(1, Action::Allow).otherwise(deny);
    rules.set(libc::SYS_setpriority, own(libc::PRIO_USER));
    rules.set(libc::SYS_ioprio_set, own(DISK_PRIORITY_OF_A_USER));
}

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

/// Files are born without the bits that lend rights to whoever starts them, and after a question
/// where there is a gate.
fn births(rules: &mut Rules, cage: &Cage) {
    let deny = Action::Fail(libc::EPERM);
    let making = libc::O_CREAT as u32 | UNNAMED;
    let reads = !cage.carved().is_empty();
    for (call, flags) in [
        (libc::SYS_openat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, 1),
    ] {
        let mut steps = Steps::new().when_bits_of_both(
            (flags, making),
            (flags + 1, SET_USER | SET_GROUP),
            deny,
        );
        if cage.walls.gate {
            steps = steps.when_any_bit(flags, WRITING | UNNAMED, Action::Ask);
        }
        rules.set(call, steps.otherwise(if reads { Action::Ask } else { Action::Allow }));
    }
    let otherwise = if cage.walls.gate { Action::Ask } else { Action::Allow };
    for (call, mode) in [
        (libc::SYS_mknodat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mknod, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_creat, 1),
    ] {
        rules.set(
            call,
            Steps::new().when_any_bit(mode, SET_USER | SET_GROUP, deny).otherwise(otherwise),
        );
    }
}

/// Which families of sockets can be made.
fn sockets(rules: &mut Rules, cage: &Cage) {
    const UNIX: u32 = libc::AF_UNIX as u32;
    const INTERNET: [u32; 2] = [libc::AF_INET as u32, libc::AF_INET6 as u32];
    /// Asking for the addresses and routes of the namespace; the other protocols of netlink
    /// reach further.
    const ROUTES: u32 = 0;
    let deny = Action::Fail(libc::EACCES);
    // A pair of another family would be a socket of it.
    let pairs = Steps::new().when_pair((0, UNIX), (1, TYPE, &ADDRESSED_TYPES), deny);
    let pairs = pairs.when_one_of(0, &[UNIX], Action::Allow);
    match cage.net {
        // Packet, vsock and the like need rights that the command does not have.
        Net::Open => return,
        Net::None => rules.set(libc::SYS_socket, unix_sockets(cage).otherwise(deny)),
        Net::Loopback => {
            let steps = unix_sockets(cage).when_one_of(0, &INTERNET, Action::Allow);
            let netlink = (0, libc::AF_NETLINK as u32);
            let steps = steps.when_pair(netlink, (2, u32::MAX, &[ROUTES]), Action::Allow);
            rules.set(libc::SYS_socket, steps.otherwise(deny));
        }
    }
    rules.set(libc::SYS_socketpair, pairs.otherwise(deny));
}

/// Unix sockets reach listeners outside by their path, and only Landlock from its ninth version
/// on can tell these apart. Before it there are pairs alone.
fn unix_sockets(cage: &Cage) -> Steps {
    const UNIX: u32 = libc::AF_UNIX as u32;
    let steps = Steps::new();
    if cage.walls.landlock < super::landlock::UNIX_BY_PATH {
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
    use super::*;

    #[test]
    fn the_longest_filter_fits_the_kernel() {
        let cage = Cage { programs: Some(vec!["git".into()]), ..Cage::default() };
        let filter = Filter::of(&cage);
        assert!(filter.asks);
        assert!(filter.program.len() < 4096, "{}", filter.program.len());
    }
}
