/* What stands round ricasso: a machine without namespaces, a terminal, descriptors left open. */
#include "probe.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <termios.h>

#if defined(__x86_64__)
#define HERE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define HERE AUDIT_ARCH_AARCH64
#endif

#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define FIRST BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]))
#define IS(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1)
#define SAY(e) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (e))
#define NO(nr, e) IS(nr), SAY(e)
/* Any of the new namespaces. */
#define SPACES 0x7e020000

/* As container engines do it: no new namespaces, no mounts; all else as before. */
static long without_namespaces(char **a)
{
#if defined(HERE)
    struct sock_filter steps[] = {
        NUMBER,
        NO(NR_clone3, ENOSYS), NO(SYS_mount, EPERM), NO(SYS_umount2, EPERM),
        NO(SYS_pivot_root, EPERM), NO(SYS_setns, EPERM), NO(NR_open_tree, EPERM),
        NO(NR_move_mount, EPERM), NO(NR_fsopen, EPERM), NO(NR_fsmount, EPERM),
        NO(NR_mount_setattr, EPERM), NO(SYS_chroot, EPERM),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        FIRST,
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, SPACES, 0, 1),
        SAY(EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = { sizeof steps / sizeof *steps, steps };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
        return -1;
    return execv(a[0], a);
#else
    (void)a;
    return NOT_HERE;
#endif
}

/* ERROR NUMBERS COMMAND: calls of these numbers, with commas between them, fail so. */
static long without_calls(char **a)
{
    struct sock_filter steps[160] = { NUMBER };
    unsigned short count = 1;
    for (char *one = strtok(a[1], ","); one && count < 150; one = strtok(NULL, ",")) {
        steps[count++] = (struct sock_filter)IS((unsigned)atoi(one));
        steps[count++] = (struct sock_filter)SAY((unsigned)atoi(a[0]));
    }
    steps[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = { count, steps };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
        return -1;
    return execv(a[2], a + 2);
}

/* COUNT COMMAND: behind so many layers of Landlock, all of which grant everything. */
static long behind_layers(char **a)
{
    uint64_t execute = 1;
    int root = open("/", O_PATH);
    struct { uint64_t rights; int32_t below; } __attribute__((packed)) rule = { execute, root };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    for (int count = atoi(a[0]); count > 0; count--) {
        int rules = (int)syscall(NR_landlock_create_ruleset, &execute, sizeof execute, 0);
        if (rules < 0 || syscall(NR_landlock_add_rule, rules, 1, &rule, 0) < 0
            || syscall(NR_landlock_restrict_self, rules, 0) < 0)
            return -1;
        close(rules);
    }
    close(root);
    return execv(a[1], a + 1);
}

static void drained(int fd, const char *what, FILE *report)
{
    char room[1024];
    fcntl(fd, F_SETFL, O_NONBLOCK);
    ssize_t got = read(fd, room, sizeof room);
    if (got > 0)
        fprintf(report, "%s: %.*s\n", what, (int)got, room);
}

/* REPORT COMMAND: the command has a controlling terminal, named in REPORT.name; what happened to it
 * is written down. */
static long in_a_terminal(char **a)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
        return -1;
    const char *name = ptsname(master);
    int slave = open(name, O_RDWR | O_NOCTTY);
    struct termios how;
    tcgetattr(slave, &how);
    how.c_lflag &= ~ECHO;
    tcsetattr(slave, TCSANOW, &how);
    char place[4096];
    snprintf(place, sizeof place, "%s.name", a[0]);
    FILE *named = fopen(place, "w");
    if (!named)
        return -1;
    fprintf(named, "%s\n", name);
    fclose(named);
    pid_t child = fork();
    if (!child) {
        setsid();
        ioctl(slave, TIOCSCTTY, 0);
        dup2(slave, 0);
        execv(a[1], a + 1);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    FILE *report = fopen(a[0], "w");
    if (!report)
        return -1;
    drained(slave, "typed", report);
    drained(master, "told", report);
    fclose(report);
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* FILE DIRECTORY ADDRESS COMMAND: descriptors 9 to 12 and 251 are open and not closed on exec. */
static long with_descriptors(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    dup2(open(a[1], O_RDONLY | O_DIRECTORY), 9);
    dup2(open(a[0], O_RDWR), 251);
    int line = socket(address(a[2], &to, &length), SOCK_STREAM, 0);
    if (connect(line, (void *)&to, length) < 0)
        return -1;
    dup2(line, 10);
    dup2(open(a[1], O_PATH | O_DIRECTORY), 11);
    dup2(open(a[0], O_RDONLY), 12);
    return execv(a[3], a + 3);
}

const struct verb WRAPS[] = {
    { "without-namespaces", 1, without_namespaces }, { "terminal", 2, in_a_terminal },
    { "descriptors", 4, with_descriptors }, { "without", 3, without_calls },
    { "layers", 2, behind_layers }, { NULL, 0, NULL },
};
