/*
 * The loops of RcLoopback.java in C, over the same queues. Arguments: device, GID index. Reads lines
 * "OPERATION BATCHES OPERATIONS_PER_BATCH", answers each with the nanoseconds that the operations took.
 *
 * A second thread sleeps, because every JVM has several: the kernel looks descriptors up in another way then.
 */
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHAIN = 16, BYTES = 64, DEPTH = 512, RECEIVES = 64, SETTLE_NANOS = 100000 };

static _Alignas(64) char buffer[2 * BYTES];
static struct ibv_mr *region;
static struct ibv_cq *send_queue, *receive_queue;
static struct ibv_qp *sender, *receiver;
static struct ibv_sge source, sink;
static struct ibv_send_wr plain, marked, writes[CHAIN], marked_writes[CHAIN], sends[CHAIN];
static struct ibv_recv_wr receive;
static struct ibv_wc done[CHAIN];

static void require(int good, const char *what)
{
    if (!good) {
        perror(what);
        exit(1);
    }
}

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void post(struct ibv_send_wr *first)
{
    struct ibv_send_wr *bad;
    require(ibv_post_send(sender, first, &bad) == 0, "ibv_post_send");
}

static int poll(struct ibv_cq *queue)
{
    int found = ibv_poll_cq(queue, CHAIN, done);
    require(found >= 0, "ibv_poll_cq");
    return found;
}

static void check(int count)
{
    for (int i = 0; i < count; i++)
        require(done[i].status == IBV_WC_SUCCESS, "completion");
}

static void drain(struct ibv_cq *queue, int left)
{
    while (left > 0) {
        int found = poll(queue);
        check(found);
        left -= found;
    }
}

static long long posts(int count)
{
    long long begin = now();
    for (int i = 1; i <= count; i++)
        post(i % CHAIN == 0 ? &marked : &plain);
    long long nanos = now() - begin;
    drain(send_queue, count / CHAIN);
    return nanos;
}

static long long chains(int count)
{
    long long begin = now();
    for (int i = 0; i < count; i++)
        post(writes);
    long long nanos = now() - begin;
    drain(send_queue, count);
    return nanos;
}

static long long receives(int count)
{
    struct ibv_recv_wr *bad;
    long long begin = now();
    for (int i = 0; i < count; i++)
        require(ibv_post_recv(receiver, &receive, &bad) == 0, "ibv_post_recv");
    long long nanos = now() - begin;
    for (int i = 0; i < count; i += CHAIN)
        post(sends);
    drain(send_queue, count / CHAIN);
    drain(receive_queue, count);
    return nanos;
}

static long long empty_polls(int count)
{
    int found = 0;
    long long begin = now();
    for (int i = 0; i < count; i++)
        found += poll(receive_queue);
    long long nanos = now() - begin;
    require(found == 0, "completions that nobody asked for");
    return nanos;
}

static long long full_polls(int count)
{
    for (;;) {
        for (int i = 0; i < count; i++)
            post(marked_writes);
        nanosleep(&(struct timespec){0, SETTLE_NANOS}, NULL);
        int found = 0;
        long long begin = now();
        for (int i = 0; i < count; i++) {
            int polled = poll(send_queue);
            check(polled);
            found += polled;
        }
        long long nanos = now() - begin;
        drain(send_queue, count * CHAIN - found);
        if (found == count * CHAIN)
            return nanos;
    }
}

static void prepare(struct ibv_send_wr *request, int opcode, int signaled)
{
    request->sg_list = &source;
    request->num_sge = 1;
    request->opcode = opcode;
    request->send_flags = signaled ? IBV_SEND_SIGNALED : 0;
    request->wr.rdma.remote_addr = (uintptr_t)buffer + BYTES;
    request->wr.rdma.rkey = region->rkey;
}

