// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.GuardedArena;
import dev.isthmus.internal.ArenaGuard;
import dev.isthmus.testbed.ChildJvm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Code that the JIT has compiled without a check sees the first guarded arena of a process. */
@Tag("ucx")
@Tag("host")
class UcpFirstGuardTest {

    @Test
    void shouldBeSeenByCompiledCodeThatRuns() {
        ChildJvm.Result result = new ChildJvm()
                .options("-XX:TieredStopAtLevel=4", "-Xbatch", "--enable-native-access=ALL-UNNAMED")
                .run(Program.class);
        assertEquals("none before, one after, refused, closed\n", result.output());
        assertEquals(0, result.status());
    }

    /** A worker that sends to itself, over and over, until another thread creates the first guarded arena. */
    static final class Program {

        private static final int COMPILED = 20_000; // C2 has compiled it after this many calls
        private static final int BYTES = 8;

        private final AtomicReference<GuardedArena> arena = new AtomicReference<>();
        private final UcpWorker worker;
        private final UcpEndpoint endpoint;
        private final MemorySegment outgoing;
        private final MemorySegment incoming;

        private Program(UcpWorker worker, UcpEndpoint endpoint, Arena plain) {
            this.worker = worker;
            this.endpoint = endpoint;
            this.outgoing = plain.allocate(BYTES);
            this.incoming = plain.allocate(BYTES);
        }

        private void finish(long receive) {
            long send = endpoint.tagSend(outgoing, 1);
            while (!worker.requests().isDone(receive) || !worker.requests().isDone(send)) {
                worker.progress();
            }
            worker.requests().release(receive);
            worker.requests().release(send);
        }

        private GuardedArena exchangeUntilThereIsOne(Thread maker) {
            GuardedArena made = null;
            for (int i = 0; made == null; i++) {
                finish(worker.tagReceive(incoming, 1));
                if (i == COMPILED) {
                    maker.start();
                }
                made = arena.get();
            }
            return made;
        }

        private String run() {
            String before = ArenaGuard.exist() ? "one" : "none";
            GuardedArena made = exchangeUntilThereIsOne(new Thread(() -> arena.set(GuardedArena.ofShared())));
            String after = ArenaGuard.exist() ? "one" : "none";
            long receive = worker.tagReceive(made.allocate(BYTES), 1);
            String first = close(made);
            finish(receive);
            return before + " before, " + after + " after, " + first + ", " + close(made);
        }

        private static String close(GuardedArena arena) {
            try {
                arena.close();
                return "closed";
            } catch (IllegalStateException e) {
                return "refused";
            }
        }

        public static void main(String[] args) {
            try (var plain = Arena.ofShared();
                    var context = UcpContext.create(config ->
                            config.features(EnumSet.of(UcpFeature.TAG)).set("TLS", "self"));
                    var worker = context.createWorker();
                    var endpoint = worker.createEndpoint(worker.address())) {
                System.out.println(new Program(worker, endpoint, plain).run());
            }
        }
    }
}
