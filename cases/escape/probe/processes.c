/* Other processes: signals, memory, priorities, limits, what they hold. */
#include "probe.h"
#include <asm/ioctls.h>
#include <asm/sockios.h>
#include <linux/ioprio.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

static long signalled(char **a) { return kill(atoi(a[0]), SIGUSR1); }
static long killed(char **a) { return kill(atoi(a[0]), SIGKILL); }
static long group_signalled(char **a) { return kill(-atoi(a[0]), SIGUSR1); }
static long thread_signalled(char **a)
{
    return syscall(SYS_tgkill, atoi(a[0]), atoi(a[0]), SIGUSR1);
}
static long old_thread_signalled(char **a) { return syscall(SYS_tkill, atoi(a[0]), SIGUSR1); }
static long queued(char **a)
{
    return sigqueue(atoi(a[0]), SIGUSR1, (union sigval){ .sival_int = 1 });
}
static long by_pidfd(char **a)
{
    int fd = syscall(NR_pidfd_open, atoi(a[0]), 0);
    return fd < 0 ? -1 : syscall(NR_pidfd_send_signal, fd, SIGUSR1, NULL, 0);
}
static long by_proc_pidfd(char **a)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%s", a[0]);
    int fd = open(name, O_DIRECTORY);
    return fd < 0 ? -1 : syscall(NR_pidfd_send_signal, fd, SIGUSR1, NULL, 0);
}

/* The kernel sends the signal for us when a pipe becomes readable. */
static long by_owner(char **a)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        return -1;
    if (fcntl(pair[0], F_SETOWN, atoi(a[0])) < 0 || fcntl(pair[0], F_SETSIG, SIGUSR1) < 0)
        return -1;
    if (fcntl(pair[0], F_SETFL, O_ASYNC | O_NONBLOCK) < 0)
        return -1;
    return write(pair[1], "x", 1);
}

/* The same by the call of sockets, and for a whole group. */
static long by_socket_owner(char **a)
{
    int pair[2], on = 1, owner = atoi(a[0]);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        return -1;
    if (ioctl(pair[0], FIOSETOWN, &owner) < 0 || fcntl(pair[0], F_SETSIG, SIGUSR1) < 0)
        return -1;
    return ioctl(pair[0], FIOASYNC, &on) < 0 ? -1 : write(pair[1], "x", 1);
}
static long by_group_owner(char **a)
{
    int pair[2];
    struct f_owner_ex group = { F_OWNER_PGRP, atoi(a[0]) };
    if (pipe(pair) < 0 || fcntl(pair[0], F_SETOWN_EX, &group) < 0)
        return -1;
    if (fcntl(pair[0], F_SETSIG, SIGUSR1) < 0 || fcntl(pair[0], F_SETFL, O_ASYNC) < 0)
        return -1;
    return write(pair[1], "x", 1);
}

static long niced(char **a) { return setpriority(PRIO_PROCESS, atoi(a[0]), 7); }
static long group_niced(char **a) { return setpriority(PRIO_PGRP, atoi(a[0]), 7); }
static long group_disk_priority(char **a)
{
    return syscall(SYS_ioprio_set, IOPRIO_WHO_PGRP, atoi(a[0]),
                   IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
}
static long scheduled(char **a)
{
    struct sched_param none = { 0 };
    return sched_setscheduler(atoi(a[0]), SCHED_BATCH, &none);
}
static long scheduled_by_attributes(char **a)
{
    struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority;
             uint64_t runtime, deadline, period; } all = { 48, SCHED_BATCH, 0, 5, 0, 0, 0, 0 };
    return syscall(SYS_sched_setattr, atoi(a[0]), &all, 0);
}
static long bound(char **a)
{
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    return sched_setaffinity(atoi(a[0]), sizeof first, &first);
}
static long limited(char **a)
{
    struct rlimit none = { 17, 17 };
    return prlimit(atoi(a[0]), RLIMIT_NOFILE, &none, NULL);
}
static long disk_priority(char **a)
{
    return syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, atoi(a[0]),
                   IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
}

