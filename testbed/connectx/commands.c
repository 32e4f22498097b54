// SPDX-License-Identifier: Apache-2.0
/* The commands that libibverbs writes to a device (rdma/ib_user_verbs.h), with what libmlx5 adds to them (rdma/mlx5-abi.h). */
#include "connectx.h"

#include <errno.h>
#include <rdma/mlx5-abi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A command's parts, and where its answer goes. */
struct command {
	struct context *context;
	const void *core, *driver;
	size_t core_size, driver_size;
	void *reply, *driver_reply;
	size_t reply_size, driver_reply_size;
	bool extended;
};

/* Copies as much of a struct as the other side knows. */
static void take(void *to, size_t size, const void *from, size_t given)
{
	memset(to, 0, size);
	memcpy(to, from, given < size ? given : size);
}

static void answer(void *to, size_t room, const void *from, size_t size)
{
	memset(to, 0, room);
	memcpy(to, from, room < size ? room : size);
}

#define CORE(type, name)                                                                                                           \
	struct type name;                                                                                                          \
	take(&(name), sizeof(name), command->core, command->core_size)
#define DRIVER(type, name)                                                                                                         \
	struct type name;                                                                                                          \
	take(&(name), sizeof(name), command->driver, command->driver_size)
#define REPLY(value) answer(command->reply, command->reply_size, &(value), sizeof(value))
#define DRIVER_REPLY(value) answer(command->driver_reply, command->driver_reply_size, &(value), sizeof(value))
#define FIND(type, kind, handle) ((struct type *)object_find(handle, kind, command->context))

static int get_context(struct command *command)
{
	struct context *context = command->context;
	int error = context->async.fd < 0 ? events_open(&context->async, sizeof(struct ib_uverbs_async_event_desc)) : EINVAL;

	if (error)
		return error;
	const char *nonsense = getenv("ISTHMUS_CONNECTX_REGISTER"); /* a size that no card has, for tests */
	const struct ib_uverbs_get_context_resp reply = {.async_fd = (uint32_t)context->async.fd, .num_comp_vectors = 4};
	const struct mlx5_ib_alloc_ucontext_resp driver = {
		.qp_tab_size = 1 << 18,
		.bf_reg_size = nonsense ? (uint32_t)atoi(nonsense) : 512,
		.tot_bfregs = BFREGS,
		.cache_line_size = 64,
		.max_sq_desc_sz = 1024,
		.max_rq_desc_sz = 512,
		.max_send_wqebb = MAX_WR,
		.max_recv_wr = MAX_WR,
		.max_srq_recv_wr = MAX_WR,
		.num_ports = 1,
		.response_length = sizeof(driver),
		.cqe_version = 1,
		.cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE | MLX5_USER_CMDS_SUPP_UHW_CREATE_AH,
		.eth_min_inline = MLX5_USER_INLINE_MODE_NONE,
		.num_uars_per_page = 1,
		.num_dyn_bfregs = 512, /* of which a thread domain takes one */
	};

	REPLY(reply);
	DRIVER_REPLY(driver);
	return 0;
}

static struct ib_uverbs_query_device_resp device_attributes(const struct context *context)
{
	struct ib_uverbs_query_device_resp reply = {
		.fw_ver = 16ull << 32 | 35 << 16 | 1000, /* 16.35.1000 */
		.max_mr_size = UINT64_MAX,
		.page_size_cap = 0xfffff000,
		.vendor_id = 0x02c9, /* the OUI, by which a card goes here; 0x15b3 is its PCI vendor */
		.vendor_part_id = 4119,
		.max_qp = (1 << QP_INDEX_BITS) - 1,
		.max_qp_wr = MAX_WR,
		.device_cap_flags = IBV_DEVICE_BAD_QKEY_CNTR | IBV_DEVICE_PORT_ACTIVE_EVENT | IBV_DEVICE_SYS_IMAGE_GUID |
				    IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B |
				    IBV_DEVICE_MEM_MGT_EXTENSIONS,
		.max_sge = MAX_SGE,
		.max_sge_rd = MAX_SGE,
		.max_cq = 1 << 16,
		.max_cqe = MAX_CQE - 1,
		.max_mr = 1 << 18,
		.max_mw = 1 << 18,
		.max_pd = 1 << 16,
		.max_qp_rd_atom = MAX_RD_ATOMIC,
		.max_res_rd_atom = MAX_RD_ATOMIC << QP_INDEX_BITS,
		.max_qp_init_rd_atom = MAX_RD_ATOMIC,
		.atomic_cap = IBV_ATOMIC_HCA,
		.max_ah = 1 << 16,
		.max_srq = 1 << 16,
		.max_srq_wr = MAX_WR - 1,
		.max_srq_sge = MAX_SGE,
		.max_pkeys = 1,
		.local_ca_ack_delay = 16,
		.phys_port_cnt = 1,
	};
	uint8_t gid[16];

