/* Foreign code: ways to run what is in no list of programs. Its proof is a file that it makes. */
#include "probe.h"
#include <elf.h>
#include <linux/io_uring.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/user.h>
#include <dlfcn.h>

/* The foreign program itself. */
static long ran(char **a) { return open(a[0], O_CREAT | O_WRONLY, 0600); }
/* The same as the interpreter of a script, whose name it is given. */
static long ran_beside(char **a)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.ran", a[0]);
    return open(name, O_CREAT | O_WRONLY, 0600);
}

#if defined(__x86_64__)
/* Machine code: creat(NAME), then exit or return. The name is copied behind it. */
static const unsigned char CREATE[] = {
    0x48, 0x8d, 0x3d, 0x19, 0, 0, 0, /* lea rdi, [rip + 25] */
    0xbe, 0x80, 0x01, 0, 0,          /* mov esi, 0600 */
    0xb8, 85, 0, 0, 0,               /* mov eax, creat */
    0x0f, 0x05,                      /* syscall */
};
static const unsigned char RETURN[] = { 0xc3 };
static const unsigned char EXIT[] = {
    0x31, 0xff,           /* xor edi, edi */
    0xb8, 60, 0, 0, 0,    /* mov eax, exit */
    0x0f, 0x05,           /* syscall */
};
#define NAME_AT 32

size_t machine_code(unsigned char *into, const char *name, int returns)
{
    memset(into, 0x90, NAME_AT);
    memcpy(into, CREATE, sizeof CREATE);
    if (returns)
        memcpy(into + sizeof CREATE, RETURN, sizeof RETURN);
    else
        memcpy(into + sizeof CREATE, EXIT, sizeof EXIT);
    strcpy((char *)into + NAME_AT, name);
    return NAME_AT + strlen(name) + 1;
}

long called(void *code)
{
    if (code == MAP_FAILED)
        return -1;
    ((void (*)(void))code)();
    return 0;
}

/* Anonymous memory that is written and then run. */
static long anonymous(char **a)
{
    unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return -1;
    machine_code(at, a[0], 1);
    return called(at);
}
static long protected(char **a)
{
    unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                             -1, 0);
    machine_code(at, a[0], 1);
    return mprotect(at, 4096, PROT_READ | PROT_EXEC) < 0 ? -1 : called(at);
}
/* A file is written, and then mapped to be run. */
static long file_mapped(char **a)
{
    unsigned char code[4096];
    size_t length = machine_code(code, a[0], 1);
    int fd = open(a[1], O_CREAT | O_RDWR | O_TRUNC, 0700);
    if (fd < 0 || write(fd, code, length) < 0)
        return -1;
    return called(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0));
}
/* An old switch of the kernel makes all that can be read run. */
static long implied(char **a)
{
    unsigned char code[4096];
    size_t length = machine_code(code, a[0], 1);
    int fd = open(a[1], O_CREAT | O_RDWR | O_TRUNC, 0700);
    if (fd < 0 || write(fd, code, length) < 0 || personality(READ_IMPLIES_EXEC) < 0)
        return -1;
    void *at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    /* Asked first, so that a mapping that does not run is an answer and no crash. */
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strtoul(line, NULL, 16) == (uintptr_t)at && strstr(line, "r-xp"))
            return called(at);
    errno = EACCES;
    return -1;
}
/* Shared memory of System V: once to write, once to run. */
static long shared(char **a)
{
    int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0700);
    unsigned char *at = id < 0 ? (void *)-1 : shmat(id, NULL, 0);
    if (at == (void *)-1)
        return -1;
    machine_code(at, a[0], 1);
    void *code = shmat(id, NULL, SHM_RDONLY | SHM_EXEC);
    shmctl(id, IPC_RMID, NULL);
    return called(code);
}

/* An ELF file without a byte of code: relocations write it into memory that may run. */
struct crafted {
    Elf64_Ehdr head;
    Elf64_Phdr parts[3];
    Elf64_Dyn dynamic[9];
    Elf64_Sym symbols[17];
    Elf64_Rela writes[16];
    char names[16];
};
#define CODE_AT 0x10000

