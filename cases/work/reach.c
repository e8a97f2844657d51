// Reaches for what walls shut, and says what the kernel answered. Built by the tests.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// What the C library asks with for the names of users, and what others do.
enum { LIBRARYS_OWN = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK };

static void say(const char *what, long answer) {
    printf("%s %s\n", what, answer < 0 ? strerrorname_np(errno) : "done");
}

static void try_socket(const char *what, int family, int kind, int protocol) {
    int fd = socket(family, kind, protocol);
    say(what, fd);
    if (fd >= 0) close(fd);
}

static int far_socket(int kind) { return socket(AF_INET, kind | SOCK_NONBLOCK, 0); }

static struct sockaddr_in far_away(unsigned number) {
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(1000 + number % 60000) };
    // Addresses for documentation (RFC 5737).
    to.sin_addr.s_addr = htonl(0xc0000200u + number % 256);
    return to;
}

// Every answer is the same whoever refuses.
static int errors(void) {
    try_socket("unix", AF_UNIX, SOCK_STREAM, 0);
    try_socket("library", AF_UNIX, LIBRARYS_OWN, 0);
    try_socket("datagram", AF_UNIX, SOCK_DGRAM, 0);
    try_socket("internet", AF_INET, SOCK_STREAM, 0);
    try_socket("internet6", AF_INET6, SOCK_DGRAM, 0);
    try_socket("packet", AF_PACKET, SOCK_RAW, 0);
    try_socket("audit", AF_NETLINK, SOCK_RAW, 9);
    try_socket("vsock", AF_VSOCK, SOCK_STREAM, 0);
    try_socket("none", 9999, SOCK_STREAM, 0);
    try_socket("negative", -1, -1, -1);
    say("trace", ptrace(PTRACE_TRACEME, 0, 0, 0));
    say("attach", ptrace(PTRACE_ATTACH, 1, 0, 0));
    say("request", ptrace(-1, -1, (void *)-1, (void *)-1));
    struct sockaddr_in to = far_away(1);
    int fd = far_socket(SOCK_DGRAM);
    say("far", connect(fd, (void *)&to, sizeof to));
    say("short", connect(fd, (void *)&to, 3));
    say("empty", connect(fd, (void *)&to, 0));
    say("long", connect(fd, (void *)&to, 0x7fffffff));
    say("negative", connect(fd, (void *)&to, (socklen_t)-1));
    say("nowhere", connect(fd, (void *)8, sizeof to));
    say("null", connect(fd, NULL, sizeof to));
    to.sin_family = AF_UNSPEC;
    say("apart", connect(fd, (void *)&to, sizeof to));
    say("file", connect(1, (void *)&to, sizeof to));
    say("closed", connect(999, (void *)&to, sizeof to));
    return 0;
}

// Many askers at once, each with many questions.
static int flood(void) {
    for (int child = 0; child < 40; child++) {
        if (fork() == 0) {
            for (unsigned i = 0; i < 400; i++) {
                struct sockaddr_in to = far_away(child * 400 + i);
                int fd = far_socket(SOCK_STREAM);
                if (fd >= 0) {
                    connect(fd, (void *)&to, sizeof to);
                    close(fd);
                }
                socket(AF_UNIX, SOCK_STREAM, 0);
                ptrace(PTRACE_TRACEME, 0, 0, 0);
            }
            _exit(0);
        }
    }
    while (wait(NULL) > 0) {}
    puts("flooded");
    return 0;
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    if (!strcmp(what, "errors")) return errors();
    if (!strcmp(what, "flood")) return flood();
    if (!strcmp(what, "unix")) return socket(AF_UNIX, SOCK_STREAM, 0) < 0;
    if (!strcmp(what, "trace")) return ptrace(PTRACE_TRACEME, 0, 0, 0) < 0;
    if (!strcmp(what, "leak")) {
        char *volatile lost = malloc(9);
        lost = NULL;
        return lost != NULL;
    }
    return 2;
}
