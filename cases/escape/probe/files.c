/* Files and what is written about them. */
#include "probe.h"
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <sys/xattr.h>

static int reading(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }

static long cut(char **a) { return truncate(a[0], 0); }
static long cut_by_open(char **a) { return open(a[0], O_RDONLY | O_TRUNC); }

static long by_openat2(char **a)
{
    struct open_how how = { .flags = O_WRONLY | O_CREAT, .mode = 0600 };
    return syscall(NR_openat2, AT_FDCWD, a[0], &how, sizeof how);
}

static long reopen(char **a)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", reading(a[0]));
    int fd = open(name, O_WRONLY | O_TRUNC);
    return fd < 0 ? -1 : write(fd, "reopened", 8);
}

static long exchange(char **a) { return renameat2(AT_FDCWD, a[0], AT_FDCWD, a[1], 2); }

static long unnamed_then_linked(char **a)
{
    char name[64];
    int fd = open(a[0], O_TMPFILE | O_RDWR, 0600);
    if (fd < 0)
        return -1;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, name, AT_FDCWD, a[1], AT_SYMLINK_FOLLOW);
}

static long linked_by_descriptor(char **a)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", reading(a[0]));
    return linkat(AT_FDCWD, name, AT_FDCWD, a[1], AT_SYMLINK_FOLLOW);
}

static long mapped(char **a)
{
    int fd = open(a[0], O_RDWR);
    char *at = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return -1;
    at[0] = '#';
    return msync(at, 4096, MS_SYNC);
}

static long by_handle(char **a)
{
    struct { struct file_handle head; unsigned char room[128]; } handle;
    int mount_id, at;
    handle.head.handle_bytes = sizeof handle.room;
    if (name_to_handle_at(AT_FDCWD, a[0], &handle.head, &mount_id, 0) < 0)
        return -1;
    at = reading(a[1]);
    int fd = open_by_handle_at(at, &handle.head, O_RDWR);
    if (fd < 0)
        return -1;
    char text[256];
    ssize_t got = read(fd, text, sizeof text - 1);
    printf("%.*s\n", got > 0 ? (int)got : 0, text);
    return write(fd, "by handle", 9);
}

static long hole(char **a)
{
    int fd = open(a[0], O_RDWR);
    return fd < 0 ? -1 : fallocate(fd, 0x03, 0, 4); /* punch a hole, keep the size */
}

/* Below are the ways to change what is written about a file. */
static long mode_by_descriptor(char **a) { return fchmod(reading(a[0]), 0707); }
static long mode_by_fchmodat2(char **a)
{
    return syscall(NR_fchmodat2, AT_FDCWD, a[0], 0707, 0);
}
static long mode_by_path_descriptor(char **a)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", open(a[0], O_PATH));
    return chmod(name, 0707);
}
static long mode_of_nothing(char **a)
{
    return syscall(NR_fchmodat2, open(a[0], O_PATH), "", 0707, AT_EMPTY_PATH);
}
/* To the same owner: the change time tells that it was done. */
static long owner(char **a) { return chown(a[0], geteuid(), getegid()); }
static long owner_by_descriptor(char **a) { return fchown(reading(a[0]), geteuid(), getegid()); }
static long owner_of_link(char **a) { return lchown(a[0], geteuid(), getegid()); }
static long owner_of_nothing(char **a)
{
    return fchownat(open(a[0], O_PATH), "", geteuid(), getegid(), AT_EMPTY_PATH);
}
static long given_away(char **a) { return chown(a[0], 12345, 12345); }

static const struct timespec LONG_AGO[2] = { { 1000, 0 }, { 2000, 0 } };
static long times(char **a) { return utimensat(AT_FDCWD, a[0], LONG_AGO, 0); }
static long times_of_link(char **a)
{
    return utimensat(AT_FDCWD, a[0], LONG_AGO, AT_SYMLINK_NOFOLLOW);
}
static long times_by_descriptor(char **a) { return futimens(reading(a[0]), LONG_AGO); }
static long times_by_utimes(char **a)
{
    const struct timeval old[2] = { { 1000, 0 }, { 2000, 0 } };
#ifdef SYS_utimes
    return syscall(SYS_utimes, a[0], old);
#else
    return utimes(a[0], old);
#endif
}
static long times_by_utime(char **a)
{
#ifdef SYS_utime
    long old[2] = { 1000, 2000 };
    return syscall(SYS_utime, a[0], old);
#else
    (void)a;
    return NOT_HERE;
#endif
}
static long times_by_futimesat(char **a)
{
#ifdef SYS_futimesat
    const struct timeval old[2] = { { 1000, 0 }, { 2000, 0 } };
    return syscall(SYS_futimesat, AT_FDCWD, a[0], old);
#else
    (void)a;
    return NOT_HERE;
#endif
}

