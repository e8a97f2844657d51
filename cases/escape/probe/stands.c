/* What stands outside the cage and tells what happened to it. A stand prints one line with what an
 * act must know to reach it, then its state; and its state again for each line that it reads. */
#include "probe.h"
#include <linux/ioprio.h>
#include <arpa/inet.h>
#include <linux/vm_sockets.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/timex.h>

typedef void (*teller)(void);

static void stand(teller tell)
{
    char line[64];
    do {
        printf("state");
        tell();
        printf("\n");
        fflush(stdout);
    } while (fgets(line, sizeof line, stdin));
}

/* A process of the same user, with a secret in its memory and its environment. */
static char memory[4096] __attribute__((aligned(4096)));
static volatile sig_atomic_t signals;
static int far_end;

static void counted(int number) { (void)number; signals++; }

static void line_of(const char *file, const char *start)
{
    char name[64], line[256];
    snprintf(name, sizeof name, "/proc/self/%s", file);
    FILE *all = fopen(name, "r");
    while (all && fgets(line, sizeof line, all))
        if (!strncmp(line, start, strlen(start)))
            printf(" %s=%.*s", file, (int)strcspn(line, "\n"), line);
    if (all)
        fclose(all);
}
static void tell_process(void)
{
    struct rlimit files;
    char room[16];
    getrlimit(RLIMIT_NOFILE, &files);
    printf(" memory=%.8s signals=%d nice=%d policy=%d files=%lu disk=%ld heard=%zd", memory,
           (int)signals, getpriority(PRIO_PROCESS, 0), sched_getscheduler(0),
           (unsigned long)files.rlim_cur, syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0),
           recv(far_end, room, sizeof room, MSG_DONTWAIT | MSG_PEEK));
    line_of("status", "Cpus_allowed_list");
    line_of("status", "TracerPid");
    line_of("oom_score_adj", "");
    line_of("coredump_filter", "");
    line_of("timerslack_ns", "");
}
static long process(char **a)
{
    int pair[2];
    snprintf(memory, sizeof memory, "memory %s", a[0]);
    setpgid(0, 0);
    struct sigaction count = { .sa_handler = counted, .sa_flags = SA_RESTART };
    for (int number = 1; number < 32; number++)
        sigaction(number, &count, NULL);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    far_end = dup(pair[1]);
    dup2(open(a[1], O_RDONLY), 7);
    dup2(pair[0], 8);
    printf("pid=%d addr=%lx\n", getpid(), (unsigned long)memory);
    stand(tell_process);
    return 0;
}

/* Listeners. */
static int ear;
static int stream;

static void tell_ear(void)
{
    static int connections, bytes;
    char room[256];
    for (int fd; stream && (fd = accept4(ear, NULL, NULL, SOCK_NONBLOCK)) >= 0; connections++)
        ;
    for (ssize_t got; !stream && (got = recv(ear, room, sizeof room, MSG_DONTWAIT)) >= 0; bytes++)
        ;
    printf(" connections=%d datagrams=%d", connections, bytes);
}
/* KIND ADDRESS; port 0 takes a free one. */
static long listener(char **a)
{
    struct sockaddr_storage at;
    socklen_t length;
    int family = address(a[1], &at, &length), port = 0, queue = 16;
    int type = !strcmp(a[0], "stream") ? SOCK_STREAM : !strcmp(a[0], "dgram") ? SOCK_DGRAM
                                                                             : SOCK_SEQPACKET;
    if (family == AF_VSOCK)
        ((struct sockaddr_vm *)&at)->svm_port = port = 40000 + getpid() % 20000;
    if (family == AF_VSOCK)
        ((struct sockaddr_vm *)&at)->svm_cid = VMADDR_CID_ANY;
    ear = socket(family, type | SOCK_NONBLOCK, a[2] ? atoi(a[2]) : 0);
    stream = type != SOCK_DGRAM;
    setsockopt(ear, 6 /* tcp */, 23 /* fast open */, &queue, sizeof queue);
    if (bind(ear, (void *)&at, length) < 0 || (stream && listen(ear, 16) < 0))
        return -1;
    if (!strncmp(a[1], "path:", 5))
        chmod(a[1] + 5, 0777);
    getsockname(ear, (void *)&at, &length);
    if (family == AF_INET || family == AF_INET6)
        port = ntohs(((uint16_t *)&at)[1]);
    printf("port=%d pid=%d\n", port, getpid());
    stand(tell_ear);
    return 0;
}