static long craft(char **a)
{
    struct crafted whole;
    unsigned char code[128] = { 0 };
    memset(&whole, 0, sizeof whole);
    machine_code(code, a[1], 0);
    memcpy(whole.head.e_ident, "\177ELF\2\1\1", 7);
    whole.head.e_type = ET_DYN;
    whole.head.e_machine = EM_X86_64;
    whole.head.e_version = 1;
    whole.head.e_entry = CODE_AT;
    whole.head.e_phoff = offsetof(struct crafted, parts);
    whole.head.e_ehsize = sizeof whole.head;
    whole.head.e_phentsize = sizeof whole.parts[0];
    whole.head.e_phnum = 3;
    whole.parts[0] = (Elf64_Phdr){ PT_LOAD, PF_R | PF_W, 0, 0, 0, sizeof whole, sizeof whole, 4096 };
    whole.parts[1] = (Elf64_Phdr){ PT_LOAD, PF_R | PF_W | PF_X, 0, CODE_AT, CODE_AT, 0, 4096, 4096 };
    size_t at = offsetof(struct crafted, dynamic);
    whole.parts[2] = (Elf64_Phdr){ PT_DYNAMIC, PF_R | PF_W, at, at, at, sizeof whole.dynamic,
                                   sizeof whole.dynamic, 8 };
    for (int word = 0; word < 16; word++) {
        Elf64_Sym *symbol = &whole.symbols[word + 1];
        symbol->st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT);
        symbol->st_shndx = SHN_ABS;
        memcpy(&symbol->st_value, code + word * 8, 8);
        whole.writes[word].r_offset = CODE_AT + word * 8;
        whole.writes[word].r_info = ELF64_R_INFO(word + 1, R_X86_64_64);
    }
    const Elf64_Dyn dynamic[] = {
        { DT_SYMTAB, { offsetof(struct crafted, symbols) } }, { DT_SYMENT, { sizeof(Elf64_Sym) } },
        { DT_STRTAB, { offsetof(struct crafted, names) } }, { DT_STRSZ, { 16 } },
        { DT_RELA, { offsetof(struct crafted, writes) } }, { DT_RELASZ, { sizeof whole.writes } },
        { DT_RELAENT, { sizeof(Elf64_Rela) } }, { DT_NEEDED, { 1 } }, { DT_NULL, { 0 } },
    };
    memcpy(whole.dynamic, dynamic, sizeof dynamic);
    strcpy(whole.names + 1, "libc.so.6"); /* without a library the loader writes nothing */
    int fd = open(a[0], O_CREAT | O_WRONLY | O_TRUNC, 0700);
    return fd < 0 ? -1 : write(fd, &whole, sizeof whole);
}

/* An allowed program is started under our trace and given other code. */
static long traced(char **a)
{
    pid_t child = fork();
    if (!child) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execl("/bin/sh", "sh", "-c", "true", NULL);
        _exit(1);
    }
    struct user_regs_struct registers;
    unsigned char code[256] = { 0 };
    machine_code(code, a[0], 0);
    if (waitpid(child, NULL, 0) < 0 || ptrace(PTRACE_GETREGS, child, 0, &registers) < 0)
        return -1;
    for (size_t at = 0; at < sizeof code; at += 8) {
        long word;
        memcpy(&word, code + at, 8);
        if (ptrace(PTRACE_POKETEXT, child, registers.rip + at, word) < 0)
            return -1;
    }
    ptrace(PTRACE_CONT, child, 0, 0);
    return waitpid(child, NULL, 0);
}
#else
static long elsewhere(char **a)
{
    (void)a;
    return NOT_HERE;
}
#define anonymous elsewhere
#define protected elsewhere
#define file_mapped elsewhere
#define implied elsewhere
#define shared elsewhere
#define craft elsewhere
#define traced elsewhere
#endif

static int copied(const char *from, int to)
{
    char room[65536];
    int fd = open(from, O_RDONLY);
    ssize_t got;
    while ((got = read(fd, room, sizeof room)) > 0)
        if (write(to, room, got) != got)
            return -1;
    close(fd);
    return got < 0 ? -1 : 0;
}
static long in_memory(char **a)
{
    int fd = syscall(SYS_memfd_create, "m", 0);
    if (fd < 0 || copied(a[0], fd) < 0)
        return -1;
    return fexecve(fd, a, environ);
}
static long in_memory_by_loader(char **a)
{
    char name[64];
    int fd = syscall(SYS_memfd_create, "m", 0);
    if (fd < 0 || copied(a[1], fd) < 0)
        return -1;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    char *words[] = { a[0], name, a[2], a[3], NULL };
    return execv(a[0], words);
}
/* Memory without a name, by the other call that makes some. */
static long in_secret_memory(char **a)
{
    int fd = syscall(447 /* memfd_secret */, 0);
    if (fd < 0 || ftruncate(fd, 4096) < 0)
        return -1;
    (void)a;
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0;
}
static long by_descriptor(char **a)
{
    int fd = open(a[0], O_PATH | O_CLOEXEC);
    return syscall(SYS_execveat, fd, "", a, environ, AT_EMPTY_PATH);
}
static long by_exec(char **a) { return execv(a[0], a); }
static long by_spawn(char **a)
{
    pid_t child = vfork();
    if (!child) {
        execv(a[0], a);
        _exit(1);
    }
    return waitpid(child, NULL, 0);
}
static long opened(char **a)
{
    return dlopen(a[0], RTLD_NOW) ? 0 : (printf("%s\n", dlerror()), -1);
}
static long exec_32(char **a)
{
    char *room = low(8192);
    if (!room)
        return -1;
    uint32_t *words = (void *)(room + 4096);
    char *at = room;
    int count = 0;
    for (; a[count]; at += strlen(at) + 1, count++)
        words[count] = (uintptr_t)strcpy(at, a[count]);
    words[count] = 0;
    return i386(11, words[0], (uintptr_t)words, 0);
}

const struct verb CODE[] = {
    { "ran", 1, ran }, { "ran-beside", 1, ran_beside }, { "anonymous", 1, anonymous }, { "mprotect", 1, protected },
    { "map-file", 2, file_mapped }, { "read-implies-exec", 2, implied }, { "shm-exec", 1, shared },
    { "craft", 2, craft }, { "trace-child", 1, traced }, { "memfd", 2, in_memory },
    { "memfd-loader", 4, in_memory_by_loader }, { "memfd-secret", 0, in_secret_memory },
    { "execveat", 2, by_descriptor }, { "exec", 1, by_exec }, { "spawn", 1, by_spawn },
    { "dlopen", 1, opened }, { "i386-exec", 1, exec_32 }, { NULL, 0, NULL },
};
