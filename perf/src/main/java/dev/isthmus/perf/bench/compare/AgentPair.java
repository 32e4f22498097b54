// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.CrashException;
import dev.isthmus.perf.process.Listening;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A server and a client in JVMs that exist already. */
final class AgentPair implements EndPair {

    /** A look takes a while on an emulated processor. */
    private static final long LOOK_MILLIS = 10;

    /** Time for a crashing JVM to write its report on a busy machine. Only a run that has failed takes it. */
    private static final Duration CRASH_REPORT_LIMIT = Duration.ofSeconds(8);

    private final Agent server;
    private final Agent client;
    private final Job job;
    private CompletableFuture<String> served;

    AgentPair(Agent server, Agent client, Job job) {
        this.server = server;
        this.client = client;
        this.job = job;
    }

    /** Whether the kernel's table of TCP shows that the server listens; if not, the client tries until it does. */
    private boolean isShown() {
        Way way = job.point().way();
        return way != Way.JAVA_SOCKETS && way != Way.NETTY_PROVIDER && way != Way.NETTY_RDMA;
    }

    @Override
    public void listen(Duration limit) throws IOException, InterruptedException {
        served = server.ask(job.as(Job.Role.SERVER));
        long end = System.nanoTime() + limit.toNanos();
        while (isShown() && !Listening.isListening(job.port())) {
            if (served.isDone()) {
                Agent.await(served, limit); // which says why
                throw new IOException("the server ended before it listened");
            }
            if (System.nanoTime() - end > 0) {
                throw new IOException("the server does not listen within " + limit.toSeconds() + " s");
            }
            Thread.sleep(LOOK_MILLIS); // only the kernel's table shows it
        }
    }

    @Override
    public Optional<Process> server() {
        return Optional.empty();
    }

    @Override
    public Measured measure(Duration limit, Optional<Runnable> connected) throws IOException, InterruptedException {
        connected.ifPresent(Runnable::run); // the ends exist all the time
        CompletableFuture<String> told = client.ask(job.as(Job.Role.CLIENT));
        CompletableFuture<String> asked = told.copy();
        served = served.whenComplete((answer, gone) -> {
            if (gone != null || answer.startsWith(AgentProgram.ERROR)) { // the client might try to reach it for minutes
                asked.completeExceptionally(new IOException("the server is gone"));
            }
        });
        String figures;
        try {
            figures = Agent.await(asked, limit);
        } catch (CrashException e) {
            throw e; // what the server reports is a consequence of it
        } catch (IOException e) {
            String reason = reason(served);
            reason(told); // throws if it has crashed, which the server may have reported first
            throw new IOException(e.getMessage() + "; the server: " + reason, e);
        }
        Measured there = Agent.measured(Agent.await(served, limit));
        Measured here = Agent.measured(figures);
        return here.withSpent(here.spent().plus(there.spent()));
    }

    /** Why an end has failed; the other may only have seen the consequence. */
    private static String reason(CompletableFuture<String> answer) throws CrashException, InterruptedException {
        try {
            Agent.await(answer, CRASH_REPORT_LIMIT);
            return "nothing is wrong here";
        } catch (CrashException e) {
            throw e;
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    @Override
    public void close() {
        // The agents stay. If a run has failed, their owner ends them.
    }
}
