// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.RdmaException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;

/**
 * An end that stays up between runs, so that it keeps what the JIT compiler has learnt. It reads lines, "ID JOB", a
 * {@link Job} as a {@link RecordLine}, runs each on a thread of its own, and answers "ID FIGURES", {@link Measured} as
 * such a line, or "ID error REASON". It ends with its input, whatever it is doing, so also when its parent is killed.
 */
final class AgentProgram {

    static final String ERROR = "error ";

    /** Instead of a job: prints this JVM's flags. */
    static final String FLAGS = "flags";

    private AgentProgram() {}

    public static void main(String... args) throws IOException {
        var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ", 2);
            Thread.ofPlatform().daemon().name("job-" + words[0]).start(() -> answer(words[0], words[1]));
        }
        Runtime.getRuntime().halt(0); // not exit: a job may be amid a call that never returns
    }

    private static void answer(String id, String job) {
        String answer;
        try {
            answer = job.equals(FLAGS)
                    ? String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments())
                    : RecordLine.of(run(RecordLine.parse(Job.class, job)));
        } catch (IOException | RdmaException | IllegalArgumentException | IllegalStateException e) {
            answer = ERROR + ("" + e.getMessage()).replace('\n', ' ');
        } catch (RuntimeException | Error e) {
            answer = ERROR + ("" + e).replace('\n', ' ');
        }
        System.out.println(id + " " + answer);
    }

    private static Measured run(Job job) throws IOException {
        return switch (job.point().way().family()) {
            case VERBS -> VerbsJob.run(job);
            case UCX -> UcxJob.run(job);
            case NIO -> NioSockets.run(job);
            case STREAM -> StreamTool.run(job);
            case NETTY -> new NettyJob(job).run();
        };
    }
}