static long attribute(char **a) { return setxattr(a[0], "user.probe", "x", 1, 0); }
static long attribute_by_descriptor(char **a)
{
    return fsetxattr(reading(a[0]), "user.probe", "x", 1, 0);
}
static long attribute_of_link(char **a) { return lsetxattr(a[0], "user.probe", "x", 1, 0); }
static long attribute_kept(char **a) { return setxattr(a[0], "user.kept", "x", 1, 0); }
static long attribute_gone(char **a) { return removexattr(a[0], "user.kept"); }
static long attribute_gone_by_descriptor(char **a)
{
    return fremovexattr(reading(a[0]), "user.kept");
}
static long attribute_at(char **a)
{
    struct { uint64_t value; uint32_t size, flags; } how = { (uintptr_t)"x", 1, 0 };
    return syscall(NR_setxattrat, AT_FDCWD, a[0], 0, "user.probe", &how, sizeof how);
}
static long access_list(char **a)
{
    /* Version 2: owner rw, user 12345 rw, group r, mask rw, other r. */
    const struct { uint32_t version; struct { uint16_t tag, may; uint32_t id; } e[5]; } list = {
        2, { { 1, 6, -1 }, { 2, 6, 12345 }, { 4, 4, -1 }, { 16, 6, -1 }, { 32, 4, -1 } }
    };
    return setxattr(a[0], "system.posix_acl_access", &list, sizeof list, 0);
}
static long capability(char **a)
{
    const uint32_t raw[5] = { 0x02000001, 1 << 13, 0, 0, 0 };
    return setxattr(a[0], "security.capability", raw, sizeof raw, 0);
}
static long flags(char **a)
{
    int fd = reading(a[0]), flags = 0;
    ioctl(fd, FS_IOC_GETFLAGS, &flags);
    flags ^= FS_NODUMP_FL;
    return ioctl(fd, FS_IOC_SETFLAGS, &flags);
}
static long flags_extended(char **a)
{
    int fd = reading(a[0]);
    struct fsxattr all = { 0 };
    ioctl(fd, FS_IOC_FSGETXATTR, &all);
    all.fsx_xflags ^= FS_XFLAG_NODUMP;
    return ioctl(fd, FS_IOC_FSSETXATTR, &all);
}
static long flags_by_file_setattr(char **a)
{
    struct { uint64_t flags; uint32_t extent, nextents, project, cow; } all = { 0 };
    syscall(NR_file_setattr - 1, AT_FDCWD, a[0], &all, sizeof all, 0); /* file_getattr */
    all.flags ^= FS_XFLAG_NODUMP;
    return syscall(NR_file_setattr, AT_FDCWD, a[0], &all, sizeof all, 0);
}
static long version(char **a)
{
    int number = 4711;
    return ioctl(reading(a[0]), FS_IOC_SETVERSION, &number);
}

/* By io_uring: the calls that no filter of calls sees. */
static long ring_create(char **a)
{
    struct io_uring_sqe entry = { .opcode = IORING_OP_OPENAT, .fd = AT_FDCWD };
    entry.addr = (uintptr_t)a[0];
    entry.len = 0600;
    entry.open_flags = O_CREAT | O_WRONLY;
    return ring(&entry);
}
static long ring_remove(char **a)
{
    struct io_uring_sqe entry = { .opcode = IORING_OP_UNLINKAT, .fd = AT_FDCWD };
    entry.addr = (uintptr_t)a[0];
    return ring(&entry);
}
static long ring_attribute(char **a)
{
    struct io_uring_sqe entry = { .opcode = IORING_OP_FSETXATTR, .fd = reading(a[0]) };
    entry.addr = (uintptr_t)"user.probe";
    entry.off = (uintptr_t)"x";
    entry.len = 1;
    return ring(&entry);
}

/* By the 32-bit door, whose numbers differ. */
static char *lowered(const char *text)
{
    char *at = low(4096);
    return at ? strcpy(at, text) : NULL;
}
static long create_32(char **a) { return i386(8, (uintptr_t)lowered(a[0]), 0600, 0); }
static long mode_32(char **a) { return i386(15, (uintptr_t)lowered(a[0]), 0707, 0); }
static long create_x32(char **a)
{
#if defined(__x86_64__)
    return syscall(0x40000000 + SYS_creat, a[0], 0600);
#else
    (void)a;
    return NOT_HERE;
#endif
}

