/* Races: the arguments of a call change while the kernel, or whoever answers for it, looks at them.
 */
#include "probe.h"
#include <pthread.h>

enum { ROUNDS = 4000 };

struct flip { char *at; const char *one, *other; size_t length; volatile int over; };

static void *flipping(void *words)
{
    struct flip *flip = words;
    while (!flip->over) {
        memcpy(flip->at, flip->one, flip->length);
        memcpy(flip->at, flip->other, flip->length);
    }
    return NULL;
}

/* Runs the act again and again while the text that it names flips between two. */
static long raced(char *at, const char *one, const char *other, size_t length, long (*once)(char *))
{
    struct flip flip = { at, one, other, length, 0 };
    pthread_t thread;
    long done = 0;
    memcpy(at, other, length);
    if (pthread_create(&thread, NULL, flipping, &flip))
        return -1;
    for (int round = 0; round < ROUNDS; round++)
        done += once(at) >= 0;
    flip.over = 1;
    pthread_join(thread, NULL);
    return done ? done : -1;
}

static long mode_once(char *path)
{
    static int mode;
    return chmod(path, 0600 | (mode ^= 040));
}
static long open_once(char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    return fd < 0 ? -1 : close(fd);
}
static long truncate_once(char *path) { return truncate(path, 0); }
static long unlink_once(char *path)
{
    return unlink(path);
}
static const char *source;
static long rename_once(char *path)
{
    char from[4096];
    snprintf(from, sizeof from, "%s/from", source);
    close(open(from, O_CREAT | O_WRONLY, 0600));
    return rename(from, path);
}
static long connect_once(char *name)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    long got = connect(fd, (void *)name, sizeof(struct sockaddr_un));
    close(fd);
    return got;
}

static long by_paths(char **a, long (*once)(char *))
{
    char one[4096] = { 0 }, other[4096] = { 0 }, at[4096] = { 0 };
    snprintf(one, sizeof one, "%s", a[0]);
    snprintf(other, sizeof other, "%s", a[1]);
    return raced(at, one, other, strlen(one) > strlen(other) ? strlen(one) + 1 : strlen(other) + 1,
                 once);
}
static long mode(char **a) { return by_paths(a, mode_once); }
static long opened(char **a) { return by_paths(a, open_once); }
static long cut(char **a) { return by_paths(a, truncate_once); }
static long removed(char **a) { return by_paths(a, unlink_once); }
static long renamed(char **a) { return source = a[2], by_paths(a, rename_once); }

/* FREE SHUT NAME: the working directory is FREE, a child exchanges it with links to SHUT. */
static long parent(char **a)
{
    char link[4096], file[4096];
    snprintf(link, sizeof link, "%s.link", a[0]);
    snprintf(file, sizeof file, "%s/%s", a[0], a[2]);
    mkdir(a[0], 0700);
    if (symlink(a[1], link) < 0)
        return -1;
    close(openat(open(a[1], O_RDONLY | O_DIRECTORY), a[2], O_CREAT | O_WRONLY, 0600));
    pid_t child = fork();
    if (!child)
        for (;;)
            renameat2(AT_FDCWD, a[0], AT_FDCWD, link, 2);
    long made = 0;
    for (int round = 0; round < ROUNDS; round++) {
        made += mknod(file, S_IFREG | 0600, 0) == 0;
        made += symlink("x", file) == 0;
        unlink(file);
    }
    made += mknod(file, S_IFREG | 0600, 0) == 0;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return made ? made : -1;
}
static long connected(char **a)
{
    struct sockaddr_un one = { .sun_family = AF_UNIX }, other = one, at;
    strncpy(one.sun_path, a[0], sizeof one.sun_path - 1);
    strncpy(other.sun_path, a[1], sizeof other.sun_path - 1);
    int ear = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(ear, (void *)&one, sizeof one);
    listen(ear, 4096);
    return raced((char *)&at, (char *)&one, (char *)&other, sizeof at, connect_once);
}

const struct verb RACES[] = {
    { "race-chmod", 2, mode }, { "race-open", 2, opened },
    { "race-truncate", 2, cut }, { "race-unlink", 2, removed }, { "race-rename", 3, renamed }, { "race-parent", 3, parent }, { "race-connect", 2, connected },
    { NULL, 0, NULL },
};