	device_gid(context->device, 0, gid);
	memcpy(&reply.node_guid, gid + 8, 8); /* what a link-local address is made from */
	reply.sys_image_guid = reply.node_guid;
	return reply;
}

static int query_device(struct command *command)
{
	const struct ib_uverbs_ex_query_device_resp reply = {
		.base = device_attributes(command->context),
		.response_length = (uint32_t)(command->reply_size < sizeof(reply) ? command->reply_size : sizeof(reply)),
	};
	const struct mlx5_ib_query_device_resp driver = {
		.response_length =
			(uint32_t)(command->driver_reply_size < sizeof(driver) ? command->driver_reply_size : sizeof(driver)),
		.flags = MLX5_IB_QUERY_DEV_RESP_FLAGS_CQE_128B_PAD & 0,
	};

	if (command->extended)
		REPLY(reply);
	else
		REPLY(reply.base);
	DRIVER_REPLY(driver);
	return 0;
}

static int query_port(struct command *command)
{
	CORE(ib_uverbs_query_port, asked);
	const struct ib_uverbs_query_port_resp reply = {
		.max_msg_sz = MAX_MESSAGE,
		.gid_tbl_len = GID_TABLE,
		.pkey_tbl_len = 1,
		.state = IBV_PORT_ACTIVE,
		.max_mtu = IBV_MTU_4096,
		.active_mtu = IBV_MTU_1024,
		.max_vl_num = 1,
		.active_width = 2,  /* four lanes */
		.active_speed = 32, /* of 25 Gbit/s */
		.phys_state = 5,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
	};

	if (asked.port_num != 1)
		return EINVAL;
	REPLY(reply);
	return 0;
}

static int alloc_pd(struct command *command)
{
	struct pd *pd = calloc(1, sizeof(*pd));

	object_add(&pd->object, PD, command->context);
	const struct ib_uverbs_alloc_pd_resp reply = {.pd_handle = pd->object.handle};
	const struct mlx5_ib_alloc_pd_resp driver = {.pdn = pd->object.handle};

	REPLY(reply);
	DRIVER_REPLY(driver);
	return 0;
}

static int reg_mr(struct command *command)
{
	CORE(ib_uverbs_reg_mr, asked);
	struct pd *pd = FIND(pd, PD, asked.pd_handle);
	struct mr given = {
		.pd = pd, .access = asked.access_flags, .address = asked.start, .length = asked.length, .iova = asked.hca_va};
	int error = pd ? mr_register(&given) : EINVAL;

	if (error)
		return error;
	struct mr *mr = malloc(sizeof(*mr));

	*mr = given;
	object_add(&mr->object, MR, command->context);
	mr->key = mr_new_key(mr);
	pd->object.users++;
	const struct ib_uverbs_reg_mr_resp reply = {.mr_handle = mr->object.handle, .lkey = mr->key, .rkey = mr->key};

	REPLY(reply);
	return 0;
}

