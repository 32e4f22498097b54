// SPDX-License-Identifier: Apache-2.0
/* The card: a thread that looks for work in the doorbell records, at its sockets and clocks, and sleeps when there is none. With
 * ISTHMUS_CONNECTX_THREAD=no there is none: the card works while a thread of the program yields the processor, and at no other
 * time, so that what the program does in between can be counted.
 */
#include "connectx.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	IDLE_ROUNDS = 3,	 /* without work, before it sleeps */
	MOST_POLLS = 1100,
	SHORTEST_SLICE_NS = 100000,
	LONGEST_SLEEP_US = 1000, /* where no doorbell wakes it */
};

static int wake_fd = -1; /* -1: no thread, or not yet */

uint64_t card_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void card_wake(void)
{
	const uint64_t one = 1;

	if (wake_fd < 0)
		return;
	if (syscall(SYS_write, wake_fd, &one, sizeof(one)) < 0)
		abort();
}

/* Does what there is to do; returns whether that was something. next: when something will be. */
static bool work(uint64_t *next)
{
	bool worked = wire_progress();
	uint64_t now = card_now();
	uint32_t handle = 0;
	struct object *object;

	*next = UINT64_MAX;
	while ((object = object_next(&handle, QP))) {
		struct qp *qp = (struct qp *)object;

		worked |= requester_progress(qp, now);
		if (qp->attr.qp_state == IBV_QPS_ERR) {
			responder_flush(qp);
			/* A receive that is posted now changes a record, and rings no doorbell. */
			if (now + LONGEST_SLEEP_US * 1000ull < *next)
				*next = now + LONGEST_SLEEP_US * 1000ull;
		}
		if (qp->resume_at && qp->resume_at < *next)
			*next = qp->resume_at;
	}
	wire_flush();
	for (handle = 0; (object = object_next(&handle, CQ));)
		cq_notify((struct cq *)object);
	return worked;
}

static bool works_here; /* in the program's threads */

void card_yield(void)
{
	uint64_t next;

	if (!works_here)
		return;
	pthread_mutex_lock(&card_lock);
	while (work(&next))
		;
	pthread_mutex_unlock(&card_lock);
}

void card_await(pthread_cond_t *condition)
{
	uint64_t next;

	if (works_here)
		work(&next);
	else
		pthread_cond_wait(condition, &card_lock);
}

static void sleep_until(uint64_t next)
{
	static unsigned sleeps;
	struct pollfd polls[MOST_POLLS] = {{wake_fd, POLLIN, 0}, {doorbell_fd(), POLLIN, 0}};
	struct timespec timeout, *limit = NULL;
	uint64_t now = card_now(), span = next > now ? next - now : 0;
	int count;

	pthread_mutex_lock(&card_lock);
	count = 2 + wire_poll(polls + 2, MOST_POLLS - 2);
	pthread_mutex_unlock(&card_lock);
	if (doorbell_fd() < 0) {
		sleeps = sleeps < 10 ? sleeps + 1 : sleeps;
		uint64_t longest = (LONGEST_SLEEP_US * 1000ull) >> (10 - sleeps);

		span = span < longest ? span : longest;
	}
	if (next != UINT64_MAX || doorbell_fd() < 0) {
		timeout = (struct timespec){(time_t)(span / 1000000000), (long)(span % 1000000000)};
		limit = &timeout;
	}
	if (ppoll(polls, (nfds_t)count, limit, NULL) > 0) {
		uint64_t value;

		sleeps = 0;
		if (polls[0].revents && syscall(SYS_read, wake_fd, &value, sizeof(value)) < 0)
			abort();
	}
}

/* Programs that poll keep all processors busy. A thread with a shorter slice may run before them as soon as it is woken, from
 * Linux 6.12 on; before that, the call changes nothing.
 */
static void prefer_this_thread(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attributes = {.size = sizeof(attributes), .runtime = SHORTEST_SLICE_NS}; /* struct sched_attr of linux/sched/types.h */

	syscall(SYS_sched_setattr, 0, &attributes, 0);
}

static void *run(void *unused)
{
	int idle = 0;

	(void)unused;
	prctl(PR_SET_NAME, "connectx");
	prefer_this_thread();
	for (;;) {
		uint64_t next;

		pthread_mutex_lock(&card_lock);
		bool worked = work(&next);
		pthread_mutex_unlock(&card_lock);
		idle = worked ? 0 : idle + 1;
		if (idle < IDLE_ROUNDS)
			continue;
		doorbell_protect(true);
		/* What came before the pages were protected. */
		pthread_mutex_lock(&card_lock);
		worked = work(&next);
		pthread_mutex_unlock(&card_lock);
		if (!worked)
			sleep_until(next);
		doorbell_protect(false);
		if (doorbell_fd() >= 0)
			doorbell_take();
		idle = 0;
	}
	return NULL;
}

static void start(void)
{
	const char *asked = getenv("ISTHMUS_CONNECTX_THREAD");
	pthread_t thread;
	sigset_t all, before;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* where Yama wants that said: other cards read our memory */
	wire_start();
	works_here = asked && !strcmp(asked, "no");
	if (works_here)
		return;
	wake_fd = eventfd(0, EFD_CLOEXEC);
	doorbell_open();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error || wake_fd < 0) {
		fprintf(stderr, "connectx: no thread for the card: %s\n", strerror(error));
		abort();
	}
	pthread_detach(thread);
}

/* With the first device that is opened. */
void card_start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, start);
}