/* Through a descriptor that came along. */
static long create_at(char **a)
{
    return openat(atoi(a[0]), a[1], O_CREAT | O_WRONLY, 0600);
}
static long write_to(char **a) { return write(atoi(a[0]), "came along", 10); }
static long mode_of(char **a) { return fchmod(atoi(a[0]), 0707); }

/* A swap in a loop, while the same process writes through the name. */
static long swap(char **a)
{
    char link[4096], dir[4096], file[4096];
    snprintf(link, sizeof link, "%s/swap.link", a[0]);
    snprintf(dir, sizeof dir, "%s/swap.dir", a[0]);
    snprintf(file, sizeof file, "%s/swap.dir/%s", a[0], a[2]);
    mkdir(dir, 0700);
    if (symlink(a[1], link) < 0)
        return -1;
    pid_t child = fork();
    if (!child)
        for (;;)
            exchange((char *[]){ link, dir });
    long wrote = 0;
    for (int round = 0; round < 3000; round++) {
        int fd = open(file, O_CREAT | O_WRONLY, 0600);
        if (fd >= 0) {
            wrote += write(fd, "swapped", 7) == 7;
            close(fd);
        }
        chmod(file, round % 2 ? 0600 : 0640);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return wrote ? wrote : -1;
}

static long born_lending(char **a)
{
    int fd = open(a[0], O_CREAT | O_EXCL | O_WRONLY, 04755);
    if (fd < 0) {
        char directory[4096], name[64];
        snprintf(directory, sizeof directory, "%s/..", a[0]);
        char *end = strrchr(a[0], '/');
        snprintf(directory, sizeof directory, "%.*s", (int)(end - a[0]), a[0]);
        fd = open(directory, O_TMPFILE | O_WRONLY, 04755);
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        return linkat(AT_FDCWD, name, AT_FDCWD, a[0], AT_SYMLINK_FOLLOW);
    }
    return close(fd);
}

const struct verb FILES[] = {
    { "born-lending", 1, born_lending },
    { "truncate", 1, cut }, { "open-truncate", 1, cut_by_open }, { "openat2", 1, by_openat2 },
    { "reopen", 1, reopen }, { "exchange", 2, exchange }, { "tmpfile", 2, unnamed_then_linked },
    { "link-descriptor", 2, linked_by_descriptor }, { "mmap", 1, mapped }, { "handle", 2, by_handle }, { "hole", 1, hole },
    { "fchmod", 1, mode_by_descriptor }, { "fchmodat2", 1, mode_by_fchmodat2 },
    { "chmod-path-fd", 1, mode_by_path_descriptor }, { "chmod-empty", 1, mode_of_nothing },
    { "chown", 1, owner }, { "fchown", 1, owner_by_descriptor }, { "lchown", 1, owner_of_link },
    { "chown-empty", 1, owner_of_nothing }, { "give-away", 1, given_away },
    { "utimensat", 1, times }, { "lutimes", 1, times_of_link },
    { "futimens", 1, times_by_descriptor }, { "utimes", 1, times_by_utimes },
    { "utime", 1, times_by_utime }, { "futimesat", 1, times_by_futimesat },
    { "setxattr", 1, attribute }, { "fsetxattr", 1, attribute_by_descriptor },
    { "lsetxattr", 1, attribute_of_link }, { "removexattr", 1, attribute_gone },
    { "keep", 1, attribute_kept },
    { "fremovexattr", 1, attribute_gone_by_descriptor }, { "setxattrat", 1, attribute_at },
    { "acl", 1, access_list }, { "setcap", 1, capability }, { "setflags", 1, flags },
    { "fssetxattr", 1, flags_extended }, { "file-setattr", 1, flags_by_file_setattr },
    { "setversion", 1, version }, { "ring-create", 1, ring_create },
    { "ring-unlink", 1, ring_remove }, { "ring-setxattr", 1, ring_attribute },
    { "i386-creat", 1, create_32 }, { "i386-chmod", 1, mode_32 }, { "x32-creat", 1, create_x32 },
    { "create-at", 2, create_at }, { "write-to", 1, write_to }, { "chmod-of", 1, mode_of },
    { "swap", 3, swap }, { NULL, 0, NULL },
};