static int rereg_mr(struct command *command)
{
	CORE(ib_uverbs_rereg_mr, asked);
	struct mr *mr = FIND(mr, MR, asked.mr_handle);

	if (!mr || !asked.flags || asked.flags & ~(uint32_t)IBV_REREG_MR_FLAGS_SUPPORTED)
		return EINVAL;
	struct mr changed = *mr;

	if (asked.flags & IBV_REREG_MR_CHANGE_PD)
		changed.pd = FIND(pd, PD, asked.pd_handle);
	if (asked.flags & IBV_REREG_MR_CHANGE_ACCESS)
		changed.access = asked.access_flags;
	if (asked.flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		changed.address = asked.start;
		changed.length = asked.length;
		changed.iova = asked.hca_va;
	}
	int error = changed.pd ? mr_register(&changed) : EINVAL;

	if (error)
		return error;
	mr->pd->object.users--;
	changed.pd->object.users++;
	*mr = changed;
	if (asked.flags & IBV_REREG_MR_CHANGE_TRANSLATION) /* mlx5_ib_rereg_user_mr changes the rest in place */
		mr->key = mr_new_key(mr);
	const struct ib_uverbs_rereg_mr_resp reply = {.lkey = mr->key, .rkey = mr->key};

	REPLY(reply);
	return 0;
}

static int alloc_mw(struct command *command)
{
	CORE(ib_uverbs_alloc_mw, asked);
	struct pd *pd = FIND(pd, PD, asked.pd_handle);

	if (!pd || (asked.mw_type != IBV_MW_TYPE_1 && asked.mw_type != IBV_MW_TYPE_2))
		return EINVAL;
	struct mw *mw = calloc(1, sizeof(*mw));

	object_add(&mw->object, MW, command->context);
	mw->pd = pd;
	mw->type = asked.mw_type;
	mw->key = mw->object.handle << 8;
	pd->object.users++;
	const struct ib_uverbs_alloc_mw_resp reply = {.mw_handle = mw->object.handle, .rkey = mw->key};

	REPLY(reply);
	return 0;
}

static int create_ah(struct command *command)
{
	CORE(ib_uverbs_create_ah, asked);
	struct pd *pd = FIND(pd, PD, asked.pd_handle);

	if (!pd || !asked.attr.is_global || asked.attr.grh.sgid_index >= GIDS || asked.attr.port_num > 1)
		return EINVAL;
	struct ah *ah = calloc(1, sizeof(*ah));

	object_add(&ah->object, AH, command->context);
	ah->pd = pd;
	pd->object.users++;
	const struct ib_uverbs_create_ah_resp reply = {.ah_handle = ah->object.handle};
	const struct mlx5_ib_create_ah_resp driver = {.response_length = sizeof(driver), .dmac = {2}};

	REPLY(reply);
	DRIVER_REPLY(driver);
	return 0;
}

static int create_comp_channel(struct command *command)
{
	struct channel *channel = calloc(1, sizeof(*channel));
	int error = events_open(&channel->events, sizeof(channel->events.first->content.element));

	if (error) {
		free(channel);
		return error;
	}
	object_add(&channel->object, CHANNEL, command->context);
	const struct ib_uverbs_create_comp_channel_resp reply = {.fd = (uint32_t)channel->events.fd};

	REPLY(reply);
	return 0;
}

static struct channel *find_channel(const struct context *context, int fd)
{
	uint32_t handle = 0;
	struct object *object;

	while ((object = object_next(&handle, CHANNEL)))
		if (object->context == context && ((struct channel *)object)->events.fd == fd)
			return (struct channel *)object;
	return NULL;
}

static uint32_t power_of_two(uint32_t least)
{
	uint32_t power = 1;

	while (power < least)
		power *= 2;
	return power;
}

