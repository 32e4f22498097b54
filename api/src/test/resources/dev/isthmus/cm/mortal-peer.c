// SPDX-License-Identifier: Apache-2.0
// A client or server of rdma_cm that comes so far as it is told, says so, and waits to be killed.
// usage: STAGE CLIENT_ADDRESS SERVER_ADDRESS PORT

#include <endian.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <rdma/rdma_cma.h>

struct grant { // where the peer may write
    uint64_t address; // big endian
    uint32_t rkey;
} __attribute__((packed));

static const char *stage;
static struct rdma_event_channel *channel;
static struct ibv_mr *memory;
static char bytes[4096];

static void check(int good, const char *what) {
    if (!good) {
        fprintf(stderr, "peer, %s: %s: %s\n", stage, what, strerror(errno));
        exit(1);
    }
}

static int is(const char *name) {
    return strcmp(stage, name) == 0;
}

static void say(const char *word) {
    puts(word);
    fflush(stdout);
}

static struct sockaddr *address(const char *host, const char *port) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM}, *found;
    check(getaddrinfo(host, port, &hints, &found) == 0, host);
    return found->ai_addr;
}

static struct rdma_cm_event *next(void) {
    struct rdma_cm_event *event;
    check(rdma_get_cm_event(channel, &event) == 0, "rdma_get_cm_event");
    return event;
}

static struct rdma_cm_event *expect(enum rdma_cm_event_type type) {
    struct rdma_cm_event *event = next();
    check(event->event == type, rdma_event_str(event->event));
    return event;
}

static void create_qp(struct rdma_cm_id *id) {
    struct ibv_qp_init_attr config = {
        .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = IBV_QPT_RC,
        .sq_sig_all = 1,
    };
    check(rdma_create_qp(id, NULL, &config) == 0, "rdma_create_qp");
    memory = ibv_reg_mr(id->pd, bytes, sizeof bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    check(memory != NULL, "ibv_reg_mr");
}

static void await_success(struct ibv_cq *cq) {
    struct ibv_wc done;
    int n;
    while ((n = ibv_poll_cq(cq, 1, &done)) == 0)
        ;
    check(n == 1 && done.status == IBV_WC_SUCCESS, n == 1 ? ibv_wc_status_str(done.status) : "ibv_poll_cq");
}

static void post_receive(struct rdma_cm_id *id) {
    struct ibv_sge piece = {(uintptr_t)bytes, sizeof bytes, memory->lkey};
    struct ibv_recv_wr request = {.sg_list = &piece, .num_sge = 1}, *bad;
    check(ibv_post_recv(id->qp, &request, &bad) == 0, "ibv_post_recv");
}

static void transfer(struct rdma_cm_id *id, enum ibv_wr_opcode opcode, const struct grant *granted) {
    struct ibv_sge piece = {(uintptr_t)bytes, 64, memory->lkey};
    struct ibv_send_wr request = {.sg_list = &piece, .num_sge = 1, .opcode = opcode}, *bad;
    request.wr.rdma.remote_addr = be64toh(granted->address);
    request.wr.rdma.rkey = be32toh(granted->rkey);
    check(ibv_post_send(id->qp, &request, &bad) == 0, "ibv_post_send");
    await_success(id->send_cq);
}

static void resolve(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to) {
    struct rdma_cm_event *event;
    int resolved = 0;
    while (!resolved) { // the kernel can miss the answer of a host as near as this one
        check(rdma_resolve_addr(id, from, to, 500) == 0, "rdma_resolve_addr");
        event = next();
        resolved = event->event == RDMA_CM_EVENT_ADDR_RESOLVED;
        rdma_ack_cm_event(event);
    }
    check(rdma_resolve_route(id, 10000) == 0, "rdma_resolve_route");
    rdma_ack_cm_event(expect(RDMA_CM_EVENT_ROUTE_RESOLVED));
}

static void connect_to(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to) {
    struct rdma_conn_param asked = {
        .responder_resources = 1, .initiator_depth = 1, .retry_count = 6, .rnr_retry_count = 7};
    struct grant granted;
    if (is("CLIENT_RESOLVING")) {
        check(rdma_resolve_addr(id, from, to, 60000) == 0, "rdma_resolve_addr");
        return;
    }
    resolve(id, from, to);
    if (is("CLIENT_RESOLVED"))
        return;
    create_qp(id);
    check(rdma_connect(id, &asked) == 0, "rdma_connect");
    if (is("CLIENT_CONNECTING"))
        return;
    struct rdma_cm_event *event = expect(RDMA_CM_EVENT_ESTABLISHED);
    if (is("CLIENT_CONNECTED"))
        return;
    memcpy(&granted, event->param.conn.private_data, sizeof granted);
    for (int first = 1;; first = 0) {
        transfer(id, IBV_WR_RDMA_WRITE, &granted);
        if (is("CLIENT_SENDING"))
            transfer(id, IBV_WR_SEND, &granted);
        if (first)
            say("there");
    }
}

static void listen_at(struct rdma_cm_id *listener, struct sockaddr *at) {
    struct rdma_conn_param told = {.responder_resources = 1, .initiator_depth = 1, .rnr_retry_count = 7};
    check(rdma_bind_addr(listener, at) == 0, "rdma_bind_addr");
    check(rdma_listen(listener, 8) == 0, "rdma_listen");
    if (is("SERVER_LISTENING"))
        return;
    say("ready");
    struct rdma_cm_id *id = expect(RDMA_CM_EVENT_CONNECT_REQUEST)->id;
    if (is("SERVER_REQUESTED"))
        return;
    create_qp(id);
    post_receive(id);
    post_receive(id);
    struct grant granted = {htobe64((uintptr_t)bytes), htobe32(memory->rkey)};
    told.private_data = &granted;
    told.private_data_len = sizeof granted;
    check(rdma_accept(id, &told) == 0, "rdma_accept");
    if (is("SERVER_ACCEPTED"))
        return;
    expect(RDMA_CM_EVENT_ESTABLISHED);
    if (is("SERVER_CONNECTED"))
        return;
    say("there");
    for (;;) {
        await_success(id->recv_cq);
        post_receive(id);
    }
}

int main(int argc, char **argv) {
    struct rdma_cm_id *id;
    check(argc == 5, "usage");
    stage = argv[1];
    channel = rdma_create_event_channel();
    check(channel != NULL, "rdma_create_event_channel");
    check(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0, "rdma_create_id");
    if (strncmp(stage, "CLIENT", 6) == 0)
        connect_to(id, address(argv[2], NULL), address(argv[3], argv[4]));
    else
        listen_at(id, address(argv[3], argv[4]));
    say("there");
    sleep(300);
}
