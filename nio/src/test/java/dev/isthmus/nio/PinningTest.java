// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the flight recorder records of virtual threads that open, accept, connect, read and write, and wait in each. */
@Tag("device")
@Tag("iwarp")
@Tag("extended")
class PinningTest {

    @Test
    void shouldPinNoThreadThatWaits() throws Exception {
        ChildJvm.Result result =
                new ChildJvm().options("--enable-native-access=ALL-UNNAMED").run(Program.class);
        assertEquals(0, result.status(), result.output());
    }

    /** The first conversation does not count: while classes are loaded and initialized, the JVM pins whatever waits for that. */
    static final class Program {

        private static final String EVENT = "jdk.VirtualThreadPinned";
        private static final int BYTES = 1 << 20; // more than both rings have room for

        private Program() {}

        public static void main(String[] args) throws Exception {
            List<RecordedEvent> known =
                    pinned(() -> inVirtualThread(() -> Pinned.WAITED).get());
            if (known.isEmpty()) {
                throw new AssertionError("the recorder does not report a thread that waits in an initializer");
            }
            Callable<Void> conversation = () -> {
                converse();
                return null;
            };
            pinned(conversation); // also initializes what records
            List<RecordedEvent> seen = pinned(conversation);
            if (!seen.isEmpty()) {
                throw new AssertionError("pinned: " + seen);
            }
        }

        /** Its initializer waits; no thread can leave its carrier with such a frame. */
        private static final class Pinned {
            static final boolean WAITED = waited();

            private static boolean waited() {
                LockSupport.parkNanos(1_000_000);
                return true;
            }
        }

        private static List<RecordedEvent> pinned(Callable<?> task) throws Exception {
            Path file = Files.createTempFile("isthmus-", ".jfr");
            try (var recording = new Recording()) {
                recording.enable(EVENT).withoutThreshold().withStackTrace();
                recording.start();
                task.call();
                recording.stop();
                recording.dump(file);
                return RecordingFile.readAllEvents(file).stream()
                        .filter(event -> event.getEventType().getName().equals(EVENT) && !isForState(event))
                        .toList();
            } finally {
                Files.delete(file);
            }
        }

        /** Thread.getState(), which this test calls all the time, holds a lock that Thread.blockedOn takes, too. */
        private static boolean isForState(RecordedEvent event) {
            RecordedMethod innermost =
                    event.getStackTrace().getFrames().getFirst().getMethod();
            return innermost.getType().getName().equals("java.lang.Thread")
                    && innermost.getName().equals("blockedOn");
        }

        private static <T> Future<T> inVirtualThread(Callable<T> task) {
            var running = new FutureTask<>(task);
            Thread.ofVirtual().start(running);
            return running;
        }

        private static void converse() throws Exception {
            var address = new CompletableFuture<SocketAddress>();
            var full = new CompletableFuture<Void>();
            var serving = new FutureTask<>(() -> serve(address, full));
            Thread server = Thread.ofVirtual().start(serving);
            SocketAddress at = address.get();
            awaitWaiting(server, serving);
            var asking = new FutureTask<>(() -> ask(at));
            Thread client = Thread.ofVirtual().start(asking);
            awaitWaiting(server, serving); // for the rings to be full
            awaitWaiting(client, asking);
            full.complete(null);
            if (serving.get() != BYTES || asking.get() != 1) {
                throw new AssertionError(serving.get() + " bytes went one way, and back " + asking.get());
            }
        }

        private static void awaitWaiting(Thread thread, Future<?> task) throws Exception {
            while (thread.getState() != Thread.State.WAITING) {
                if (task.isDone()) {
                    throw new AssertionError("it does not wait, but is done with " + task.get());
                }
                Thread.onSpinWait();
            }
        }

        private static int serve(CompletableFuture<SocketAddress> address, Future<Void> full) throws Exception {
            try (var listener = RdmaServerSocketChannel.open()) {
                listener.bind(new InetSocketAddress(Hosts.far(), 0));
                address.complete(listener.getLocalAddress());
                try (var channel = listener.accept()) {
                    full.get();
                    int bytes = readAll(channel);
                    channel.write(ByteBuffer.allocate(1));
                    return bytes;
                }
            }
        }

        private static int ask(SocketAddress server) throws Exception {
            try (var channel = RdmaSocketChannel.open(server)) {
                channel.write(ByteBuffer.allocate(BYTES));
                channel.shutdownOutput();
                return readAll(channel);
            }
        }

        private static int readAll(RdmaSocketChannel channel) throws Exception {
            ByteBuffer into = ByteBuffer.allocate(1 << 16);
            int bytes = 0;
            for (int count = channel.read(into); count >= 0; count = channel.read(into.clear())) {
                bytes += count;
            }
            return bytes;
        }
    }
}