static int create_cq(struct command *command)
{
	struct ib_uverbs_ex_create_cq asked = {0};
	DRIVER(mlx5_ib_create_cq, driver);

	if (command->extended) {
		take(&asked, sizeof(asked), command->core, command->core_size);
	} else {
		CORE(ib_uverbs_create_cq, plain);
		asked.user_handle = plain.user_handle;
		asked.cqe = plain.cqe;
		asked.comp_vector = plain.comp_vector;
		asked.comp_channel = plain.comp_channel;
	}
	struct channel *channel =
		asked.comp_channel >= 0 ? find_channel(command->context, asked.comp_channel) : NULL;

	if (!asked.cqe || asked.cqe >= MAX_CQE || (asked.comp_channel >= 0 && !channel) || asked.comp_vector >= 4)
		return EINVAL;
	if ((driver.cqe_size != 64 && driver.cqe_size != 128) || asked.comp_mask)
		return EINVAL;
	if (driver.cqe_comp_en || driver.flags & ~MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX)
		return EOPNOTSUPP;
	struct cq *cq = calloc(1, sizeof(*cq));

	object_add(&cq->object, CQ, command->context);
	cq->user_handle = asked.user_handle;
	cq->channel = channel;
	cq->buffer = (char *)(uintptr_t)driver.buf_addr;
	cq->record = (__be32 *)(uintptr_t)driver.db_addr;
	cq->cqn = cq->object.handle;
	cq->size = power_of_two(asked.cqe + 1);
	cq->cqe_size = driver.cqe_size;
	cq->record[1] = cq->fired = htobe32(UINT32_MAX); /* libmlx5 never writes that: it is not armed */
	if (channel)
		channel->object.users++;
	const struct ib_uverbs_ex_create_cq_resp reply = {
		.base = {.cq_handle = cq->object.handle, .cqe = cq->size - 1}, .response_length = sizeof(reply)};
	const struct mlx5_ib_create_cq_resp driver_reply = {.cqn = cq->cqn};

	if (command->extended)
		REPLY(reply);
	else
		REPLY(reply.base);
	DRIVER_REPLY(driver_reply);
	return 0;
}

static int resize_cq(struct command *command)
{
	CORE(ib_uverbs_resize_cq, asked);
	DRIVER(mlx5_ib_resize_cq, driver);
	struct cq *cq = FIND(cq, CQ, asked.cq_handle);
	uint32_t size = power_of_two(asked.cqe + 1);

	if (!cq || !asked.cqe || asked.cqe >= MAX_CQE || (driver.cqe_size != 64 && driver.cqe_size != 128))
		return EINVAL;
	if (!cq_resize(cq, (char *)(uintptr_t)driver.buf_addr, size, driver.cqe_size))
		return EINVAL;
	const struct ib_uverbs_resize_cq_resp reply = {.cqe = size - 1};

	REPLY(reply);
	return 0;
}

static int create_srq(struct command *command)
{
	CORE(ib_uverbs_create_srq, asked);
	DRIVER(mlx5_ib_create_srq, driver);
	struct pd *pd = FIND(pd, PD, asked.pd_handle);
	uint32_t shift = 5; /* the least that mlx5_ib_create_srq makes an entry */

	if (!pd || asked.max_wr >= MAX_WR || asked.max_sge > MAX_SGE)
		return EINVAL;
	while (sizeof(struct mlx5_wqe_srq_next_seg) + asked.max_sge * sizeof(struct mlx5_wqe_data_seg) > 1u << shift)
		shift++;
	struct srq *srq = calloc(1, sizeof(*srq));

	object_add(&srq->object, SRQ, command->context);
	srq->pd = pd;
	srq->user_handle = asked.user_handle;
	srq->buffer = (char *)(uintptr_t)driver.buf_addr;
	srq->record = (__be32 *)(uintptr_t)driver.db_addr;
	srq->srqn = srq->object.handle;
	srq->size = power_of_two(asked.max_wr + 1);
	srq->shift = shift;
	srq->max_sge = asked.max_sge;
	pd->object.users++;
	const struct ib_uverbs_create_srq_resp reply = {
		.srq_handle = srq->object.handle, .max_wr = srq->size - 1, .max_sge = asked.max_sge, .srqn = srq->srqn};
	const struct mlx5_ib_create_srq_resp driver_reply = {.srqn = srq->srqn};

	REPLY(reply);
	DRIVER_REPLY(driver_reply);
	return 0;
}

static int modify_srq(struct command *command)
{
	CORE(ib_uverbs_modify_srq, asked);
	struct srq *srq = FIND(srq, SRQ, asked.srq_handle);

	if (!srq || asked.attr_mask & IBV_SRQ_MAX_WR) /* mlx5 resizes none either */
		return EINVAL;
	if (asked.attr_mask & IBV_SRQ_LIMIT) {
		if (asked.srq_limit >= srq->size)
			return EINVAL;
		srq->limit = asked.srq_limit;
		if (srq->limit && srq_posted(srq) < srq->limit) {
			srq->limit = 0;
			events_add(&command->context->async, srq->user_handle, IBV_EVENT_SRQ_LIMIT_REACHED,
				   &srq->asyncs_reported);
		}
	}
	return 0;
}

