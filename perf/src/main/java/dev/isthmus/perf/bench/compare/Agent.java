// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.CrashException;
import dev.isthmus.perf.process.JavaChild;
import dev.isthmus.perf.process.Placement;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A JVM that runs ends, several at the same time if asked: see {@link AgentProgram}. Thread-safe. */
final class Agent implements AutoCloseable {

    private final JavaChild child;
    private final Map<String, CompletableFuture<String>> asked = new ConcurrentHashMap<>();
    private int jobs;
    private volatile IOException end;

    Agent(Children children, Placement place, Map<String, String> environment) throws IOException {
        child = new JavaChild(children, place, environment, AgentProgram.class);
        Thread.ofPlatform().daemon().name("agent-answers").start(this::listen);
    }

    private void listen() {
        try {
            while (true) {
                String[] words = child.answer().split(" ", 2);
                CompletableFuture<String> answer = asked.remove(words[0]);
                if (answer != null && words.length == 2) { // else UCX has said something
                    answer.complete(words[1]);
                }
            }
        } catch (IOException e) {
            end(e);
        } catch (InterruptedException e) {
            end(new IOException(e));
        }
    }

    private void end(IOException reason) {
        end = reason;
        asked.values().forEach(answer -> answer.completeExceptionally(reason));
    }

    /** Gives it a job. */
    CompletableFuture<String> ask(Job job) throws IOException, InterruptedException {
        return ask(RecordLine.of(job));
    }

    /** Gives it the text of a job. */
    synchronized CompletableFuture<String> ask(String job) throws IOException, InterruptedException {
        if (end != null) {
            throw end;
        }
        String id = "" + jobs++;
        var answer = new CompletableFuture<String>();
        asked.put(id, answer);
        if (end != null) { // meanwhile
            answer.completeExceptionally(end);
        }
        child.tell(id + " " + job);
        return answer;
    }

    /** Waits for an answer. */
    static String await(CompletableFuture<String> answer, Duration limit) throws IOException, InterruptedException {
        String text;
        try {
            text = answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CrashException crash
                    ? crash
                    : new IOException(e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + limit.toSeconds() + " s", e);
        }
        if (text.startsWith(AgentProgram.ERROR)) {
            throw new IOException(text.substring(AgentProgram.ERROR.length()));
        }
        return text;
    }

    /** The figures in an answer. */
    static Measured measured(String answer) {
        return RecordLine.parse(Measured.class, answer);
    }

    Process process() {
        return child.process();
    }

    boolean isAlive() {
        return end == null && child.process().isAlive();
    }

    @Override
    public void close() {
        child.close();
    }
}
