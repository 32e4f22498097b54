// SPDX-License-Identifier: Apache-2.0
/* The wire between cards of processes: frames over Unix sockets, whose abstract names carry the place and the number of a
 * process. Frames of this process to itself go the same way, without the socket.
 */
#include "connectx.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { PROCESSES = 1 << (24 - QP_INDEX_BITS), CHUNK = 1 << 16 };

struct buffer {
	char *bytes;
	size_t first, end, room;
};

static struct peer {
	int fd; /* -1: none */
	pid_t pid;
	uint32_t number; /* once it is known */
	bool gone;
	struct buffer in, out;
} *peers[2 * PROCESSES]; /* those that we have connected to by their number, then those that have connected to us */

static int listener;
static uint32_t number;
static struct buffer own; /* frames of this process to itself */

static void append(struct buffer *buffer, const void *bytes, size_t size)
{
	if (buffer->first == buffer->end)
		buffer->first = buffer->end = 0;
	if (buffer->end + size > buffer->room) {
		buffer->room = 2 * buffer->room + size;
		buffer->bytes = realloc(buffer->bytes, buffer->room);
	}
	memcpy(buffer->bytes + buffer->end, bytes, size);
	buffer->end += size;
}

static socklen_t name(struct sockaddr_un *address, uint32_t process)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "isthmus-connectx/%llu/%u",
					    (unsigned long long)place_number(), process));
}

void wire_start(void)
{
	struct sockaddr_un address;

	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* From a number that hardly repeats, so that a stale one is nobody's. */
	for (uint32_t i = 0; i < PROCESSES - 1; i++) {
		number = 1 + ((uint32_t)getpid() + i) % (PROCESSES - 1);
		if (!bind(listener, (struct sockaddr *)&address, name(&address, number)))
			break;
	}
	if (listen(listener, PROCESSES)) {
		perror("connectx: no socket for the card");
		abort();
	}
}

uint32_t wire_number(void)
{
	return number;
}

static struct peer *add_peer(int at, int fd)
{
	struct ucred ucred = {0};
	socklen_t size = sizeof(ucred);
	struct peer *peer = calloc(1, sizeof(*peer));

	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &ucred, &size);
	peer->fd = fd;
	peer->pid = ucred.pid;
	return peers[at] = peer;
}

static void remove_peer(int at)
{
	struct peer *peer = peers[at];

	peers[at] = NULL;
	syscall(SYS_close, peer->fd);
	free(peer->in.bytes);
	free(peer->out.bytes);
	if (at < PROCESSES)
		requester_peer_died((uint32_t)at);
	free(peer);
}

static void flush(struct peer *peer)
{
	while (peer->out.first < peer->out.end) {
		ssize_t sent = send(peer->fd, peer->out.bytes + peer->out.first, peer->out.end - peer->out.first,
				    MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent <= 0)
			return; /* that it has died shows when it is read */
		peer->out.first += (size_t)sent;
	}
}

/* The connection to a process, by which requests go there and its replies come back. */
static struct peer *connected(uint32_t process)
{
	struct sockaddr_un address;
	socklen_t length = name(&address, process);
	int fd;

	if (peers[process])
		return peers[process];
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(fd, (struct sockaddr *)&address, length)) {
		syscall(SYS_close, fd);
		return NULL;
	}
	return add_peer((int)process, fd);
}

static struct peer *replying; /* where a request came from, to which its reply goes */

bool wire_send(struct frame *frame)
{
	uint32_t process = frame->to >> QP_INDEX_BITS;
	size_t size = offsetof(struct frame, piece);

	if (frame->kind == REQUEST)
		size += frame->pieces * sizeof(struct iovec);
	frame->size = (uint32_t)size;
	if (process == number) {
		append(&own, frame, size);
		return true;
	}
	struct peer *peer = frame->kind == REPLY ? replying : process ? connected(process) : NULL;

	if (!peer)
		return false;
	append(&peer->out, frame, size);
	return true;
}

/* Handles the frames that are complete. */
static bool handle(struct buffer *buffer, pid_t pid)
{
	bool worked = false;

	while (buffer->end - buffer->first >= sizeof(uint32_t)) {
		struct frame frame;
		uint32_t size;

		memcpy(&size, buffer->bytes + buffer->first, sizeof(size));
		if (size > sizeof(frame) || size > buffer->end - buffer->first)
			break;
		memcpy(&frame, buffer->bytes + buffer->first, size);
		buffer->first += size;
		if (frame.kind == REQUEST)
			responder_request(&frame, pid);
		else
			requester_reply(&frame);
		worked = true;
	}
	return worked;
}

/* Returns false when the peer has gone. */
static bool receive(struct peer *peer)
{
	struct buffer *in = &peer->in;
	char bytes[CHUNK];
	ssize_t got = recv(peer->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (got <= 0)
		return got < 0 && (errno == EAGAIN || errno == EINTR);
	if (in->first) { /* what is left of a frame */
		memmove(in->bytes, in->bytes + in->first, in->end - in->first);
		in->end -= in->first;
		in->first = 0;
	}
	append(in, bytes, (size_t)got);
	return true;
}

bool wire_progress(void)
{
	static struct buffer now;
	bool worked = false;
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		int at = PROCESSES;

		while (at < 2 * PROCESSES && peers[at])
			at++;
		if (at < 2 * PROCESSES)
			add_peer(at, fd);
		else
			syscall(SYS_close, fd);
	}
	/* What is appended meanwhile comes in the next round. */
	struct buffer empty = now;

	now = own;
	own = empty;
	worked |= handle(&now, getpid());
	/* The reply to a request was sent before what the peer's program then asked for. So replies are received last and
	 * handled first: as on a network, a send has completed before its answer comes.
	 */
	for (int at = 2 * PROCESSES - 1; at >= 0; at--)
		if (peers[at])
			peers[at]->gone = !receive(peers[at]);
	for (int at = 0; at < 2 * PROCESSES; at++) {
		if (!peers[at])
			continue;
		replying = peers[at];
		worked |= handle(&peers[at]->in, peers[at]->pid);
		flush(peers[at]);
		if (peers[at]->gone)
			remove_peer(at);
	}
	return worked;
}

void wire_flush(void)
{
	for (int at = 0; at < PROCESSES; at++)
		if (peers[at])
			flush(peers[at]);
}

int wire_poll(struct pollfd *polls, int room)
{
	int count = 0;

	polls[count++] = (struct pollfd){listener, POLLIN, 0};
	for (int at = 0; at < 2 * PROCESSES && count < room; at++)
		if (peers[at])
			polls[count++] = (struct pollfd){
				peers[at]->fd, POLLIN | (peers[at]->out.first < peers[at]->out.end ? POLLOUT : 0), 0};
	return count;
}
