// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static dev.isthmus.mpi.RanksMain.ints;
import static dev.isthmus.mpi.RanksMain.toInts;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("mpi")
@Ranks(value = 3, level = ThreadLevel.MULTIPLE)
class SessionTest {

    private final Communicator world = RanksMain.world();
    private final int me = RanksMain.rank();

    @Test
    void shouldCommunicateInASession() {
        for (int round = 0; round < 2; round++) {
            Session session = Session.init(ThreadLevel.MULTIPLE);
            assertEquals(ThreadLevel.MULTIPLE, session.threadLevel());
            assertTrue(session.processSets().contains(Session.WORLD));
            Communicator all;
            try (Info info = session.processSetInfo(Session.WORLD);
                    Info used = session.info();
                    Group group = session.group(Session.WORLD)) {
                assertEquals(Optional.of("3"), info.get("mpi_size"));
                assertNotNull(used.toMap());
                all = Communicator.createFromGroup(group, "all", Info.NULL);
            }
            assertThrows(IllegalStateException.class, session::close);
            Buffer sum = ints(0);
            all.allreduce(ints(all.rank()), sum, Operation.SUM);
            assertArrayEquals(new int[] {3}, toInts(sum));
            all.close();
            session.close();
            session.close();
            assertThrows(IllegalStateException.class, session::processSets);
        }
    }

    @Test
    void shouldConnectGroupsWithoutACommunicator() {
        try (Session session = Session.init(ThreadLevel.FUNNELED);
                Group all = session.group(Session.WORLD);
                Group first = all.incl(0);
                Group rest = all.excl(0)) {
            Group mine = me == 0 ? first : rest;
            Group theirs = me == 0 ? rest : first;
            try (Communicator inter = Communicator.intercommCreateFromGroups(mine, 0, theirs, 0, "two")) {
                assertEquals(me == 0 ? 2 : 1, inter.remoteSize());
            }
        }
    }

    @Test
    void shouldLetThreadsCallAtOnce() throws Exception {
        assertEquals(ThreadLevel.MULTIPLE, RanksMain.mpi().threadLevel());
        int threads = 4;
        var failures = new java.util.concurrent.ConcurrentLinkedQueue<Throwable>();
        var all = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            int tag = t;
            all[t] = Thread.ofPlatform().start(() -> {
                try (Request request = Request.create()) {
                    Buffer in = ints(0);
                    for (int i = 0; i < 500; i++) {
                        world.irecv(in, (me + 2) % 3, tag, request);
                        world.send(ints(i), (me + 1) % 3, tag);
                        request.waitFor();
                        assertArrayEquals(new int[] {i}, toInts(in));
                    }
                } catch (Throwable e) {
                    failures.add(e);
                }
            });
        }
        for (Thread thread : all) {
            thread.join();
        }
        assertTrue(failures.isEmpty(), failures.toString());
    }
}