static int query_srq(struct command *command)
{
	CORE(ib_uverbs_query_srq, asked);
	const struct srq *srq = FIND(srq, SRQ, asked.srq_handle);

	if (!srq)
		return EINVAL;
	const struct ib_uverbs_query_srq_resp reply = {
		.max_wr = srq->size - 1, .max_sge = srq->max_sge, .srq_limit = srq->limit};

	REPLY(reply);
	return 0;
}

static void set_queues(struct qp *qp, const struct mlx5_ib_create_qp *driver)
{
	const uint64_t begin = driver->buf_addr;

	qp->record = (__be32 *)(uintptr_t)driver->db_addr;
	qp->uidx = driver->uidx;
	qp->rq_size = driver->rq_wqe_count;
	qp->rq_shift = driver->rq_wqe_shift;
	qp->sq_size = driver->sq_wqe_count;
	/* The send queue comes behind the receive queue. */
	qp->rq = qp->rq_size && !qp->srq ? (char *)(uintptr_t)begin : NULL;
	qp->sq = qp->sq_size ? (char *)(uintptr_t)begin + (qp->rq ? (size_t)qp->rq_size << qp->rq_shift : 0) : NULL;
	/* mlx5's configure_responder_scat_cqe and configure_requester_scat_cqe. */
	bool scatter = driver->flags & MLX5_QP_FLAG_SCATTER_CQE && qp->type != IBV_QPT_UD;

	qp->receive_scatter = scatter;
	qp->send_scatter = scatter && (qp->signal_all || driver->flags & MLX5_QP_FLAG_ALLOW_SCATTER_CQE);
}

/* That of the fewest queue pairs of the context, as the kernel chooses; not the first one. */
static uint32_t choose_bfreg(const struct context *context)
{
	unsigned users[BFREGS] = {0};
	uint32_t handle = 0, least = 1;

	for (struct object *object; (object = object_next(&handle, QP));)
		if (object->context == context)
			users[((struct qp *)object)->bfreg]++;
	for (uint32_t i = 2; i < BFREGS; i++)
		if (users[i] < users[least])
			least = i;
	return least;
}

