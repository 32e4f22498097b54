// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import dev.isthmus.ucx.UcpAddress;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpWorker;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** The cost of a UCX connection within a machine, which a program with many short-lived peers pays for each of them. */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class UcxConnectionBenchmark extends ThreadBenchmark {

    /** With self alone, a worker connects to itself; with the others, there are two workers. */
    @Param({"self", "posix,self", "tcp,self"})
    private String transports;

    private UcpContext context;
    private UcpWorker sender;
    private UcpWorker receiver;
    private UcpAddress address;

    /** Runs on the measuring thread, as workers belong to a thread. */
    @Setup(Level.Trial)
    public void open() {
        context = UcpContext.create(config -> config.set("TLS", transports));
        sender = context.createWorker();
        receiver = transports.equals("self") ? sender : context.createWorker();
        address = receiver.address();
    }

    /** Runs on the measuring thread. */
    @TearDown(Level.Trial)
    public void close() {
        receiver.close();
        sender.close();
        context.close();
    }

    /** Creates an endpoint from a worker's address, flushes it, which shows that it is connected, and closes it. */
    @Benchmark
    public void connect() {
        try (UcpEndpoint endpoint = sender.createEndpoint(address)) {
            UcpRequests requests = sender.requests();
            long flush = endpoint.flush();
            while (!requests.isDone(flush)) {
                sender.progress();
                receiver.progress();
            }
            requests.release(flush);
        }
    }
}
