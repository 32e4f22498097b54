// SPDX-License-Identifier: Apache-2.0
/* A program that knows of plain sockets only. Tests run it with librspreload.so. It does what Conversation.java does:
 *     peer listen|connect ADDRESS PORT JOB BYTES [LOCAL ADDRESS]
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHUNK 65536

static int fd;
static long long bytes;

static void fail(const char *what)
{
	printf("%s: %s\n", what, strerrorname_np(errno));
	exit(0); /* the test judges what is printed */
}

static void check(int status, const char *what)
{
	if (status < 0)
		fail(what);
}

/* Words of a congruential generator; what came is told by a number that depends on each word and its place. */
static uint64_t out[CHUNK / 8], in[CHUNK / 8];
static uint64_t word = 1, out_sum, in_sum;
static long out_length, out_at, in_at;
static long long out_left, in_total;

/* Writes some of what is left, and returns whether that was all. */
static int produced(void)
{
	if (out_at == out_length) {
		out_length = out_left < CHUNK ? out_left : CHUNK;
		out_left -= out_length;
		out_at = 0;
		for (int i = 0; i < out_length / 8; i++) {
			out[i] = word = word * 6364136223846793005ull + 1442695040888963407ull;
			out_sum = out_sum * 31 + word;
		}
	}
	if (out_length > 0) {
		ssize_t n = write(fd, (char *) out + out_at, out_length - out_at);
		if (n < 0 && errno == EAGAIN)
			return 0;
		check(n, "write");
		out_at += n;
	}
	if (out_at < out_length || out_left > 0)
		return 0;
	printf("sent %lld %016llx\n", bytes, (unsigned long long) out_sum);
	return 1;
}

static void produce(void)
{
	out_left = bytes;
	while (!produced())
		;
}

/* Reads some, and returns whether that was the end. */
static int consumed(void)
{
	ssize_t n = read(fd, (char *) in + in_at, sizeof in - in_at);

	if (n < 0 && errno == EAGAIN)
		return 0;
	check(n, "read");
	in_at += n;
	in_total += n;
	if (n == 0 || in_at == sizeof in) {
		for (int i = 0; i < in_at / 8; i++)
			in_sum = in_sum * 31 + in[i];
		in_at = 0;
	}
	if (n == 0)
		printf("received %lld %016llx\n", in_total, (unsigned long long) in_sum);
	return n == 0;
}

static void consume(void)
{
	while (!consumed())
		;
}

static void producer(void)
{
	produce();
	check(shutdown(fd, SHUT_WR), "shutdown");
}

static void echo(void)
{
	static char chunk[CHUNK];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof chunk)) > 0) {
		for (ssize_t at = 0; at < n;) {
			ssize_t written = write(fd, chunk + at, n - at);
			check(written, "write");
			at += written;
		}
	}
	check(n, "read");
	printf("end\n");
}

/* By one thread: rsocket can stand still if one thread reads and another one writes (docs/sockets.md). */
static void duplex(void)
{
	struct pollfd one = { .fd = fd };
	int sent = 0, ended = 0;

	out_left = bytes;
	check(fcntl(fd, F_SETFL, O_NONBLOCK), "O_NONBLOCK");
	while (!sent || !ended) {
		one.events = (sent ? 0 : POLLOUT) | (ended ? 0 : POLLIN);
		check(poll(&one, 1, -1), "poll");
		if (!sent && one.revents & POLLOUT && produced()) {
			check(shutdown(fd, SHUT_WR), "shutdown");
			sent = 1;
		}
		if (!ended && one.revents & (POLLIN | POLLHUP | POLLERR))
			ended = consumed();
	}
}

/* Closes as soon as it has read so much: rsocket grants room behind its disconnect message. */
static void gulp(void)
{
	static char chunk[CHUNK];

	for (long long left = bytes; left > 0;) {
		ssize_t n = read(fd, chunk, left < CHUNK ? left : CHUNK);
		check(n, "read");
		left -= n;
	}
}

static void keep_alive(int seconds)
{
	int on = 1;

	check(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on), "SO_KEEPALIVE");
	check(setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds), "TCP_KEEPIDLE");
	for (int i = 0; i < 3; i++) {
		char c = 'k';
		sleep(seconds + 1); /* that long there is nothing but keepalives */
		check(write(fd, &c, 1), "write");
	}
}

static void work(const char *job)
{
	if (!strcmp(job, "echo")) {
		echo();
	} else if (!strcmp(job, "duplex")) {
		duplex();
	} else if (!strcmp(job, "ask")) { /* closes its half first */
		producer();
		consume();
	} else if (!strcmp(job, "answer")) { /* goes on after the peer has closed its own */
		consume();
		producer();
	} else if (!strcmp(job, "gulp")) {
		gulp();
	} else if (!strcmp(job, "keepalive")) {
		keep_alive(1);
	} else if (!strcmp(job, "flood")) {
		bytes = 1ll << 50;
		produce();
	} else if (!strcmp(job, "late")) { /* after the peer has closed its half */
		consume();
		bytes = 1ll << 50;
		produce();
	} else if (!strcmp(job, "sink")) {
		consume();
	} else if (!strcmp(job, "half")) {
		check(shutdown(fd, SHUT_WR), "shutdown");
		consume();
	}
}

static void bind_to(int made, const char *address)
{
	struct sockaddr_in from = { .sin_family = AF_INET };

	inet_pton(AF_INET, address, &from.sin_addr);
	check(bind(made, (struct sockaddr *) &from, sizeof from), "bind");
}

static int open_socket(const char *role, struct sockaddr_in *at, const char *local)
{
	int on = 1, made = socket(AF_INET, SOCK_STREAM, 0), accepted;
	socklen_t length = sizeof *at;

	check(made, "socket");
	if (!strcmp(role, "connect")) {
		if (local)
			bind_to(made, local);
		printf("ready\n");
		check(connect(made, (struct sockaddr *) at, length), "connect");
		return made;
	}
	check(setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "SO_REUSEADDR");
	check(bind(made, (struct sockaddr *) at, length), "bind");
	check(listen(made, 8), "listen");
	printf("ready\n");
	accepted = accept(made, NULL, NULL);
	check(accepted, "accept");
	return accepted;
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET };

	if (argc < 6)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	inet_pton(AF_INET, argv[2], &at.sin_addr);
	at.sin_port = htons(atoi(argv[3]));
	bytes = atoll(argv[5]);
	fd = open_socket(argv[1], &at, argv[6]);
	printf("connected\n");
	work(argv[4]);
	check(close(fd), "close");
	printf("closed\n");
	return 0;
}
