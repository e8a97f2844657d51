/* Doors of the kernel that no command of an agent needs, and objects that live in it. */
#include "probe.h"
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <sys/fanotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/timex.h>

#if defined(__x86_64__)
#include <sys/io.h>
#endif

/* What a descriptor is, as the kernel names it: the proof that there is one. */
static long shown(long fd)
{
    char name[64], target[256];
    if (fd < 0)
        return -1;
    snprintf(name, sizeof name, "/proc/self/fd/%ld", fd);
    ssize_t length = readlink(name, target, sizeof target);
    printf("holds %.*s\n", length > 0 ? (int)length : 0, target);
    return fd;
}

static long bpf(char **a)
{
    (void)a;
    struct { uint32_t type, key, value, entries, flags; char rest[100]; } map = { 2, 4, 4, 1, 0,
                                                                                  { 0 } };
    return shown(syscall(SYS_bpf, 0, &map, sizeof map));
}
static long perf(char **a)
{
    (void)a;
    struct perf_event_attr event = { .type = PERF_TYPE_SOFTWARE, .size = sizeof event,
                                     .config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1 };
    return shown(syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
}
static long fault(char **a)
{
    (void)a;
    return shown(syscall(SYS_userfaultfd, 1 /* faults of user mode only */));
}
static long rings(char **a)
{
    (void)a;
    struct io_uring_params how = { 0 };
    return shown(syscall(SYS_io_uring_setup, 4, &how));
}
static long watch(char **a)
{
    (void)a;
    return shown(fanotify_init(FAN_CLASS_CONTENT, O_RDONLY));
}
static long ports(char **a)
{
    (void)a;
#if defined(__x86_64__)
    return iopl(3) < 0 ? -1 : printf("holds the ports\n");
#else
    return NOT_HERE;
#endif
}
static long messages(char **a)
{
    (void)a;
    static char room[4096];
    long got = syscall(SYS_syslog, 3, room, sizeof room - 1);
    return got <= 0 ? -1 : printf("kernel log: %.40s\n", room);
}
static long estimated_error(char **a)
{
    struct timex clock = { .modes = ADJ_ESTERROR, .esterror = atol(a[0]) };
    return adjtimex(&clock);
}
static long host_name(char **a) { return sethostname(a[0], strlen(a[0])); }
static long domain_name(char **a) { return setdomainname(a[0], strlen(a[0])); }

static long in_new_user(char **a)
{
    (void)a;
    char link[128];
    if (unshare(CLONE_NEWUSER) < 0)
        return -1;
    ssize_t length = readlink("/proc/self/ns/user", link, sizeof link);
    return printf("new %.*s\n", (int)length, link);
}
static int child(void *space)
{
    (void)space;
    return printf("new namespace\n") < 0;
}
static long cloned(char **a)
{
    static char stack[65536];
    int pid = clone(child, stack + sizeof stack, atoi(a[0]) | SIGCHLD, NULL);
    fflush(stdout);
    return pid < 0 ? -1 : waitpid(pid, NULL, 0);
}
static long cloned3(char **a)
{
    uint64_t how[11] = { strtoull(a[0], NULL, 0), 0, 0, 0, SIGCHLD };
    long pid = syscall(NR_clone3, how, sizeof how);
    if (!pid)
        _exit(write(1, "new namespace\n", 14) < 0);
    return pid < 0 ? -1 : waitpid(pid, NULL, 0);
}

static long mounted(char **a) { return mount("none", a[0], "tmpfs", 0, NULL); }
static long bound(char **a) { return mount(a[0], a[1], NULL, MS_BIND, NULL); }
static long writable_again(char **a)
{
    return mount(NULL, a[0], NULL, MS_REMOUNT | MS_BIND, NULL);
}
static long unmounted(char **a) { return umount2(a[0], MNT_DETACH); }
static long mounted_anew(char **a)
{
    int fs = syscall(NR_fsopen, "tmpfs", 0);
    if (fs < 0 || syscall(NR_fsconfig, fs, 6 /* create */, NULL, NULL, 0) < 0)
        return -1;
    int at = syscall(NR_fsmount, fs, 0, 0);
    return at < 0 ? -1 : syscall(NR_move_mount, at, "", AT_FDCWD, a[0], 4);
}
/* The same tree without the attribute that makes it read-only. */
static long attribute_cleared(char **a)
{
    uint64_t how[4] = { 0, 1 /* read-only */, 0, 0 };
    return syscall(NR_mount_setattr, AT_FDCWD, a[0], 0x8000, how, sizeof how);
}
static long rooted(char **a)
{
    return chroot(a[0]) < 0 ? -1 : printf("a root of its own\n");
}

/* A copy of a mount without what is mounted below it: what lies under a mask shows. */
static long tree_cloned(char **a)
{
    int tree = syscall(NR_open_tree, AT_FDCWD, a[0], 1 /* clone */);
    int fd = tree < 0 ? -1 : openat(tree, a[1], O_RDONLY);
    char text[256];
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text);
    return got < 0 ? -1 : printf("%.*s\n", (int)got, text);
}

