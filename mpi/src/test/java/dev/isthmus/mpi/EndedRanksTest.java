// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static dev.isthmus.mpi.RanksMain.ints;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.MpiRun;
import dev.isthmus.testbed.TestDeadlines;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever way one rank ends, the others do not wait for it: {@code mpiexec} ends them all, and says so by its status. */
@Tag("mpi")
class EndedRanksTest {

    private static final Duration DEADLINE = TestDeadlines.ofSeconds(30);
    private static final int RANKS = 3;
    private static final Pattern PID = Pattern.compile("pid (\\d+)");

    /** What the others wait in. */
    enum Wait {
        RECEIVE,
        SYNCHRONOUS_SEND,
        LARGE_SEND,
        REQUEST,
        POLL,
        PROBE,
        BARRIER,
        ALLREDUCE,
        FENCE,
        CLOSE;

        void on(Communicator world) {
            try (Request request = Request.create();
                    Window window = Window.allocate(world, 8, 1, Info.NULL)) {
                world.barrier();
                switch (this) {
                    case RECEIVE -> world.recv(ints(0), 1, 0);
                    case SYNCHRONOUS_SEND -> world.ssend(ints(0), 1, 0);
                    case LARGE_SEND -> world.send(ints(new int[1 << 20]), 1, 0);
                    case REQUEST -> {
                        world.irecv(ints(0), 1, 0, request);
                        request.waitFor();
                    }
                    case POLL -> {
                        world.irecv(ints(0), 1, 0, request);
                        while (!request.test()) {
                            Thread.onSpinWait();
                        }
                    }
                    case PROBE -> world.probe(1, 0, Status.create());
                    case BARRIER -> world.barrier();
                    case ALLREDUCE -> world.allreduce(Buffer.IN_PLACE, ints(1), Operation.SUM);
                    case FENCE -> window.fence(0);
                    case CLOSE -> {} // the window, which waits for all
                }
            }
        }
    }

    /** The program. */
    static final class Ending {

        private Ending() {}

        public static void main(String[] args) {
            Mpi.run(mpi -> {
                Communicator world = mpi.world();
                System.out.println("pid " + ProcessHandle.current().pid());
                System.out.flush();
                if (world.rank() != 1) {
                    Wait.valueOf(args[1]).on(world);
                    System.out.println("went on");
                    return;
                }
                Window window = Window.allocate(world, 8, 1, Info.NULL);
                world.barrier();
                if (args[0].equals("ABORT")) {
                    world.abort(7);
                } else {
                    String pid = String.valueOf(ProcessHandle.current().pid());
                    new ProcessBuilder("kill", "-9", pid).start().waitFor();
                }
                window.close();
            });
        }
    }

    /** Throws where others wait for it. */
    static final class Throwing {

        private Throwing() {}

        public static void main(String[] args) {
            Mpi.run(mpi -> {
                System.out.println("pid " + ProcessHandle.current().pid());
                mpi.world().barrier(); // or the others may be ended before they have said it
                if (mpi.world().rank() == 1) {
                    throw new ArithmeticException("of rank 1");
                }
                mpi.world().recv(ints(0), 1, 0);
            });
        }
    }

    /** Runs a program, and checks that no rank is left. */
    private static MpiRun.Result run(Class<?> main, String... arguments) throws Exception {
        MpiRun.Result result = MpiRun.run(RANKS, MpiRun.java(main, arguments));
        Matcher pids = PID.matcher(result.output());
        int found = 0;
        for (; pids.find(); found++) {
            var rank = ProcessHandle.of(Long.parseLong(pids.group(1)));
            if (rank.isPresent()) { // it may need a moment to end, as the launcher does not wait for it
                rank.get().onExit().get(DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
            }
        }
        assertEquals(RANKS, found, result.output());
        assertFalse(result.output().contains("went on"), result.output());
        return result;
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndAllWhenOneIsKilled(Wait wait) throws Exception {
        MpiRun.Result result = run(Ending.class, "KILL", wait.name());
        assertNotEquals(0, result.status(), result.output());
        assertTrue(result.output().contains("Killed (signal 9)"), result.output());
    }

    @Test
    void shouldEndAllWhenOneAborts() throws Exception {
        assertEquals(7, run(Ending.class, "ABORT", "RECEIVE").status());
    }

    @Test
    void shouldEndAllWhenOneThrows() throws Exception {
        MpiRun.Result result = run(Throwing.class);
        assertEquals(1, result.status(), result.output());
        assertTrue(result.output().contains("ArithmeticException: of rank 1"), result.output());
    }
}
