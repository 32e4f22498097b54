// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What this side sees when the process of the other is killed: its kernel ends the connection, so nobody waits for long.
 *
 * <p>What C sees of Java is asserted up to the connect. From then on rsocket of rdma-core 44 may wait for ever, in reads and in
 * writes, whether its peer was in C or in Java: a call that blocks looks at its completion queue alone, and nothing comes there.
 * docs/sockets.md has what was seen.
 */
@Tag("device")
@Tag("iwarp")
@Tag("extended")
class KilledPeerTest {

    static final Duration SOON = TestDeadlines.ofSeconds(60); // on emulated processors

    private static <T> CompletableFuture<T> async(Callable<T> task) {
        var result = new CompletableFuture<T>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(task.call());
            } catch (Throwable t) {
                result.completeExceptionally(t);
            }
        });
        return result;
    }

    /** Kills the peer; asserts that whatever waits for it fails soon, and prints how soon. */
    private static Throwable killed(String phase, ChildProgram peer, CompletableFuture<?> waiting) {
        assertTrue(!waiting.isDone(), () -> phase + ": " + waiting);
        long begin = System.nanoTime();
        peer.kill();
        var e = assertThrows(ExecutionException.class, () -> waiting.get(SOON.toSeconds(), TimeUnit.SECONDS), phase);
        report("C", phase, e.getCause(), begin);
        return e.getCause();
    }

    static void report(String whose, String phase, Object seen, long begin) {
        System.out.println("killed: " + whose + ", " + phase + "; seen: " + seen + " after "
                + (System.nanoTime() - begin) / 1_000_000 + " ms");
    }

    /** Waits until a process has requested a connection: from then on its id is in this state. */
    private static void awaitAsking(long pid) throws InterruptedException {
        long begin = System.nanoTime();
        List<String> ids;
        do {
            assertTrue(System.nanoTime() - begin < SOON.toNanos(), "process " + pid + " asks for no connection");
            try (var program = new ChildProgram("rdma", "resource", "show", "cm_id")) {
                ids = program.ended();
            }
        } while (ids.stream().noneMatch(id -> id.contains(" state CONNECT ") && isOf(pid, id)));
    }

    /** Whether an id belongs to a thread of the process. */
    private static boolean isOf(long pid, String id) {
        Matcher thread = Pattern.compile(" pid (\\d+) ").matcher(id);
        return thread.find() && Files.exists(Path.of("/proc", "" + pid, "task", thread.group(1)));
    }

    private static int readAll(SocketChannel from) throws IOException {
        ByteBuffer into = ByteBuffer.allocateDirect(65_536);
        int last;
        do {
            last = from.read(into.clear());
        } while (last >= 0);
        return last;
    }

    private static void writeFor(SocketChannel to, long bytes) throws IOException {
        ByteBuffer from = ByteBuffer.allocateDirect(65_536);
        for (long left = bytes; left > 0; left -= from.capacity()) {
            to.write(from.clear());
        }
    }

    private static CompletableFuture<?> writing(SocketChannel to) {
        return async(() -> {
            writeFor(to, Long.MAX_VALUE);
            return null;
        });
    }

    /** Acts on a peer in C to which this side is connected. */
    private interface Connected {
        void run(ChildProgram peer, SocketChannel channel) throws Exception;
    }

    private static void connectedTo(String job, Connected what) throws Exception {
        Peer.untilConnected(() -> {
            var at = Peer.free();
            try (ChildProgram peer = Peer.C.listening(at, job, 0);
                    var channel = RdmaSocketChannel.open(at)) {
                what.run(peer, channel);
            }
        });
    }

    private static void assertReset(Throwable seen) {
        assertEquals(SocketException.class, seen.getClass(), seen.toString());
        assertTrue(seen.getMessage().startsWith("Connection reset"), seen.toString());
    }

    @Test
    void shouldBeRefusedWhenThePeerDiesBeforeItAccepts() throws Exception {
        var at = Peer.free();
        try (ChildProgram peer = Peer.C.listening(at, "sink", 0);
                var channel = RdmaSocketChannel.open()) {
            peer.signal("STOP");
            CompletableFuture<Boolean> connecting = async(() -> channel.connect(at));
            awaitAsking(ProcessHandle.current().pid());
            assertEquals(
                    ConnectException.class,
                    killed("asked to accept", peer, connecting).getClass());
        }
    }

    @Test
    void shouldSeeAResetWhenAnIdlePeerDies() throws Exception {
        connectedTo("sink", (peer, channel) -> {
            assertReset(killed("idle", peer, async(() -> readAll(channel))));
            assertThrows(SocketException.class, () -> writeFor(channel, 1));
        });
    }

    @Test
    void shouldSeeAResetWhenAPeerDiesThatWrites() throws Exception {
        connectedTo("flood", (peer, channel) -> {
            ByteBuffer into = ByteBuffer.allocate(1 << 20);
            while (into.hasRemaining()) {
                assertTrue(channel.read(into) > 0);
            }
            assertReset(killed("amid its writes", peer, async(() -> readAll(channel))));
        });
    }

    @Test
    void shouldSeeAResetWhenAPeerDiesThatReads() throws Exception {
        connectedTo("sink", (peer, channel) -> {
            writeFor(channel, 1 << 20);
            assertReset(killed("amid its reads", peer, writing(channel)));
        });
    }

    @Test
    void shouldSeeAResetWhenAPeerDiesThatHasClosedItsHalf() throws Exception {
        connectedTo("half", (peer, channel) -> {
            assertEquals(-1, readAll(channel));
            assertReset(killed("its half closed", peer, writing(channel)));
            assertEquals(-1, channel.read(ByteBuffer.allocate(1))); // as the peer has announced
        });
    }

    @Test
    void shouldSeeAResetWhenAPeerDiesAfterItsOwnHalfIsClosed() throws Exception {
        connectedTo("flood", (peer, channel) -> {
            channel.shutdownOutput();
            assertTrue(channel.read(ByteBuffer.allocate(1)) > 0);
            assertReset(killed("after this half was closed", peer, async(() -> readAll(channel))));
        });
    }

    /** A stopped process accepts nothing. */
    @Test
    void shouldRefuseCWhenItDiesBeforeItAccepts() throws Exception {
        var at = Peer.free();
        try (ChildProgram killed = Peer.RDMA.listening(at, "sink", 0)) {
            killed.signal("STOP");
            try (ChildProgram peer = Peer.C.connecting(at, "sink", 0)) {
                awaitAsking(peer.pid());
                long begin = System.nanoTime();
                killed.kill();
                String seen = peer.ended(SOON).get(1);
                report("RDMA", "asked to accept", seen, begin);
                assertEquals("connect: ECONNREFUSED", seen);
            }
        }
    }

    @Test
    void shouldServeTheNextWhenOneDiesWhileItConnects() throws Exception {
        var at = Peer.free();
        try (ChildProgram server = Peer.RDMA.listening(at, "echo", 0)) {
            server.signal("STOP");
            try (ChildProgram first = Peer.C.connecting(at, "sink", 0)) {
                awaitAsking(first.pid());
            }
            server.signal("CONT");
            try (var next = RdmaSocketChannel.open(at)) {
                assertEquals(1, next.write(ByteBuffer.wrap(new byte[1])));
                assertEquals(1, next.read(ByteBuffer.allocate(1)));
            }
        }
    }
}
