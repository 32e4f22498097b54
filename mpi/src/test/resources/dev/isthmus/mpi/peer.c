// SPDX-License-Identifier: Apache-2.0
// The other rank of CPeerMain, which does the same in Java: each sends what the other expects, and checks all that it gets.
// It calls the standard's classic functions where Java calls those of large counts, so that the two meet on the wire.
#include <complex.h>
#include <mpi_abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call) do { int code_ = (call); if (code_ != MPI_SUCCESS) fail(#call, code_); } while (0)
#define CHECK(what) do { if (!(what)) fail(#what, __LINE__); } while (0)

static const MPI_Comm WORLD = MPI_COMM_WORLD;
static int me, other, step;

static void fail(const char *what, int number) {
    fprintf(stderr, "C, rank %d, step %d: %s (%d)\n", me, step, what, number);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static int value(int from, int i) {
    return (int) ((unsigned) step * 1000003u + (unsigned) from * 7919u + (unsigned) i * 31u);
}

static void fill(int *to, int n, int from) {
    for (int i = 0; i < n; i++) to[i] = value(from, i);
}

static void expect(const int *got, int n, int from) {
    for (int i = 0; i < n; i++) if (got[i] != value(from, i)) fail("wrong data at", i);
}

// --- point to point -----------------------------------------------------------------------------------------------------

enum { SEND, BSEND, SSEND, RSEND, ISEND, IBSEND, ISSEND, IRSEND, SEND_INIT, BSEND_INIT, SSEND_INIT, RSEND_INIT, PSEND, KINDS };
enum { ROUNDS = 3, LARGEST = 100000, PARTS = 4 };

static int is_ready(int kind) {
    return kind == RSEND || kind == IRSEND || kind == RSEND_INIT;
}

static void send_by(int kind, int *buffer, int n) {
    MPI_Request r = MPI_REQUEST_NULL;
    switch (kind) {
        case SEND_INIT: OK(MPI_Send_init(buffer, n, MPI_INT, other, step, WORLD, &r)); break;
        case BSEND_INIT: OK(MPI_Bsend_init(buffer, n, MPI_INT, other, step, WORLD, &r)); break;
        case SSEND_INIT: OK(MPI_Ssend_init(buffer, n, MPI_INT, other, step, WORLD, &r)); break;
        case RSEND_INIT: OK(MPI_Rsend_init(buffer, n, MPI_INT, other, step, WORLD, &r)); break;
        case PSEND: OK(MPI_Psend_init(buffer, PARTS, n / PARTS, MPI_INT, other, step, WORLD, MPI_INFO_NULL, &r)); break;
    }
    for (int round = 0; round < ROUNDS; round++) {
        fill(buffer, n, me + 2 * round);
        if (is_ready(kind)) OK(MPI_Barrier(WORLD));
        switch (kind) {
            case SEND: OK(MPI_Send(buffer, n, MPI_INT, other, step, WORLD)); break;
            case BSEND: OK(MPI_Bsend(buffer, n, MPI_INT, other, step, WORLD)); break;
            case SSEND: OK(MPI_Ssend(buffer, n, MPI_INT, other, step, WORLD)); break;
            case RSEND: OK(MPI_Rsend(buffer, n, MPI_INT, other, step, WORLD)); break;
            case ISEND: OK(MPI_Isend(buffer, n, MPI_INT, other, step, WORLD, &r)); break;
            case IBSEND: OK(MPI_Ibsend(buffer, n, MPI_INT, other, step, WORLD, &r)); break;
            case ISSEND: OK(MPI_Issend(buffer, n, MPI_INT, other, step, WORLD, &r)); break;
            case IRSEND: OK(MPI_Irsend(buffer, n, MPI_INT, other, step, WORLD, &r)); break;
            default: OK(MPI_Start(&r)); break;
        }
        if (kind == PSEND) for (int part = PARTS - 1; part >= 0; part--) OK(MPI_Pready(part, r));
        OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    }
    if (r != MPI_REQUEST_NULL) OK(MPI_Request_free(&r));
}

static void receive_by(int kind, int *buffer, int n) {
    int ready = is_ready(kind), how = ready ? 1 + step % 2 : kind == PSEND ? 5 : step % 5, tag = step % 3 ? step : MPI_ANY_TAG;
    int source = step % 2 ? other : MPI_ANY_SOURCE, found = 0;
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Message message;
    MPI_Status status;
    if (how == 2) OK(MPI_Recv_init(buffer, n, MPI_INT, source, tag, WORLD, &r));
    if (how == 5) OK(MPI_Precv_init(buffer, PARTS, n / PARTS, MPI_INT, other, step, WORLD, MPI_INFO_NULL, &r));
    for (int round = 0; round < ROUNDS; round++) {
        memset(buffer, 0xff, n * sizeof(int));
        switch (how) {
            case 0: OK(MPI_Recv(buffer, n, MPI_INT, source, tag, WORLD, &status)); break;
            case 1: OK(MPI_Irecv(buffer, n, MPI_INT, source, tag, WORLD, &r)); break;
            case 3:
                OK(MPI_Mprobe(source, tag, WORLD, &message, &status));
                OK(MPI_Mrecv(buffer, n, MPI_INT, &message, &status));
                break;
            case 4:
                for (found = 0; !found;) OK(MPI_Improbe(source, tag, WORLD, &found, &message, &status));
                OK(MPI_Imrecv(buffer, n, MPI_INT, &message, &r));
                break;
            default: OK(MPI_Start(&r)); break;
        }
        if (ready) OK(MPI_Barrier(WORLD));
        if (how == 1 || how == 2 || how >= 4) OK(MPI_Wait(&r, &status));
        if (how != 5) {
            int count;
            OK(MPI_Get_count(&status, MPI_INT, &count));
            CHECK(status.MPI_SOURCE == other && status.MPI_TAG == step && count == n);
        }
        expect(buffer, n, other + 2 * round);
    }
    if (r != MPI_REQUEST_NULL) OK(MPI_Request_free(&r));
}

static void point_to_point(void) {
    static const int SIZES[] = {0, 4, 1000, LARGEST};
    int *buffer = malloc(LARGEST * sizeof(int)), *in = malloc(LARGEST * sizeof(int));
    int bytes = 4 * (LARGEST * sizeof(int) + MPI_BSEND_OVERHEAD);
    void *attached = malloc(bytes);
    OK(MPI_Comm_attach_buffer(WORLD, attached, bytes));
    for (int kind = 0; kind < KINDS; kind++) {
        for (int size = 0; size < 4; size++) {
            for (int sender = 0; sender < 2; sender++) {
                step++;
                if (me == sender) send_by(kind, buffer, SIZES[size]);
                else receive_by(kind, buffer, SIZES[size]);
            }
        }
    }
    for (int size = 0; size < 4; size++) {
        int n = SIZES[size];
        MPI_Request r;
        step++;
        fill(buffer, n, me);
        OK(MPI_Sendrecv(buffer, n, MPI_INT, other, step, in, n, MPI_INT, other, step, WORLD, MPI_STATUS_IGNORE));
        expect(in, n, other);
        OK(MPI_Sendrecv_replace(in, n, MPI_INT, other, step, other, step, WORLD, MPI_STATUS_IGNORE));
        expect(in, n, me);
        step++;
        fill(buffer, n, me);
        OK(MPI_Isendrecv(buffer, n, MPI_INT, other, step, in, n, MPI_INT, other, step, WORLD, &r));
        OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
        expect(in, n, other);
        OK(MPI_Isendrecv_replace(in, n, MPI_INT, other, step, other, step, WORLD, &r));
        OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
        expect(in, n, me);
    }
    OK(MPI_Comm_detach_buffer(WORLD, &attached, &bytes));
    free(attached);
    free(buffer);
    free(in);
}

// --- datatypes ----------------------------------------------------------------------------------------------------------

enum { ROOM = 200 };

// Sends elements of a type out of ROOM ints, and gets the same: once as they are, once as a row of ints, which both count.
static void exchange(MPI_Datatype type, int count) {
    int out[ROOM], in[ROOM], row[ROOM], expected[ROOM], size, position = 0;
    MPI_Status status;
    step++;
    OK(MPI_Type_commit(&type));
    OK(MPI_Type_size(type, &size));
    int n = size / (int) sizeof(int) * count;
    fill(out, ROOM, me);
    memset(in, 0, sizeof in);
    OK(MPI_Sendrecv(out, count, type, other, step, in, count, type, other, step, WORLD, &status));
    int got;
    OK(MPI_Get_count(&status, type, &got));
    CHECK(got == count);
    memset(row, 0, sizeof row);
    OK(MPI_Sendrecv(out, count, type, other, step, row, n, MPI_INT, other, step, WORLD, MPI_STATUS_IGNORE));
    // What this process's own pack makes of the other's data is what must have come.
    int theirs[ROOM];
    fill(theirs, ROOM, other);
    OK(MPI_Pack(theirs, count, type, expected, sizeof expected, &position, WORLD));
    CHECK(position == n * (int) sizeof(int) && memcmp(expected, row, position) == 0);
    int packed[ROOM];
    position = 0;
    OK(MPI_Pack(in, count, type, packed, sizeof packed, &position, WORLD));
    CHECK(memcmp(expected, packed, position) == 0);
    int touched = 0;
    for (int i = 0; i < ROOM; i++) touched += in[i] != 0;
    CHECK(touched <= n); // and nothing beside it
    OK(MPI_Type_free(&type));
}

struct particle {
    int id;
    double mass;
    double position[3];
    int8_t kind;
};

static void particles(void) {
    enum { N = 10 };
    struct particle out[N], in[N];
    int lengths[] = {1, 1, 3, 1};
    MPI_Aint at[] = {offsetof(struct particle, id), offsetof(struct particle, mass), offsetof(struct particle, position),
                     offsetof(struct particle, kind)};
    MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_DOUBLE, MPI_INT8_T}, bare, type;
    OK(MPI_Type_create_struct(4, lengths, at, types, &bare));
    OK(MPI_Type_create_resized(bare, 0, sizeof(struct particle), &type));
    OK(MPI_Type_commit(&type));
    step++;
    memset(out, 0, sizeof out);
    memset(in, 0, sizeof in);
    for (int i = 0; i < N; i++) {
        out[i] = (struct particle) {value(me, i), i + 0.5, {i, me, -i}, (int8_t) (i + me)};
    }
    OK(MPI_Sendrecv(out, N, type, other, step, in, N, type, other, step, WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++) {
        CHECK(in[i].id == value(other, i) && in[i].mass == i + 0.5 && in[i].position[0] == i && in[i].position[1] == other
              && in[i].position[2] == -i && in[i].kind == i + other);
    }
    // Packed here, unpacked there.
    char packed[2000];
    int position = 0;
    OK(MPI_Pack(out, N, type, packed, sizeof packed, &position, WORLD));
    OK(MPI_Sendrecv_replace(packed, position, MPI_PACKED, other, step, other, step, WORLD, MPI_STATUS_IGNORE));
    struct particle again[N];
    memset(again, 0, sizeof again);
    position = 0;
    OK(MPI_Unpack(packed, sizeof packed, &position, again, N, type, WORLD));
    CHECK(memcmp(in, again, sizeof in) == 0);
    OK(MPI_Type_free(&bare));
    OK(MPI_Type_free(&type));
}

// In the standard's own form. Of one basic type: MPICH 5.0.2 ends the process at a datatype of several (docs/mpi.md).
static void external(void) {
    int numbers[ROOM], got[ROOM];
    char bytes[sizeof numbers];
    MPI_Aint end = 0, start = 0;
    MPI_Datatype type;
    step++;
    fill(numbers, ROOM, me);
    memset(got, 0, sizeof got);
    OK(MPI_Type_vector(5, 2, 4, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Pack_external("external32", numbers, 2, type, bytes, sizeof bytes, &end));
    CHECK(end == 20 * 4);
    OK(MPI_Sendrecv_replace(bytes, (int) end, MPI_BYTE, other, step, other, step, WORLD, MPI_STATUS_IGNORE));
    CHECK((bytes[0] & 0xff) == (unsigned) value(other, 0) >> 24); // big endian
    OK(MPI_Unpack_external("external32", bytes, end, &start, got, 2, type));
    for (int i = 0; i < 36; i++) CHECK(got[i] == (i % 18 % 4 < 2 ? value(other, i) : 0));
    OK(MPI_Type_free(&type));
}

#define PREDEFINED(ctype, mpitype, expression) do { \
        ctype out_, in_; \
        int from = me; \
        step++; \
        memset(&out_, 0, sizeof out_); \
        memset(&in_, 0, sizeof in_); \
        out_ = expression; \
        OK(MPI_Sendrecv(&out_, 1, mpitype, other, step, &in_, 1, mpitype, other, step, WORLD, MPI_STATUS_IGNORE)); \
        from = other; \
        CHECK(in_ == (expression)); \
    } while (0)

#define PAIR(first, mpitype) do { \
        struct { first value; int index; } out_ = {(first) (10.5 + me), 3 + me}, in_ = {0, 0}; \
        step++; \
        OK(MPI_Sendrecv(&out_, 1, mpitype, other, step, &in_, 1, mpitype, other, step, WORLD, MPI_STATUS_IGNORE)); \
        CHECK(in_.value == (first) (10.5 + other) && in_.index == 3 + other); \
    } while (0)

