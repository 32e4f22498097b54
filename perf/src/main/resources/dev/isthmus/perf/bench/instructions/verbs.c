// SPDX-License-Identifier: Apache-2.0
/*
 * The loops of VerbsLoops.java in C, line by line, over the same queues: what is changed there is changed here.
 * Arguments: device, GID index, then rows. Prints a line for each row: see blocks.h.
 */
#include "blocks.h"
#include <infiniband/verbs.h>

enum { MAX_INLINE = 64, MAX_CHAIN = 16, MAX_BYTES = 4096, DEPTH = 1024, COMPLETIONS = 8192, SIGNAL_EVERY = 4 };

static _Alignas(4096) char buffer[2 * MAX_BYTES];
static struct ibv_mr *region;
static struct ibv_cq *send_queue, *receive_queue;
static struct ibv_qp *sender, *receiver;
static struct ibv_sge source, sink;
static struct ibv_send_wr plain, marked, sends[MAX_CHAIN];
static struct ibv_recv_wr receives[MAX_CHAIN];
static struct ibv_wc sent[MAX_CHAIN], received[MAX_CHAIN];
static int chain, capacity, length, receiving, is_inline;

static void check(const struct ibv_wc *completions, int count)
{
    for (int i = 0; i < count; i++)
        require(completions[i].status == IBV_WC_SUCCESS, "completion");
}

static void await(struct ibv_cq *queue, struct ibv_wc *completions, int count)
{
    int left = count;
    while (left > 0) {
        int found = ibv_poll_cq(queue, MAX_CHAIN, completions);
        require(found >= 0, "ibv_poll_cq");
        check(completions, found);
        left -= found;
    }
}

static void post_send(struct ibv_send_wr *first)
{
    struct ibv_send_wr *bad;
    require(ibv_post_send(sender, first, &bad) == 0, "ibv_post_send");
}

static void post_receive(struct ibv_recv_wr *first)
{
    struct ibv_recv_wr *bad;
    require(ibv_post_recv(receiver, first, &bad) == 0, "ibv_post_recv");
}

static long long messages(int count)
{
    long long begin = now();
    for (int i = 0; i < count; i++) {
        post_receive(receives);
        post_send(&marked);
        await(send_queue, sent, 1);
        await(receive_queue, received, 1);
    }
    return now() - begin;
}

static long long message_chains(int count)
{
    long long begin = now();
    for (int i = 0; i < count; i++) {
        post_receive(receives);
        post_send(sends);
        await(send_queue, sent, 1);
        await(receive_queue, received, chain);
    }
    return now() - begin;
}

static long long accesses(int count)
{
    long long begin = now();
    for (int i = 0; i < count; i++) {
        post_send(&marked);
        await(send_queue, sent, 1);
    }
    return now() - begin;
}

static long long access_chains(int count)
{
    long long begin = now();
    for (int i = 0; i < count; i++) {
        post_send(sends);
        await(send_queue, sent, 1);
    }
    return now() - begin;
}

static long long posts(int count)
{
    long long begin = now();
    for (int i = 1; i <= count; i++)
        post_send(i % SIGNAL_EVERY == 0 ? &marked : &plain);
    long long nanos = now() - begin;
    await(send_queue, sent, count / SIGNAL_EVERY);
    return nanos;
}

/* Posts the receives that this many operations need. */
static void post_receives(int operations)
{
    for (int i = 0; receiving && i < operations; i++)
        post_receive(receives);
}

static void await_all(int send_completions, int receive_completions)
{
    sched_yield(); /* to a card that has no thread of its own */
    await(send_queue, sent, send_completions);
    await(receive_queue, received, receiving ? receive_completions : 0);
}

static long long unsignaled_posts(int count)
{
    post_receives(count + 1);
    long long begin = now();
    for (int i = 0; i < count; i++)
        post_send(&plain);
    long long nanos = now() - begin;
    post_send(&marked);
    await_all(1, count + 1);
    return nanos;
}

static long long signaled_posts(int count)
{
    post_receives(count);
    long long begin = now();
    for (int i = 0; i < count; i++)
        post_send(&marked);
    long long nanos = now() - begin;
    await_all(count, count);
    return nanos;
}

static long long chain_posts(int count)
{
    post_receives(count);
    long long begin = now();
    for (int i = 0; i < count; i++)
        post_send(sends);
    long long nanos = now() - begin;
    await_all(count, count * chain);
    return nanos;
}

