// SPDX-License-Identifier: Apache-2.0
/*
 * The loop of SocketLoops.java in C, line by line, over rsockets: what is changed there is changed here.
 * Arguments: the address of a device, then rows. Prints a line for each row: see blocks.h.
 */
#include "blocks.h"
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <rdma/rsocket.h>

enum { MAX_BYTES = 4096 };

static char written[MAX_BYTES], received[MAX_BYTES];
static int client, server, bytes, flags, selects;

static void await_server(void)
{
    struct pollfd one = {.fd = server, .events = POLLIN};
    require(rpoll(&one, 1, -1) == 1 && one.revents == POLLIN, "rpoll");
}

static long long run(int count)
{
    long long begin = now();
    for (int i = 0; i < count; i++) {
        for (int done = 0; done < bytes;) {
            ssize_t n = rsend(client, written + done, bytes - done, flags);
            if (n > 0)
                done += n;
            else
                require(n == 0 || errno == EAGAIN, "rsend");
        }
        for (int done = 0; done < bytes;) {
            if (selects)
                await_server();
            ssize_t n = rrecv(server, received + done, bytes - done, flags);
            if (n > 0)
                done += n;
            else
                require(n < 0 && errno == EAGAIN, "rrecv");
        }
    }
    return now() - begin;
}

static void *accept_one(void *listener)
{
    server = raccept(*(int *)listener, NULL, NULL);
    require(server >= 0, "raccept");
    return NULL;
}

static void connect_to_self(const char *host)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    require(inet_pton(AF_INET, host, &address.sin_addr) == 1, host);
    int listener = rsocket(AF_INET, SOCK_STREAM, 0);
    require(listener >= 0, "rsocket");
    require(rbind(listener, (struct sockaddr *)&address, sizeof address) == 0, "rbind");
    require(rlisten(listener, 1) == 0, "rlisten");
    socklen_t length = sizeof address;
    require(rgetsockname(listener, (struct sockaddr *)&address, &length) == 0, "rgetsockname");
    pthread_t acceptor;
    require(pthread_create(&acceptor, NULL, accept_one, &listener) == 0, "pthread_create");
    client = rsocket(AF_INET, SOCK_STREAM, 0);
    require(client >= 0, "rsocket");
    require(rconnect(client, (struct sockaddr *)&address, length) == 0, "rconnect");
    require(pthread_join(acceptor, NULL) == 0, "pthread_join");
    require(rclose(listener) == 0, "rclose");
}

/*
 * rdma-core 44 accepts no fifth socket while four are open: its thread for accepted sockets polls a table that it has freed
 * when it made room for the fourth. The server hears of the client's goodbye before it is closed: nobody would acknowledge
 * its own.
 */
static void close_both(void)
{
    require(rclose(client) == 0, "rclose");
    require(rrecv(server, received, 1, 0) == 0, "rrecv of the end");
    require(rclose(server) == 0, "rclose");
}

/* A row is MODE:BYTES:OPERATIONS_PER_BLOCK. */
static void run_row(const char *host, const char *row)
{
    char mode[32];
    int operations;
    require(sscanf(row, "%31[^:]:%d:%d", mode, &bytes, &operations) == 3 && bytes <= MAX_BYTES, row);
    flags = strcmp(mode, "blocking") == 0 ? 0 : MSG_DONTWAIT;
    selects = strcmp(mode, "select") == 0;
    connect_to_self(host);
    measure(row, run, operations, 1);
    close_both();
}

int main(int argc, char **argv)
{
    require(argc >= 2, "usage: sockets ADDRESS ROW...");
    have_second_thread();
    measure("clock", two_instructions, 1000000, 2);
    for (int i = 2; i < argc; i++)
        run_row(argv[1], argv[i]);
    return 0;
}
