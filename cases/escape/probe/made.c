/* Code that somebody makes while it runs, beyond what is written and then run in one place. */
#include "probe.h"
#include <dlfcn.h>
#include <pthread.h>

#if defined(__x86_64__)
/* Shared memory that may run from its first day; a child turns its own view of it writable. */
static long written_by_child(void *code, const char *proof)
{
    if (code == MAP_FAILED)
        return -1;
    pid_t child = fork();
    if (!child) {
        if (mprotect(code, 4096, PROT_READ | PROT_WRITE) < 0)
            _exit(1);
        machine_code(code, proof, 1);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status ? (errno = EACCES, -1) : called(code);
}
static long shared_by_fork(char **a)
{
    return written_by_child(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
                            a[0]);
}
static long zeros_by_fork(char **a)
{
    int zeros = open("/dev/zero", O_RDWR);
    return written_by_child(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, zeros, 0), a[0]);
}
/* FILE: the same with a file. */
static long file_by_fork(char **a)
{
    int fd = open(a[1], O_CREAT | O_RDWR | O_TRUNC, 0700);
    if (fd < 0 || ftruncate(fd, 4096) < 0)
        return -1;
    return written_by_child(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0), a[0]);
}
/* The same page at two addresses: moving nought bytes copies a shared mapping. */
static long shared_twice(char **a)
{
    void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return -1;
    void *twin = mremap(code, 0, 4096, MREMAP_MAYMOVE);
    if (twin == MAP_FAILED || mprotect(twin, 4096, PROT_READ | PROT_WRITE) < 0)
        return -1;
    machine_code(twin, a[0], 1);
    return called(code);
}
/* The stack itself, by the flag that means all of it. */
static long on_the_stack(char **a)
{
    unsigned char code[8192] __attribute__((aligned(4096)));
    machine_code(code, a[0], 1);
    int all = PROT_READ | PROT_WRITE | PROT_EXEC | PROT_GROWSDOWN;
    if (mprotect(code, 4096, all) < 0 && mprotect(code, 4096, all & ~PROT_GROWSDOWN) < 0)
        return -1;
    return called(code);
}
/* Memory that the kernel gave the program as its heap. */
static long in_the_heap(char **a)
{
    uintptr_t at = ((uintptr_t)sbrk(16384) + 4095) & ~4095UL;
    machine_code((void *)at, a[0], 1);
    return mprotect((void *)at, 4096, PROT_READ | PROT_EXEC) < 0 ? -1 : called((void *)at);
}
/* FILE PROOF: writes such code into a file. */
static long emitted(char **a)
{
    unsigned char code[4096];
    size_t length = machine_code(code, a[1], 1);
    int fd = open(a[0], O_CREAT | O_WRONLY | O_TRUNC, 0700);
    return fd < 0 ? -1 : write(fd, code, length);
}
/* DESCRIPTOR: what came as a file is run where it lies. */
static long input_mapped(char **a)
{
    return called(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, atoi(a[0]), 0));
}
/* The file is sealed, written, or grown meanwhile: mapped once, and made to run later. */
static long input_mapped_later(char **a)
{
    void *at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, atoi(a[0]), 0);
    if (at == MAP_FAILED || mprotect(at, 4096, PROT_READ | PROT_EXEC) < 0)
        return -1;
    return called(at);
}
__attribute__((noinline, aligned(4096))) static void victim(void)
{
    for (int at = 0; at < 4; at++)
        __asm__ volatile(".fill 1024, 1, 0x90");
}
/* MEMORY PROOF: the own code is written over through a file that is the own memory. */
static long overwritten(char **a)
{
    unsigned char code[512] = { 0 };
    machine_code(code, a[1], 1);
    int fd = open(a[0], O_RDWR);
    if (fd < 0 || pwrite(fd, code, sizeof code, (off_t)(uintptr_t)victim) < 0)
        return -1;
    victim();
    return 0;
}
/* PROOF: a child's memory, by its file. */
static long child_overwritten(char **a)
{
    char name[64];
    unsigned char code[512] = { 0 };
    machine_code(code, a[0], 1);
    int turn[2];
    char byte;
    if (pipe(turn) < 0)
        return -1;
    pid_t child = fork();
    if (!child) {
        close(turn[1]);
        if (read(turn[0], &byte, 1) == 1)
            victim();
        _exit(0);
    }
    snprintf(name, sizeof name, "/proc/%d/mem", child);
    int fd = open(name, O_RDWR);
    long got = fd < 0 ? -1 : pwrite(fd, code, sizeof code, (off_t)(uintptr_t)victim);
    int error = errno;
    if (got > 0 && write(turn[1], "x", 1) < 0)
        return -1;
    close(turn[1]);
    waitpid(child, NULL, 0);
    errno = error;
    return got;
}