static void prepare_all(void)
{
    source = (struct ibv_sge){(uintptr_t)buffer, BYTES, region->lkey};
    sink = (struct ibv_sge){(uintptr_t)buffer + BYTES, BYTES, region->lkey};
    receive.sg_list = &sink;
    receive.num_sge = 1;
    prepare(&plain, IBV_WR_RDMA_WRITE, 0);
    prepare(&marked, IBV_WR_RDMA_WRITE, 1);
    for (int i = 0; i < CHAIN; i++) {
        int last = i == CHAIN - 1;
        prepare(&writes[i], IBV_WR_RDMA_WRITE, last);
        prepare(&marked_writes[i], IBV_WR_RDMA_WRITE, 1);
        prepare(&sends[i], IBV_WR_SEND, last);
        writes[i].next = last ? NULL : &writes[i + 1];
        marked_writes[i].next = last ? NULL : &marked_writes[i + 1];
        sends[i].next = last ? NULL : &sends[i + 1];
    }
}

static struct ibv_qp *create(struct ibv_pd *pd, struct ibv_cq *queue, int max_sends)
{
    struct ibv_qp_init_attr init = {.send_cq = queue, .recv_cq = queue, .qp_type = IBV_QPT_RC};
    init.cap = (struct ibv_qp_cap){max_sends, RECEIVES, 1, 1, 0};
    struct ibv_qp *qp = ibv_create_qp(pd, &init);
    require(qp != NULL, "ibv_create_qp");
    return qp;
}

static void connect_to(struct ibv_qp *qp, struct ibv_qp *peer, const struct ibv_port_attr *port, union ibv_gid gid, int index)
{
    struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1};
    a.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
    require(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0, "INIT");
    a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR, .path_mtu = port->active_mtu, .dest_qp_num = peer->qp_num};
    a.max_dest_rd_atomic = 1;
    a.min_rnr_timer = 12;
    a.ah_attr = (struct ibv_ah_attr){.dlid = port->lid, .is_global = 1, .port_num = 1};
    a.ah_attr.grh = (struct ibv_global_route){.dgid = gid, .sgid_index = index, .hop_limit = 64};
    require(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                          IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0, "RTR");
    a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
    require(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                          IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC) == 0, "RTS");
}

static void open_queues(const char *name, int gid_index)
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
    region = ibv_reg_mr(pd, buffer, sizeof buffer, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    require(region != NULL, "ibv_reg_mr");
    send_queue = ibv_create_cq(context, DEPTH, NULL, NULL, 0);
    receive_queue = ibv_create_cq(context, DEPTH, NULL, NULL, 0);
    require(send_queue != NULL && receive_queue != NULL, "ibv_create_cq");
    sender = create(pd, send_queue, DEPTH);
    receiver = create(pd, receive_queue, RECEIVES);
    struct ibv_port_attr port;
    union ibv_gid gid;
    require(ibv_query_port(context, 1, &port) == 0, "ibv_query_port");
    require(ibv_query_gid(context, 1, gid_index, &gid) == 0, "ibv_query_gid");
    connect_to(sender, receiver, &port, gid, gid_index);
    connect_to(receiver, sender, &port, gid, gid_index);
}

static void *sleep_for_ever(void *nothing)
{
    for (;;)
        pause();
    return nothing;
}

static long long run(const char *operation, int count)
{
    if (strcmp(operation, "post") == 0)
        return posts(count);
    if (strcmp(operation, "chain") == 0)
        return chains(count);
    if (strcmp(operation, "receive") == 0)
        return receives(count);
    if (strcmp(operation, "empty_poll") == 0)
        return empty_polls(count);
    if (strcmp(operation, "full_poll") == 0)
        return full_polls(count);
    fprintf(stderr, "there is no operation %s\n", operation);
    exit(2);
}

int main(int argc, char **argv)
{
    require(argc == 3, "usage: datapath DEVICE GID_INDEX");
    pthread_t sleeper;
    require(pthread_create(&sleeper, NULL, sleep_for_ever, NULL) == 0, "pthread_create");
    open_queues(argv[1], atoi(argv[2]));
    prepare_all();
    char operation[16];
    int batches, count;
    while (scanf("%15s %d %d", operation, &batches, &count) == 3) {
        long long nanos = 0;
        for (int i = 0; i < batches; i++)
            nanos += run(operation, count);
        printf("%lld\n", nanos);
        fflush(stdout);
    }
    return 0;
}
