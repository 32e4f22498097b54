// SPDX-License-Identifier: Apache-2.0
/**
 * The perftest family in Java: the same tests, flags, columns and protocol as the programs that most RDMA installations
 * measure with, in both roles, so that either end may be C.
 *
 * <p>What a command line comes down to is a {@link dev.isthmus.perf.perftest.Plan}: its flags are mixins, one per
 * concern (where, what traffic, which queues, what is printed), and what perftest derives from them is derived there
 * and checked once. {@link dev.isthmus.perf.perftest.Perftest} runs a session of it:
 *
 * <ol>
 *   <li>The ends meet over a {@code Link}, TCP or a queue pair of RDMA CM, and agree on terms ({@link
 *       dev.isthmus.perf.perftest.PerftestSession}). What a peer says is checked before it is used; each wait has an
 *       end, and each failure is one line.
 *   <li>An {@code Endpoint} holds all that the test has on its device. Its queue pairs are connected by hand ({@code
 *       Pairs}) or by RDMA CM ({@code CmPairs}).
 *   <li>Each run prepares its requests ({@code Requests}), then one hot class does the work: {@code PingPongLoop},
 *       {@code WriteLoop} or {@code FetchLoop} for latency, {@code BandwidthSender} and {@code BandwidthReceiver} for
 *       bandwidth, which together are a bidirectional test. They allocate nothing, and their one turn is a method of
 *       its own, which the JIT has ready soon. When there is nothing to do a {@code Waiter} polls or sleeps on events;
 *       {@code Phases} tells a run with a duration when it is over.
 *   <li>What was measured goes to an {@link dev.isthmus.perf.perftest.Observer}; {@link
 *       dev.isthmus.perf.perftest.Console} prints it as perftest does, by its statistics.
 * </ol>
 *
 * <pre>{@code
 * Plan plan = Plan.of(PerfTest.WRITE_LAT, "-d", "rxe0", "-s", "64", "server.example");
 * Perftest.run(plan, Duration.ZERO, new Console(plan, new PrintWriter(System.out), 0));
 * }</pre>
 */
package dev.isthmus.perf.perftest;