static int create_qp(struct command *command)
{
	struct ib_uverbs_ex_create_qp asked = {0};
	const size_t header = sizeof(((struct ib_uverbs_create_qp *)0)->response);
	DRIVER(mlx5_ib_create_qp, driver);

	/* The two differ in what comes before and behind. */
	if (command->extended)
		take(&asked, sizeof(asked), command->core, command->core_size);
	else
		take(&asked, sizeof(asked), (const char *)command->core + header, sizeof(struct ib_uverbs_create_qp) - header);
	struct pd *pd = FIND(pd, PD, asked.pd_handle);
	struct cq *send_cq = FIND(cq, CQ, asked.send_cq_handle), *recv_cq = FIND(cq, CQ, asked.recv_cq_handle);
	struct srq *srq = asked.is_srq ? FIND(srq, SRQ, asked.srq_handle) : NULL;

	if (asked.qp_type != IBV_QPT_RC && asked.qp_type != IBV_QPT_UC && asked.qp_type != IBV_QPT_UD)
		return EOPNOTSUPP;
	if (asked.comp_mask || asked.create_flags || asked.source_qpn)
		return EOPNOTSUPP;
	if (!pd || !send_cq || !recv_cq || (asked.is_srq && !srq))
		return EINVAL;
	if (asked.max_send_wr > MAX_WR || asked.max_recv_wr > MAX_WR || asked.max_send_sge > MAX_SGE ||
	    asked.max_recv_sge > MAX_SGE || driver.sq_wqe_count > MAX_WR)
		return EINVAL;
	struct qp *qp = calloc(1, sizeof(*qp));

	if (!qp_add_number(qp)) {
		free(qp);
		return ENOMEM;
	}
	qp->bfreg = choose_bfreg(command->context);
	object_add(&qp->object, QP, command->context);
	qp->pd = pd;
	qp->send_cq = send_cq;
	qp->recv_cq = recv_cq;
	qp->srq = srq;
	qp->user_handle = asked.user_handle;
	qp->type = asked.qp_type;
	qp->signal_all = asked.sq_sig_all;
	qp->cap = (struct ibv_qp_cap){asked.max_send_wr, asked.is_srq ? 0 : asked.max_recv_wr, asked.max_send_sge,
				      asked.is_srq ? 0 : asked.max_recv_sge, asked.max_inline_data};
	set_queues(qp, &driver);
	qp->cap.max_recv_wr = qp->rq ? qp->rq_size : 0; /* as mlx5_ib_query_qp says it */
	pd->object.users++;
	send_cq->object.users++;
	recv_cq->object.users++;
	if (srq)
		srq->object.users++;
	const struct ib_uverbs_ex_create_qp_resp reply = {
		.base = {.qp_handle = qp->object.handle,
			 .qpn = qp->qpn,
			 .max_send_wr = qp->cap.max_send_wr,
			 .max_recv_wr = qp->cap.max_recv_wr,
			 .max_send_sge = qp->cap.max_send_sge,
			 .max_recv_sge = qp->cap.max_recv_sge,
			 .max_inline_data = qp->cap.max_inline_data},
		.response_length = sizeof(reply),
	};
	const struct mlx5_ib_create_qp_resp driver_reply = {.bfreg_index = qp->bfreg};

	if (command->extended)
		REPLY(reply);
	else
		REPLY(reply.base);
	DRIVER_REPLY(driver_reply);
	return 0;
}

static int modify_qp(struct command *command)
{
	CORE(ib_uverbs_ex_modify_qp, asked);
	struct qp *qp = FIND(qp, QP, asked.base.qp_handle);
	const struct mlx5_ib_modify_qp_resp driver_reply = {.response_length = sizeof(driver_reply)};

	if (!qp)
		return EINVAL;
	if (asked.base.attr_mask & IBV_QP_RATE_LIMIT)
		return EOPNOTSUPP;
	if (command->extended) { /* whose answer says only how long it is */
		const struct ib_uverbs_ex_modify_qp_resp reply = {.response_length = sizeof(reply)};

		REPLY(reply);
	}
	DRIVER_REPLY(driver_reply);
	return qp_modify(qp, &asked.base);
}

static int query_qp(struct command *command)
{
	CORE(ib_uverbs_query_qp, asked);
	const struct qp *qp = FIND(qp, QP, asked.qp_handle);
	struct ib_uverbs_query_qp_resp reply = {0};

	if (!qp)
		return EINVAL;
	qp_query(qp, &reply);
	REPLY(reply);
	return 0;
}

/* --- the end of objects ------------------------------------------------------------------------------------------- */

static void destroy(struct object *object)
{
	switch (object->kind) {
	case MR:
		((struct mr *)object)->pd->object.users--;
		break;
	case MW:
		window_release((struct mw *)object);
		((struct mw *)object)->pd->object.users--;
		break;
	case AH:
		((struct ah *)object)->pd->object.users--;
		break;
	case CHANNEL:
		events_close(&((struct channel *)object)->events);
		break;
	case CQ: {
		struct cq *cq = (struct cq *)object;

		events_forget(&object->context->async, &cq->asyncs_reported);
		if (cq->channel) {
			events_forget(&cq->channel->events, &cq->completions_reported);
			cq->channel->object.users--;
		}
		break;
	}
	case SRQ:
		events_forget(&object->context->async, &((struct srq *)object)->asyncs_reported);
		((struct srq *)object)->pd->object.users--;
		break;
	case QP: {
		struct qp *qp = (struct qp *)object;

		requester_await_reads(qp);
		events_forget(&object->context->async, &qp->asyncs_reported);
		qp_remove_number(qp);
		qp->pd->object.users--;
		qp->send_cq->object.users--;
		qp->recv_cq->object.users--;
		if (qp->srq)
			qp->srq->object.users--;
		break;
	}
	default:
		break;
	}
	object_free(object);
}

