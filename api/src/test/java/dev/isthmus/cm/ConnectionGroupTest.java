// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("device")
@Tag("iwarp")
class ConnectionGroupTest {

    private static final Duration DEADLINE = TestDeadlines.ofSeconds(60);
    private static final int BUFFERS = 64;
    private static final int BYTES = 8;

    /** A group on a loop with a thread of its own, which answers each message with the number after its own. */
    private static final class Party implements GroupHandler, AutoCloseable {

        final EventLoop loop = EventLoop.start();
        final ConnectionGroup group;
        final boolean answers;
        final List<String> told = new ArrayList<>(); // of the loop's thread, as what follows
        final Map<GroupMember, CompletableFuture<Long>> waiting = new HashMap<>();
        private RegisteredMemory memory;
        private SendRequest send;
        private ReceiveRequest receive;
        int receives; // posted
        int sends; // under way

        Party(InetAddress local, boolean answers) {
            this.answers = answers;
            group = ConnectionGroup.open(
                    loop,
                    local,
                    this,
                    config ->
                            config.receives(BUFFERS).completions(4 * BUFFERS).queuePair(queues -> queues.maxSendWr(4)));
            loop.call(
                    () -> { // whose thread owns requests, too
                        memory = group.allocate(2L * BUFFERS * BYTES, AccessFlag.LOCAL_WRITE);
                        send = SendRequest.prepare(memory.region()).signaled(true);
                        receive = ReceiveRequest.prepare(memory.region());
                        for (int i = 0; i < BUFFERS; i++) {
                            release(i);
                        }
                        return null;
                    });
        }

        private void release(long buffer) {
            group.receives().post(receive.range(buffer * BYTES, BYTES).wrId(buffer));
            receives++;
        }

        boolean post(GroupMember to, long value) {
            memory.segment().setAtIndex(ValueLayout.JAVA_LONG, BUFFERS, value);
            boolean posted = to.queuePair()
                    .tryPost(send.range((long) BUFFERS * BYTES, BYTES).wrId(BUFFERS));
            sends += posted ? 1 : 0;
            return posted;
        }

        @Override
        public void connected(GroupMember member) {
            told.add("connected");
        }

        @Override
        public void completed(GroupMember member, WorkCompletions done, int i) {
            long id = done.wrId(i);
            if (id >= BUFFERS) {
                sends--;
                return;
            }
            receives--;
            if (done.isSuccess(i)) {
                long value = memory.segment().getAtIndex(ValueLayout.JAVA_LONG, id);
                if (answers) {
                    post(member, value + 1);
                } else {
                    var asked = waiting.remove(member);
                    if (asked != null) {
                        asked.complete(value);
                    }
                }
            }
            release(id);
        }

        @Override
        public void completedAfterEnd(WorkCompletions done, int i) {
            if (done.wrId(i) >= BUFFERS) {
                sends--;
            } else {
                receives--;
                release(done.wrId(i));
            }
        }

        @Override
        public void ended(GroupMember member, CmException how) {
            told.add("ended: " + how.failure());
        }

        GroupMember connect(InetSocketAddress to) throws Exception {
            return get(loop.submitAsync(() -> group.connect(to, DEADLINE)));
        }

        long ask(GroupMember member, long value) throws Exception {
            return get(loop.submitAsync(() -> {
                var answer = new CompletableFuture<Long>();
                waiting.put(member, answer);
                assertTrue(post(member, value));
                return answer;
            }));
        }

        void awaitTold(String what, int times) throws Exception {
            long end = System.nanoTime() + DEADLINE.toNanos();
            while (loop.call(() -> told.stream().filter(what::equals).count()) < times) {
                assertTrue(System.nanoTime() < end, () -> what + " is not told, but " + told);
                Thread.onSpinWait();
            }
        }

        @Override
        public void close() {
            group.close();
            loop.close();
        }
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    /**
     * Descriptors of queues, sockets and devices, but not of files: the JVM opens and closes a file for each class that
     * it loads.
     */
    private static long descriptors() {
        return Stream.of(new File("/proc/self/fd").listFiles())
                .filter(ConnectionGroupTest::isOfAnObject)
                .count();
    }

