/*
 * One RDMA WRITE at a time, from one device to another or to itself: the loop of Writes.java in C, line by line. What is
 * changed there is changed here. The target only has memory, so one process owns both ends.
 * Arguments: device and GID index of the client, the same of the server, bytes, iterations.
 * Prints the average, the median and the 99.9th percentile, in microseconds.
 */
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PORT = 1, DEPTH = 16, PAGE = 4096 };

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
    end.queue = ibv_create_cq(end.context, DEPTH, NULL, NULL, 0);
    require(end.queue != NULL, "ibv_create_cq");
    struct ibv_qp_init_attr init = {.send_cq = end.queue, .recv_cq = end.queue, .qp_type = IBV_QPT_RC};
    init.cap = (struct ibv_qp_cap){.max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 1, .max_recv_sge = 1};
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
    if (done.status != IBV_WC_SUCCESS) {
        fprintf(stderr, "a write failed: %s\n", ibv_wc_status_str(done.status));
        exit(1);
    }
    return nanos;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The least that so many of a thousand are not above, as HdrHistogram has it. */
static double at(const int64_t *sorted, int64_t count, int permille)
{
    return sorted[(count * permille + 999) / 1000 - 1] / 1e3;
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: writes DEVICE GID_INDEX DEVICE GID_INDEX BYTES ITERATIONS\n");
        return 2;
    }
    int bytes = atoi(argv[5]), iterations = atoi(argv[6]);
    struct end client = open_end(argv[1], atoi(argv[2]), bytes);
    struct end server = open_end(argv[3], atoi(argv[4]), bytes);
    connect_to(&server, &client);
    connect_to(&client, &server);
    struct ibv_sge source = {(uintptr_t)client.region->addr, bytes, client.region->lkey};
    struct ibv_send_wr request = {.sg_list = &source, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE};
    request.send_flags = IBV_SEND_SIGNALED;
    request.wr.rdma.remote_addr = (uintptr_t)server.region->addr;
    request.wr.rdma.rkey = server.region->rkey;
    int64_t *nanos = calloc(iterations, sizeof *nanos);
    require(nanos != NULL, "calloc");
    int64_t sum = 0;
    for (int i = 0; i < iterations; i++) {
        nanos[i] = write_once(&client, &request);
        sum += nanos[i];
    }
    qsort(nanos, iterations, sizeof *nanos, ascending);
    printf("%.3f %.3f %.3f\n", sum / 1e3 / iterations, at(nanos, iterations, 500), at(nanos, iterations, 999));
    return 0;
}
