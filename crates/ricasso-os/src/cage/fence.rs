//! What no command may call, and nobody of ours either: one part of every command's filter.
//!
//! The kernel translates a filter anew for each command that lays it, and hands it on for nothing
//! to whoever is forked behind it. So a keeper whose commands are all in cages lays this part over
//! itself, once, and their own filters are shorter by it. Where it is not laid, filters have it in
//! them. Nothing may be in it that a keeper, a warden or a first process needs.

use super::Cage;
use super::bpf::{Action, Rules, Steps};
use super::confine::refuse_privileges;
use super::filter::{FCHMODAT2, Filter, UNNAMED};

/// Pushing bytes into a terminal as if they were typed, and the console's own way to do that.
const TERMINAL_INJECTION: [u32; 2] = [0x5412, 0x541c];
/// Keys of encrypted directories, which everybody on the machine has in common: add, remove, remove
/// for all.
const KEYS_OF_FILES: [u32; 3] = [0xc050_6617, 0xc040_6618, 0xc040_6619];
/// The second byte of a number names who has given it out. These are of file systems, and many of
/// them change a file or directory through a descriptor for reading: flags, versions, attributes,
/// verity, encryption, subvolumes. One by one, each file system would have one more.
const OF_FILE_SYSTEMS: [u32; 9] =
    [0x6600, 0x5800, 0x7600, 0x9400, 0xf500, 0x9700, 0xcf00, 0x7200, 0xbc00];
/// Those of file systems with snapshots (btrfs, bcachefs): one that is made in the workspace shows
/// everything that lies on the same file system, whatever is laid over it.
const OF_SNAPSHOTS: [u32; 2] = [0x9400, 0xbc00];
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

/// Calls newer than the C library's list, with the same number everywhere.
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const OPEN_TREE_ATTR: libc::c_long = 467;
const FILE_SETATTR: libc::c_long = 469;

/// No command needs these; most need rights that it does not have, and all reach beyond it.
const NEVER: &[libc::c_long] = &[
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
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
    // Its flags lie in memory, where a filter cannot see them; programs take clone instead.
    libc::SYS_clone3,
    // What lies there the kernel reads and the warden does not.
    libc::SYS_memfd_secret,
    // Programs take the calls that were there before, which the warden knows.
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
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

/// A fence round this process and all that it forks, if there is one. Only laying makes one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Fence(Option<Kind>);

/// What a fence depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    namespaces: bool,
    /// Whether files are held, and by Landlock alone.
    landlock_alone: bool,
}

impl Kind {
    pub(super) fn of(cage: &Cage) -> Kind {
        let namespaces = cage.has_namespaces();
        Kind { namespaces, landlock_alone: cage.walls.files && !namespaces }
    }
}

impl Fence {
    /// Lays it over this process, for good, unless there is one: for commands in cages like this
    /// one. Where the kernel refuses, there is none, and commands have all of it themselves.
    pub(crate) fn lay(self, cage: &Cage) -> Fence {
        if self.0.is_some() || !cage.walls.calls {
            return self;
        }
        let kind = Kind::of(cage);
        let laid = refuse_privileges().and_then(|()| Filter::of_fence(kind).install());
        Fence(laid.is_ok().then_some(kind))
    }

    /// One that was never laid.
    #[cfg(test)]
    pub(super) fn of_kind(kind: Kind) -> Fence {
        Fence(Some(kind))
    }

    /// Whether commands in this cage need not have its rules themselves.
    pub(super) fn is_for(self, cage: &Cage) -> bool {
        self.0 == Some(Kind::of(cage))
    }
}

/// Its rules. What they let go on, a command's own decide.
pub(super) fn rules(kind: Kind) -> Rules {
    let deny = Action::Fail(libc::EPERM);
    let mut rules = Rules::default();
    rules.set_all(NEVER, deny);
    rules.set_all(ABSENT, Action::Fail(libc::ENOSYS));
    let usual = Steps::new().when_one_of(0, &PERSONALITIES, Action::Allow);
    rules.set(libc::SYS_personality, usual.otherwise(deny));
    let mut ioctl = Steps::new().when_one_of(1, &TERMINAL_INJECTION, deny);
    ioctl = ioctl.when_one_of(1, &KEYS_OF_FILES, deny);
    let shut = if kind.landlock_alone { &OF_FILE_SYSTEMS[..] } else { &OF_SNAPSHOTS[..] };
    ioctl = ioctl.when_one_of(1, &TELLING, Action::Allow);
    ioctl = ioctl.when_masked((1, GIVEN_OUT_BY), shut, Action::Fail(libc::EOPNOTSUPP));
    rules.set(libc::SYS_ioctl, ioctl.otherwise(Action::Allow));
    let laid = Steps::new().when_one_of(1, &LAID_ON_FILES, deny);
    rules.set(libc::SYS_fcntl, laid.otherwise(Action::Allow));
    lend_nothing(&mut rules);
    if !kind.namespaces {
        hold_without_namespaces(&mut rules);
    }
    rules
}

/// No program that lends its owner's rights, and none is born that lends its group's.
fn lend_nothing(rules: &mut Rules) {
    let deny = Action::Fail(libc::EPERM);
    for (call, mode) in [
        (libc::SYS_fchmod, 1),
        (libc::SYS_fchmodat, 2),
        (FCHMODAT2, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, 1),
    ] {
        rules.set(call, Steps::new().when_any_bit(mode, SET_USER, deny).otherwise(Action::Allow));
    }
    let both = SET_USER | SET_GROUP;
    for (call, mode) in [
        (libc::SYS_mknodat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mknod, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_creat, 1),
    ] {
        rules.set(call, Steps::new().when_any_bit(mode, both, deny).otherwise(Action::Allow));
    }
    let making = libc::O_CREAT as u32 | UNNAMED;
    for (call, flags) in [
        (libc::SYS_openat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, 1),
    ] {
        let born = Steps::new().when_bits_of_both((flags, making), (flags + 1, both), deny);
        rules.set(call, born.otherwise(Action::Allow));
    }
}

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