static void predefined(void) {
    PREDEFINED(unsigned char, MPI_BYTE, 0xa0 + from);
    PREDEFINED(int8_t, MPI_INT8_T, -100 - from);
    PREDEFINED(uint8_t, MPI_UINT8_T, 200 + from);
    PREDEFINED(char, MPI_CHAR, 'a' + from);
    PREDEFINED(bool, MPI_C_BOOL, from == 0);
    PREDEFINED(uint16_t, MPI_UINT16_T, 0xfff0 + from);
    PREDEFINED(short, MPI_SHORT, -30000 - from);
    PREDEFINED(int, MPI_INT, -2000000000 - from);
    PREDEFINED(uint32_t, MPI_UINT32_T, 0xfffffff0u + from);
    PREDEFINED(int64_t, MPI_INT64_T, -4000000000000000000LL - from);
    PREDEFINED(uint64_t, MPI_UINT64_T, 0xfffffffffffffff0ULL + from);
    PREDEFINED(MPI_Aint, MPI_AINT, -5000000000LL - from);
    PREDEFINED(MPI_Count, MPI_COUNT, -6000000000LL - from);
    PREDEFINED(MPI_Offset, MPI_OFFSET, -7000000000LL - from);
    PREDEFINED(float, MPI_FLOAT, 1.5f + from);
    PREDEFINED(double, MPI_DOUBLE, 1e300 * (from + 1));
    PREDEFINED(float complex, MPI_C_FLOAT_COMPLEX, 2.5f + from + 3.5f * I);
    PREDEFINED(double complex, MPI_C_DOUBLE_COMPLEX, 4.5 + from + 5.5 * I);
    PAIR(float, MPI_FLOAT_INT);
    PAIR(double, MPI_DOUBLE_INT);
    PAIR(long, MPI_LONG_INT);
    PAIR(int, MPI_2INT);
}

