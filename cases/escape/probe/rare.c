/* Calls that few programs make, and other doors to what is shut at the front. */
#include "probe.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>

#define NR_removexattrat 466
#define NR_fspick 433

static int reading(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }

/* The version of a file by the number that ext4 has of its own. */
static long version_of_ext4(char **a)
{
    long version = 7;
    return ioctl(reading(a[0]), 0x40086604, &version);
}
/* A flag by a number that has bits beyond those that a filter compares. */
static long flags_high(char **a)
{
    long flags = 0x80; /* no time of reading */
    return syscall(SYS_ioctl, reading(a[0]), 0x40086602 | 0x700000000, &flags);
}
static long encryption_key(char **a)
{
    struct { uint32_t type, rest; char id[32]; uint32_t size, key, more[8]; char raw[32]; } add = {
        .type = 2, .size = 32 };
    return ioctl(reading(a[0]), 0xc0506617, &add);
}
static long touch_empty(char **a)
{
    int fd = open(a[0], O_PATH);
    struct timespec both[2] = { { 1, 0 }, { 1, 0 } };
    return syscall(SYS_utimensat, fd, "", both, 0x1000);
}
static long attribute_taken(char **a)
{
    return syscall(NR_removexattrat, AT_FDCWD, a[0], 0, "user.kept");
}
static long attribute_by_link(char **a)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", open(a[0], O_PATH));
    return syscall(SYS_setxattr, name, "user.new", "x", 1, 0);
}
static long whiteout(char **a)
{
    return syscall(SYS_renameat2, AT_FDCWD, a[0], AT_FDCWD, a[1], 4);
}
static long copied_in(char **a)
{
    int from = reading(a[0]), to = open(a[1], O_WRONLY);
    return syscall(SYS_copy_file_range, from, NULL, to, NULL, 4, 0);
}
static long cloned_in(char **a)
{
    return ioctl(open(a[1], O_RDWR), 0x40049409, reading(a[0]));
}
static long sent_in(char **a)
{
    off_t start = 0;
    return sendfile(open(a[1], O_WRONLY), reading(a[0]), &start, 4);
}
static long allocated(char **a)
{
    return fallocate(open(a[0], O_WRONLY), 0, 0, 100000);
}
/* A file system that is there, to be set anew. */
static long picked(char **a)
{
    int fs = syscall(NR_fspick, AT_FDCWD, a[0], 0);
    if (fs < 0)
        return -1;
    syscall(NR_fsconfig, fs, 0, "rw", NULL, 0);
    return syscall(NR_fsconfig, fs, 7, NULL, NULL, 0);
}
/* DIRECTORY READY GO: which names are used in a directory. */
static long overheard(char **a)
{
    union { struct inotify_event one; char room[4096]; } all;
    int ear = inotify_init1(IN_NONBLOCK);
    int watch = inotify_add_watch(ear, a[0], IN_OPEN | IN_CREATE | IN_ACCESS);
    if (watch < 0)
        return -1;
    close(creat(a[1], 0600));
    for (int turns = 0; access(a[2], F_OK) < 0 && turns < 2000; turns++)
        usleep(5000);
    ssize_t got = read(ear, &all, sizeof all);
    for (char *at = all.room; got > 0 && at < all.room + got;) {
        struct inotify_event *one = (void *)at;
        printf("heard %s\n", one->len ? one->name : "itself");
        at += sizeof *one + one->len;
    }
    return got;
}

/* A filter of our own asks us, and we say yes: the kernel must ask whoever was there before. */
static long answers_itself(char **a)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fchmodat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = { sizeof steps / sizeof *steps, steps };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    int fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 8 /* listener */, &filter);
    if (fd < 0)
        fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
    pid_t pid = fork();
    if (!pid)
        _exit(syscall(SYS_fchmodat, AT_FDCWD, a[0], 0707) < 0);
    struct pollfd ask = { fd, POLLIN, 0 };
    if (fd > 0 && poll(&ask, 1, 2000) > 0) {
        struct seccomp_notif *question = calloc(1, 4096);
        struct seccomp_notif_resp *answer = calloc(1, 4096);
        ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, question);
        answer->id = question->id;
        answer->flags = 1; /* go on */
        ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, answer);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return status ? -1 : 0;
}