static long long batches(int count)
{
    post_receives(count);
    struct ibv_qp_ex *batch = ibv_qp_to_qp_ex(sender);
    uint64_t remote = (uintptr_t)buffer + MAX_BYTES;
    uint32_t rkey = region->rkey;
    long long begin = now();
    for (int i = 0; i < count; i++) {
        ibv_wr_start(batch);
        for (int left = chain; left > 0; left--) {
            batch->wr_id = 0;
            batch->wr_flags = (left == 1 ? IBV_SEND_SIGNALED : 0) | (is_inline ? IBV_SEND_INLINE : 0);
            if (receiving)
                ibv_wr_send(batch);
            else
                ibv_wr_rdma_write(batch, rkey, remote);
            if (is_inline)
                ibv_wr_set_inline_data(batch, buffer, length);
            else
                ibv_wr_set_sge(batch, region->lkey, (uintptr_t)buffer, length);
        }
        require(ibv_wr_complete(batch) == 0, "ibv_wr_complete");
    }
    long long nanos = now() - begin;
    await_all(count, count * chain);
    return nanos;
}

static long long receive_chain_posts(int count)
{
    long long begin = now();
    for (int i = 0; i < count; i++)
        post_receive(receives);
    long long nanos = now() - begin;
    for (int i = 0; i < count; i++)
        post_send(sends);
    await_all(count, count * chain);
    return nanos;
}

static long long receive_posts(int count)
{
    long long begin = now();
    for (int i = 0; i < count; i++)
        post_receive(receives);
    long long nanos = now() - begin;
    for (int i = 1; i <= count; i++)
        post_send(i % SIGNAL_EVERY == 0 ? &marked : &plain);
    sched_yield();
    await(send_queue, sent, count / SIGNAL_EVERY);
    await(receive_queue, received, count);
    return nanos;
}

static long long empty_polls(int count)
{
    int found = 0;
    long long begin = now();
    for (int i = 0; i < count; i++) {
        int polled = ibv_poll_cq(receive_queue, MAX_CHAIN, received);
        require(polled >= 0, "ibv_poll_cq");
        found += polled;
    }
    long long nanos = now() - begin;
    require(found == 0, "completions that nobody asked for");
    return nanos;
}

static long long full_polls(int count)
{
    for (;;) {
        for (int i = 0; i < count * capacity; i++)
            post_send(&marked);
        sched_yield();
        int found = 0;
        long long begin = now();
        for (int i = 0; i < count; i++) {
            int polled = ibv_poll_cq(send_queue, capacity, sent);
            require(polled >= 0, "ibv_poll_cq");
            check(sent, polled);
            found += polled;
        }
        long long nanos = now() - begin;
        await(send_queue, sent, count * capacity - found);
        if (found == count * capacity)
            return nanos;
    }
}

static void prepare(struct ibv_send_wr *request, int opcode, int signaled)
{
    memset(request, 0, sizeof *request);
    request->sg_list = &source;
    request->num_sge = 1;
    request->opcode = opcode;
    request->send_flags = (signaled ? IBV_SEND_SIGNALED : 0) | (is_inline ? IBV_SEND_INLINE : 0);
    uint64_t remote = (uintptr_t)buffer + MAX_BYTES;
    if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
        request->wr.atomic.remote_addr = remote;
        request->wr.atomic.rkey = region->rkey;
        request->wr.atomic.compare_add = 1;
        request->wr.atomic.swap = 1;
    } else {
        request->wr.rdma.remote_addr = remote;
        request->wr.rdma.rkey = region->rkey;
    }
}

static void prepare_all(int opcode, int bytes)
{
    source = (struct ibv_sge){(uintptr_t)buffer, bytes, region->lkey};
    sink = (struct ibv_sge){(uintptr_t)buffer + MAX_BYTES, bytes, region->lkey};
    prepare(&plain, opcode, 0);
    prepare(&marked, opcode, 1);
    for (int i = 0; i < chain; i++) {
        int last = i == chain - 1;
        prepare(&sends[i], opcode, last);
        sends[i].next = last ? NULL : &sends[i + 1];
        receives[i] = (struct ibv_recv_wr){.sg_list = &sink, .num_sge = 1};
        receives[i].next = last ? NULL : &receives[i + 1];
    }
}

static int opcode_of(const char *operation)
{
    if (strcmp(operation, "send") == 0 || strcmp(operation, "send-inline") == 0)
        return IBV_WR_SEND;
    if (strcmp(operation, "write") == 0 || strcmp(operation, "write-inline") == 0)
        return IBV_WR_RDMA_WRITE;
    if (strcmp(operation, "read") == 0)
        return IBV_WR_RDMA_READ;
    if (strcmp(operation, "fetch-add") == 0)
        return IBV_WR_ATOMIC_FETCH_AND_ADD;
    if (strcmp(operation, "cmp-swap") == 0)
        return IBV_WR_ATOMIC_CMP_AND_SWP;
    fprintf(stderr, "there is no operation %s\n", operation);
    exit(2);
}

