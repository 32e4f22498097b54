// SPDX-License-Identifier: Apache-2.0
/*
 * What the C twins share: blocks of operations are timed and printed, one line a row, as Blocks.java does.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WARM_UP_BLOCKS = 3, BLOCKS = 31 };

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

/* Prints what a block of operations took: "row VALUE..." in instructions per operation. */
static void measure(const char *row, long long (*run)(int), int operations, double per_operation)
{
    for (int i = 0; i < WARM_UP_BLOCKS; i++)
        run(operations);
    double values[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        values[i] = (double)run(operations) / operations / per_operation;
    printf("%s 0", row);
    for (int i = 0; i < BLOCKS; i++)
        printf(" %.3f", values[i]);
    printf("\n");
    fflush(stdout);
}

/* Prints how many nanoseconds of the clock an instruction takes: "clock 0 VALUE...". */
static long long two_instructions(int count)
{
    long long begin = now();
#if defined(__x86_64__)
    uint64_t left = (uint64_t)count;
    __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(left));
#elif defined(__aarch64__)
    uint64_t left = (uint64_t)count;
    __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(left) : : "cc");
#else
#error "say here what a loop of two instructions is"
#endif
    return now() - begin;
}

static void *sleep_for_ever(void *nothing)
{
    for (;;)
        pause();
    return nothing;
}

/* A second thread, idle, because a JVM always has some: the kernel looks descriptors up in another way then. */
static void have_second_thread(void)
{
    pthread_t sleeper;
    require(pthread_create(&sleeper, NULL, sleep_for_ever, NULL) == 0, "pthread_create");
}
