// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.CrashException;
import dev.isthmus.perf.process.JavaChild;
import dev.isthmus.perf.process.Placement;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A JVM that runs ends, several at the same time if asked: see {@link AgentProgram}. Thread-safe. */
final class Agent implements AutoCloseable {

    /** A JVM that crashes writes its report first. */
    private static final long CRASH_SECONDS = 10;

    private final Optional<Path> crashReports;
    private final Process process;
    private final Writer commands;
    private final Map<String, CompletableFuture<String>> asked = new ConcurrentHashMap<>();
    private int jobs;
    private volatile IOException end;

    Agent(Children children, Placement place, Map<String, String> environment) throws IOException {
        crashReports = children.crashReports();
        process = children.start(place.of(JavaChild.command(crashReports, AgentProgram.class)), environment);
        commands = process.outputWriter(StandardCharsets.UTF_8);
        Thread.ofPlatform().daemon().name("agent-answers").start(this::listen);
    }

    private void listen() {
        try (BufferedReader answers = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                String[] words = line.split(" ", 2);
                CompletableFuture<String> answer = asked.remove(words[0]);
                if (answer != null && words.length == 2) { // else UCX has said something, or the JVM that it crashes
                    answer.complete(words[1]);
                }
            }
            throw new IOException("the second JVM has ended; its output is above");
        } catch (IOException e) {
            end(cause(e));
        }
    }

    /** If this JVM has crashed, that; a crash says more than a broken pipe. */
    private IOException cause(IOException consequence) {
        try {
            if (process.waitFor(CRASH_SECONDS, TimeUnit.SECONDS)
                    && CrashException.signal(process.exitValue()).isPresent()) {
                String report = crashReports
                        .map(dir -> "; " + dir.resolve(JavaChild.crashReport("" + process.pid())) + " says where")
                        .orElse("");
                return new CrashException("the second JVM", process.exitValue(), report, consequence);
            }
            return consequence;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return consequence;
        }
    }

    private void end(IOException reason) {
        end = reason;
        asked.values().forEach(answer -> answer.completeExceptionally(reason));
    }

    /** Gives it a job. */
    CompletableFuture<String> ask(Job job) throws IOException {
        return ask(RecordLine.of(job));
    }

    /** Gives it the text of a job. */
    synchronized CompletableFuture<String> ask(String job) throws IOException {
        if (end != null) {
            throw end;
        }
        String id = "" + jobs++;
        var answer = new CompletableFuture<String>();
        asked.put(id, answer);
        if (end != null) { // meanwhile
            answer.completeExceptionally(end);
        }
        try {
            commands.write(id + " " + job + "\n");
            commands.flush();
        } catch (IOException e) {
            throw cause(e);
        }
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
        return process;
    }

    boolean isAlive() {
        return end == null && process.isAlive();
    }

    /** Ends its input, and so the process. */
    @Override
    public void close() {
        try (commands) {
            process.destroy();
        } catch (IOException e) {
            // It has ended already.
        }
    }
}
