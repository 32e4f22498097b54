// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.perf.common.Spent;
import dev.isthmus.perf.common.Timetable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** Round trips of tagged messages at a fixed rate. {@code ucx_perftest} has none, so both ends are ours. */
public final class UcxTrips {

    /** This many may be under way. What is due beyond them waits, and the wait counts. */
    private static final int WINDOW = 64;

    private UcxTrips() {}

    /** An end's own part, between what both ends have to do. */
    private interface Part {
        void run(JavaEnd end) throws IOException;
    }

    /** Answers a client's messages, until all have arrived; returns what this JVM spent while it was measured. */
    public static Spent serve(InetSocketAddress at, long bytes, long count) throws IOException {
        try (UcxLink link = new UcxLink(UcxPeer.accept(at))) {
            return run(link, bytes, count, end -> answer(end, count));
        }
    }

    /**
     * Makes round trips, until all have returned; returns what this JVM spent while it was measured.
     * The timetable says when each begins; afterwards it has their times.
     */
    public static Spent ask(InetSocketAddress server, long bytes, long count, Timetable timetable) throws IOException {
        try (UcxLink link = UcxLink.connect(server)) {
            return run(link, bytes, count, end -> ask(end, timetable));
        }
    }

    private static Spent run(UcxLink link, long bytes, long count, Part part) throws IOException {
        var plan = new UcxPlan(UcxTest.TAG_LAT, List.of(bytes), 0, count, 0, 0, WINDOW, 0, false, false, 0, 0);
        try (var end = new JavaEnd(plan, false, link)) { // an end that is not a server answers
            link.sendSized(end.introduction().encode());
            end.connect(EndpointInfo.decode(link.receiveSized(EndpointInfo.MAX_BYTES)));
            end.flush();
            end.loop().begin();
            end.barrier();
            Spent before = Spent.soFar();
            part.run(end);
            Spent spent = Spent.soFar().since(before);
            end.loop().finish();
            end.flush();
            end.barrier();
            end.disconnect();
            end.barrier();
            return spent;
        }
    }

    private static void answer(JavaEnd end, long count) throws IOException {
        UcxLoop loop = end.loop();
        for (long i = 0; i < count; i++) {
            loop.run(1);
            end.link.touch();
        }
    }

    private static void ask(JavaEnd end, Timetable timetable) throws IOException {
        var sends = new Window(end, WINDOW);
        long[] receives = new long[WINDOW];
        int next = 0;
        int oldest = 0;
        timetable.start(System.nanoTime());
        while (!timetable.isOver()) {
            if (timetable.underWay() < WINDOW && timetable.isDue()) {
                timetable.begin();
                receives[next] = end.tagReceive();
                next = (next + 1) % WINDOW;
                sends.room();
                sends.add(end.tagSend());
            }
            if (timetable.underWay() > 0 && end.isDone(receives[oldest])) {
                end.finish(receives[oldest]);
                timetable.end();
                oldest = (oldest + 1) % WINDOW;
                end.link.touch();
            } else {
                end.pass();
            }
        }
        sends.drain();
    }
}
