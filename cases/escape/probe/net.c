/* Sockets: every way to get a byte out. */
#include "probe.h"
#include <arpa/inet.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/inet_diag.h>
#include <linux/vm_sockets.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/udp.h>

/* 4:PORT, 6:PORT, 4/ADDRESS:PORT, path:NAME, abstract:NAME, vsock:PORT. */
int address(const char *text, struct sockaddr_storage *into, socklen_t *length)
{
    memset(into, 0, sizeof *into);
    const char *rest = strchr(text, ':') + 1;
    if (text[0] == '4') {
        struct sockaddr_in *a = (void *)into;
        char host[64] = "127.0.0.1";
        if (text[1] == '/')
            snprintf(host, sizeof host, "%.*s", (int)(rest - text - 3), text + 2);
        *a = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(atoi(rest)) };
        inet_pton(AF_INET, host, &a->sin_addr);
        *length = sizeof *a;
        return AF_INET;
    }
    if (text[0] == '6') {
        struct sockaddr_in6 *a = (void *)into;
        *a = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(atoi(rest)) };
        a->sin6_addr = in6addr_loopback;
        *length = sizeof *a;
        return AF_INET6;
    }
    if (text[0] == 'v') {
        struct sockaddr_vm *a = (void *)into;
        *a = (struct sockaddr_vm){ .svm_family = AF_VSOCK, .svm_port = atoi(rest), .svm_cid = 1 };
        *length = sizeof *a;
        return AF_VSOCK;
    }
    struct sockaddr_un *a = (void *)into;
    a->sun_family = AF_UNIX;
    int hidden = text[0] == 'a';
    strncpy(a->sun_path + hidden, rest, sizeof a->sun_path - 2);
    *length = offsetof(struct sockaddr_un, sun_path) + hidden + strlen(rest) + !hidden;
    return AF_UNIX;
}

static int kind(const char *word)
{
    return !strcmp(word, "stream") ? SOCK_STREAM : !strcmp(word, "dgram") ? SOCK_DGRAM
                                                                          : SOCK_SEQPACKET;
}

/* KIND ADDRESS, by connect and write. */
static long by_connect(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    int fd = socket(address(a[1], &to, &length), kind(a[0]), 0);
    if (fd < 0 || connect(fd, (void *)&to, length) < 0)
        return -1;
    return write(fd, "out", 3);
}

static long by_sendto(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    int fd = socket(address(a[1], &to, &length), kind(a[0]), 0);
    return fd < 0 ? -1 : sendto(fd, "out", 3, 0, (void *)&to, length);
}

static struct msghdr message(struct iovec *piece, struct sockaddr_storage *to, socklen_t length)
{
    return (struct msghdr){ .msg_name = to, .msg_namelen = length, .msg_iov = piece,
                            .msg_iovlen = 1 };
}

static long by_sendmsg(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    struct iovec piece = { "out", 3 };
    int fd = socket(address(a[1], &to, &length), kind(a[0]), 0);
    struct msghdr text = message(&piece, &to, length);
    return fd < 0 ? -1 : sendmsg(fd, &text, 0);
}

static long by_sendmmsg(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    struct iovec piece = { "out", 3 };
    int fd = socket(address(a[1], &to, &length), kind(a[0]), 0);
    struct mmsghdr texts[2] = { { message(&piece, &to, length), 0 },
                                { message(&piece, &to, length), 0 } };
    return fd < 0 ? -1 : sendmmsg(fd, texts, 2, 0);
}

/* By a socket that socketpair made: no filter of socket() sees it. */
static long by_pair(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    int pair[2];
    address(a[1], &to, &length);
    if (socketpair(AF_UNIX, kind(a[0]), 0, pair) < 0)
        return -1;
    return sendto(pair[0], "out", 3, 0, (void *)&to, length);
}

static long fast_open(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    int fd = socket(address(a[0], &to, &length), SOCK_STREAM, 0);
    return fd < 0 ? -1 : sendto(fd, "out", 3, MSG_FASTOPEN, (void *)&to, length);
}

/* Protocols whose sockets are streams or datagrams and yet not TCP or UDP by number. */
static long by_protocol(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    int fd = socket(address(a[2], &to, &length), kind(a[0]), atoi(a[1]));
    if (fd < 0 || connect(fd, (void *)&to, length) < 0)
        return -1;
    return write(fd, "out", 3);
}

