// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.testbed.ProcessFigures;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Sends messages of 0 B to 16 MiB from one worker to another: by tag, as active messages, on a stream, and by writing
 * to the other's memory, several at a time. Compares each byte that arrives. Most messages are short; one in ten
 * thousand has megabytes.
 *
 * <p>As a program: {@code UcpSoak [MESSAGES] [TLS]}, by default ten million over posix.
 */
final class UcpSoak implements AutoCloseable {

    static final long LONGEST = 16 << 20;

    private static final int LANES = 4;
    private static final int SHIFT = 4096; // where in the pattern a message begins depends on its number
    private static final int ID = 1;
    private static final List<Way> WAYS = List.of(Way.values());

    private enum Way {
        TAG,
        ACTIVE,
        STREAM,
        PUT
    }

    /** One message at a time. */
    private final class Lane {
        final int index;
        final UcpMemory memory = pair.context.allocate(LONGEST);
        final MemorySegment to = memory.segment();
        final UcpRemoteMemory remote = pair.endpoint.unpack(memory.packKey());
        final MemorySegment header = pair.arena.allocate(2 * Long.BYTES);
        long number = -1; // of the message that is under way
        long length;
        long send;
        long receive;
        Way way;
        boolean flushed;

        Lane(int index) {
            this.index = index;
            to.fill((byte) 1); // all pages are there from the beginning
        }

        void begin(long message) {
            number = message;
            length = nextLength();
            way = WAYS.get(random.nextInt(WAYS.size()));
            if (way == Way.STREAM && streaming) {
                way = Way.PUT; // one at a time: a stream does not tell where a message ends
            }
            long from = message % SHIFT;
            receive = 0;
            switch (way) {
                case TAG -> {
                    receive = pair.receiver.tagReceive(to, 0, LONGEST, message, UcpWorker.EXACT_TAG);
                    send = pair.endpoint.tagSend(pattern, from, length, message);
                }
                case ACTIVE -> {
                    header.set(ValueLayout.JAVA_LONG, 0, index);
                    header.set(ValueLayout.JAVA_LONG, Long.BYTES, message);
                    receive = -1; // until the handler says
                    send = pair.endpoint.amSend(ID, header, 0, header.byteSize(), pattern, from, length, 0);
                }
                case STREAM -> {
                    streaming = true;
                    receive = back.stream().receiveAll(to, 0, length);
                    send = pair.endpoint.stream().send(pattern, from, length);
                }
                case PUT -> send = remote.put(pattern, from, length, 0);
            }
        }

        void arrived(UcpActiveMessage message) {
            require(way == Way.ACTIVE && message.header().getLong(Long.BYTES) == number, "another message's header");
            require(message.length() == length, "length " + message.length());
            receive = message.receive(to);
        }

        boolean finish() {
            if (receive < 0 || !received.isDone(receive) || !sent.isDone(send)) {
                return false;
            }
            if (way == Way.PUT && !flushed) {
                sent.release(send);
                send = pair.endpoint.flush(); // the bytes are there when this is done
                flushed = true;
                return false;
            }
            require(received.statusCode(receive) == 0 && sent.statusCode(send) == 0, "failed");
            require((way != Way.TAG && way != Way.STREAM) || received.length(receive) == length, "length");
            long from = number % SHIFT;
            require(MemorySegment.mismatch(to, 0, length, pattern, from, from + length) < 0, "contents");
            received.release(receive);
            sent.release(send);
            bytes += length;
            streaming &= way != Way.STREAM;
            flushed = false;
            number = -1;
            return true;
        }

        void close() {
            remote.close();
            memory.close();
        }

        private void require(boolean so, String what) {
            if (!so) {
                throw new AssertionError("message " + number + " of " + length + " bytes, " + way + ": wrong " + what);
            }
        }
    }

    private final UcpPair pair;
    private final UcpEndpoint back;
    private final UcpRequests sent;
    private final UcpRequests received;
    private final MemorySegment pattern;
    private final Lane[] lanes = new Lane[LANES];
    private final SplittableRandom random = new SplittableRandom(1);
    private boolean streaming;
    private long next;
    private long bytes;

    UcpSoak(String tls) {
        pair = new UcpPair(
                config -> config.set("TLS", tls)
                        .features(EnumSet.of(UcpFeature.TAG, UcpFeature.AM, UcpFeature.STREAM, UcpFeature.RMA)),
                config -> {});
        back = pair.receiver.createEndpoint(pair.sender.address());
        sent = pair.sender.requests();
        received = pair.receiver.requests();
        pattern = pair.arena.allocate(LONGEST + SHIFT);
        for (long i = 0; i < pattern.byteSize(); i += Long.BYTES) {
            pattern.set(ValueLayout.JAVA_LONG, i, random.nextLong());
        }
        for (int i = 0; i < LANES; i++) {
            lanes[i] = new Lane(i);
        }
        pair.receiver.activeMessages().setHandler(ID, message -> {
            long lane = message.header().getLong(0);
            lanes[(int) lane].arrived(message);
        });
    }

    /** Sends this many more messages, and awaits them. */
    void run(long messages) {
        long end = next + messages;
        long done = next;
        long lastDone = System.nanoTime();
        while (done < end) {
            long before = done;
            for (Lane lane : lanes) {
                if (lane.number < 0 && next < end) {
                    lane.begin(next++);
                }
                if (lane.number >= 0 && lane.finish()) {
                    done++;
                }
            }
            pair.sender.progress();
            pair.receiver.progress();
            if (done != before) {
                lastDone = System.nanoTime();
            } else if (System.nanoTime() - lastDone > UcxTransports.DEADLINE_SECONDS * 1_000_000_000L) {
                throw new AssertionError("no message ended for " + UcxTransports.DEADLINE_SECONDS + " s");
            }
        }
    }

    private long nextLength() {
        int dice = random.nextInt(10_000);
        if (dice == 0) {
            return random.nextInt(4) == 0 ? LONGEST : random.nextLong(LONGEST);
        }
        if (dice < 100) {
            return random.nextLong(128 << 10);
        }
        return dice < 1_000 ? random.nextLong(8 << 10) : random.nextLong(256);
    }

    long bytes() {
        return bytes;
    }

    int outstanding() {
        return sent.outstanding() + received.outstanding();
    }

    @Override
    public void close() {
        for (Lane lane : lanes) {
            lane.close();
        }
        long flush = back.flush();
        pair.await(pair.receiver, flush);
        back.close();
        pair.close();
    }

    /** Soaks, and prints as it goes. */
    public static void main(String[] args) {
        long messages = args.length > 0 ? Long.parseLong(args[0]) : 10_000_000;
        String tls = args.length > 1 ? args[1] : "posix,self";
        PrintStream out = System.out;
        out.println(messages + " messages over " + tls);
        long begin = System.nanoTime();
        try (var soak = new UcpSoak(tls)) {
            for (int part = 1; part <= 20; part++) {
                soak.run(messages * part / 20 - messages * (part - 1) / 20);
                out.printf(
                        Locale.ROOT,
                        "%3d %%, %d s, %.1f GiB: %s, %d requests outstanding%n",
                        5 * part,
                        Duration.ofNanos(System.nanoTime() - begin).toSeconds(),
                        soak.bytes() / 1073741824.0,
                        ProcessFigures.now(),
                        soak.outstanding());
            }
        }
        out.println("after the close: " + ProcessFigures.now());
    }
}
