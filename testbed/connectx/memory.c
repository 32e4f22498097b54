// SPDX-License-Identifier: Apache-2.0
/* Registered memory: keys and bounds, and how bytes get from one process to another. */
#include "connectx.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The kernel pins the pages of a region; here they are made present, which fails for the same reasons. */
int mr_register(struct mr *mr)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t start = mr->address & ~(page - 1), end = (mr->address + mr->length + page - 1) & ~(page - 1);
	const uint32_t writes = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND;
	const uint32_t known = writes | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_ZERO_BASED | IBV_ACCESS_OPTIONAL_RANGE;

	if (mr->access & ~known)
		return EOPNOTSUPP;
	if (mr->access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) && !(mr->access & IBV_ACCESS_LOCAL_WRITE))
		return EINVAL;
	if ((mr->address ^ mr->iova) & (page - 1) || mr->address + mr->length < mr->address || end < start)
		return EINVAL;
	if (!mr->length)
		return EINVAL;
	if (madvise((void *)(uintptr_t)start, end - start,
		    mr->access & writes ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) &&
	    errno != EINVAL) /* of a kernel before 5.14 */
		return errno == ENOMEM || errno == EFAULT ? EFAULT : errno;
	return 0;
}

/* The upper 24 bits are an index, the lower ones vary, as in mlx5's own keys. */
uint32_t mr_new_key(const struct mr *mr)
{
	static uint8_t variant;

	return mr->object.handle << 8 | variant++;
}

bool memory_find(const struct pd *pd, uint32_t key, uint64_t address, uint64_t length, uint32_t access,
		 struct iovec *piece)
{
	const struct mr *mr = (struct mr *)object_find(key >> 8, MR, NULL);

	if (!mr || mr->key != key || mr->pd != pd || (mr->access & access) != access || address < mr->iova ||
	    address - mr->iova > mr->length || length > mr->length - (address - mr->iova))
		return false;
	piece->iov_base = (void *)(uintptr_t)(mr->address + (address - mr->iova));
	piece->iov_len = length;
	return true;
}

size_t pieces_length(const struct iovec *piece, int pieces)
{
	size_t length = 0;

	for (int i = 0; i < pieces; i++)
		length += piece[i].iov_len;
	return length;
}

/* Leaves out the first bytes; returns how many pieces are left, from the first on. */
int pieces_skip(struct iovec *piece, int pieces, size_t bytes)
{
	int first = 0;

	while (first < pieces && bytes >= piece[first].iov_len)
		bytes -= piece[first++].iov_len;
	if (first < pieces) {
		piece[first].iov_base = (char *)piece[first].iov_base + bytes;
		piece[first].iov_len -= bytes;
	}
	memmove(piece, piece + first, (size_t)(pieces - first) * sizeof(*piece));
	return pieces - first;
}

bool memory_read(pid_t pid, void *to, const struct iovec *from, int pieces, size_t length)
{
	struct iovec mine = {to, length};

	return memory_move(pid, &mine, 1, from, pieces, length, false);
}

/* By the kernel in our own process, too: a page that the program has unmapped is an error then, and no fault. */
bool memory_move(pid_t pid, const struct iovec *mine, int my_pieces, const struct iovec *theirs, int their_pieces,
		 size_t length, bool to_theirs)
{
	struct iovec here[MAX_PIECES + 1], there[MAX_PIECES + 1];

	memcpy(here, mine, (size_t)my_pieces * sizeof(*mine));
	memcpy(there, theirs, (size_t)their_pieces * sizeof(*theirs));
	while (length) {
		ssize_t moved = to_theirs ? process_vm_writev(pid, here, my_pieces, there, their_pieces, 0)
					  : process_vm_readv(pid, here, my_pieces, there, their_pieces, 0);

		if (moved <= 0)
			return false;
		if ((size_t)moved >= length)
			return true; /* the other side's pieces may be longer */
		length -= (size_t)moved;
		my_pieces = pieces_skip(here, my_pieces, (size_t)moved);
		their_pieces = pieces_skip(there, their_pieces, (size_t)moved);
	}
	return true;
}
