/* What lies beside the files and sockets themselves: hints, leases, other doors to the same call. */
#include "probe.h"
#include <arpa/inet.h>

#define SET_HINT 1036
#define GET_HINT 1035

static long hinted(char **a)
{
    uint64_t soon = 2;
    return fcntl(open(a[0], O_RDONLY), SET_HINT, &soon);
}
static long hinted_by_description(char **a)
{
    uint64_t soon = 2;
    return fcntl(open(a[0], O_RDONLY), 1038, &soon);
}
/* FILE: tells the hint that everybody sees. */
static long stand_hint(char **a)
{
    char line[64];
    int fd = open(a[0], O_RDONLY);
    uint64_t hint = 0;
    if (fcntl(fd, GET_HINT, &hint) < 0)
        return -1;
    printf("fd=%d\n", fd);
    do {
        fcntl(fd, GET_HINT, &hint);
        printf("state hint=%lu\n", (unsigned long)hint);
        fflush(stdout);
    } while (fgets(line, sizeof line, stdin));
    return 0;
}
/* Whoever opens the file for writing has to wait for us. */
static long leased(char **a)
{
    int fd = open(a[0], O_RDONLY);
    return fcntl(fd, F_SETLEASE, F_RDLCK) < 0 ? -1 : printf("holds a lease\n");
}
static long leased_high(char **a)
{
    int fd = open(a[0], O_RDONLY);
    long got = syscall(SYS_fcntl, fd, F_SETLEASE | 0x500000000, F_RDLCK);
    return got < 0 ? -1 : printf("holds a lease\n");
}
/* DIRECTORY READY GO: the old way to be told of changes. */
static volatile sig_atomic_t told;
static void hears(int number) { (void)number; told++; }
static long noticed(char **a)
{
    signal(SIGUSR1, hears);
    int fd = open(a[0], O_RDONLY | O_DIRECTORY);
    fcntl(fd, F_SETSIG, SIGUSR1);
    if (fcntl(fd, F_NOTIFY, DN_ACCESS | DN_CREATE | DN_MODIFY | DN_MULTISHOT) < 0)
        return -1;
    close(creat(a[1], 0600));
    for (int turns = 0; access(a[2], F_OK) < 0 && turns < 2000; turns++)
        usleep(5000);
    return told ? printf("heard %d\n", (int)told) : -1;
}

