/* Calls of newer kernels, and old ones that few remember. */
#include "probe.h"
#include <linux/aio_abi.h>
#include <sys/ioctl.h>
#include <sys/timex.h>
#include <time.h>

#define NR_process_mrelease 448
#define PIDFD_IOCTLS 0xff00
#define NAMESPACE_KINDS 10
#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#endif

/* FILE: written by a request that is handed in, and not by a call. */
static long handed_in(char **a)
{
    char text[] = "changed";
    int fd = open(a[0], O_RDWR);
    aio_context_t all = 0;
    if (fd < 0 || syscall(SYS_io_setup, 1, &all) < 0)
        return -1;
    struct iocb one = { .aio_fildes = (uint32_t)fd, .aio_lio_opcode = IOCB_CMD_PWRITE,
                        .aio_buf = (uintptr_t)text, .aio_nbytes = 7 };
    struct iocb *list[] = { &one };
    struct io_event done;
    if (syscall(SYS_io_submit, all, 1, list) < 0)
        return -1;
    return syscall(SYS_io_getevents, all, 1, 1, &done, NULL);
}

/* PID: one descriptor of a process gives one of each of its namespaces. */
static long namespaces_by_process(char **a)
{
    int fd = (int)syscall(NR_pidfd_open, atoi(a[0]), 0), got = -1;
    for (unsigned kind = 1; fd >= 0 && kind <= NAMESPACE_KINDS; kind++) {
        int one = ioctl(fd, PIDFD_IOCTLS | kind, 0);
        if (one >= 0)
            got = printf("has a namespace of %s\n", a[0]);
    }
    return got;
}

/* PID: a process has a number as a file has, and is opened by it. */
static long process_by_handle(char **a)
{
    struct { struct file_handle head; unsigned char room[128]; } handle;
    handle.head.handle_bytes = sizeof handle.room;
    int mount, fd = (int)syscall(NR_pidfd_open, atoi(a[0]), 0);
    int own = (int)syscall(NR_pidfd_open, getpid(), 0);
    if (fd < 0 || syscall(SYS_name_to_handle_at, fd, "", &handle, &mount, AT_EMPTY_PATH) < 0)
        return -1;
    long got = syscall(SYS_open_by_handle_at, own, &handle, 0);
    return got < 0 ? -1 : printf("holds process %s\n", a[0]);
}

/* PID: who shares a core with whom. */
static long core_shared(char **a)
{
    if (prctl(PR_SCHED_CORE, 1, 0, 0, 0) < 0 || prctl(PR_SCHED_CORE, 2, atoi(a[0]), 0, 0) < 0)
        return -1;
    return printf("shares a core with %s\n", a[0]);
}

/* PID: the memory of one that dies is taken at once. */
static long memory_taken(char **a)
{
    int fd = (int)syscall(NR_pidfd_open, atoi(a[0]), 0);
    return fd < 0 || syscall(NR_pidfd_send_signal, fd, SIGTERM, NULL, 0) < 0
        ? -1 : syscall(NR_process_mrelease, fd, 0);
}

/* The clock is told what it does already. */
static long clock_tuned(char **a)
{
    (void)a;
    struct timex now = { 0 };
    if (adjtimex(&now) < 0)
        return -1;
    struct timex same = { .modes = ADJ_TIMECONST, .constant = now.constant };
    return adjtimex(&same) < 0 ? -1 : printf("tuned the clock\n");
}
static long clock_tuned_by_number(char **a)
{
    (void)a;
    struct timex now = { 0 };
    if (clock_adjtime(CLOCK_REALTIME, &now) < 0)
        return -1;
    struct timex same = { .modes = ADJ_TIMECONST, .constant = now.constant };
    return clock_adjtime(CLOCK_REALTIME, &same) < 0 ? -1 : printf("tuned the clock\n");
}

const struct verb NEWER[] = {
    { "aio-write", 1, handed_in }, { "pidfd-namespaces", 1, namespaces_by_process },
    { "process-by-handle", 1, process_by_handle }, { "core-share", 1, core_shared },
    { "take-memory", 1, memory_taken }, { "tune-clock", 0, clock_tuned },
    { "tune-clock-by-number", 0, clock_tuned_by_number }, { NULL, 0, NULL },
};
