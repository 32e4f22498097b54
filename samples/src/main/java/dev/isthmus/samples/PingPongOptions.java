// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.RdmaException;
import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.attributes.LinkLayer;
import dev.isthmus.verbs.attributes.Mtu;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** What the command lines of the ping-pong programs share, and what follows from it. */
class PingPongOptions {

    static final int PAGE = 4096;

    private static final Gid NO_GID = Gid.of(new byte[Gid.BYTES]);

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            description = "TCP port to meet at (default: ${DEFAULT-VALUE})")
    int port = 18515;

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "DEV",
            description = "RDMA device (default: the first one)")
    Optional<String> device = Optional.empty();

    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "N",
            description = "port of the device (default: ${DEFAULT-VALUE})")
    int ibPort = 1;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            description = "size of a message (default: ${DEFAULT-VALUE})")
    int size;

    @Option(
            names = {"-n", "--iters", "--num_tests"},
            paramLabel = "N",
            description = "number of exchanges (default: ${DEFAULT-VALUE})")
    int iterations;

    @Option(
            names = {"-l", "--sl"},
            paramLabel = "N",
            description = "service level (default: ${DEFAULT-VALUE})")
    int serviceLevel;

    @Option(
            names = {"-e", "--events"},
            description = "sleep until there are completions (default: poll)")
    boolean events;

    @Option(
            names = {"-g", "--gid-idx"},
            paramLabel = "N",
            description = "index of the GID, needed on Ethernet (default: go by LID)")
    int gidIndex = -1;

    @Parameters(arity = "0..1", paramLabel = "HOST", description = "where the server waits; without, be the server")
    Optional<String> server = Optional.empty();

    /** Of those that send and receive in turn, and can validate what they have received. */
    static final class InTurn extends PingPongOptions {

        @Option(
                names = {"-r", "--rx-depth"},
                paramLabel = "N",
                description = "receives posted at a time (default: ${DEFAULT-VALUE})")
        int receiveDepth = 500;

        @Option(
                names = {"-c", "--chk"},
                description = "validate what was received")
        boolean check;

        InTurn(int size, int iterations) {
            super(size, iterations);
        }
    }

    /** Of those that connect. */
    static final class PathMtu {

        @Option(
                names = {"-m", "--mtu"},
                paramLabel = "BYTES",
                converter = MtuConverter.class,
                description = "path MTU (default: 1024)")
        Mtu mtu = Mtu.MTU_1024;
    }

    PingPongOptions(int size, int iterations) {
        this.size = size;
        this.iterations = iterations;
    }

    /** Runs a program: 0 when all went well, 1 and one line on standard error when not. */
    static CommandLine commandLine(Callable<Integer> program) {
        return new CommandLine(program)
                .setOverwrittenOptionsAllowed(true)
                .setExecutionExceptionHandler((e, command, parsed) -> {
                    if (e instanceof RdmaException
                            || e instanceof IOException
                            || e instanceof IllegalArgumentException) {
                        command.getErr().println(command.getCommandName() + ": " + e.getMessage());
                    } else {
                        e.printStackTrace(command.getErr());
                    }
                    return 1;
                });
    }

    boolean isClient() {
        return server.isPresent();
    }

    DeviceContext open() {
        return device.map(Device::named).orElseGet(Device::first).open();
    }

    /** What the peer must know of a queue pair; the packet sequence number begins anywhere. */
    PingPongAddress address(DeviceContext context, int qpNum) throws IOException {
        var attributes = context.port(ibPort);
        if (attributes.linkLayer() != LinkLayer.ETHERNET && attributes.lid() == 0) {
            throw new IOException("Couldn't get local LID");
        }
        Gid gid = gidIndex < 0 ? NO_GID : context.gid(ibPort, gidIndex).gid();
        return new PingPongAddress(
                attributes.lid(), qpNum, ThreadLocalRandom.current().nextInt(1 << 24), gid);
    }

    /** The way to a peer: by its GID when it has told one, by its LID otherwise. */
    AddressVector pathTo(DeviceContext context, PingPongAddress remote) throws IOException {
        if (!remote.hasGid()) {
            return AddressVector.local(ibPort, remote.lid()).withServiceLevel(serviceLevel);
        }
        if (gidIndex < 0) {
            throw new IOException("the peer sent a GID: choose one on this side, too, with -g");
        }
        return AddressVector.global(context.gid(ibPort, gidIndex), remote.gid())
                .withHopLimit(1)
                .withDlid(remote.lid())
                .withServiceLevel(serviceLevel);
    }

    /** A completion queue that sends events if there is a channel, the first one included. */
    static CompletionQueue completionQueue(DeviceContext context, int entries, CompletionChannel channel) {
        if (channel == null) {
            return context.createCompletionQueue(entries);
        }
        CompletionQueue queue = context.createCompletionQueue(entries, c -> c.channel(channel));
        queue.requestNotify(false);
        return queue;
    }

    /**
     * Waits for an event, if there is a channel, and asks for the next one: poll then until the queue is empty, and no
     * completion is missed.
     */
    static void await(CompletionChannel channel, CompletionQueue queue) throws InterruptedException {
        if (channel != null) {
            channel.await();
            queue.requestNotify(false);
        }
    }

    /** Prints the result as the C programs do. */
    void report(PrintWriter out, long nanos) {
        double micros = nanos / 1e3;
        long bytes = 2L * size * iterations;
        out.printf(Locale.ROOT, "%d bytes in %.2f seconds = %.2f Mbit/sec%n", bytes, micros / 1e6, bytes * 8 / micros);
        out.printf(
                Locale.ROOT,
                "%d iters in %.2f seconds = %.2f usec/iter%n",
                iterations,
                micros / 1e6,
                micros / iterations);
        out.flush();
    }

    /** The client marks each page, and the messages carry the marks to the server and back. */
    static void mark(MemorySegment buffer) {
        for (long page = 0; page < buffer.byteSize(); page += PAGE) {
            buffer.set(ValueLayout.JAVA_BYTE, page, (byte) 0);
        }
    }

    /** Whether the marks have come, with a line for each page where not. */
    static boolean isMarked(MemorySegment buffer, PrintWriter out) {
        boolean valid = true;
        for (long page = 0; page < buffer.byteSize(); page += PAGE) {
            if (buffer.get(ValueLayout.JAVA_BYTE, page) != 0) {
                out.println("invalid data in page " + page / PAGE);
                valid = false;
            }
        }
        return valid;
    }

    /** Reads an MTU in bytes. */
    static final class MtuConverter implements ITypeConverter<Mtu> {
        @Override
        public Mtu convert(String value) {
            return Stream.of(Mtu.values())
                    .filter(mtu ->
                            mtu != Mtu.UNKNOWN && String.valueOf(mtu.bytes()).equals(value))
                    .findFirst()
                    .orElseThrow(
                            () -> new TypeConversionException("'" + value + "' is not 256, 512, 1024, 2048 or 4096"));
        }
    }
}