static void datatypes(void) {
    int lengths[] = {3, 1, 2}, displacements[] = {10, 2, 20};
    MPI_Aint bytes[] = {40, 8, 80};
    MPI_Datatype type, inner, types[] = {MPI_INT, MPI_INT, MPI_INT};
    OK(MPI_Type_contiguous(5, MPI_INT, &type));
    exchange(type, 7);
    OK(MPI_Type_vector(4, 2, 5, MPI_INT, &type));
    exchange(type, 3);
    OK(MPI_Type_create_hvector(4, 2, 24, MPI_INT, &type));
    exchange(type, 3);
    OK(MPI_Type_indexed(3, lengths, displacements, MPI_INT, &type));
    exchange(type, 2);
    OK(MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &type));
    exchange(type, 2);
    OK(MPI_Type_create_indexed_block(3, 2, displacements, MPI_INT, &type));
    exchange(type, 2);
    OK(MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &type));
    exchange(type, 2);
    OK(MPI_Type_create_struct(3, lengths, bytes, types, &type));
    exchange(type, 2);
    int sizes[] = {6, 8}, part[] = {3, 4}, start[] = {2, 1};
    OK(MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_INT, &type));
    exchange(type, 3);
    OK(MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_FORTRAN, MPI_INT, &type));
    exchange(type, 3);
    int distribution[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, argument[] = {2, MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2, 1};
    OK(MPI_Type_create_darray(2, 0, 2, sizes, distribution, argument, grid, MPI_ORDER_C, MPI_INT, &type));
    exchange(type, 2);
    OK(MPI_Type_vector(2, 1, 3, MPI_INT, &inner));
    OK(MPI_Type_create_resized(inner, 0, 7 * sizeof(int), &type));
    OK(MPI_Type_free(&inner));
    exchange(type, 6);
    particles();
    external();
    predefined();
}

