// SPDX-License-Identifier: Apache-2.0
/*
 * The loops of Writes.java and SendTrips.java in C, line by line: what is changed there is changed here. One process owns
 * both ends, on one device or two.
 * Arguments: device and GID index of the client, the same of the server, bytes, iterations; for round trips their rate.
 * Prints each time in nanoseconds, and how many writes or round trips took it. Of round trips, for how long they went on
 * comes first, and the time of the quickest of the last tenth.
 */
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PORT = 1, QUEUE = 128, WINDOW = QUEUE / 2, PAGE = 4096 };

enum { RECEIVED, SENT };

struct end {
    struct ibv_context *context;
    struct ibv_cq *queue;
    struct ibv_mr *region;
    struct ibv_qp *qp;
    struct ibv_port_attr port;
    union ibv_gid gid;
    int gid_index;
};

static void require(int good, const char *what)
{
    if (!good) {
        perror(what);
        exit(1);
    }
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static struct ibv_context *open_device(const char *name)
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
    ibv_free_device_list(list);
    return context;
}

static struct end open_end(const char *device, int gid_index, size_t bytes)
{
    struct end end = {.context = open_device(device), .gid_index = gid_index};
    struct ibv_pd *pd = ibv_alloc_pd(end.context);
    require(pd != NULL, "ibv_alloc_pd");
    void *memory = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    require(memory != NULL, "aligned_alloc");
    memset(memory, 0, bytes);
    end.region = ibv_reg_mr(pd, memory, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    require(end.region != NULL, "ibv_reg_mr");
    end.queue = ibv_create_cq(end.context, 2 * QUEUE, NULL, NULL, 0);
    require(end.queue != NULL, "ibv_create_cq");
    struct ibv_qp_init_attr init = {.send_cq = end.queue, .recv_cq = end.queue, .qp_type = IBV_QPT_RC};
    init.cap = (struct ibv_qp_cap){.max_send_wr = QUEUE, .max_recv_wr = QUEUE, .max_send_sge = 1, .max_recv_sge = 1};
    end.qp = ibv_create_qp(pd, &init);
    require(end.qp != NULL, "ibv_create_qp");
    require(ibv_query_port(end.context, PORT, &end.port) == 0, "ibv_query_port");
    require(ibv_query_gid(end.context, PORT, gid_index, &end.gid) == 0, "ibv_query_gid");
    return end;
}

static void connect_to(const struct end *end, const struct end *peer)
{
    struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = PORT};
    a.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
    require(ibv_modify_qp(end->qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0, "INIT");
    int mtu = end->port.active_mtu < peer->port.active_mtu ? end->port.active_mtu : peer->port.active_mtu;
    a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR, .path_mtu = mtu, .dest_qp_num = peer->qp->qp_num};
    a.max_dest_rd_atomic = 1;
    a.min_rnr_timer = 12;
    a.ah_attr = (struct ibv_ah_attr){.dlid = peer->port.lid, .is_global = 1, .port_num = PORT};
    a.ah_attr.grh = (struct ibv_global_route){.dgid = peer->gid, .sgid_index = end->gid_index, .hop_limit = 64};
    require(ibv_modify_qp(end->qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                          IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0, "RTR");
    a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
    require(ibv_modify_qp(end->qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                          IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC) == 0, "RTS");
}

static void require_success(const struct ibv_wc *done)
{
    if (done->status != IBV_WC_SUCCESS) {
        fprintf(stderr, "an operation failed: %s\n", ibv_wc_status_str(done->status));
        exit(1);
    }
}

static int64_t write_once(const struct end *client, struct ibv_send_wr *request)
{
    struct ibv_send_wr *bad;
    struct ibv_wc done;
    int64_t begin = now();
    require(ibv_post_send(client->qp, request, &bad) == 0, "ibv_post_send");
    int found;
    do {
        found = ibv_poll_cq(client->queue, 1, &done);
    } while (found == 0);
    int64_t nanos = now() - begin;
    require(found == 1, "ibv_poll_cq");
    require_success(&done);
    return nanos;
}

static void write_all(const struct end *client, const struct end *server, int bytes, int iterations, int64_t *nanos)
{
    struct ibv_sge source = {(uintptr_t)client->region->addr, bytes, client->region->lkey};
    struct ibv_send_wr request = {.sg_list = &source, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE};
    request.send_flags = IBV_SEND_SIGNALED;
    request.wr.rdma.remote_addr = (uintptr_t)server->region->addr;
    request.wr.rdma.rkey = server->region->rkey;
    for (int i = 0; i < iterations; i++)
        nanos[i] = write_once(client, &request);
}

/* An end of round trips, of one thread. */
struct trips {
    const struct end *end;
    struct ibv_sge outgoing, incoming;
    struct ibv_send_wr send;
    struct ibv_recv_wr receive;
    int iterations;
};

static void post_send(struct trips *trips)
{
    struct ibv_send_wr *bad;
    require(ibv_post_send(trips->end->qp, &trips->send, &bad) == 0, "ibv_post_send");
}

static void post_receive(struct trips *trips)
{
    struct ibv_recv_wr *bad;
    require(ibv_post_recv(trips->end->qp, &trips->receive, &bad) == 0, "ibv_post_recv");
}

static void prepare(struct trips *trips, const struct end *end, int bytes, int iterations)
{
    uintptr_t memory = (uintptr_t)end->region->addr;
    trips->end = end;
    trips->iterations = iterations;
    trips->outgoing = (struct ibv_sge){memory, bytes, end->region->lkey};
    trips->incoming = (struct ibv_sge){memory + bytes, bytes, end->region->lkey};
    trips->send = (struct ibv_send_wr){.wr_id = SENT, .sg_list = &trips->outgoing, .num_sge = 1, .opcode = IBV_WR_SEND};
    trips->send.send_flags = IBV_SEND_SIGNALED;
    trips->receive = (struct ibv_recv_wr){.wr_id = RECEIVED, .sg_list = &trips->incoming, .num_sge = 1};
    for (int i = 0; i < WINDOW; i++)
        post_receive(trips);
}

/* Whether a message has come, in whose place another may come. */
static int has_come(struct trips *trips)
{
    struct ibv_wc done;
    int found = ibv_poll_cq(trips->end->queue, 1, &done);
    require(found >= 0, "ibv_poll_cq");
    if (found == 0)
        return 0;
    require_success(&done);
    if (done.wr_id == SENT)
        return 0;
    post_receive(trips);
    return 1;
}

static void *answer(void *trips_of_server)
{
    struct trips *trips = trips_of_server;
    for (int i = 0; i < trips->iterations;) {
        if (has_come(trips)) {
            post_send(trips);
            i++;
        }
    }
    return NULL;
}

/* Begins round trips when they are due, whether the earlier ones are back or not. */
static void ask(struct trips *trips, double gap, int64_t *nanos)
{
    int64_t start = now(), last = start, late = INT64_MAX;
    for (int begun = 0, ended = 0; ended < trips->iterations;) {
        if (begun < trips->iterations && begun - ended < WINDOW && now() - start >= begun * gap) {
            begun++;
            post_send(trips);
        }
        if (has_come(trips)) {
            last = now();
            nanos[ended] = last - start - (int64_t)(ended * gap);
            if (ended >= trips->iterations - 0.1 * trips->iterations && nanos[ended] < late)
                late = nanos[ended];
            ended++;
        }
    }
    printf("%" PRId64 " %" PRId64 "\n", last - start, late);
}

static void send_all(const struct end *client, const struct end *server, int bytes, int iterations, int rate, int64_t *nanos)
{
    struct trips asking, answering;
    prepare(&answering, server, bytes, iterations);
    prepare(&asking, client, bytes, iterations);
    pthread_t thread;
    require(pthread_create(&thread, NULL, answer, &answering) == 0, "pthread_create");
    ask(&asking, 1e9 / rate, nanos);
    require(pthread_join(thread, NULL) == 0, "pthread_join");
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Each time, and how many took it. */
static void print(const int64_t *sorted, int count)
{
    for (int i = 0, same; i < count; i += same) {
        for (same = 1; i + same < count && sorted[i + same] == sorted[i]; same++)
            ;
        printf("%" PRId64 " %d\n", sorted[i], same);
    }
}

int main(int argc, char **argv)
{
    if (argc != 7 && argc != 8) {
        fprintf(stderr, "usage: verbs DEVICE GID_INDEX DEVICE GID_INDEX BYTES ITERATIONS [RATE]\n");
        return 2;
    }
    int bytes = atoi(argv[5]), iterations = atoi(argv[6]), rate = argc == 8 ? atoi(argv[7]) : 0;
    struct end client = open_end(argv[1], atoi(argv[2]), 2 * bytes);
    struct end server = open_end(argv[3], atoi(argv[4]), 2 * bytes);
    connect_to(&server, &client);
    connect_to(&client, &server);
    int64_t *nanos = calloc(iterations, sizeof *nanos);
    require(nanos != NULL, "calloc");
    if (rate == 0)
        write_all(&client, &server, bytes, iterations, nanos);
    else
        send_all(&client, &server, bytes, iterations, rate, nanos);
    qsort(nanos, iterations, sizeof *nanos, ascending);
    print(nanos, iterations);
    return 0;
}
