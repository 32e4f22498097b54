// SPDX-License-Identifier: Apache-2.0
/* The C functions that come before the C library's: what libibverbs asks of the kernel for our devices is answered here, all
 * else goes to the kernel by system call.
 */
#include "connectx.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <rdma/mlx5-abi.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_netlink.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define DEVICE_FILE "/dev/infiniband/uverbs"
#define DEVICE_MAJOR 231
#define DEVICE_MINOR 192 /* of the first: drivers/infiniband/core/uverbs_main.c */
#define MOST_DESCRIPTORS 65536

pthread_mutex_t card_lock = PTHREAD_MUTEX_INITIALIZER;

static uint8_t gids[DEVICES][GIDS][16];
static struct stat sysfs;

/* What a descriptor of ours is. */
static struct file {
	struct context *context; /* of a device */
	struct events *events;	 /* or that events are read from */
} files[MOST_DESCRIPTORS];

static bool is_ours(int fd)
{
	return fd >= 0 && fd < MOST_DESCRIPTORS &&
	       (__atomic_load_n(&files[fd].context, __ATOMIC_ACQUIRE) ||
		__atomic_load_n(&files[fd].events, __ATOMIC_ACQUIRE));
}

static void read_gid(const char *folder, int device, int index)
{
	char path[4096];
	unsigned part[8];
	FILE *file;

	snprintf(path, sizeof(path), "%s/class/infiniband/mlx5_%d/ports/1/gids/%d", folder, device, index);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fscanf(file, "%x:%x:%x:%x:%x:%x:%x:%x", part, part + 1, part + 2, part + 3, part + 4, part + 5, part + 6,
		   part + 7) == 8)
		for (int i = 0; i < 16; i++)
			gids[device][index][i] = part[i / 2] >> (i % 2 ? 0 : 8);
	fclose(file);
}

__attribute__((constructor)) static void read_place(void)
{
	const char *folder = getenv("SYSFS_PATH");

	if (!folder || stat(folder, &sysfs)) {
		fprintf(stderr, "connectx: SYSFS_PATH names no folder; ./isthmus testbed --device connectx makes one\n");
		return;
	}
	for (int device = 0; device < DEVICES; device++)
		for (int index = 0; index < GIDS; index++)
			read_gid(folder, device, index);
}

uint64_t place_number(void)
{
	return sysfs.st_ino;
}

void device_gid(int device, int index, uint8_t gid[16])
{
	memcpy(gid, gids[device][index], 16);
}

int device_of_gid(const uint8_t gid[16])
{
	for (int device = 0; device < DEVICES; device++)
		for (int index = 0; index < GIDS; index++)
			if (!memcmp(gids[device][index], gid, 16))
				return device;
	return -1;
}

/* The device of a path, -1 if it is none of ours. */
static int device_of_path(const char *path)
{
	char *end;
	unsigned long device;

	if (!path || strncmp(path, DEVICE_FILE, strlen(DEVICE_FILE)))
		return -1;
	device = strtoul(path + strlen(DEVICE_FILE), &end, 10);
	return *end || device >= DEVICES ? -1 : (int)device;
}

static void describe(int device, struct stat *stat)
{
	memset(stat, 0, sizeof(*stat));
	stat->st_mode = S_IFCHR | 0666;
	stat->st_rdev = makedev(DEVICE_MAJOR, DEVICE_MINOR + device);
}

static int open_device(int device)
{
	int fd = eventfd(0, EFD_CLOEXEC);

	if (fd < 0)
		return -1;
	if (fd >= MOST_DESCRIPTORS) {
		close(fd);
		errno = EMFILE;
		return -1;
	}
	struct context *context = calloc(1, sizeof(*context));
	context->fd = fd;
	context->device = device;
	context->async.fd = -1;
	pthread_mutex_lock(&card_lock);
	object_add(&context->object, CONTEXT, context);
	__atomic_store_n(&files[fd].context, context, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&card_lock);
	card_start();
	return fd;
}

int events_open(struct events *events, size_t size)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);

	if (fd >= MOST_DESCRIPTORS) {
		syscall(SYS_close, fd);
		errno = EMFILE;
		fd = -1;
	}
	events->fd = fd;
	events->size = size;
	if (fd >= 0)
		__atomic_store_n(&files[fd].events, events, __ATOMIC_RELEASE);
	return fd < 0 ? errno : 0;
}

void events_close(struct events *events)
{
	if (events->fd >= 0 && files[events->fd].events == events)
		__atomic_store_n(&files[events->fd].events, NULL, __ATOMIC_RELEASE);
	events->fd = -1;
	while (events->first) {
		struct event *event = events->first;

		events->first = event->next;
		free(event);
	}
}