/* Processes outside. */
static long group_by_pidfd(char **a)
{
    int fd = syscall(NR_pidfd_open, atoi(a[0]), 0);
    return syscall(NR_pidfd_send_signal, fd, SIGUSR1, NULL, 4 /* the group */);
}
static long queued_to_thread(char **a)
{
    siginfo_t what = { .si_code = SI_QUEUE, .si_signo = SIGUSR2 };
    return syscall(SYS_rt_tgsigqueueinfo, atoi(a[0]), atoi(a[0]), SIGUSR2, &what);
}
static long by_thread_owner(char **a)
{
    int ends[2];
    struct { int type, pid; } owner = { 0 /* a thread */, atoi(a[0]) };
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
        return -1;
    fcntl(ends[0], F_SETSIG, SIGUSR1);
    if (fcntl(ends[0], F_SETOWN_EX, &owner) < 0)
        return -1;
    fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    return write(ends[1], "x", 1);
}
static long by_pipe_owner(char **a)
{
    int ends[2];
    if (pipe(ends) < 0)
        return -1;
    fcntl(ends[0], F_SETSIG, SIGUSR1);
    int whom = atoi(a[0]);
    if (ioctl(ends[0], 0x8901 /* FIOSETOWN */, &whom) < 0)
        fcntl(ends[0], F_SETOWN, whom);
    fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    return write(ends[1], "x", 1);
}
static long compared(char **a)
{
    long got = syscall(SYS_kcmp, getpid(), atoi(a[0]), 1 /* memory */, 0, 0);
    return got < 0 ? -1 : printf("compared with %s\n", a[0]);
}
static long robust_list(char **a)
{
    void *head;
    size_t length;
    long got = syscall(SYS_get_robust_list, atoi(a[0]), &head, &length);
    return got < 0 ? -1 : printf("list at %p\n", head);
}
static long pages_of(char **a)
{
    void *page = (void *)strtoul(a[1], NULL, 16);
    int status = -1000;
    long got = syscall(SYS_move_pages, atoi(a[0]), 1UL, &page, NULL, &status, 0);
    return got < 0 || status < 0 ? -1 : printf("page on node %d\n", status);
}
static long share_core(char **a)
{
    return prctl(62 /* core scheduling */, 2 /* share to */, atoi(a[0]), 0, 0);
}
static long reaped_memory(char **a)
{
    int fd = syscall(NR_pidfd_open, atoi(a[0]), 0);
    return fd < 0 ? -1 : printf("holds process %s\n", a[0]);
}

