// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.RdmaException;
import dev.isthmus.perf.tools.ucx.UcxPeer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * An end that stays up between runs, so that it keeps what the JIT compiler has learnt. It reads lines, "ID JOB
 * WORD...", runs each on a thread of its own, and answers "ID FIGURES" or "ID error REASON". It ends with its input,
 * whatever it is doing, so also when its parent is killed.
 */
final class AgentProgram {

    static final String ERROR = "error ";

    /** The jobs' names. */
    static final String VERBS = "verbs";

    static final String WRITES = "writes";
    static final String SEND_TRIPS = "send-trips";
    static final String UCX_SERVE = "ucx-serve";
    static final String UCX_ASK = "ucx-ask";
    static final String UCX_SERVE_TRIPS = "ucx-serve-trips";
    static final String UCX_ASK_TRIPS = "ucx-ask-trips";
    static final String NIO_SERVE = "nio-serve";
    static final String NIO_ASK = "nio-ask";
    static final String STREAM = "stream";
    static final String NETTY_SERVE = "netty-serve";
    static final String NETTY_ASK = "netty-ask";

    /** Prints this JVM's flags; the other jobs run something. */
    static final String FLAGS = "flags";

    private AgentProgram() {}

    public static void main(String... args) throws IOException {
        var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ", -1);
            Thread.ofPlatform().daemon().name("job-" + words[0]).start(() -> answer(words));
        }
        Runtime.getRuntime().halt(0); // not exit: a job may be amid a call that never returns
    }

    private static void answer(String[] words) {
        String answer;
        try {
            answer = words[1].equals(FLAGS)
                    ? String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments())
                    : run(words[1], List.of(words).subList(2, words.length)).format();
        } catch (IOException | RdmaException | IllegalArgumentException | IllegalStateException e) {
            answer = ERROR + ("" + e.getMessage()).replace('\n', ' ');
        } catch (RuntimeException | Error e) {
            answer = ERROR + ("" + e).replace('\n', ' ');
        }
        System.out.println(words[0] + " " + answer);
    }

    private static Measured run(String job, List<String> words) throws IOException {
        return switch (job) {
            case VERBS -> VerbsJob.run(words);
            case WRITES -> Writes.run(words);
            case SEND_TRIPS -> SendTrips.run(words);
            case UCX_SERVE ->
                VerbsJob.NOTHING.withSpent(UcxPeer.serve(
                        UcxPeer.Binding.valueOf(words.get(0)),
                        new InetSocketAddress(words.get(1), Integer.parseInt(words.get(2)))));
            case UCX_ASK -> {
                boolean routed = Boolean.parseBoolean(words.get(2));
                UcxPeer.Result result =
                        UcxPeer.ask(UcxPeer.Binding.valueOf(words.get(0)), words.subList(3, words.size()), !routed);
                Measured measured = UcxFlags.measured(
                        Benchmark.valueOf(words.get(1)),
                        routed,
                        result.averageMicros(),
                        result.percentileMicros(),
                        result.perSecond(),
                        result.iterations());
                long each = measured.messages() / result.iterations();
                Measured all = measured.withMessages(each * (result.iterations() + result.warmedUp()))
                        .withSpent(result.spent());
                yield result.times()
                        .map(times -> all.withTimes(Distribution.of(times)))
                        .orElse(all);
            }
            case UCX_SERVE_TRIPS, UCX_ASK_TRIPS -> UcxAgents.trips(job.equals(UCX_SERVE_TRIPS), words);
            case NIO_SERVE -> NioJob.parse(words).serve();
            case NIO_ASK -> NioJob.parse(words).ask();
            case STREAM -> StreamFlags.run(words);
            case NETTY_SERVE -> NettyJob.parse(words).serve();
            case NETTY_ASK -> NettyJob.parse(words).ask();
            default -> throw new IllegalArgumentException("there is no job " + job);
        };
    }
}
