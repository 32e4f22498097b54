// SPDX-License-Identifier: Apache-2.0
/* Memory windows: bound and invalidated by requests that libmlx5 posts as MLX5_OPCODE_UMR, or by a peer's SEND_INVAL. A key's
 * upper 24 bits name the window, its lower ones come with each bind. Of type 2, a window is used and invalidated only by the
 * queue pair that has bound it.
 */
#include "connectx.h"

#include <string.h>

enum { ANY_QP = 0xffffff };

static struct mw *find(uint32_t key)
{
	return (struct mw *)object_find(key >> 8, MW, NULL);
}

/* A region with a bound window cannot go: InfiniBand specification, 10.6.6.2. */
void window_release(struct mw *mw)
{
	struct mr *mr = (struct mr *)object_find(mw->lkey >> 8, MR, NULL);

	if (mw->bound && mr)
		mr->object.users--;
	mw->bound = false;
}

static uint32_t access_of(uint8_t flags)
{
	return (flags & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ ? IBV_ACCESS_REMOTE_READ : 0u) |
	       (flags & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE ? IBV_ACCESS_REMOTE_WRITE : 0u) |
	       (flags & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_ATOMIC ? IBV_ACCESS_REMOTE_ATOMIC : 0u);
}

bool window_find(const struct qp *qp, uint32_t key, uint64_t address, uint64_t length, uint32_t access, struct iovec *piece)
{
	const struct mw *mw = find(key);

	if (!mw || mw->key != key || !mw->bound || mw->pd != qp->pd || (mw->qpn != ANY_QP && mw->qpn != qp->qpn))
		return false;
	if ((mw->access & access) != access || address < mw->start || address - mw->start > mw->length ||
	    length > mw->length - (address - mw->start))
		return false;
	return memory_find(mw->pd, mw->lkey, mw->address + (address - mw->start), length, 0, piece);
}

bool window_invalidate(const struct qp *qp, uint32_t key)
{
	struct mw *mw = find(key);

	if (!mw || mw->key != key || !mw->bound || mw->type != IBV_MW_TYPE_2 || mw->qpn != qp->qpn)
		return false;
	window_release(mw);
	return true;
}

static bool bind_to(struct qp *qp, struct mw *mw, const struct mlx5_wqe_mkey_context_seg *mkey,
		    const struct mlx5_wqe_umr_klm_seg *klm)
{
	const uint32_t access = access_of(mkey->access_flags), lkey = be32toh(klm->mkey);
	const bool writes = access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
	struct iovec piece;

	if (!memory_find(qp->pd, lkey, be64toh(klm->address), be32toh(klm->byte_count),
			 IBV_ACCESS_MW_BIND | (writes ? IBV_ACCESS_LOCAL_WRITE : 0u), &piece))
		return false;
	window_release(mw);
	object_find(lkey >> 8, MR, NULL)->users++;
	mw->bound = true;
	mw->access = access;
	mw->lkey = lkey;
	mw->address = be64toh(klm->address);
	mw->start = be64toh(mkey->start_addr);
	mw->length = be64toh(mkey->len);
	return true;
}

/* segments: what follows the control segment. Returns the syndrome. */
uint8_t window_change(struct qp *qp, uint32_t key, const void *segments, size_t size)
{
	const struct mlx5_wqe_umr_ctrl_seg *umr = segments;
	const struct mlx5_wqe_mkey_context_seg *mkey = (const void *)(umr + 1);
	const size_t least = sizeof(*umr) + sizeof(*mkey);
	struct mw *mw = find(key);

	if (size < least || !mw || mw->pd != qp->pd)
		return MLX5_CQE_SYNDROME_MW_BIND_ERR;
	if (mkey->free & MLX5_WQE_MKEY_CONTEXT_FREE) {
		if (umr->flags & MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN)
			return window_invalidate(qp, key) ? 0 : MLX5_CQE_SYNDROME_MW_BIND_ERR;
		window_release(mw);
	} else if ((umr->flags & MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE && mw->bound) ||
		   size < least + sizeof(struct mlx5_wqe_umr_klm_seg) || !bind_to(qp, mw, mkey, (const void *)(mkey + 1))) {
		return MLX5_CQE_SYNDROME_MW_BIND_ERR;
	}
	mw->key = (key & ~0xffu) | (be32toh(mkey->qpn_mkey) & 0xff);
	mw->qpn = be32toh(mkey->qpn_mkey) >> 8;
	return 0;
}
