/**
 * The perftest family in Java: the same tests, flags, columns and protocol as the usual RDMA benchmark programs, in
 * both roles, so that either end may be C.
 *
 * <p>A command line becomes a {@link dev.isthmus.perf.tools.perftest.Plan}. Its flags are mixins, one for each concern:
 * place, traffic, queues and report. The plan derives what perftest derives from them, and checks it once.
 * {@link dev.isthmus.perf.tools.perftest.Perftest} runs a session of a plan:
 *
 * <ol>
 *   <li>The ends meet over an {@code OutOfBandChannel}, TCP or a queue pair of RDMA CM, and agree on terms
 *       ({@link dev.isthmus.perf.tools.perftest.PerftestSession}). What a peer says is checked before use, each wait has a
 *       limit, and each failure is one line.
 *   <li>An {@code Endpoint} holds everything that the test has on its device. Its queue pairs are connected by hand
 *       ({@code Pairs}) or by RDMA CM ({@code CmPairs}).
 *   <li>Each run prepares its requests ({@code Requests}), then one hot class does the work: {@code SendLoop},
 *       {@code WriteLoop} or {@code FetchLoop} for latency, {@code BandwidthSender} and {@code BandwidthReceiver} for
 *       bandwidth, which together are a bidirectional test. They allocate nothing, and one turn of each is a method:
 *       docs/instructions.md, "Lines written for the JIT". When there is nothing to do, a {@code CompletionWaiter} polls
 *       or sleeps until events; {@code Phases} ends a run with a duration.
 *   <li>Results go to an {@link dev.isthmus.perf.tools.perftest.Observer}; {@link dev.isthmus.perf.tools.perftest.Console} prints
 *       them like perftest, with perftest's statistics.
 * </ol>
 *
 * <pre>{@code
 * Plan plan = Plan.of(PerfTest.WRITE_LAT, "-d", "rxe0", "-s", "64", "server.example");
 * Perftest.run(plan, Duration.ZERO, new Console(plan, new PrintWriter(System.out), 0));
 * }</pre>
 */
package dev.isthmus.perf.tools.perftest;
