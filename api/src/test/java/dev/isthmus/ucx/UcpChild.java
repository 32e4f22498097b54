// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;

/**
 * The other process of a test: a JVM that sends each message back with its tag plus one, until its input ends. It and
 * the test tell each other their addresses over its standard streams.
 */
final class UcpChild implements AutoCloseable {

    static final long BUFFER_BYTES = 1 << 20;

    private final Process process;
    private final DataInputStream in;
    private final DataOutputStream out;

    UcpChild(String tls, UcpErrorHandling mode, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = Other.jvm(UcpChild.class, tls, mode.name());
        builder.environment().putAll(environment);
        process = Other.start(builder);
        in = new DataInputStream(process.getInputStream());
        out = new DataOutputStream(process.getOutputStream());
    }

    /** Gives the child an address, and returns its own. */
    UcpAddress meet(UcpAddress mine) throws IOException {
        write(out, mine);
        return read(in);
    }

    void kill() {
        process.destroyForcibly();
    }

    /** Lets the child end by itself, and returns its exit status. */
    int end() throws IOException, InterruptedException {
        out.close();
        return process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    public static void main(String[] args) throws IOException {
        DataOutputStream out = new DataOutputStream(System.out);
        System.setOut(new PrintStream(System.err, true));
        DataInputStream in = new DataInputStream(System.in);
        try (var context = UcpContext.create(config -> config.set("TLS", args[0]));
                var worker = context.createWorker();
                var arena = Arena.ofConfined()) {
            write(out, worker.address());
            try (var endpoint = worker.createEndpoint(
                    read(in), config -> config.errorHandling(UcpErrorHandling.valueOf(args[1])))) {
                echo(worker, endpoint, arena.allocate(BUFFER_BYTES), in);
            }
        }
    }

    private static void echo(UcpWorker worker, UcpEndpoint endpoint, MemorySegment buffer, DataInputStream in)
            throws IOException {
        UcpRequests requests = worker.requests();
        Thread watch = new Thread(() -> {
            try {
                int ignored = in.read();
            } catch (IOException e) {
                Thread.currentThread().interrupt();
            }
        });
        watch.setDaemon(true);
        watch.start();
        while (true) {
            long receive = worker.tagReceive(buffer, 0, BUFFER_BYTES, 0, UcpWorker.ANY_TAG);
            while (!requests.isDone(receive)) {
                worker.progress();
                if (!watch.isAlive()) {
                    return;
                }
            }
            long length = requests.length(receive);
            long send = endpoint.tagSend(buffer, 0, length, requests.senderTag(receive) + 1);
            requests.release(receive);
            while (!requests.isDone(send)) {
                worker.progress();
            }
            requests.release(send);
        }
    }

    private static void write(DataOutputStream out, UcpAddress address) throws IOException {
        byte[] bytes = address.toByteArray();
        out.writeInt(bytes.length);
        out.write(bytes);
        out.flush();
    }

    private static UcpAddress read(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return UcpAddress.of(bytes);
    }
}
