// SPDX-License-Identifier: Apache-2.0
/* Events that a program reads from a descriptor: those of a completion channel, and asynchronous ones. The descriptor is an
 * eventfd that counts them, so that poll, epoll and O_NONBLOCK do what they do on a device.
 */
#include "connectx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void count(const struct events *events)
{
	const uint64_t one = 1;

	if (syscall(SYS_write, events->fd, &one, sizeof(one)) != sizeof(one))
		abort(); /* its counter has 64 bits */
}

void events_add(struct events *events, uint64_t element, uint32_t type, uint32_t *reported)
{
	struct event **last = &events->first;
	struct event *event;

	if (events->fd < 0)
		return;
	while (*last)
		last = &(*last)->next;
	event = calloc(1, sizeof(*event));
	event->content.element = element;
	event->content.event_type = type;
	event->reported = reported;
	*last = event;
	count(events);
}

/* Takes away what nobody has read of an object that goes. */
void events_forget(struct events *events, const uint32_t *reported)
{
	struct event **at = &events->first;

	while (*at) {
		struct event *event = *at;

		if (event->reported == reported) {
			*at = event->next;
			free(event);
		} else {
			at = &event->next;
		}
	}
}

ssize_t events_read(struct events *events, void *buffer, size_t size)
{
	struct event *event = NULL;
	uint64_t one;

	while (!event) {
		/* The counter can be ahead of the list: by an event that was forgotten. */
		if (syscall(SYS_read, events->fd, &one, sizeof(one)) < 0)
			return -1;
		pthread_mutex_lock(&card_lock);
		event = events->first;
		if (event) {
			events->first = event->next;
			if (event->reported)
				++*event->reported;
			size = size < events->size ? size : events->size;
			memcpy(buffer, &event->content, size);
			free(event);
		}
		pthread_mutex_unlock(&card_lock);
	}
	return (ssize_t)size;
}