/* LIBRARY FOREIGN PROOF: while somebody looks which file a number means, it means another. */
static int library, foreign, number;
static volatile int over;
static void swap_once(void)
{
    dup2(foreign, number);
    dup2(library, number);
}
static void *swapping(void *none)
{
    while (!over)
        swap_once();
    return none;
}
static int swapping_beside(void *none)
{
    (void)none;
    while (!over)
        swap_once();
    return 0;
}
static long race(char **a, int as_process)
{
    static char stack[65536];
    pthread_t thread;
    library = open(a[0], O_RDONLY);
    foreign = open(a[1], O_RDONLY);
    number = dup(library);
    if (library < 0 || foreign < 0)
        return -1;
    pid_t pid = 0;
    if (as_process) {
        pid = clone(swapping_beside, stack + sizeof stack, CLONE_VM | CLONE_FILES | SIGCHLD, NULL);
        if (pid < 0)
            return -1;
    } else if (pthread_create(&thread, NULL, swapping, NULL)) {
        return -1;
    }
    static const unsigned char start[] = { 0x48, 0x8d, 0x3d };
    long got = -1;
    for (int turns = 0; turns < 20000 && got < 0; turns++) {
        void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, number, 0);
        if (at == MAP_FAILED)
            continue;
        if (!memcmp(at, start, sizeof start))
            got = called(at);
        munmap(at, 4096);
    }
    over = 1;
    if (as_process)
        waitpid(pid, NULL, 0);
    else
        pthread_join(thread, NULL);
    return got;
}
static long race_by_thread(char **a) { return race(a, 0); }
static long race_by_process(char **a) { return race(a, 1); }
#else
static long elsewhere(char **a)
{
    (void)a;
    return NOT_HERE;
}
#define shared_by_fork elsewhere
#define zeros_by_fork elsewhere
#define file_by_fork elsewhere
#define shared_twice elsewhere
#define on_the_stack elsewhere
#define in_the_heap elsewhere
#define emitted elsewhere
#define input_mapped elsewhere
#define input_mapped_later elsewhere
#define overwritten elsewhere
#define child_overwritten elsewhere
#define race_by_thread elsewhere
#define race_by_process elsewhere
#endif

/* DESCRIPTOR WORDS: a program that has no name but this. */
static long descriptor_run(char **a)
{
    return syscall(SYS_execveat, atoi(a[0]), "", a + 1, environ, AT_EMPTY_PATH);
}
/* LIBRARY: in a list of names of its own. */
static long opened_apart(char **a)
{
    return dlmopen(LM_ID_NEWLM, a[0], RTLD_NOW) ? 0 : (printf("%s\n", dlerror()), -1);
}
/* PROGRAM WORDS: by a child that shares our memory, files and directory. */
static int executes(void *all)
{
    char **a = all;
    execv(a[0], a);
    return 1;
}
static long by_shared_child(char **a)
{
    static char stack[65536];
    int flags = CLONE_VM | CLONE_FILES | CLONE_FS | CLONE_VFORK | SIGCHLD;
    int status = 0;
    int pid = clone(executes, stack + sizeof stack, flags, a);
    return pid < 0 || waitpid(pid, &status, 0) < 0 || status ? -1 : 0;
}
static void *thread_executes(void *all)
{
    char **a = all;
    execv(a[0], a);
    return all;
}
static long by_thread(char **a)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, thread_executes, a))
        return -1;
    pthread_join(thread, NULL);
    return -1;
}

const struct verb MADE[] = {
    { "shared-by-fork", 1, shared_by_fork }, { "zeros-by-fork", 1, zeros_by_fork },
    { "file-by-fork", 2, file_by_fork }, { "shared-twice", 1, shared_twice },
    { "on-the-stack", 1, on_the_stack }, { "in-the-heap", 1, in_the_heap },
    { "emit", 2, emitted }, { "map-descriptor", 1, input_mapped },
    { "map-descriptor-later", 1, input_mapped_later }, { "overwrite", 2, overwritten },
    { "overwrite-child", 1, child_overwritten }, { "race-thread", 3, race_by_thread },
    { "race-process", 3, race_by_process }, { "run-descriptor", 2, descriptor_run },
    { "dlmopen", 1, opened_apart }, { "shared-child", 1, by_shared_child },
    { "thread-exec", 1, by_thread }, { NULL, 0, NULL },
};