struct datagram { struct iphdr ip; struct udphdr udp; char text[4]; };

static struct datagram datagram(int port)
{
    struct datagram whole = { .text = "out" };
    whole.ip = (struct iphdr){ .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP,
                               .tot_len = htons(sizeof whole) };
    whole.ip.saddr = whole.ip.daddr = htonl(INADDR_LOOPBACK);
    whole.udp.uh_sport = whole.udp.uh_dport = htons(port);
    whole.udp.uh_ulen = htons(sizeof whole - sizeof whole.ip);
    uint32_t sum = 0;
    for (int at = 0; at < 10; at++)
        sum += ((uint16_t *)&whole.ip)[at];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    whole.ip.check = ~sum;
    return whole;
}

static long raw(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    address(a[0], &to, &length);
    int fd = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
    struct datagram whole = datagram(atoi(strchr(a[0], ':') + 1));
    return fd < 0 ? -1 : sendto(fd, &whole, sizeof whole, 0, (void *)&to, length);
}

/* PORT READY GO: what others say to the port, read from the wire. */
static long sniff(char **a)
{
    int fd = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_ALL));
    if (fd < 0)
        return -1;
    close(open(a[1], O_CREAT | O_WRONLY, 0600));
    struct pollfd one = { fd, POLLIN, 0 };
    struct datagram seen;
    for (int quiet = 0; quiet < 50;) {
        if (poll(&one, 1, 10) <= 0) {
            quiet += !access(a[2], F_OK);
            continue;
        }
        ssize_t got = recv(fd, &seen, sizeof seen, 0);
        if (got >= 28 && seen.ip.protocol == IPPROTO_UDP && ntohs(seen.udp.uh_dport) == atoi(a[0]))
            return printf("overheard %s\n", a[0]);
    }
    return -1;
}

static long ring_connect(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    int family = address(a[1], &to, &length);
    struct io_uring_sqe make = { .opcode = IORING_OP_SOCKET, .fd = family };
    make.off = kind(a[0]);
    long fd = ring(&make);
    if (fd < 0)
        fd = socket(family, kind(a[0]), 0);
    struct io_uring_sqe entry = { .opcode = IORING_OP_CONNECT, .fd = fd };
    entry.addr = (uintptr_t)&to;
    entry.off = length;
    return ring(&entry);
}

static long ring_send(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    struct iovec piece = { "out", 3 };
    int family = address(a[1], &to, &length);
    struct io_uring_sqe make = { .opcode = IORING_OP_SOCKET, .fd = family };
    make.off = kind(a[0]);
    long fd = ring(&make);
    if (fd < 0)
        fd = socket(family, kind(a[0]), 0);
    struct msghdr text = message(&piece, &to, length);
    struct io_uring_sqe entry = { .opcode = IORING_OP_SENDMSG, .fd = fd };
    entry.addr = (uintptr_t)&text;
    entry.len = 1;
    return ring(&entry);
}

/* socketcall, the one 32-bit call for all of them: 1 is socket, 3 is connect. */
static long connect_32(char **a)
{
    struct sockaddr_storage to;
    socklen_t length;
    int family = address(a[1], &to, &length);
    char *room = low(4096);
    if (!room)
        return -1;
    uint32_t *words = (void *)room;
    memcpy(room + 512, &to, length);
    words[0] = family, words[1] = kind(a[0]), words[2] = 0;
    long fd = i386(102, 1, (uintptr_t)words, 0);
    if (fd < 0)
        fd = socket(family, kind(a[0]), 0);
    words[0] = fd, words[1] = (uintptr_t)(room + 512), words[2] = length;
    return i386(102, 3, (uintptr_t)words, 0);
}

/* FAMILY PROTOCOL: a socket of a family that reaches into the kernel or beside the network. */
static long family(char **a)
{
    char name[64], target[128];
    int kinds[] = { SOCK_RAW, SOCK_SEQPACKET, SOCK_STREAM, SOCK_DGRAM };
    for (int at = 0; at < 4; at++) {
        int fd = socket(atoi(a[0]), kinds[at], atoi(a[0]) == 15 ? 2 : atoi(a[1]));
        if (fd < 0)
            continue;
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(name, target, sizeof target);
        return printf("holds %.*s\n", length > 0 ? (int)length : 0, target);
    }
    return -1;
}

