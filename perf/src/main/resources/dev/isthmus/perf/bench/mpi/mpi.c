// SPDX-License-Identifier: Apache-2.0
// The rows of MpiLoops in C: the same calls in the same order. mpi ROW BYTES OPERATIONS BLOCKS WARMUP [TURNS] prints, of rank
// 0, the nanoseconds of each block; of recv and irecv, of rank 1.
#include <fcntl.h>
#include <mpi_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WINDOW = 64, BURST = 32, FEW = 2, PAGE = 4096 };

static MPI_Comm world;
static int rank, size, peer, bytes;
static char *out, *in;
static MPI_Request requests[2 * WINDOW];
static MPI_Win window;
static int turns[2]; // of each rank, what wakes it
static long counted;

static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void latency(int times) {
    for (int i = 0; i < times; i++) {
        if (rank == 0) {
            MPI_Send_c(out, bytes, MPI_BYTE, peer, 0, world);
            MPI_Recv_c(in, bytes, MPI_BYTE, peer, 0, world, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv_c(in, bytes, MPI_BYTE, peer, 0, world, MPI_STATUS_IGNORE);
            MPI_Send_c(out, bytes, MPI_BYTE, peer, 0, world);
        }
    }
}

static void stream(int times) {
    for (int i = 0; i < times; i += WINDOW) {
        for (int k = 0; k < WINDOW; k++) {
            if (rank == 0) MPI_Isend_c(out, bytes, MPI_BYTE, peer, 0, world, &requests[k]);
            else MPI_Irecv_c(in, bytes, MPI_BYTE, peer, 0, world, &requests[k]);
        }
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        if (rank == 0) MPI_Recv_c(in, 0, MPI_BYTE, peer, 1, world, MPI_STATUS_IGNORE);
        else MPI_Send_c(out, 0, MPI_BYTE, peer, 1, world);
    }
}

static void self(int times) {
    for (int i = 0; i < times; i++) {
        MPI_Irecv_c(in, bytes, MPI_BYTE, rank, 0, world, &requests[0]);
        MPI_Isend_c(out, bytes, MPI_BYTE, rank, 0, world, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void persistent(int times) {
    for (int i = 0; i < times; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void allreduce(int times) {
    for (int i = 0; i < times; i++) MPI_Allreduce_c(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, world);
}

static void alltoall(int times) {
    for (int i = 0; i < times; i++) MPI_Alltoall_c(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, world);
}

static void barrier(int times) {
    for (int i = 0; i < times; i++) MPI_Barrier(world);
}

static void put(int times) {
    for (int i = 0; i < times; i++) {
        MPI_Put_c(out, bytes, MPI_BYTE, rank, 0, bytes, MPI_BYTE, window);
        MPI_Win_flush(rank, window);
    }
}

static void test(int times) {
    int done;
    MPI_Status status;
    for (int i = 0; i < times; i++) MPI_Test(&requests[0], &done, &status);
}

static void sends(int times) {
    for (int i = 0; i < times; i++) MPI_Send_c(out, bytes, MPI_BYTE, peer, 0, world);
}

static void receives(int times) {
    for (int i = 0; i < times; i++) MPI_Recv_c(in, bytes, MPI_BYTE, peer, 0, world, MPI_STATUS_IGNORE);
}

static void isends(int times) {
    for (int i = 0; i < times; i++) MPI_Isend_c(out, bytes, MPI_BYTE, peer, 0, world, &requests[i]);
    MPI_Waitall(BURST, requests, MPI_STATUSES_IGNORE);
}

static void irecvs(int times) {
    for (int i = 0; i < times; i++) MPI_Irecv_c(in, bytes, MPI_BYTE, peer, 0, world, &requests[i]);
    MPI_Waitall(BURST, requests, MPI_STATUSES_IGNORE);
}

static void pass(void) {
    if (write(turns[peer], "", 1) != 1) abort();
}

static void await(void) {
    char byte;
    if (read(turns[rank], &byte, 1) != 1) abort();
}

// Rank 0 works while the other sleeps, and then the other way round.
static void by_turns(void (*first)(int), void (*second)(int), int times) {
    if (rank != 0) await();
    long began = now();
    if (rank == 0) first(times);
    else second(times);
    counted = now() - began;
    pass();
    if (rank == 0) await();
}

static void blocking(int times) { by_turns(sends, receives, times); }

static void nonblocking(int times) { by_turns(isends, irecvs, times); }

static const struct { const char *name; void (*run)(int); } ROWS[] = {
    {"latency", latency}, {"stream", stream}, {"self", self}, {"persistent", persistent}, {"allreduce", allreduce},
    {"alltoall", alltoall}, {"barrier", barrier}, {"put", put}, {"test", test},
    {"send", blocking}, {"recv", blocking}, {"isend", nonblocking}, {"irecv", nonblocking},
    {"prepared-send", blocking}, {"prepared-recv", blocking}, // the same in C
    {"prepared-isend", nonblocking}, {"prepared-irecv", nonblocking}};

int main(int argc, char **argv) {
    if (argc != 6 && argc != 7) return 2;
    int provided, operations = atoi(argv[3]), blocks = atoi(argv[4]), warm_up = atoi(argv[5]);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    peer = 1 - rank;
    bytes = atoi(argv[2]);
    size_t memory_size = ((size_t) size * (bytes + 8) + PAGE - 1) / PAGE * PAGE;
    out = memset(aligned_alloc(PAGE, memory_size), 0, memory_size);
    in = memset(aligned_alloc(PAGE, memory_size), 0, memory_size);
    void (*run)(int) = NULL;
    for (unsigned i = 0; i < sizeof ROWS / sizeof *ROWS; i++) if (!strcmp(ROWS[i].name, argv[1])) run = ROWS[i].run;
    if (!run) return 2;
    for (int i = 0; i < 2 && argc == 7; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%d", argv[6], i);
        turns[i] = open(name, O_RDWR); // a named pipe
        if (turns[i] < 0) return 2;
    }
    int printer = strstr(argv[1], "recv") != NULL;
    for (int i = 0; i < 2 * WINDOW; i++) requests[i] = MPI_REQUEST_NULL;
    char *memory;
    MPI_Win_allocate_c(bytes + 8, 1, MPI_INFO_NULL, world, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (run == persistent) {
        MPI_Recv_init_c(in, bytes, MPI_BYTE, rank, 0, world, &requests[0]);
        MPI_Send_init_c(out, bytes, MPI_BYTE, rank, 0, world, &requests[1]);
    }
    if (run == test) MPI_Irecv_c(in, bytes, MPI_BYTE, rank, 2, world, &requests[0]);
    run(BURST);
    for (int i = 0; i < warm_up; i++) run(FEW);
    run(operations);
    for (int i = 0; i < blocks; i++) {
        MPI_Barrier(world);
        long began = now();
        run(operations);
        long took = argc == 7 ? counted : now() - began;
        if (rank == printer) printf("block %ld\n", took);
    }
    if (run == test) {
        MPI_Send_c(out, bytes, MPI_BYTE, rank, 2, world);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    if (run == persistent) for (int i = 0; i < 2; i++) MPI_Request_free(&requests[i]);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
