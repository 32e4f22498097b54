// SPDX-License-Identifier: Apache-2.0
/* A simulated ConnectX: what its files share. README.md says what it does, and what it does not. */
#ifndef CONNECTX_H
#define CONNECTX_H

#include <endian.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

enum {
    DEVICES = 2,
    MAX_WR = 32768,
    MAX_SGE = 30,
    MAX_INLINE = 512,
    MAX_CQE = 1 << 22,
    MAX_RD_ATOMIC = 16,
    MAX_MESSAGE = 1 << 30,
    MAX_PIECES = 64,      /* of memory, that a request's bytes are in */
    MAX_PENDING = 64,     /* requests of a queue pair that have no reply yet */
    BFREGS = 16,          /* the first of which takes only doorbells */
    QP_INDEX_BITS = 14,   /* of a queue pair's number; the upper bits name the process */
    GRH_BYTES = 40,
    GIDS = 2,
    GID_TABLE = 8, /* which has more entries than GIDs */
    SCATTER_BYTES = 32,   /* that a completion of 64 bytes can carry, and twice as many one of 128 */
};

/* All state below belongs to whoever holds this lock. */
extern pthread_mutex_t card_lock;

/* --- objects ------------------------------------------------------------------------------------------------------ */

enum kind { CONTEXT = 1, PD, MR, MW, AH, CHANNEL, CQ, SRQ, QP };

struct object {
    enum kind kind;
    uint32_t handle;
    struct context *context;
    unsigned users; /* objects that must go first */
};

/* A descriptor from which events are read. */
struct event {
    struct event *next;
    struct ib_uverbs_async_event_desc content; /* of a channel only element, which has the same place */
    uint32_t *reported;                        /* counts what the program has read; NULL for a port's */
};

struct events {
    int fd;
    size_t size; /* of what a read gives: of a channel, or of asynchronous events */
    struct event *first;
};

struct context {
    struct object object;
    int fd;
    int device;
    struct events async;
};

struct pd {
    struct object object;
};

struct mr {
    struct object object;
    struct pd *pd;
    uint32_t key;
    uint32_t access;
    uint64_t address, length, iova;
};

struct mw {
    struct object object;
    struct pd *pd;
    enum ibv_mw_type type;
    uint32_t key, qpn, access;
    bool bound;
    uint32_t lkey; /* of the region */
    uint64_t address, start, length; /* in the region; as peers name it */
};

struct ah {
    struct object object;
    struct pd *pd;
};

struct channel {
    struct object object;
    struct events events;
};

struct cq {
    struct object object;
    uint64_t user_handle;
    struct channel *channel;
    char *buffer;
    __be32 *record;
    uint32_t cqn, size, cqe_size;
    uint32_t produced;
    uint32_t solicited; /* the index behind the last completion that a solicited notification is for */
    __be32 fired;       /* the request of notification that has been met */
    uint32_t notified;  /* last_notified_index of the kernel's mlx5_ifc.h: all before it have been told of */
    bool overrun;
    uint32_t completions_reported, asyncs_reported;
};

struct srq {
    struct object object;
    struct pd *pd;
    uint64_t user_handle;
    char *buffer;
    __be32 *record;
    uint32_t srqn, size, shift, max_sge, limit;
    uint16_t head, consumed;
    uint32_t asyncs_reported;
};

/* A request without a reply. */
struct pending {
    uint16_t wqe;
    uint16_t blocks;
    uint8_t opcode;
    bool signaled, done, reads;
    uint8_t syndrome; /* 0: success */
    uint32_t psn;
    uint32_t length;
    uint32_t scatter;                   /* bytes that go into the completion, 0 if into memory */
    char bounce[2 * SCATTER_BYTES];     /* which come here first, and so do the eight bytes of an atomic operation */
    int pieces;
    struct iovec piece[MAX_PIECES];     /* of an atomic operation: where its result goes */
};

struct qp {
    struct object object;
    struct pd *pd;
    struct cq *send_cq, *recv_cq;
    struct srq *srq;
    uint64_t user_handle;
    enum ibv_qp_type type;
    uint32_t qpn, uidx, bfreg;
    bool signal_all, send_scatter, receive_scatter;
    char *rq, *sq;
    __be32 *record;
    uint32_t rq_size, rq_shift, sq_size;
    struct ibv_qp_cap cap;
    struct ibv_qp_attr attr; /* qp_state, too */
    bool error_told;         /* its last entry of a shared receive queue has been announced */
    bool drain_awaited;

    /* the requester */
    uint16_t sent;     /* index of the next request to send, in blocks of the queue */
    uint32_t psn;      /* of the next */
    uint32_t epoch;    /* of replies that count: another one since the last return to an earlier request */
    unsigned retries, rnr_retries;
    uint64_t resume_at; /* a time in ns, before which nothing is sent again; 0: now */
    unsigned first_pending, pendings, pending_reads;
    struct pending pending[MAX_PENDING];

    /* the responder */
    uint16_t received;
    uint32_t expected_psn;
    uint32_t asyncs_reported;
};

/* context NULL: of any */
struct object *object_find(uint32_t handle, enum kind kind, const struct context *context);
void object_add(struct object *object, enum kind kind, struct context *context);
void object_free(struct object *object);
struct object *object_next(uint32_t *handle, enum kind kind); /* for a walk that begins with 0 */

struct qp *qp_find(uint32_t qpn);
bool qp_add_number(struct qp *qp);
void qp_remove_number(const struct qp *qp);