static long shared_written(char **a)
{
    char *at = shmat(atoi(a[0]), NULL, 0);
    if (at == (void *)-1)
        return -1;
    printf("read %.60s\n", at);
    memcpy(at, "tampered", 8);
    return 0;
}
static long message_sent(char **a)
{
    struct { long type; char text[4]; } one = { 1, "out" };
    return msgsnd(atoi(a[0]), &one, 4, IPC_NOWAIT);
}
static long message_read(char **a)
{
    struct { long type; char text[64]; } one = { 0 };
    long got = msgrcv(atoi(a[0]), &one, sizeof one.text, 0, IPC_NOWAIT);
    return got < 0 ? -1 : printf("message %.60s\n", one.text);
}
static long semaphore_set(char **a) { return semctl(atoi(a[0]), 0, SETVAL, 7); }
static long removed(char **a)
{
    return shmctl(atoi(a[0]), IPC_RMID, NULL);
}
static long queue_sent(char **a)
{
    long fd = syscall(SYS_mq_open, a[0], O_WRONLY, 0, NULL);
    return fd < 0 ? -1 : syscall(SYS_mq_timedsend, (int)fd, "out", 3, 0, NULL);
}

static long key_added(char **a)
{
    return syscall(SYS_add_key, "user", a[0], "tampered", 8, -4 /* the user's keyring */);
}
static long key_read(char **a)
{
    char room[128] = { 0 };
    long key = syscall(SYS_keyctl, 10 /* search */, -4, "user", a[0], 0);
    if (key < 0)
        key = atol(a[1]);
    long got = syscall(SYS_keyctl, 11 /* read */, key, room, sizeof room - 1);
    return got < 0 ? -1 : printf("read %s\n", room);
}
static long key_requested(char **a)
{
    long key = syscall(SYS_request_key, "user", a[0], NULL, 0);
    return key < 0 ? -1 : printf("found key %ld\n", key);
}

static long typed(char **a)
{
    int fd = open("/dev/tty", O_RDWR);
    if (fd < 0)
        fd = open(a[0], O_RDWR | O_NOCTTY);
    for (const char *at = "typed\n"; *at; at++)
        if (ioctl(fd, TIOCSTI, at) < 0)
            return -1;
    return 0;
}
/* The number of the call may have bits beyond those that a filter compares. */
static long typed_high(char **a)
{
    int fd = open("/dev/tty", O_RDWR);
    if (fd < 0)
        fd = open(a[0], O_RDWR | O_NOCTTY);
    for (const char *at = "typed\n"; *at; at++)
        if (syscall(SYS_ioctl, fd, TIOCSTI | 0x100000000, at) < 0)
            return -1;
    return 0;
}
static long told(char **a)
{
    int fd = open("/dev/tty", O_WRONLY);
    if (fd < 0)
        fd = open(a[0], O_WRONLY | O_NOCTTY);
    return fd < 0 ? -1 : write(fd, "told", 4);
}

/* What is left of capabilities, as the kernel tells it. */
static long capabilities(char **a)
{
    (void)a;
    char line[256];
    long left = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, "Cap", 3) && strtoull(strchr(line, ':') + 1, NULL, 16))
            if (strncmp(line, "CapBnd", 6) || geteuid() == 0)
                left = printf("left %s", line);
    return left;
}

const struct verb KERNEL[] = {
    { "bpf", 0, bpf }, { "perf", 0, perf }, { "userfaultfd", 0, fault }, { "io-uring", 0, rings },
    { "fanotify", 0, watch }, { "iopl", 0, ports }, { "syslog", 0, messages },
    { "adjtimex", 1, estimated_error }, { "sethostname", 1, host_name },
    { "setdomainname", 1, domain_name }, { "unshare-user", 0, in_new_user },
    { "clone", 1, cloned }, { "clone3", 1, cloned3 }, { "mount", 1, mounted },
    { "bind", 2, bound }, { "remount", 1, writable_again }, { "umount", 1, unmounted },
    { "fsmount", 1, mounted_anew }, { "mount-setattr", 1, attribute_cleared },
    { "chroot", 1, rooted }, { "shm", 1, shared_written }, { "msg", 1, message_sent },
    { "msg-read", 1, message_read }, { "open-tree", 2, tree_cloned },
    { "sem", 1, semaphore_set }, { "shm-remove", 1, removed }, { "mq", 1, queue_sent },
    { "add-key", 1, key_added }, { "read-key", 2, key_read }, { "request-key", 1, key_requested },
    { "type", 1, typed }, { "type-high", 1, typed_high }, { "tell", 1, told },
    { "capabilities", 0, capabilities }, { NULL, 0, NULL },
};