// --- collectives --------------------------------------------------------------------------------------------------------

enum { N = 5 };

static int out[4 * N], in[4 * N];
static MPI_Request request;

#define EACH(prepare, check, blocking, starting, preparing, ...) do { \
        step++; \
        prepare; OK(blocking(__VA_ARGS__)); check; \
        prepare; OK(starting(__VA_ARGS__, &request)); OK(MPI_Wait(&request, MPI_STATUS_IGNORE)); check; \
        prepare; OK(preparing(__VA_ARGS__, MPI_INFO_NULL, &request)); \
        for (int round_ = 0; round_ < ROUNDS; round_++) { \
            prepare; OK(MPI_Start(&request)); OK(MPI_Wait(&request, MPI_STATUS_IGNORE)); check; \
        } \
        OK(MPI_Request_free(&request)); \
    } while (0)

static void reset(void) {
    fill(out, 4 * N, me);
    memset(in, 0xff, sizeof in);
}

static void expect_from(const int *got, int n, int from, int first) {
    for (int i = 0; i < n; i++) if (got[i] != value(from, first + i)) fail("wrong data at", i);
}

static void expect_both(int n) {
    expect(in, n, 0);
    expect(in + n, n, 1);
}

static int sum(int i) {
    return (int) ((unsigned) value(0, i) + (unsigned) value(1, i));
}