/* Names of the machine's network interfaces and addresses. */
static long links(char **a)
{
    (void)a;
    int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    struct { struct nlmsghdr head; struct rtgenmsg body; } ask = {
        { sizeof ask, RTM_GETADDR, NLM_F_REQUEST | NLM_F_DUMP, 1, 0 }, { AF_INET }
    };
    if (fd < 0 || send(fd, &ask, sizeof ask, 0) < 0)
        return -1;
    char room[16384];
    ssize_t got = recv(fd, room, sizeof room, 0);
    for (struct nlmsghdr *at = (void *)room; NLMSG_OK(at, got); at = NLMSG_NEXT(at, got)) {
        if (at->nlmsg_type != RTM_NEWADDR)
            break;
        struct { unsigned char family, length, flags, scope; uint32_t index; } *body =
            NLMSG_DATA(at);
        struct rtattr *one = (void *)(body + 1);
        int left = at->nlmsg_len - NLMSG_LENGTH(8);
        for (; RTA_OK(one, left); one = RTA_NEXT(one, left))
            if (one->rta_type == 1)
                printf("address %s\n", inet_ntoa(*(struct in_addr *)RTA_DATA(one)));
    }
    return got;
}

/* Whether the machine's sockets that listen can be listed. */
static long listening(char **a)
{
    int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
    struct { struct nlmsghdr head; struct inet_diag_req_v2 body; } ask = {
        { sizeof ask, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP, 1, 0 },
        { .sdiag_family = AF_INET, .sdiag_protocol = IPPROTO_TCP, .idiag_states = -1 }
    };
    if (fd < 0 || send(fd, &ask, sizeof ask, 0) < 0)
        return -1;
    static char room[262144];
    long found = -1;
    for (int round = 0; round < 100 && found < 0; round++) {
        ssize_t got = recv(fd, room, sizeof room, 0);
        struct nlmsghdr *at = (void *)room;
        if (got <= 0 || at->nlmsg_type == NLMSG_DONE || at->nlmsg_type == NLMSG_ERROR)
            break;
        for (; NLMSG_OK(at, got); at = NLMSG_NEXT(at, got)) {
            struct inet_diag_msg *one = NLMSG_DATA(at);
            if (at->nlmsg_type == SOCK_DIAG_BY_FAMILY && ntohs(one->id.idiag_sport) == atoi(a[0]))
                found = printf("listens %s\n", a[0]);
        }
    }
    return found;
}

/* ADDRESS READY GO: a listener of our own writes its port to READY and waits to be reached. */
static long listener(char **a)
{
    struct sockaddr_storage at;
    socklen_t length;
    int fd = socket(address(a[0], &at, &length), SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (void *)&at, length) < 0 || listen(fd, 1) < 0)
        return -1;
    getsockname(fd, (void *)&at, &length);
    FILE *ready = fopen(a[1], "w");
    if (ready)
        fprintf(ready, "%d\n", ntohs(((uint16_t *)&at)[1])), fclose(ready);
    struct pollfd one = { fd, POLLIN, 0 };
    for (int round = 0; round < 400; round++) {
        if (poll(&one, 1, 10) > 0)
            return printf("reached from outside\n");
        if (!access(a[2], F_OK))
            break;
    }
    return poll(&one, 1, 0) > 0 ? printf("reached from outside\n") : -1;
}

/* Takes a connection from a listening socket that came along. */
static long take(char **a)
{
    int fd = accept4(atoi(a[0]), NULL, NULL, SOCK_NONBLOCK);
    return fd < 0 ? -1 : write(fd, "out", 3);
}

const struct verb NETS[] = {
    { "connect", 2, by_connect }, { "sendto", 2, by_sendto }, { "sendmsg", 2, by_sendmsg },
    { "sendmmsg", 2, by_sendmmsg }, { "pair-sendto", 2, by_pair }, { "fast-open", 1, fast_open },
    { "protocol", 3, by_protocol }, { "family", 2, family }, { "raw", 1, raw }, { "sniff", 3, sniff },
    { "ring-connect", 2, ring_connect }, { "ring-send", 2, ring_send },
    { "i386-connect", 2, connect_32 }, { "addresses", 0, links }, { "listening", 1, listening },
    { "listen", 3, listener }, { "take", 1, take }, { NULL, 0, NULL },
};
