/* The two side doors to the kernel: io_uring, and the calls of 32-bit programs. */
#include "probe.h"
#include <linux/io_uring.h>

long ring(const void *entry)
{
    struct io_uring_params how = { 0 };
    int fd = syscall(SYS_io_uring_setup, 4, &how);
    if (fd < 0)
        return -1;
    char *sq = mmap(NULL, how.sq_off.array + how.sq_entries * 4, PROT_READ | PROT_WRITE,
                    MAP_SHARED, fd, IORING_OFF_SQ_RING);
    char *cq = mmap(NULL, how.cq_off.cqes + how.cq_entries * sizeof(struct io_uring_cqe),
                    PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_CQ_RING);
    struct io_uring_sqe *entries = mmap(NULL, how.sq_entries * sizeof *entries,
                                        PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
    if (sq == MAP_FAILED || cq == MAP_FAILED || entries == MAP_FAILED)
        return -1;
    memcpy(entries, entry, sizeof *entries);
    ((uint32_t *)(sq + how.sq_off.array))[0] = 0;
    __atomic_store_n((uint32_t *)(sq + how.sq_off.tail), 1, __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
        return -1;
    struct io_uring_cqe *done = (void *)(cq + how.cq_off.cqes);
    if (done->res < 0)
        return errno = -done->res, -1;
    return done->res;
}

void *low(size_t bytes)
{
#ifdef MAP_32BIT
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
                    -1, 0);
    return at == MAP_FAILED ? NULL : at;
#else
    (void)bytes;
    return NULL;
#endif
}

long i386(long number, long a, long b, long c)
{
#if defined(__x86_64__)
    long got;
    __asm__ volatile("int $0x80" : "=a"(got) : "a"(number), "b"(a), "c"(b), "d"(c)
                     : "memory", "r8", "r9", "r10", "r11");
    if ((int)got < 0)
        return errno = -(int)got, -1;
    return (int)got;
#else
    (void)number, (void)a, (void)b, (void)c;
    return NOT_HERE;
#endif
}