/* Objects of the kernel. */
static int object;
static char *shared;
static const char *named;

static void tell_shared(void)
{
    struct shmid_ds all = { 0 };
    printf(" memory=%.8s gone=%d", shared, shmctl(object, IPC_STAT, &all) < 0 ||
                                               (all.shm_perm.mode & 01000));
}
static long shared_memory(char **a)
{
    object = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    shared = object < 0 ? (void *)-1 : shmat(object, NULL, 0);
    if (shared == (void *)-1)
        return -1;
    snprintf(shared, 4096, "memory %s", a[0]);
    printf("id=%d\n", object);
    stand(tell_shared);
    return shmctl(object, IPC_RMID, NULL);
}
static void tell_messages(void)
{
    struct msqid_ds all = { 0 };
    msgctl(object, IPC_STAT, &all);
    printf(" messages=%lu", (unsigned long)all.msg_qnum);
}
static long messages(char **a)
{
    struct { long type; char text[64]; } one = { 1, "" };
    object = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    if (object < 0)
        return -1;
    if (a[0]) {
        snprintf(one.text, sizeof one.text, "%s", a[0]);
        msgsnd(object, &one, sizeof one.text, 0);
    }
    printf("id=%d\n", object);
    stand(tell_messages);
    return msgctl(object, IPC_RMID, NULL);
}
static void tell_semaphore(void) { printf(" value=%d", semctl(object, 0, GETVAL)); }
static long semaphore(char **a)
{
    (void)a;
    object = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    if (object < 0)
        return -1;
    printf("id=%d\n", object);
    stand(tell_semaphore);
    return semctl(object, 0, IPC_RMID);
}
static void tell_queue(void)
{
    struct { long flags, most, size, now, rest[4]; } all = { 0 };
    syscall(SYS_mq_getsetattr, object, NULL, &all);
    printf(" messages=%ld", all.now);
}
static long queue(char **a)
{
    object = syscall(SYS_mq_open, a[0], O_CREAT | O_RDWR | O_EXCL, 0600, NULL);
    if (object < 0)
        return -1;
    printf("id=0\n");
    stand(tell_queue);
    return syscall(SYS_mq_unlink, a[0]);
}
static void tell_key(void)
{
    char room[64] = { 0 };
    long key = syscall(SYS_keyctl, 10, -4, "user", named, 0);
    syscall(SYS_keyctl, 11, key, room, sizeof room - 1);
    printf(" key=%s", room);
}
static long key(char **a)
{
    char text[64];
    named = a[0];
    snprintf(text, sizeof text, "memory %s", a[1]);
    object = syscall(SYS_add_key, "user", a[0], text, strlen(text), -4);
    if (object < 0)
        return -1;
    printf("id=%d\n", object);
    stand(tell_key);
    return syscall(SYS_keyctl, 9 /* unlink */, object, -4);
}
static void tell_clock(void)
{
    struct timex clock = { 0 };
    adjtimex(&clock);
    printf(" error=%ld", clock.esterror);
}
static long clock_of_the_host(char **a)
{
    (void)a;
    struct timex before = { 0 };
    adjtimex(&before);
    /* The kernel takes no larger one than it has at first. */
    printf("id=%ld\n", before.esterror > 0 ? before.esterror - 1 : 1);
    stand(tell_clock);
    before.modes = ADJ_ESTERROR;
    adjtimex(&before);
    return 0;
}
static void tell_host(void)
{
    char name[128] = { 0 }, domain[128] = { 0 };
    gethostname(name, sizeof name - 1);
    getdomainname(domain, sizeof domain - 1);
    printf(" host=%s domain=%s", name, domain);
}
static long host(char **a)
{
    (void)a;
    printf("pid=%d\n", getpid());
    stand(tell_host);
    return 0;
}

const struct verb STANDS[] = {
    { "stand-process", 2, process }, { "stand-listener", 2, listener },
    { "stand-shm", 1, shared_memory }, { "stand-msg", 0, messages },
    { "stand-sem", 0, semaphore }, { "stand-mq", 1, queue }, { "stand-key", 2, key },
    { "stand-clock", 0, clock_of_the_host }, { "stand-host", 0, host }, { NULL, 0, NULL },
};