static void expect_sums(int n, int first) {
    for (int i = 0; i < n; i++) if (in[i] != sum(first + i)) fail("wrong sum at", i);
}

static void larger_magnitude(void *a, void *b, int *n, MPI_Datatype *type) {
    int *from = a, *to = b;
    for (int i = 0; i < *n; i++) if (abs(from[i] / 2) > abs(to[i] / 2)) to[i] = from[i];
}

#define REDUCTION(op, expression) do { \
        step++; \
        reset(); \
        OK(MPI_Allreduce(out, in, N, MPI_INT, op, WORLD)); \
        for (int i = 0; i < N; i++) { \
            int a = value(0, i), b = value(1, i); \
            CHECK(in[i] == (expression)); \
        } \
    } while (0)

static void reductions(void) {
    REDUCTION(MPI_SUM, (int) ((unsigned) a + (unsigned) b));
    REDUCTION(MPI_PROD, (int) ((unsigned) a * (unsigned) b));
    REDUCTION(MPI_MIN, a < b ? a : b);
    REDUCTION(MPI_MAX, a > b ? a : b);
    REDUCTION(MPI_BAND, a & b);
    REDUCTION(MPI_BOR, a | b);
    REDUCTION(MPI_BXOR, a ^ b);
    REDUCTION(MPI_LAND, a && b);
    REDUCTION(MPI_LOR, a || b);
    REDUCTION(MPI_LXOR, !a != !b);
    MPI_Op op;
    OK(MPI_Op_create(larger_magnitude, 1, &op));
    REDUCTION(op, abs(a / 2) > abs(b / 2) ? a : abs(a / 2) < abs(b / 2) ? b : in[i]);
    OK(MPI_Op_free(&op));
    struct { double value; int index; } mine = {me == 0 ? -1.5 : 2.5, 40 + me}, best;
    OK(MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, WORLD));
    CHECK(best.value == 2.5 && best.index == 41);
    OK(MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MINLOC, WORLD));
    CHECK(best.value == -1.5 && best.index == 40);
}

