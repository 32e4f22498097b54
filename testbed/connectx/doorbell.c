// SPDX-License-Identifier: Apache-2.0
/* The pages of doorbells. libmlx5 stores to them behind each change of a doorbell record, and nobody is called. While the card
 * sleeps they are write-protected by userfaultfd, so that the store itself wakes it; who stores waits until they are not.
 */
#include "connectx.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGES = 1024 };

static struct page {
	void *address;
	size_t length;
} pages[PAGES];

static int fault_fd = -1;
static bool is_protected;
static pthread_mutex_t pages_lock = PTHREAD_MUTEX_INITIALIZER; /* munmap is called with and without the card's lock */

bool doorbell_open(void)
{
	struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP};

	fault_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	if (fault_fd >= 0 && syscall(SYS_ioctl, fault_fd, UFFDIO_API, &api)) {
		syscall(SYS_close, fault_fd);
		fault_fd = -1;
	}
	return fault_fd >= 0;
}

int doorbell_fd(void)
{
	return fault_fd;
}

static void protect(const struct page *page, bool on)
{
	struct uffdio_writeprotect range = {
		.range = {.start = (uintptr_t)page->address, .len = page->length},
		.mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0, /* which wakes who waits */
	};

	while (syscall(SYS_ioctl, fault_fd, UFFDIO_WRITEPROTECT, &range) && errno == EAGAIN)
		;
}

void doorbell_protect(bool on)
{
	pthread_mutex_lock(&pages_lock);
	if (fault_fd >= 0 && on != is_protected) {
		for (int i = 0; i < PAGES; i++)
			if (pages[i].address)
				protect(&pages[i], on);
		is_protected = on;
	}
	pthread_mutex_unlock(&pages_lock);
}

/* Reads what has been told of faults; what they tell the doorbell records tell, too. */
void doorbell_take(void)
{
	struct uffd_msg message;

	while (syscall(SYS_read, fault_fd, &message, sizeof(message)) == sizeof(message))
		;
}

void *doorbell_map(size_t length)
{
	void *address = (void *)syscall(SYS_mmap, NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);

	if (address == MAP_FAILED)
		return address;
	memset(address, 0, length); /* only what is present can be protected */
	pthread_mutex_lock(&pages_lock);
	for (int i = 0; i < PAGES; i++)
		if (!pages[i].address) {
			struct uffdio_register range = {
				.range = {.start = (uintptr_t)address, .len = length},
				.mode = UFFDIO_REGISTER_MODE_WP,
			};

			pages[i] = (struct page){address, length};
			if (fault_fd >= 0) {
				syscall(SYS_ioctl, fault_fd, UFFDIO_REGISTER, &range);
				protect(&pages[i], is_protected);
			}
			pthread_mutex_unlock(&pages_lock);
			return address;
		}
	pthread_mutex_unlock(&pages_lock);
	syscall(SYS_munmap, address, length);
	errno = ENOMEM;
	return MAP_FAILED;
}

void doorbell_unmap(void *address, size_t length)
{
	/* Called for each munmap of the process: most are not ours. */
	for (int i = 0; i < PAGES; i++)
		if (__atomic_load_n(&pages[i].address, __ATOMIC_RELAXED) == address && address) {
			pthread_mutex_lock(&pages_lock);
			if (pages[i].length == length)
				pages[i].address = NULL;
			pthread_mutex_unlock(&pages_lock);
			return;
		}
}