/* --- calls.c ------------------------------------------------------------------------------------------------------ */

uint64_t place_number(void);

void device_gid(int device, int index, uint8_t gid[16]);
int device_of_gid(const uint8_t gid[16]); /* -1: none */


/* --- commands.c --------------------------------------------------------------------------------------------------- */

int command_execute(struct context *context, const void *command, size_t size);
void context_free(struct context *context);

/* --- states.c ----------------------------------------------------------------------------------------------------- */

int qp_modify(struct qp *qp, const struct ib_uverbs_modify_qp *command);
void qp_query(const struct qp *qp, struct ib_uverbs_query_qp_resp *reply);
void qp_fail(struct qp *qp, enum ibv_qp_state state);

/* --- events.c ----------------------------------------------------------------------------------------------------- */

int events_open(struct events *events, size_t size);
void events_close(struct events *events);
void events_add(struct events *events, uint64_t element, uint32_t type, uint32_t *reported);
void events_forget(struct events *events, const uint32_t *reported);
ssize_t events_read(struct events *events, void *buffer, size_t size);

/* --- memory.c ----------------------------------------------------------------------------------------------------- */

int mr_register(struct mr *mr);
uint32_t mr_new_key(const struct mr *mr);
/* Adds the memory behind a key to the pieces. Returns false unless the key allows it. */
bool memory_find(const struct pd *pd, uint32_t key, uint64_t address, uint64_t length, uint32_t access,
                 struct iovec *piece);
bool memory_read(pid_t pid, void *to, const struct iovec *from, int pieces, size_t length);
bool memory_move(pid_t pid, const struct iovec *mine, int my_pieces, const struct iovec *theirs, int their_pieces,
                 size_t length, bool to_theirs);
int pieces_skip(struct iovec *piece, int pieces, size_t bytes);
size_t pieces_length(const struct iovec *piece, int pieces);

/* --- windows.c ---------------------------------------------------------------------------------------------------- */

bool window_find(const struct qp *qp, uint32_t key, uint64_t address, uint64_t length, uint32_t access, struct iovec *piece);
void window_release(struct mw *mw);
bool window_invalidate(const struct qp *qp, uint32_t key);
uint8_t window_change(struct qp *qp, uint32_t key, const void *segments, size_t size);

/* --- queues.c ----------------------------------------------------------------------------------------------------- */

/* Adds a completion; data is what it carries for the program, of scatter bytes. */
void cq_add(struct cq *cq, struct mlx5_cqe64 *cqe, bool solicited, const void *data, uint32_t scatter);
void cq_add_error(struct cq *cq, struct qp *qp, uint8_t kind, uint8_t opcode, uint16_t wqe, uint8_t syndrome);
void cq_notify(struct cq *cq);
bool cq_resize(struct cq *cq, char *buffer, uint32_t size, uint32_t cqe_size);

struct receive {
    uint16_t wqe;
    int pieces;
    struct iovec piece[MAX_PIECES];
    size_t length;
    bool allowed; /* whether all of its keys are right */
};

/* False: none is posted. needed: how many bytes will be written. */
bool receive_take(struct qp *qp, struct receive *receive, size_t needed);
unsigned receives_posted(const struct qp *qp);
unsigned srq_posted(const struct srq *srq);
bool sends_posted(const struct qp *qp);

/* --- wire.c ------------------------------------------------------------------------------------------------------- */

enum frame_kind { REQUEST = 1, REPLY };
enum { REPLY_DONE = 0, REPLY_DROPPED = 1, REPLY_RNR = 2, REPLY_SYNDROME = 0x100 };

struct frame {
    uint32_t size;
    uint32_t kind;
    uint32_t from, to; /* queue pairs */
    uint32_t psn;
    uint32_t epoch;
    uint32_t number; /* of the pending request */
    union {
        struct {
            uint8_t opcode, type, solicited, device, to_device, traffic_class, hop_limit, sl;
            uint8_t sgid[16], dgid[16];
            uint32_t flow_label;
            __be32 immediate;
            uint32_t rkey, qkey;
            uint64_t address;
            uint64_t swap_add, compare;
            uint64_t length;
            uint32_t pieces;
        };
        struct {
            uint32_t answer;
            uint32_t rnr_timer;
            uint64_t original;
        };
    };
    struct iovec piece[MAX_PIECES]; /* only pieces of them are sent */
};

void wire_start(void);
uint32_t wire_number(void);
/* False: there is no such process, or it has died. */
bool wire_send(struct frame *frame);
int wire_poll(struct pollfd *polls, int room);
bool wire_progress(void);
void wire_flush(void);

/* --- requester.c, responder.c ------------------------------------------------------------------------------------- */

bool requester_progress(struct qp *qp, uint64_t now);
void requester_reply(const struct frame *frame);
void requester_peer_died(uint32_t process);
void requester_flush(struct qp *qp);
void requester_await_reads(struct qp *qp);
void responder_request(const struct frame *frame, pid_t pid);
void responder_flush(struct qp *qp);

/* --- card.c, doorbell.c ------------------------------------------------------------------------------------------- */

void card_start(void);
void card_wake(void);
void card_yield(void);
void card_await(pthread_cond_t *condition); /* with the lock */
uint64_t card_now(void);

void *doorbell_map(size_t length);
void doorbell_unmap(void *page, size_t length);
bool doorbell_open(void);
int doorbell_fd(void);
void doorbell_protect(bool protect);
void doorbell_take(void);

#endif