static void collectives(void) {
    int counts[] = {3, N}, at[] = {N + 1, 0}, equal[] = {3, 3};
    MPI_Datatype gap;
    OK(MPI_Type_vector(2, 1, 2, MPI_INT, &gap));
    OK(MPI_Type_commit(&gap));
    EACH(, , MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init, WORLD);
    for (int root = 0; root < 2; root++) {
        EACH(fill(in, N, me), expect(in, N, root), MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, in, N, MPI_INT, root, WORLD);
        EACH(reset(), if (me == root) expect_both(N), MPI_Gather, MPI_Igather, MPI_Gather_init, out, N, MPI_INT, in, N, MPI_INT,
             root, WORLD);
        EACH(reset(), expect_from(in, N, root, me * N), MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, out, N, MPI_INT, in, N,
             MPI_INT, root, WORLD);
        EACH(reset(), if (me == root) { expect(in + at[0], counts[0], 0); expect(in + at[1], counts[1], 1); }, MPI_Gatherv,
             MPI_Igatherv, MPI_Gatherv_init, out, counts[me], MPI_INT, in, counts, at, MPI_INT, root, WORLD);
        EACH(reset(), expect_from(in, counts[me], root, at[me]), MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, out, counts, at,
             MPI_INT, in, counts[me], MPI_INT, root, WORLD);
        EACH(reset(), if (me == root) expect_sums(N, 0), MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, out, in, N, MPI_INT, MPI_SUM,
             root, WORLD);
    }
    EACH(reset(), expect_both(N), MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, out, N, MPI_INT, in, N, MPI_INT, WORLD);
    EACH(reset(), expect(in + at[0], counts[0], 0); expect(in + at[1], counts[1], 1), MPI_Allgatherv, MPI_Iallgatherv,
         MPI_Allgatherv_init, out, counts[me], MPI_INT, in, counts, at, MPI_INT, WORLD);
    EACH(reset(), expect_from(in, N, 0, me * N); expect_from(in + N, N, 1, me * N), MPI_Alltoall, MPI_Ialltoall,
         MPI_Alltoall_init, out, N, MPI_INT, in, N, MPI_INT, WORLD);
    EACH(reset(), expect_from(in + at[0], 3, 0, at[me]); expect_from(in + at[1], 3, 1, at[me]), MPI_Alltoallv, MPI_Ialltoallv,
         MPI_Alltoallv_init, out, equal, at, MPI_INT, in, equal, at, MPI_INT, WORLD);
    int one[] = {1, 1}, two[] = {2, 2}, from[] = {12, 0}, into[] = {0, 8};
    MPI_Datatype gaps[] = {gap, gap}, ints[] = {MPI_INT, MPI_INT};
    EACH(reset(), for (int i = 0; i < 2; i++) for (int k = 0; k < 2; k++) CHECK(in[2 * i + k] == value(i, from[me] / 4 + 2 * k)),
         MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, out, one, from, gaps, in, two, into, ints, WORLD);
    EACH(reset(), expect_sums(N, 0), MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, out, in, N, MPI_INT, MPI_SUM, WORLD);
    EACH(reset(), expect_sums(counts[me], me == 0 ? 0 : counts[0]), MPI_Reduce_scatter, MPI_Ireduce_scatter,
         MPI_Reduce_scatter_init, out, in, counts, MPI_INT, MPI_SUM, WORLD);
    EACH(reset(), expect_sums(N, me * N), MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, out,
         in, N, MPI_INT, MPI_SUM, WORLD);
    EACH(reset(), if (me == 0) expect(in, N, 0); else expect_sums(N, 0), MPI_Scan, MPI_Iscan, MPI_Scan_init, out, in, N, MPI_INT,
         MPI_SUM, WORLD);
    EACH(reset(), if (me == 1) expect(in, N, 0), MPI_Exscan, MPI_Iexscan, MPI_Exscan_init, out, in, N, MPI_INT, MPI_SUM, WORLD);
    reductions();
    int dims[] = {2}, periods[] = {0}; // each has one neighbour, and one side with nobody
    MPI_Comm line;
    OK(MPI_Cart_create(WORLD, 1, dims, periods, 0, &line));
    int side = me == 0 ? N : 0; // where the neighbour's part is: lower rank first
    EACH(reset(), expect(in + side, N, other), MPI_Neighbor_allgather, MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init, out,
         N, MPI_INT, in, N, MPI_INT, line);
    EACH(reset(), expect(in + at[me == 0], 3, other), MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv,
         MPI_Neighbor_allgatherv_init, out, 3, MPI_INT, in, equal, at, MPI_INT, line);
    EACH(reset(), expect_from(in + side, N, other, me == 0 ? 0 : N), MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall,
         MPI_Neighbor_alltoall_init, out, N, MPI_INT, in, N, MPI_INT, line);
    EACH(reset(), expect_from(in + at[me == 0], 3, other, at[me]), MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv,
         MPI_Neighbor_alltoallv_init, out, equal, at, MPI_INT, in, equal, at, MPI_INT, line);
    MPI_Aint far[] = {12, 0}, near[] = {0, 8};
    EACH(reset(), for (int k = 0; k < 2; k++) CHECK(in[2 * (me == 0) + k] == value(other, (int) far[me] / 4 + 2 * k)),
         MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, out, one, far, gaps, in, two, near, ints,
         line);
    OK(MPI_Comm_free(&line));
    OK(MPI_Type_free(&gap));
}