/* KIND ADDRESS: the convention of x86-64 with short pointers. */
static int kind(const char *word)
{
    return !strcmp(word, "stream") ? SOCK_STREAM : !strcmp(word, "raw") ? SOCK_RAW
        : !strcmp(word, "dgram") ? SOCK_DGRAM : SOCK_SEQPACKET;
}
static long connect_x32(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    int family = address(a[1], &to, &length);
    long fd = syscall(0x40000000 | 41, family, kind(a[0]), 0);
    return fd < 0 ? -1 : syscall(0x40000000 | 42, fd, &to, length);
}
/* The calls of their own that the 32-bit door has too, beside the one for all. */
static long connect_32_directly(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    int family = address(a[1], &to, &length);
    char *room = low(4096);
    if (!room)
        return -1;
    memcpy(room, &to, length);
    long fd = i386(359, family, kind(a[0]), 0);
    return fd < 0 ? -1 : i386(362, fd, (uintptr_t)room, length);
}
/* KIND ADDRESS: one end of a pair tries to reach elsewhere. */
static long pair_connected(char **a)
{
    struct sockaddr_storage to, none = { .ss_family = AF_UNSPEC };
    socklen_t length;
    int pair[2];
    address(a[1], &to, &length);
    if (socketpair(AF_UNIX, kind(a[0]), 0, pair) < 0)
        return -1;
    close(pair[1]);
    shutdown(pair[0], SHUT_RDWR);
    connect(pair[0], (void *)&none, sizeof none);
    if (connect(pair[0], (void *)&to, length) < 0)
        return -1;
    return write(pair[0], "out", 3);
}
/* KIND ADDRESS with the bits of flags that go with a type. */
static long odd_type(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    int family = address(a[1], &to, &length);
    int fd = socket(family, kind(a[0]) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        fd = syscall(SYS_socket, family | 0x300000000, (long)kind(a[0]) | 0x100000000, 0);
    return fd < 0 ? -1 : sendto(fd, "out", 3, 0, (void *)&to, length);
}
/* Every family but those of the internet, of paths and of routes. */
static long other_families(char **a)
{
    (void)a;
    long found = -1;
    for (int family = 0; family < 64; family++) {
        if (family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK)
            continue;
        for (int type = 1; type < 11; type++)
            if (socket(family, type, 0) >= 0)
                found = printf("holds family %d\n", family);
    }
    return found;
}
static long other_netlinks(char **a)
{
    (void)a;
    long found = -1;
    for (int protocol = 1; protocol < 32; protocol++)
        if (socket(AF_NETLINK, SOCK_RAW, protocol) >= 0)
            found = printf("holds netlink %d\n", protocol);
    return found;
}
/* ADDRESS: a protocol that is chosen by its number, from all that there are. */
static long other_protocols(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    int family = address(a[0], &to, &length);
    long found = -1;
    for (int protocol = 0; protocol < 264; protocol++)
        for (int type = 1; type < 7; type++) {
            int fd = socket(family, type | SOCK_NONBLOCK, protocol);
            if (fd < 0)
                continue;
            if (sendto(fd, "out", 3, MSG_FASTOPEN, (void *)&to, length) >= 0 ||
                connect(fd, (void *)&to, length) >= 0)
                found = write(fd, "out", 3);
            close(fd);
        }
    return found;
}
/* USER: somebody else. */
static long another(char **a)
{
    if (syscall(SYS_setresuid, atoi(a[0]), atoi(a[0]), atoi(a[0])) < 0 &&
        syscall(SYS_setfsuid, atoi(a[0])) != atoi(a[0]))
        return -1;
    return printf("is user %d\n", (int)geteuid());
}
static long another_group(char **a)
{
    gid_t one = atoi(a[0]);
    if (syscall(SYS_setgroups, 1, &one) < 0 && syscall(SYS_setresgid, one, one, one) < 0)
        return -1;
    return printf("is in group %d\n", (int)one);
}
/* What others may leave behind for us: their exit, told to a parent that is not theirs. */
static long waited_for(char **a)
{
    int fd = syscall(NR_pidfd_open, atoi(a[0]), 0);
    struct pollfd one = { fd, POLLIN, 0 };
    return fd < 0 ? -1 : poll(&one, 1, 10);
}
/* NAMES: which of the namespaces can be new. */
static long new_spaces(char **a)
{
    (void)a;
    static const struct { const char *name; int flag; } all[] = {
        { "time", 0x80 }, { "mount", CLONE_NEWNS }, { "cgroup", CLONE_NEWCGROUP },
        { "uts", CLONE_NEWUTS }, { "ipc", CLONE_NEWIPC }, { "pid", CLONE_NEWPID },
        { "net", CLONE_NEWNET }, { "empty mount", 0x100000 },
    };
    long found = -1;
    for (size_t at = 0; at < sizeof all / sizeof *all; at++)
        if (!unshare(all[at].flag))
            found = printf("has a new %s\n", all[at].name);
    return found;
}
/* ADDRESS of a process and PID: a region of ours is filled from there. */
static long limits_read(char **a)
{
    struct rlimit files;
    if (syscall(SYS_prlimit64, atoi(a[0]), RLIMIT_NOFILE, NULL, &files) < 0)
        return -1;
    return printf("may open %lu\n", (unsigned long)files.rlim_cur);
}

const struct verb BESIDE[] = {
    { "write-hint", 1, hinted }, { "write-hint-of-one", 1, hinted_by_description },
    { "stand-hint", 1, stand_hint }, { "lease", 1, leased }, { "lease-high", 1, leased_high },
    { "dnotify", 3, noticed }, { "x32-connect", 2, connect_x32 },
    { "i386-connect-directly", 2, connect_32_directly }, { "pair-connect", 2, pair_connected },
    { "odd-type", 2, odd_type }, { "other-families", 0, other_families },
    { "other-netlinks", 0, other_netlinks }, { "other-protocols", 1, other_protocols },
    { "another-user", 1, another }, { "another-group", 1, another_group },
    { "pidfd-wait", 1, waited_for }, { "new-spaces", 0, new_spaces },
    { "limits-of", 1, limits_read }, { NULL, 0, NULL },
};