/* A row is WAY:OPERATION:BYTES:CHAIN:OPERATIONS_PER_BLOCK. */
static void run(const char *row)
{
    char way[32], operation[32];
    int operations;
    require(sscanf(row, "%31[^:]:%31[^:]:%d:%d:%d", way, operation, &length, &chain, &operations) == 5, row);
    capacity = chain;
    int opcode = opcode_of(operation);
    receiving = opcode == IBV_WR_SEND;
    is_inline = strstr(operation, "-inline") != NULL;
    if (strcmp(way, "full-poll") == 0)
        chain = 1;
    prepare_all(opcode, length);
    if (strcmp(way, "message") == 0)
        measure(row, opcode == IBV_WR_SEND ? messages : accesses, operations, 1);
    else if (strcmp(way, "chain") == 0)
        measure(row, opcode == IBV_WR_SEND ? message_chains : access_chains, operations, chain);
    else if (strcmp(way, "post") == 0)
        measure(row, posts, operations, 1);
    else if (strcmp(way, "post-unsignaled") == 0)
        measure(row, unsignaled_posts, operations, 1);
    else if (strcmp(way, "post-signaled") == 0)
        measure(row, signaled_posts, operations, 1);
    else if (strcmp(way, "post-chain") == 0)
        measure(row, chain_posts, operations, chain);
    else if (strcmp(way, "batch") == 0)
        measure(row, batches, operations, chain);
    else if (strcmp(way, "receive-chain") == 0)
        measure(row, receive_chain_posts, operations, chain);
    else if (strcmp(way, "receive") == 0)
        measure(row, receive_posts, operations, 1);
    else if (strcmp(way, "empty-poll") == 0)
        measure(row, empty_polls, operations, 1);
    else if (strcmp(way, "full-poll") == 0)
        measure(row, full_polls, operations, 1);
    else
        require(0, row);
}

static struct ibv_qp *create(struct ibv_pd *pd, struct ibv_cq *queue, int max_inline)
{
    struct ibv_qp_init_attr_ex init = {.send_cq = queue, .recv_cq = queue, .qp_type = IBV_QPT_RC, .pd = pd};
    init.cap = (struct ibv_qp_cap){DEPTH, DEPTH, 1, 1, max_inline};
    init.comp_mask = IBV_QP_INIT_ATTR_PD | (max_inline ? IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0);
    init.send_ops_flags = max_inline ? IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE : 0;
    struct ibv_qp *qp = ibv_create_qp_ex(pd->context, &init);
    require(qp != NULL, "ibv_create_qp");
    return qp;
}

static void connect_to(struct ibv_qp *qp, struct ibv_qp *peer, const struct ibv_port_attr *port, union ibv_gid gid, int index)
{
    struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1};
    a.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
    require(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0, "INIT");
    a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR, .path_mtu = port->active_mtu, .dest_qp_num = peer->qp_num};
    a.max_dest_rd_atomic = 16;
    a.min_rnr_timer = 12;
    a.ah_attr = (struct ibv_ah_attr){.dlid = port->lid, .is_global = 1, .port_num = 1};
    a.ah_attr.grh = (struct ibv_global_route){.dgid = gid, .sgid_index = index, .hop_limit = 64};
    require(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                          IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0, "RTR");
    a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 16};
    require(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                          IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC) == 0, "RTS");
}

static void open_queues(const char *name, int gid_index, int max_inline)
{
    int count;
    struct ibv_device **list = ibv_get_device_list(&count);
    require(list != NULL, "ibv_get_device_list");
    int i = 0;
    while (i < count && strcmp(ibv_get_device_name(list[i]), name) != 0)
        i++;
    require(i < count, name);
    struct ibv_context *context = ibv_open_device(list[i]);
    require(context != NULL, "ibv_open_device");
    struct ibv_pd *pd = ibv_alloc_pd(context);
    require(pd != NULL, "ibv_alloc_pd");
    region = ibv_reg_mr(pd, buffer, sizeof buffer, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                        IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
    require(region != NULL, "ibv_reg_mr");
    send_queue = ibv_create_cq(context, COMPLETIONS, NULL, NULL, 0);
    receive_queue = ibv_create_cq(context, COMPLETIONS, NULL, NULL, 0);
    require(send_queue != NULL && receive_queue != NULL, "ibv_create_cq");
    sender = create(pd, send_queue, max_inline);
    receiver = create(pd, receive_queue, max_inline);
    struct ibv_port_attr port;
    union ibv_gid gid;
    require(ibv_query_port(context, 1, &port) == 0, "ibv_query_port");
    require(ibv_query_gid(context, 1, gid_index, &gid) == 0, "ibv_query_gid");
    connect_to(sender, receiver, &port, gid, gid_index);
    connect_to(receiver, sender, &port, gid, gid_index);
}

int main(int argc, char **argv)
{
    require(argc >= 3, "usage: verbs DEVICE GID_INDEX ROW...");
    have_second_thread();
    measure("clock", two_instructions, 1000000, 2);
    /* On a card some rows are inline, and batches. */
    open_queues(argv[1], atoi(argv[2]), strncmp(argv[1], "mlx", 3) == 0 ? MAX_INLINE : 0);
    for (int i = 3; i < argc; i++)
        run(argv[i]);
    return 0;
}