EXPORT int openat(int folder, const char *path, int flags, ...)
{
	va_list arguments;

	va_start(arguments, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	int device = device_of_path(path);
	return device < 0 ? (int)syscall(SYS_openat, folder, path, flags, mode) : open_device(device);
}

EXPORT int open(const char *path, int flags, ...)
{
	va_list arguments;

	va_start(arguments, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	return openat(AT_FDCWD, path, flags, mode);
}

EXPORT int stat(const char *restrict path, struct stat *restrict result)
{
	int device = device_of_path(path);

	if (device < 0)
		return (int)syscall(SYS_newfstatat, AT_FDCWD, path, result, 0);
	describe(device, result);
	return 0;
}

EXPORT int fstat(int fd, struct stat *result)
{
	struct context *context = is_ours(fd) ? files[fd].context : NULL;

	if (!context)
		return (int)syscall(SYS_newfstatat, fd, "", result, AT_EMPTY_PATH);
	describe(context->device, result);
	return 0;
}

/* Of the commands of rdma/ib_user_ioctl_cmds.h those are unknown that can be written, too, as before Linux 4.20; libibverbs then
 * writes them. The others are refused.
 */
static int refusal(const struct ib_uverbs_ioctl_hdr *command)
{
	const bool driver = (command->object_id | command->method_id) & (1 << UVERBS_ID_NS_SHIFT);
	const bool memory = command->object_id == UVERBS_OBJECT_MR && command->method_id != UVERBS_METHOD_MR_DESTROY;
	const bool other = command->object_id == UVERBS_OBJECT_DM || command->object_id == UVERBS_OBJECT_COUNTERS ||
			   command->object_id == UVERBS_OBJECT_FLOW_ACTION;

	return driver || memory || other ? EOPNOTSUPP : ENOTTY;
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;

	va_start(arguments, request);
	void *argument = va_arg(arguments, void *);
	va_end(arguments);
	if (!is_ours(fd) || !files[fd].context)
		return (int)syscall(SYS_ioctl, fd, request, argument);
	errno = request == RDMA_VERBS_IOCTL ? refusal(argument) : ENOTTY;
	return -1;
}

EXPORT ssize_t write(int fd, const void *buffer, size_t size)
{
	struct context *context = is_ours(fd) ? files[fd].context : NULL;
	int error;

	if (!context)
		return syscall(SYS_write, fd, buffer, size);
	pthread_mutex_lock(&card_lock);
	error = command_execute(context, buffer, size);
	pthread_mutex_unlock(&card_lock);
	card_wake();
	if (!error)
		return (ssize_t)size;
	errno = error;
	return -1;
}

EXPORT ssize_t read(int fd, void *buffer, size_t size)
{
	struct events *events = is_ours(fd) ? files[fd].events : NULL;

	return events ? events_read(events, buffer, size) : syscall(SYS_read, fd, buffer, size);
}

EXPORT int close(int fd)
{
	if (is_ours(fd)) {
		pthread_mutex_lock(&card_lock);
		struct context *context = files[fd].context;
		struct events *events = files[fd].events;

		__atomic_store_n(&files[fd].context, NULL, __ATOMIC_RELEASE);
		if (events)
			events_close(events);
		if (context)
			context_free(context);
		pthread_mutex_unlock(&card_lock);
	}
	return (int)syscall(SYS_close, fd);
}

EXPORT int sched_yield(void)
{
	card_yield();
	return (int)syscall(SYS_sched_yield);
}

/* Pages of doorbells, by the commands of mmap that libmlx5 cannot do without. */
EXPORT void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	if (fd < 0 || !is_ours(fd) || !files[fd].context)
		return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
	unsigned command = (unsigned)(offset / sysconf(_SC_PAGESIZE)) >> 8;

	if (command > MLX5_IB_MMAP_WC_PAGE && command != MLX5_IB_MMAP_NC_PAGE && command != MLX5_IB_MMAP_ALLOC_WC) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	return doorbell_map(length);
}

EXPORT int munmap(void *address, size_t length)
{
	doorbell_unmap(address, length);
	return (int)syscall(SYS_munmap, address, length);
}

/* libibverbs would ask the kernel for its devices first. */
EXPORT int socket(int domain, int type, int protocol)
{
	if (domain == AF_NETLINK && protocol == NETLINK_RDMA) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	return (int)syscall(SYS_socket, domain, type, protocol);
}

/* The same functions by the names that programs use who want 64 bits for the length of a file, as all have here. */
EXPORT int open64(const char *, int, ...) __attribute__((alias("open")));
EXPORT int openat64(int, const char *, int, ...) __attribute__((alias("openat")));
EXPORT void *mmap64(void *, size_t, int, int, int, off_t) __attribute__((alias("mmap")));
#undef stat64
#undef fstat64
EXPORT int stat64(const char *restrict, struct stat64 *restrict);
EXPORT int fstat64(int, struct stat64 *);
int stat64(const char *restrict path, struct stat64 *restrict result)
{
	return stat(path, (struct stat *)result);
}
int fstat64(int fd, struct stat64 *result)
{
	return fstat(fd, (struct stat *)result);
}
