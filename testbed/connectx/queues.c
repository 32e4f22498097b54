// SPDX-License-Identifier: Apache-2.0
/* The queues in the program's memory: what libmlx5 writes into them, and the completions that it reads. */
#include "connectx.h"

#include <stddef.h>
#include <string.h>

static struct mlx5_cqe64 *cqe_at(const struct cq *cq, uint32_t index)
{
	/* The second half of a large one. */
	return (struct mlx5_cqe64 *)(cq->buffer + (size_t)(index & (cq->size - 1)) * cq->cqe_size + cq->cqe_size -
				     sizeof(struct mlx5_cqe64));
}

static bool has_room(struct cq *cq)
{
	uint32_t consumed = be32toh(__atomic_load_n(&cq->record[0], __ATOMIC_ACQUIRE));

	if (cq->overrun)
		return false;
	if (((cq->produced - consumed) & 0xffffff) < cq->size)
		return true;
	cq->overrun = true;
	events_add(&cq->object.context->async, cq->user_handle, IBV_EVENT_CQ_ERR, &cq->asyncs_reported);
	return false;
}

/* Everything but the last byte, which gives it to the program. */
static void publish(struct cq *cq, const void *cqe, bool solicited)
{
	struct mlx5_cqe64 *to = cqe_at(cq, cq->produced);
	const uint8_t op_own = ((const struct mlx5_cqe64 *)cqe)->op_own;
	const uint8_t owner = cq->produced & cq->size ? MLX5_CQE_OWNER_MASK : 0;

	memcpy(to, cqe, offsetof(struct mlx5_cqe64, op_own));
	__atomic_store_n(&to->op_own, op_own | owner, __ATOMIC_RELEASE);
	cq->produced++;
	if (solicited)
		cq->solicited = cq->produced;
	cq_notify(cq);
}

void cq_add(struct cq *cq, struct mlx5_cqe64 *cqe, bool solicited, const void *data, uint32_t scatter)
{
	if (!has_room(cq))
		return;
	cqe->timestamp = htobe64(card_now());
	if (scatter && cq->cqe_size == 128) {
		memcpy(cqe_at(cq, cq->produced) - 1, data, scatter);
		cqe->op_own |= MLX5_INLINE_SCATTER_64;
	} else if (scatter) {
		memcpy(cqe, data, scatter);
		cqe->op_own |= MLX5_INLINE_SCATTER_32;
	}
	publish(cq, cqe, solicited);
}

void cq_add_error(struct cq *cq, struct qp *qp, uint8_t kind, uint8_t opcode, uint16_t wqe, uint8_t syndrome)
{
	struct mlx5_err_cqe cqe = {
		.srqn = htobe32(qp->uidx),
		.syndrome = syndrome,
		.s_wqe_opcode_qpn = htobe32((uint32_t)opcode << 24 | qp->qpn),
		.wqe_counter = htobe16(wqe),
		.op_own = (uint8_t)(kind << 4),
	};

	if (has_room(cq))
		publish(cq, &cqe, true);
}

/* Whether and for what the program has armed the queue stands in its doorbell record, with the index that it had got to. What
 * came after that fires at once, unless an event has told of it already: then perftest's -e would get two.
 */
void cq_notify(struct cq *cq)
{
	__be32 record;
	uint32_t armed, age, unseen;

	if (!cq->channel)
		return;
	record = __atomic_load_n(&cq->record[1], __ATOMIC_ACQUIRE);
	if (record == cq->fired)
		return;
	armed = be32toh(record);
	unseen = (cq->produced - armed) & 0xffffff;
	age = armed & MLX5_CQ_DB_REQ_NOT_SOL ? cq->produced - cq->solicited : 0; /* of the last one that counts */
	if (age >= unseen || age >= cq->produced - cq->notified)
		return;
	cq->fired = record;
	cq->notified = cq->produced;
	events_add(&cq->channel->events, cq->user_handle, 0, &cq->completions_reported);
}

/* The last completion in the old buffer tells libmlx5 where the new one begins; it copies those that it has not polled. */
bool cq_resize(struct cq *cq, char *buffer, uint32_t size, uint32_t cqe_size)
{
	struct mlx5_cqe64 cqe = {.op_own = MLX5_CQE_RESIZE_CQ << 4};

	uint32_t consumed = be32toh(__atomic_load_n(&cq->record[0], __ATOMIC_ACQUIRE));

	if (!has_room(cq) || ((cq->produced - consumed) & 0xffffff) >= size)
		return false;
	publish(cq, &cqe, false);
	cq->buffer = buffer;
	cq->size = size;
	cq->cqe_size = cqe_size;
	return true;
}

unsigned receives_posted(const struct qp *qp)
{
	return qp->rq ? (uint16_t)(be32toh(__atomic_load_n(&qp->record[MLX5_RCV_DBR], __ATOMIC_ACQUIRE)) - qp->received) : 0;
}

unsigned srq_posted(const struct srq *srq)
{
	return (uint16_t)(be32toh(__atomic_load_n(&srq->record[0], __ATOMIC_ACQUIRE)) - srq->consumed);
}

bool sends_posted(const struct qp *qp)
{
	return qp->sq && (uint16_t)be32toh(__atomic_load_n(&qp->record[MLX5_SND_DBR], __ATOMIC_ACQUIRE)) != qp->sent;
}

static void read_segments(const struct qp *qp, const struct mlx5_wqe_data_seg *segment, unsigned segments,
			  struct receive *receive, size_t needed)
{
	const struct pd *pd = qp->srq ? qp->srq->pd : qp->pd;

	receive->pieces = 0;
	receive->length = 0;
	receive->allowed = true;
	for (unsigned i = 0; i < segments && segment[i].lkey != htobe32(MLX5_INVALID_LKEY); i++) {
		const uint32_t length = be32toh(segment[i].byte_count);

		/* A card does not look at memory that it does not need. */
		if (receive->length < needed &&
		    !memory_find(pd, be32toh(segment[i].lkey), be64toh(segment[i].addr), length, IBV_ACCESS_LOCAL_WRITE,
				 &receive->piece[receive->pieces++]))
			receive->allowed = false;
		receive->length += length;
	}
}

static void take_shared(struct qp *qp, struct receive *receive, size_t needed)
{
	struct srq *srq = qp->srq;
	const struct mlx5_wqe_srq_next_seg *wqe = (const void *)(srq->buffer + ((size_t)srq->head << srq->shift));

	receive->wqe = srq->head;
	read_segments(qp, (const void *)(wqe + 1), (1u << srq->shift) / sizeof(struct mlx5_wqe_data_seg) - 1, receive,
		      needed);
	srq->head = be16toh(wqe->next_wqe_index);
	srq->consumed++;
	if (srq->limit && srq_posted(srq) < srq->limit) {
		srq->limit = 0;
		events_add(&srq->object.context->async, srq->user_handle, IBV_EVENT_SRQ_LIMIT_REACHED,
			   &srq->asyncs_reported);
	}
}

bool receive_take(struct qp *qp, struct receive *receive, size_t needed)
{
	if (!(qp->srq ? srq_posted(qp->srq) : receives_posted(qp)))
		return false;
	if (qp->srq) {
		take_shared(qp, receive, needed);
	} else {
		receive->wqe = qp->received++;
		read_segments(qp,
			      (const void *)(qp->rq + ((size_t)(receive->wqe & (qp->rq_size - 1)) << qp->rq_shift)),
			      (1u << qp->rq_shift) / sizeof(struct mlx5_wqe_data_seg), receive, needed);
	}
	return true;
}