/* Names that lead where whoever answers for them looks elsewhere. */
static long by_empty_path(char **a)
{
    int fd = open(a[0], O_RDONLY);
    if (linkat(fd, "", AT_FDCWD, a[1], 0x1000) < 0)
        return -1;
    int out = open(a[1], O_WRONLY | O_APPEND);
    return out < 0 ? -1 : write(out, "[planted]\n", 10);
}
/* FILE LINK: the link leads to a descriptor of ours, under whatever name /proc has for us. */
static long by_descriptor_link(char **a)
{
    char target[64];
    int fd = open(a[0], O_RDONLY);
    snprintf(target, sizeof target, "/proc/self/fd/%d", fd);
    if (symlink(target, a[1]) < 0)
        return -1;
    int out = open(a[1], O_WRONLY | O_APPEND);
    return out < 0 ? -1 : write(out, "[planted]\n", 10);
}
/* DIRECTORY LINK NAME: the same with a directory, by a link to where our descriptors are. */
static long by_descriptors_link(char **a)
{
    char path[4096];
    int fd = open(a[0], O_RDONLY | O_DIRECTORY);
    if (symlink("/proc/self/fd", a[1]) < 0)
        return -1;
    snprintf(path, sizeof path, "%s/%d/%s", a[1], fd, a[2]);
    return creat(path, 0700);
}
/* DIRECTORY PATH: a path from a root that the call itself names. */
static long in_root(char **a)
{
    struct { uint64_t flags, mode, resolve; } how = { O_WRONLY | O_CREAT, 0700, 0x10 };
    int at = open(a[0], O_PATH | O_DIRECTORY);
    return syscall(NR_openat2, at, a[1], &how, sizeof how);
}
/* The same file by the number of a sibling process. */
static long by_sibling(char **a)
{
    char path[64];
    int fd = open(a[0], O_RDONLY);
    pid_t pid = fork();
    if (!pid) {
        pause();
        _exit(0);
    }
    snprintf(path, sizeof path, "/proc/%d/task/%d/fd/%d", pid, pid, fd);
    int out = open(path, O_WRONLY | O_APPEND);
    kill(pid, SIGKILL);
    return out < 0 ? -1 : write(out, "[planted]\n", 10);
}
/* A thread with a working directory of its own. */
static int elsewhere(void *all)
{
    char **a = all;
    if (unshare(CLONE_FS) < 0 || chdir(a[0]) < 0)
        return 1;
    return creat(a[1], 0700) < 0;
}
static long by_thread(char **a)
{
    static char stack[65536];
    int pid = clone(elsewhere, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, a);
    int status = 0;
    return pid < 0 || waitpid(pid, &status, 0) < 0 || status ? -1 : 0;
}
/* The path lies over the border of two pages, with nothing after it. */
static long at_border(char **a)
{
    char *room = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(room + 4096, 4096);
    char *at = room + 4096 - strlen(a[0]) - 1;
    strcpy(at, a[0]);
    return creat(at, 0700);
}

/* Whoever answers cannot look into us any more. */
static long unseen(char **a)
{
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return creat(a[0], 0700);
}

/* A pair of sockets of another family. */
static long pair_of(char **a)
{
    int ends[2];
    if (socketpair(atoi(a[0]), atoi(a[1]), 0, ends) < 0)
        return -1;
    return printf("holds socket: %d\n", ends[0]);
}

const struct verb RARE[] = {
    { "ext4-version", 1, version_of_ext4 }, { "flags-high", 1, flags_high },
    { "encryption-key", 1, encryption_key }, { "touch-empty", 1, touch_empty },
    { "removexattrat", 1, attribute_taken }, { "setxattr-proc", 1, attribute_by_link },
    { "whiteout", 2, whiteout }, { "copy-range", 2, copied_in }, { "clone-file", 2, cloned_in },
    { "sendfile", 2, sent_in }, { "allocate", 1, allocated }, { "fspick", 1, picked },
    { "inotify", 3, overheard }, { "answer-itself", 1, answers_itself },
    { "pidfd-group", 1, group_by_pidfd }, { "tgsigqueue", 1, queued_to_thread },
    { "sigio-thread", 1, by_thread_owner }, { "sigio-pipe", 1, by_pipe_owner },
    { "kcmp", 1, compared }, { "robust-list", 1, robust_list }, { "move-pages", 2, pages_of },
    { "share-core", 1, share_core }, { "pidfd-open", 1, reaped_memory },
    { "link-empty", 2, by_empty_path }, { "link-to-descriptor", 2, by_descriptor_link },
    { "link-to-descriptors", 3, by_descriptors_link }, { "in-root", 2, in_root },
    { "by-sibling", 1, by_sibling }, { "by-thread", 2, by_thread }, { "at-border", 1, at_border },
    { "unseen", 1, unseen }, { "pair", 2, pair_of }, { NULL, 0, NULL },
};