/* Destroys what a command names; all such commands but some begin with the handle. */
static int destroy_by_handle(struct command *command, enum kind kind, size_t at)
{
	uint32_t handle;

	memcpy(&handle, (const char *)command->core + at, sizeof(handle));
	struct object *object = object_find(handle, kind, command->context);

	if (!object)
		return EINVAL;
	if (object->users)
		return EBUSY;
	destroy(object);
	return 0;
}

static int destroy_cq(struct command *command)
{
	CORE(ib_uverbs_destroy_cq, asked);
	struct cq *cq = FIND(cq, CQ, asked.cq_handle);

	if (!cq)
		return EINVAL;
	if (cq->object.users)
		return EBUSY;
	const struct ib_uverbs_destroy_cq_resp reply = {.comp_events_reported = cq->completions_reported,
							.async_events_reported = cq->asyncs_reported};

	destroy(&cq->object);
	REPLY(reply);
	return 0;
}

static int destroy_srq(struct command *command)
{
	CORE(ib_uverbs_destroy_srq, asked);
	struct srq *srq = FIND(srq, SRQ, asked.srq_handle);

	if (!srq)
		return EINVAL;
	if (srq->object.users)
		return EBUSY;
	const struct ib_uverbs_destroy_srq_resp reply = {.events_reported = srq->asyncs_reported};

	destroy(&srq->object);
	REPLY(reply);
	return 0;
}

static int destroy_qp(struct command *command)
{
	CORE(ib_uverbs_destroy_qp, asked);
	struct qp *qp = FIND(qp, QP, asked.qp_handle);

	if (!qp)
		return EINVAL;
	requester_await_reads(qp);
	const struct ib_uverbs_destroy_qp_resp reply = {.events_reported = qp->asyncs_reported};

	destroy(&qp->object);
	REPLY(reply);
	return 0;
}

/* What a process has not destroyed goes with its descriptor: users first. */
void context_free(struct context *context)
{
	static const enum kind order[] = {QP, SRQ, CQ, AH, MW, MR, CHANNEL, PD};

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		uint32_t handle = 0;
		struct object *object;

		while ((object = object_next(&handle, order[i])))
			if (object->context == context)
				destroy(object);
	}
	events_close(&context->async);
	object_free(&context->object);
}

/* --- the choice --------------------------------------------------------------------------------------------------- */

static int execute(struct command *command, unsigned number)
{
	switch (number) {
	case IB_USER_VERBS_CMD_GET_CONTEXT:
		return get_context(command);
	case IB_USER_VERBS_CMD_QUERY_DEVICE:
		return query_device(command);
	case IB_USER_VERBS_CMD_QUERY_PORT:
		return query_port(command);
	case IB_USER_VERBS_CMD_ALLOC_PD:
		return alloc_pd(command);
	case IB_USER_VERBS_CMD_DEALLOC_PD:
		return destroy_by_handle(command, PD, 0);
	case IB_USER_VERBS_CMD_CREATE_AH:
		return create_ah(command);
	case IB_USER_VERBS_CMD_DESTROY_AH:
		return destroy_by_handle(command, AH, 0);
	case IB_USER_VERBS_CMD_REG_MR:
		return reg_mr(command);
	case IB_USER_VERBS_CMD_REREG_MR:
		return rereg_mr(command);
	case IB_USER_VERBS_CMD_DEREG_MR:
		return destroy_by_handle(command, MR, 0);
	case IB_USER_VERBS_CMD_ALLOC_MW:
		return alloc_mw(command);
	case IB_USER_VERBS_CMD_DEALLOC_MW:
		return destroy_by_handle(command, MW, 0);
	case IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL:
		return create_comp_channel(command);
	case IB_USER_VERBS_CMD_CREATE_CQ:
		return create_cq(command);
	case IB_USER_VERBS_CMD_RESIZE_CQ:
		return resize_cq(command);
	case IB_USER_VERBS_CMD_DESTROY_CQ:
		return destroy_cq(command);
	case IB_USER_VERBS_CMD_CREATE_QP:
		return create_qp(command);
	case IB_USER_VERBS_CMD_MODIFY_QP:
		return modify_qp(command);
	case IB_USER_VERBS_CMD_QUERY_QP:
		return query_qp(command);
	case IB_USER_VERBS_CMD_DESTROY_QP:
		return destroy_qp(command);
	case IB_USER_VERBS_CMD_CREATE_SRQ:
		return create_srq(command);
	case IB_USER_VERBS_CMD_MODIFY_SRQ:
		return modify_srq(command);
	case IB_USER_VERBS_CMD_QUERY_SRQ:
		return query_srq(command);
	case IB_USER_VERBS_CMD_DESTROY_SRQ:
		return destroy_srq(command);
	default:
		return EOPNOTSUPP;
	}
}