    private static boolean isOfAnObject(File descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor.toPath()).toString();
            return !target.startsWith("/") || target.startsWith("/dev/");
        } catch (IOException gone) { // closed since it was listed, as files are
            return false;
        }
    }

    @Test
    void shouldServeManyMembersThatCostNoDescriptor() throws Exception {
        try (var server = new Party(Rendezvous.far(), true);
                var client = new Party(Rendezvous.near(), false)) {
            InetSocketAddress at = server.loop.call(() -> server.group.listen(0, config -> {}));
            var members = new ArrayList<GroupMember>();
            members.add(client.connect(at));
            long descriptors = descriptors();
            int others = 19;
            for (int i = 0; i < others; i++) {
                members.add(client.connect(at));
            }
            long more = descriptors() - descriptors; // each loop makes one when it sleeps for the first time
            assertTrue(more < others, () -> more + " descriptors more");
            for (int round = 0; round < 3; round++) {
                for (GroupMember member : members) {
                    long value = 100L * round + members.indexOf(member);
                    assertEquals(value + 1, client.ask(member, value));
                }
            }
            for (GroupMember member : members) {
                client.loop.execute(member::disconnect);
            }
            server.awaitTold("ended: DISCONNECTED", 20);
            client.awaitTold("ended: DISCONNECTED", 20);
            assertEquals(0, server.loop.call(server.group::size));
            assertEquals(0, client.loop.call(client.group::size));
            assertEquals(BUFFERS, server.loop.call(() -> server.receives));
            assertEquals(BUFFERS, client.loop.call(() -> client.receives));
            assertEquals(0, server.loop.call(() -> server.sends));
            assertEquals(5, client.ask(client.connect(at), 4)); // peers that come after others have left
        }
    }

    /** More than the completion queue has room for: their last requests wait for each other. */
    @Test
    void shouldEndManyAtOnceWithFullQueues() throws Exception {
        try (var server = new Party(Rendezvous.far(), true);
                var client = new Party(Rendezvous.near(), false)) {
            InetSocketAddress at = server.loop.call(() -> server.group.listen(0, config -> {}));
            int count = Rendezvous.isIwarp() ? 10 : 80;
            var members = new ArrayList<GroupMember>();
            for (int i = 0; i < count; i++) {
                members.add(client.connect(at));
            }
            client.loop.call(() -> {
                for (GroupMember member : members.subList(0, 10)) {
                    for (int i = 0; i < 4; i++) { // no more: the completion queue has room for these
                        assertTrue(client.post(member, 1));
                    }
                }
                members.forEach(GroupMember::disconnect);
                return null;
            });
            client.awaitTold("ended: DISCONNECTED", count);
            server.awaitTold("ended: DISCONNECTED", count);
            if (!Rendezvous.isIwarp()) { // SoftiWARP never completes some of what it flushes
                assertEquals(0, client.loop.call(() -> client.sends));
            }
            assertEquals(0, server.loop.call(server.group::size));
        }
    }

    @Test
    void shouldRejectWhoIsNotLetIn() throws Exception {
        try (var server = new Party(Rendezvous.far(), true);
                var client = new Party(Rendezvous.near(), false)) {
            InetSocketAddress at = server.loop.call(() -> server.group.listen(
                    0, config -> config.admission(request -> Admission.reject(PrivateData.of("no")))));
            var e = assertThrows(ExecutionException.class, () -> client.connect(at));
            var refused = assertInstanceOf(CmException.class, e.getCause());
            assertEquals(CmException.Failure.REJECTED, refused.failure());
            assertEquals(0, server.loop.call(server.group::size));
            assertTrue(client.loop.call(() -> client.told).isEmpty());
        }
    }

    @Test
    void shouldGiveUpWhoDoesNotAnswer() throws Exception {
        try (var channel = EventChannel.open();
                var listener = channel.createId(PortSpace.TCP);
                var client = new Party(Rendezvous.near(), false)) {
            listener.bind(new InetSocketAddress(Rendezvous.far(), 0));
            listener.listen(); // and takes no request
            var wanted = client.loop.submitAsync(
                    () -> client.group.connect(listener.localAddress(), Duration.ofMillis(300)));
            var e = assertThrows(ExecutionException.class, () -> get(wanted));
            var late = assertInstanceOf(CmException.class, e.getCause());
            if (!Rendezvous.isIwarp()) { // whose last step blocks, and fails in its own time
                assertEquals(CmException.Failure.TIMED_OUT, late.failure());
            }
            assertEquals(0, client.loop.call(client.group::size));
        }
    }

    @Test
    void shouldTellHowAPeerHasEnded() throws Exception {
        try (var client = new Party(Rendezvous.near(), false)) {
            var server = new Party(Rendezvous.far(), true);
            InetSocketAddress at = server.loop.call(() -> server.group.listen(0, config -> {}));
            GroupMember member = client.connect(at);
            assertEquals(2, client.ask(member, 1));
            server.close(); // with its member
            client.awaitTold("ended: DISCONNECTED", 1);
            assertFalse(client.loop.call(member::isConnected));
        }
    }

    @Test
    void shouldBelongToItsLoop() throws Exception {
        try (var party = new Party(Rendezvous.far(), true)) {
            assertThrows(WrongThreadException.class, () -> party.group.listen(0, config -> {}));
            assertThrows(WrongThreadException.class, () -> party.group.connect(new InetSocketAddress(1), DEADLINE));
            var e = assertThrows(IllegalStateException.class, party.loop::close);
            assertTrue(e.getMessage().contains("1 ConnectionGroup"), e.getMessage());
            var f = assertThrows(
                    IllegalArgumentException.class,
                    () -> ConnectionGroup.open(party.loop, new InetSocketAddress(0).getAddress(), party, config -> {}));
            assertTrue(f.getMessage().contains("name an address"), f.getMessage());
        }
    }

    @Test
    void shouldLeaveNothingWhereItCannotBeOpened() {
        try (var loop = EventLoop.start()) {
            openElsewhere(loop); // librdmacm opens the devices the first time, and keeps them
            long descriptors = descriptors();
            int times = 8;
            for (int i = 0; i < times; i++) {
                openElsewhere(loop);
            }
            long more = descriptors() - descriptors; // the loop makes one when it sleeps for the first time
            assertTrue(more < times, () -> more + " descriptors are left");
        } // which a group that was left would keep open
    }

    private static void openElsewhere(EventLoop loop) {
        GroupHandler nobody = (member, done, i) -> {};
        InetAddress noDevice = new InetSocketAddress("192.0.2.1", 0).getAddress();
        assertThrows(CmException.class, () -> ConnectionGroup.open(loop, noDevice, nobody, config -> {}));
    }

    /**
     * A handler's exception leaves the loop, and the completions after it are handled all the same, even if the loop takes no
     * more tasks meanwhile.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGoOnWhenTheHandlerHasThrown(boolean full) throws Exception {
        var thrown = new ArrayList<Throwable>();
        try (var loop = EventLoop.start(
                        config -> config.exceptionHandler(thrown::add).maxTasks(4));
                var client = new Party(Rendezvous.near(), false)) {
            var seen = new ArrayList<Long>();
            var all = new CompletableFuture<Void>();
            var server = ConnectionGroup.open(
                    loop,
                    Rendezvous.far(),
                    (member, done, i) -> {
                        seen.add(done.wrId(i));
                        if (seen.size() == 3) {
                            all.complete(null);
                        } else if (full) {
                            assertThrows(RejectedExecutionException.class, () -> {
                                while (true) {
                                    loop.execute(() -> {});
                                }
                            });
                        }
                        throw new IllegalStateException("of the handler");
                    },
                    config -> config.receives(4));
            try (server) {
                InetSocketAddress at = loop.call(() -> {
                    RegisteredMemory memory = server.allocate(64, AccessFlag.LOCAL_WRITE);
                    ReceiveRequest receive = ReceiveRequest.prepare(memory.region());
                    for (int i = 0; i < 3; i++) {
                        server.receives().post(receive.range(i * 8L, 8).wrId(i));
                    }
                    return server.listen(0, config -> {});
                });
                GroupMember member = client.connect(at);
                client.loop.call(() -> {
                    for (int i = 0; i < 3; i++) {
                        assertTrue(client.post(member, i));
                    }
                    return null;
                });
                get(all);
                assertEquals(3, loop.call(seen::size));
                assertEquals(3, loop.call(thrown::size));
            }
        }
    }

    /** Its handler closes the group amid completions, and does not get the rest of them. */
    @Test
    void shouldBeClosedByItsHandler() throws Exception {
        var thrown = new ArrayList<Throwable>();
        try (var loop = EventLoop.start(config -> config.exceptionHandler(thrown::add));
                var client = new Party(Rendezvous.near(), false)) {
            var closed = new CompletableFuture<Void>();
            var told = new ArrayList<String>();
            var server = ConnectionGroup.open(
                    loop,
                    Rendezvous.far(),
                    (member, done, i) -> {
                        told.add("completed");
                        member.group().close();
                        closed.complete(null);
                    },
                    config -> config.receives(4));
            InetSocketAddress at = loop.call(() -> {
                RegisteredMemory memory = server.allocate(64, AccessFlag.LOCAL_WRITE);
                ReceiveRequest receive = ReceiveRequest.prepare(memory.region());
                for (int i = 0; i < 3; i++) {
                    server.receives().post(receive.range(i * 8L, 8));
                }
                return server.listen(0, config -> {});
            });
            GroupMember member = client.connect(at);
            client.loop.call(() -> {
                for (int i = 0; i < 3; i++) {
                    assertTrue(client.post(member, i));
                }
                return null;
            });
            get(closed);
            client.awaitTold("ended: DISCONNECTED", 1);
            server.close();
            assertEquals(List.of("completed"), loop.call(() -> told));
            assertEquals(List.of(), loop.call(() -> thrown));
        }
    }

    @Test
    void shouldFailConnectionsThatAreNotThereWhenItIsClosed() throws Exception {
        try (var channel = EventChannel.open();
                var listener = channel.createId(PortSpace.TCP)) {
            listener.bind(new InetSocketAddress(Rendezvous.far(), 0));
            listener.listen(); // and takes no request
            var client = new Party(Rendezvous.near(), false);
            var wanted = client.loop.submitAsync(() -> client.group.connect(listener.localAddress(), DEADLINE));
            while (client.loop.call(client.group::size) == 0) {
                Thread.onSpinWait();
            }
            client.group.close();
            var e = assertThrows(ExecutionException.class, () -> get(wanted));
            assertTrue(e.getCause().getMessage().contains("is closed"), e.getMessage());
            client.close();
        }
    }
}