// --- one-sided ----------------------------------------------------------------------------------------------------------

enum { INCREMENTS = 1000 };

static void fences(MPI_Win window, int *memory) {
    step++;
    reset();
    memset(memory, 0, 8 * N * sizeof(int));
    OK(MPI_Win_fence(0, window));
    OK(MPI_Put(out, N, MPI_INT, other, 0, N, MPI_INT, window));
    OK(MPI_Accumulate(out + N, N, MPI_INT, other, N, N, MPI_INT, MPI_SUM, window));
    OK(MPI_Win_fence(0, window));
    expect(memory, N, other);
    expect_from(memory + N, N, other, N);
    OK(MPI_Win_fence(0, window));
    OK(MPI_Get(in, N, MPI_INT, other, 0, N, MPI_INT, window));
    OK(MPI_Win_fence(0, window));
    expect(in, N, me); // what this rank has put there
}

static void counters(MPI_Win window, int *memory) {
    int one = 1, was;
    memset(memory, 0, 8 * N * sizeof(int));
    OK(MPI_Barrier(WORLD));
    for (int i = 0; i < INCREMENTS; i++) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window));
        OK(MPI_Fetch_and_op(&one, &was, MPI_INT, 0, 0, MPI_SUM, window));
        OK(MPI_Win_unlock(0, window));
        CHECK(was >= i && was < 2 * INCREMENTS);
        int seen = 0, next, found = -1; // the same by compare and swap, until it succeeds
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window));
        for (found = -1; found != seen;) {
            seen = found < 0 ? 0 : found;
            next = seen + 1;
            OK(MPI_Compare_and_swap(&next, &seen, &found, MPI_INT, 0, 1, window));
            OK(MPI_Win_flush(0, window));
        }
        OK(MPI_Get_accumulate(&one, 1, MPI_INT, &was, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, window));
        OK(MPI_Win_unlock(0, window));
    }
    OK(MPI_Barrier(WORLD));
    int all[3];
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window));
    OK(MPI_Get(all, 3, MPI_INT, 0, 0, 3, MPI_INT, window));
    OK(MPI_Win_unlock(0, window));
    CHECK(all[0] == 2 * INCREMENTS && all[1] == 2 * INCREMENTS && all[2] == 2 * INCREMENTS);
    OK(MPI_Barrier(WORLD));
}