/* How long the kernel's part of a plain command and its answer is; the driver's follows. */
static void split(struct command *command, unsigned number)
{
#define SIZES(name, type)                                                                                                          \
	case IB_USER_VERBS_CMD_##name:                                                                                             \
		core = sizeof(struct ib_uverbs_##type);                                                                            \
		reply = sizeof(struct ib_uverbs_##type##_resp);                                                                    \
		break
	size_t core = command->core_size, reply = command->reply_size;

	switch (number) {
		SIZES(GET_CONTEXT, get_context);
		SIZES(QUERY_DEVICE, query_device);
		SIZES(ALLOC_PD, alloc_pd);
		SIZES(CREATE_AH, create_ah);
		SIZES(REG_MR, reg_mr);
		SIZES(REREG_MR, rereg_mr);
		SIZES(ALLOC_MW, alloc_mw);
		SIZES(CREATE_CQ, create_cq);
		SIZES(RESIZE_CQ, resize_cq);
		SIZES(CREATE_SRQ, create_srq);
		SIZES(CREATE_QP, create_qp);
		SIZES(QUERY_QP, query_qp);
	case IB_USER_VERBS_CMD_MODIFY_QP: /* which has no answer */
		core = sizeof(struct ib_uverbs_modify_qp);
		break;
	}
#undef SIZES
	core = core < command->core_size ? core : command->core_size;
	reply = reply < command->reply_size ? reply : command->reply_size;
	command->driver = (const char *)command->core + core;
	command->driver_size = command->core_size - core;
	command->core_size = core;
	command->driver_reply = (char *)command->reply + reply;
	command->driver_reply_size = command->reply_size - reply;
	command->reply_size = reply;
}

int command_execute(struct context *context, const void *bytes, size_t size)
{
	const struct ib_uverbs_cmd_hdr *header = bytes;
	struct command command = {.context = context};

	if (size < sizeof(*header))
		return EINVAL;
	unsigned number = header->command & IB_USER_VERBS_CMD_COMMAND_MASK;

	command.extended = header->command & IB_USER_VERBS_CMD_FLAG_EXTENDED;
	if (command.extended) {
		const struct ib_uverbs_ex_cmd_hdr *more = (const void *)(header + 1);

		if (size != sizeof(*header) + sizeof(*more) + (header->in_words + more->provider_in_words) * 8ul)
			return EINVAL;
		command.core = more + 1;
		command.core_size = header->in_words * 8ul;
		command.driver = (const char *)command.core + command.core_size;
		command.driver_size = more->provider_in_words * 8ul;
		command.reply = (void *)(uintptr_t)more->response;
		command.reply_size = more->response ? header->out_words * 8ul : 0;
		command.driver_reply = (char *)command.reply + command.reply_size;
		command.driver_reply_size = more->response ? more->provider_out_words * 8ul : 0;
	} else {
		if (size != header->in_words * 4ul)
			return EINVAL;
		command.core = header + 1;
		command.core_size = size - sizeof(*header);
		if (header->out_words) { /* then it begins with the answer's address */
			uint64_t response;

			memcpy(&response, command.core, sizeof(response));
			command.reply = (void *)(uintptr_t)response;
			command.reply_size = header->out_words * 4ul;
		}
		split(&command, number);
	}
	return execute(&command, number);
}
