// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What docs/what-ends-the-jvm.md says of data in completions: libmlx5 copies it, at the poll, to the address in the
 * request. Other drivers of the tests do not.
 */
@Tag("device")
@Tag("connectx")
@Tag("extended") // eight JVMs, to show of the other drivers that nothing happens
class ScatterToCompletionTest {

    /** Behind what {@link Child} does: into a region whose addresses begin at 0. */
    static final String ZERO_BASED = "-zero-based";

    private static final String NAME = "MLX5_SCATTER_TO_CQE";

    private static ChildJvm.Result run(String environment, String what) {
        String[] command = environment.isEmpty()
                ? new String[] {"env", "-u", NAME}
                : new String[] {"env", NAME + "=" + environment};
        return new ChildJvm()
                .under(command)
                .options("--enable-native-access=ALL-UNNAMED", "-XX:-CreateCoredumpOnCrash", "-XX:+ErrorFileToStdout")
                .run(Child.class, what);
    }

    /** Ends with the data in its place; only libmlx5, when it is told to, writes to the address in the request. */
    static void assertCopiedByPoll(String what) {
        ChildJvm.Result kept = run("", what);
        assertEquals(0, kept.status(), kept.output());
        ChildJvm.Result copied = run("1", what);
        if (Device.first().name().startsWith("mlx5")) {
            assertTrue(copied.status() != 0 && copied.output().contains("SIGSEGV"), copied.output());
            assertTrue(copied.output().contains("libmlx5"), copied.output());
        } else {
            assertEquals(0, copied.status(), copied.output());
        }
    }

    @Test
    void shouldPutAReceiveIntoRegionWithOtherAddresses() {
        assertCopiedByPoll("receive");
    }

    @Test
    void shouldPutTheAnswerToAReadIntoRegionWithOtherAddresses() {
        assertCopiedByPoll("read");
    }

    @Test
    void shouldPutTheAnswerToAnAtomicIntoRegionWithOtherAddresses() {
        assertCopiedByPoll("atomic");
    }

    @Test
    void shouldLeaveMemoryAloneThatWasFreedBeforeThePoll() {
        assertCopiedByPoll("freed");
    }

    /** Has eight bytes written to a region, in one of several ways, and polls for them. */
    static final class Child {

        private static final long NOWHERE = 0x1000; // which no process may map

        public static void main(String[] args) {
            try (var pair = RcPair.connected(config -> config.signalAll(true)); // without it, libmlx5 leaves READs out
                    Arena arena = Arena.ofShared()) {
                pair.a.memory().set(ValueLayout.JAVA_LONG, 0, 4711);
                MemorySegment memory = PageMemory.PAGES.allocate(arena, 4096);
                switch (args[0].replace(ZERO_BASED, "")) {
                    case "receive" -> receive(pair, memory, args[0]);
                    case "read", "atomic" -> read(pair, memory, args[0]);
                    default -> freed(pair);
                }
            }
        }

        private static MemoryRegion register(ProtectionDomain pd, MemorySegment memory, String what) {
            return what.endsWith(ZERO_BASED)
                    ? pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.ZERO_BASED)
                    : pd.registerAt(NOWHERE, memory, AccessFlag.LOCAL_WRITE);
        }

        private static void receive(RcPair pair, MemorySegment memory, String what) {
            try (var region = register(pair.b.pd, memory, what)) {
                pair.b.qp.post(ReceiveRequest.prepare(region).range(0, 8));
                pair.a.qp.post(pair.a.send(0, 8));
                pair.b.awaitSuccess();
                assertEquals(4711, memory.get(ValueLayout.JAVA_LONG, 0));
            }
        }

        private static void read(RcPair pair, MemorySegment memory, String what) {
            pair.b.memory().set(ValueLayout.JAVA_LONG, 0, 4712);
            try (var region = register(pair.a.pd, memory, what)) {
                SendRequest request = SendRequest.prepare(region).range(0, 8).signaled(true);
                long remote = pair.b.region.address();
                int rkey = pair.b.region.rkey();
                pair.a.qp.post(
                        what.startsWith("atomic")
                                ? request.fetchAndAdd(remote, rkey, 1)
                                : request.opcode(SendOpcode.RDMA_READ).remote(remote, rkey));
                pair.a.awaitSuccess();
                assertEquals(4712, memory.get(ValueLayout.JAVA_LONG, 0));
            }
        }

        private static void freed(RcPair pair) {
            try (var memory = pair.b.pd.allocate(1 << 20, AccessFlag.LOCAL_WRITE)) { // so large that it is unmapped
                pair.b.qp.post(ReceiveRequest.prepare(memory.region()).range(0, 8));
                pair.a.qp.post(pair.a.send(0, 8));
                pair.a.awaitSuccess(); // it has arrived
            }
            pair.b.awaitSuccess();
        }
    }
}