static void by_requests(MPI_Win window, int *memory) {
    MPI_Request r;
    step++;
    reset();
    memset(memory, 0, 8 * N * sizeof(int));
    OK(MPI_Barrier(WORLD));
    OK(MPI_Win_lock_all(0, window));
    OK(MPI_Rput(out, N, MPI_INT, other, 0, N, MPI_INT, window, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    OK(MPI_Raccumulate(out, N, MPI_INT, other, N, N, MPI_INT, MPI_SUM, window, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    OK(MPI_Win_flush_all(window));
    OK(MPI_Rget(in, N, MPI_INT, other, 0, N, MPI_INT, window, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    expect(in, N, me);
    OK(MPI_Rget_accumulate(out, N, MPI_INT, in, N, MPI_INT, other, N, N, MPI_INT, MPI_SUM, window, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    expect(in, N, me);
    OK(MPI_Win_unlock_all(window));
    OK(MPI_Barrier(WORLD));
    for (int i = 0; i < N; i++) CHECK(memory[N + i] == (int) (2u * (unsigned) value(other, i)));
    OK(MPI_Barrier(WORLD));
}

static void epochs(MPI_Win window, int *memory) {
    MPI_Group all, peer;
    OK(MPI_Comm_group(WORLD, &all));
    OK(MPI_Group_incl(all, 1, &other, &peer));
    for (int origin = 0; origin < 2; origin++) {
        step++;
        reset();
        if (me == origin) {
            OK(MPI_Win_start(peer, 0, window));
            OK(MPI_Put(out, N, MPI_INT, other, 3, N, MPI_INT, window));
            OK(MPI_Win_complete(window));
        } else {
            OK(MPI_Win_post(peer, 0, window));
            OK(MPI_Win_wait(window));
            expect(memory + 3, N, other);
        }
    }
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&peer));
}

static void typed(MPI_Win window, int *memory) {
    MPI_Datatype gap;
    step++;
    reset();
    memset(memory, 0, 8 * N * sizeof(int));
    OK(MPI_Type_vector(N, 1, 2, MPI_INT, &gap));
    OK(MPI_Type_commit(&gap));
    OK(MPI_Win_fence(0, window));
    OK(MPI_Put(out, N, MPI_INT, other, 1, 1, gap, window)); // a row there becomes every second element here
    OK(MPI_Win_fence(0, window));
    for (int i = 0; i < 2 * N; i++) CHECK(memory[i] == (i % 2 ? value(other, i / 2) : 0));
    OK(MPI_Type_free(&gap));
}

static void one_sided(void) {
    int *memory, *theirs, unit;
    MPI_Win window;
    MPI_Aint bytes = 8 * N * sizeof(int), size;
    OK(MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window));
    fences(window, memory);
    counters(window, memory);
    by_requests(window, memory);
    epochs(window, memory);
    typed(window, memory);
    OK(MPI_Win_free(&window));
    int *own = calloc(8 * N, sizeof(int));
    OK(MPI_Win_create(own, bytes, sizeof(int), MPI_INFO_NULL, WORLD, &window));
    fences(window, own);
    OK(MPI_Win_free(&window));
    free(own);
    OK(MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window));
    step++;
    OK(MPI_Win_lock_all(0, window));
    fill(memory, 2 * N, me);
    OK(MPI_Win_sync(window));
    OK(MPI_Barrier(WORLD));
    OK(MPI_Win_sync(window));
    OK(MPI_Win_shared_query(window, other, &size, &unit, &theirs));
    CHECK(size == bytes && unit == sizeof(int));
    expect(theirs, 2 * N, other);
    OK(MPI_Barrier(WORLD));
    OK(MPI_Win_unlock_all(window));
    OK(MPI_Win_free(&window));
}

// --- files --------------------------------------------------------------------------------------------------------------

static void files(const char *path) {
    MPI_File file;
    MPI_Datatype every;
    MPI_Status status;
    int count;
    OK(MPI_File_open(WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    step++;
    reset();
    OK(MPI_File_write_at_all(file, me * N * sizeof(int), out, N, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_sync(file));
    OK(MPI_Barrier(WORLD));
    OK(MPI_File_sync(file));
    OK(MPI_File_read_at_all(file, other * N * sizeof(int), in, N, MPI_INT, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == N);
    expect(in, N, other);
    // Each rank has every second int of the file.
    step++;
    reset();
    OK(MPI_Type_vector(N, 1, 2, MPI_INT, &every));
    OK(MPI_Type_commit(&every));
    OK(MPI_File_set_view(file, me * sizeof(int), MPI_INT, every, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(file, out, N, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_sync(file));
    OK(MPI_Barrier(WORLD));
    OK(MPI_File_sync(file));
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    OK(MPI_File_read_at(file, 0, in, 2 * N, MPI_INT, MPI_STATUS_IGNORE));
    for (int i = 0; i < 2 * N; i++) CHECK(in[i] == value(i % 2, i / 2));
    OK(MPI_Type_free(&every));
    OK(MPI_File_close(&file));
}

int main(int argc, char **argv) {
    int size;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(WORLD, &me));
    OK(MPI_Comm_size(WORLD, &size));
    other = 1 - me;
    CHECK(size == 2 && argc > 2);
    const char *part = argv[1];
    if (strcmp(part, "POINT_TO_POINT") == 0) point_to_point();
    else if (strcmp(part, "DATATYPES") == 0) datatypes();
    else if (strcmp(part, "COLLECTIVES") == 0) collectives();
    else if (strcmp(part, "ONE_SIDED") == 0) one_sided();
    else if (strcmp(part, "FILES") == 0) files(argv[2]);
    else fail("no such part", 0);
    OK(MPI_Barrier(WORLD));
    printf("C, rank %d: %d steps\n", me, step);
    OK(MPI_Finalize());
    return 0;
}
