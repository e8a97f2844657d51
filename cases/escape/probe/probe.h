/* The small program that the escape suite tries its acts with: one verb for each act that a shell
 * cannot do. A verb returns what the kernel said; main prints it, so that the suite knows that the
 * act was tried. Whether it had an effect is seen from outside, never here. */
#ifndef PROBE_H
#define PROBE_H
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* One act. ARGV are the words after the verb; the answer is that of the system call. */
typedef long (*act)(char **argv);
struct verb { const char *name; int words; act run; };

extern const struct verb FILES[], NETS[], PROCESSES[], KERNEL[], CODE[], RACES[], RARE[], WRAPS[],
    STANDS[], MADE[], BESIDE[], NEWER[];

/* A number that newer kernels know and the headers here may not. */
#define NR_fchmodat2 452
#define NR_setxattrat 463
#define NR_file_setattr 469
#define NR_open_tree 428
#define NR_move_mount 429
#define NR_fsopen 430
#define NR_fsconfig 431
#define NR_fsmount 432
#define NR_clone3 435
#define NR_openat2 437
#define NR_landlock_create_ruleset 444
#define NR_landlock_add_rule 445
#define NR_landlock_restrict_self 446
#define NR_pidfd_open 434
#define NR_pidfd_send_signal 424
#define NR_pidfd_getfd 438
#define NR_process_madvise 440
#define NR_mount_setattr 442

/* The answer of a call that needs what this machine is not. */
#define NOT_HERE (errno = ENOSYS, -1L)

long ring(const void *entry);                 /* one entry of io_uring, and its result */
long i386(long number, long a, long b, long c); /* a call of the 32-bit door */
void *low(size_t bytes);                      /* memory that a 32-bit pointer can name */
#if defined(__x86_64__)
size_t machine_code(unsigned char *into, const char *name, int returns); /* makes a file */
long called(void *code);                      /* runs it */
#endif
int address(const char *text, struct sockaddr_storage *into, socklen_t *length);
#endif