static long traced(char **a)
{
    pid_t pid = atoi(a[0]);
    if (ptrace(PTRACE_SEIZE, pid, 0, 0) < 0 || ptrace(PTRACE_INTERRUPT, pid, 0, 0) < 0)
        return -1;
    waitpid(pid, NULL, __WALL);
    long word;
    memcpy(&word, "tampered", 8);
    long got = ptrace(PTRACE_POKEDATA, pid, strtoul(a[1], NULL, 16), word);
    ptrace(PTRACE_DETACH, pid, 0, 0);
    return got;
}
static long memory_written(char **a)
{
    struct iovec ours = { "tampered", 8 }, theirs = { (void *)strtoul(a[1], NULL, 16), 8 };
    return process_vm_writev(atoi(a[0]), &ours, 1, &theirs, 1, 0);
}
static long memory_read(char **a)
{
    char room[64] = { 0 };
    struct iovec ours = { room, 63 }, theirs = { (void *)strtoul(a[1], NULL, 16), 63 };
    long got = process_vm_readv(atoi(a[0]), &ours, 1, &theirs, 1, 0);
    printf("read %s\n", room);
    return got;
}
static long memory_file(char **a)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%s/mem", a[0]);
    int fd = open(name, O_RDWR);
    return fd < 0 ? -1 : pwrite(fd, "tampered", 8, strtoul(a[1], NULL, 16));
}
static long memory_advised(char **a)
{
    int fd = syscall(NR_pidfd_open, atoi(a[0]), 0);
    struct iovec page = { (void *)(strtoul(a[1], NULL, 16) & ~4095UL), 4096 };
    return fd < 0 ? -1 : syscall(NR_process_madvise, fd, &page, 1, 21 /* PAGEOUT */, 0);
}

/* Takes the socket that the other process holds as descriptor 8, and speaks through it. */
static long taken(char **a)
{
    int fd = syscall(NR_pidfd_open, atoi(a[0]), 0);
    int theirs = fd < 0 ? -1 : syscall(NR_pidfd_getfd, fd, 8, 0);
    return theirs < 0 ? -1 : write(theirs, "out", 3);
}

/* All that our parents let us see of their descriptors. */
static long descriptors_of(char **a)
{
    char name[64], target[512];
    long seen = 0;
    for (int fd = 0; fd < 1024; fd++) {
        snprintf(name, sizeof name, "/proc/%s/fd/%d", a[0], fd);
        ssize_t length = readlink(name, target, sizeof target - 1);
        if (length > 0 && ++seen)
            printf("holds %d %.*s\n", fd, (int)length, target);
    }
    return seen ? seen : -1;
}

/* Joins a namespace of another process. */
static long joined(char **a)
{
    int fd = open(a[0], O_RDONLY);
    return fd < 0 ? -1 : setns(fd, 0);
}

/* Joins it, and then does another act. */
static long joined_then(char **a)
{
    if (joined(a) < 0)
        return -1;
    execv("/proc/self/exe", a);
    return -1;
}

const struct verb PROCESSES[] = {
    { "kill", 1, signalled }, { "kill-9", 1, killed }, { "kill-group", 1, group_signalled },
    { "tgkill", 1, thread_signalled }, { "tkill", 1, old_thread_signalled },
    { "sigqueue", 1, queued }, { "pidfd-signal", 1, by_pidfd },
    { "proc-pidfd-signal", 1, by_proc_pidfd }, { "sigio", 1, by_owner },
    { "sigio-socket", 1, by_socket_owner }, { "sigio-group", 1, by_group_owner },
    { "setpriority-group", 1, group_niced }, { "ioprio-group", 1, group_disk_priority },
    { "setpriority", 1, niced }, { "setscheduler", 1, scheduled },
    { "sched-setattr", 1, scheduled_by_attributes }, { "setaffinity", 1, bound },
    { "prlimit", 1, limited }, { "ioprio", 1, disk_priority }, { "ptrace", 2, traced },
    { "vm-writev", 2, memory_written }, { "vm-readv", 2, memory_read },
    { "proc-mem", 2, memory_file }, { "process-madvise", 2, memory_advised },
    { "pidfd-getfd", 1, taken }, { "descriptors-of", 1, descriptors_of },
    { "setns", 1, joined }, { "setns-then", 2, joined_then }, { NULL, 0, NULL },
};
