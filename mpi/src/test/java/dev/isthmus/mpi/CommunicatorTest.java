// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static dev.isthmus.mpi.RanksMain.ints;
import static dev.isthmus.mpi.RanksMain.toInts;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.MpiRun;
import java.lang.foreign.Arena;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("mpi")
@Ranks(4)
class CommunicatorTest {

    private final Communicator world = RanksMain.world();
    private final int me = RanksMain.rank();

    @Test
    void shouldDuplicateAndSplit() {
        try (Communicator copy = world.dup();
                Communicator hinted = world.dup(Info.NULL);
                Communicator half = world.split(me % 2, -me);
                Communicator machine = world.splitType(Communicator.SplitType.SHARED, me, Info.NULL);
                Request request = Request.create()) {
            assertEquals(Group.Comparison.CONGRUENT, copy.compare(world));
            assertEquals(Group.Comparison.IDENT, world.compare(world));
            assertEquals(4, hinted.size());
            assertEquals(2, half.size());
            assertEquals(me < 2 ? 1 : 0, half.rank());
            assertEquals(4, machine.size());
            assertNull(world.splitType(null, 0, Info.NULL));
            assertNull(world.split(Communicator.UNDEFINED, 0));
            var later = world.idup(Info.NULL, request);
            request.waitFor();
            try (Communicator made = later.get()) {
                made.barrier();
            }
            copy.setName("copy");
            assertEquals("copy", copy.name());
            Communicator gone = world.dup();
            gone.disconnect();
            assertThrows(IllegalStateException.class, gone::barrier);
            assertFalse(world.isInter());
            assertTrue(world.tagUpperBound() >= 32767);
        }
    }

    @Test
    void shouldCreateOfGroups() {
        try (Group all = world.group();
                Group even = all.incl(0, 2);
                Group odd = all.excl(0, 2);
                Group first = all.rangeIncl(new Group.Range(0, 2, 1));
                Group last = all.rangeExcl(new Group.Range(0, 2, 1));
                Group union = odd.union(even);
                Group both = first.intersection(even);
                Group rest = first.difference(even)) {
            assertEquals(4, all.size());
            assertEquals(me, all.rank());
            assertEquals(me % 2 == 0 ? me / 2 : Communicator.UNDEFINED, even.rank());
            assertEquals(3, first.size());
            assertEquals(1, last.size());
            assertEquals(Group.Comparison.SIMILAR, union.compare(all));
            assertEquals(Group.Comparison.IDENT, both.compare(even));
            assertEquals(Group.Comparison.UNEQUAL, rest.compare(even));
            assertArrayEquals(new int[] {0, Communicator.UNDEFINED, 1}, all.translateRanks(even, 0, 1, 2));
            try (Communicator evens = world.create(even)) {
                assertEquals(me % 2 == 0, evens != null);
            }
            if (me % 2 == 1) {
                try (Communicator odds = world.createGroup(odd, 3)) {
                    assertEquals(2, odds.size());
                }
            }
        }
    }

    @Test
    void shouldArrangeAGrid() {
        assertArrayEquals(new int[] {2, 2}, Communicator.dimsCreate(4, 0, 0));
        try (Communicator grid = world.cartCreate(new int[] {2, 2}, new boolean[] {true, false}, false);
                Communicator row = grid.cartSub(false, true)) {
            assertEquals(Communicator.Topology.CART, grid.topology());
            Communicator.Cartesian cartesian = grid.cartGet();
            assertArrayEquals(new int[] {2, 2}, cartesian.dims());
            assertArrayEquals(new boolean[] {true, false}, cartesian.periods());
            assertArrayEquals(grid.cartCoords(me), cartesian.coords());
            assertEquals(me, grid.cartRank(me / 2, me % 2));
            Communicator.Shift shift = grid.cartShift(1, 1);
            assertEquals(me % 2 == 0 ? me + 1 : Communicator.PROC_NULL, shift.dest());
            assertEquals(me % 2 == 1 ? me - 1 : Communicator.PROC_NULL, shift.source());
            assertEquals(2, row.size());
            assertTrue(world.cartMap(new int[] {2, 2}, new boolean[2]) >= 0);
            assertThrows(IllegalArgumentException.class, () -> grid.cartRank(0));
            assertThrows(IndexOutOfBoundsException.class, () -> grid.cartShift(2, 1));
        }
        assertEquals(Communicator.Topology.NONE, world.topology());
        assertThrows(IllegalStateException.class, world::cartGet);
    }

    @Test
    void shouldArrangeGraphs() {
        var ring = new Communicator.Graph(new int[] {2, 4, 6, 8}, new int[] {1, 3, 0, 2, 1, 3, 0, 2});
        try (Communicator graph = world.graphCreate(ring, false)) {
            assertEquals(Communicator.Topology.GRAPH, graph.topology());
            assertArrayEquals(ring.edges(), graph.graphGet().edges());
            assertArrayEquals(ring.index(), graph.graphGet().index());
            assertArrayEquals(new int[] {1, 3}, graph.graphNeighbors(0));
            assertTrue(world.graphMap(ring) >= 0);
            Buffer in = ints(0, 0);
            graph.neighborAllgather(ints(me), in);
            assertArrayEquals(graph.graphNeighbors(me), toInts(in));
        }
        int right = (me + 1) % 4;
        int left = (me + 3) % 4;
        var neighbours = new Communicator.Neighbours(new int[] {left}, new int[] {5}, new int[] {right}, new int[] {6});
        try (Communicator graph = world.distGraphCreateAdjacent(neighbours, Info.NULL, false);
                Communicator same = world.distGraphCreate(
                        new int[] {me}, new int[] {1}, new int[] {right}, new int[0], Info.NULL, false)) {
            assertEquals(Communicator.Topology.DIST_GRAPH, graph.topology());
            assertArrayEquals(new int[] {left}, graph.distGraphNeighbors().sources());
            assertArrayEquals(new int[] {6}, graph.distGraphNeighbors().destinationWeights());
            assertArrayEquals(new int[] {right}, same.distGraphNeighbors().destinations());
            assertEquals(0, same.distGraphNeighbors().sourceWeights().length);
            Buffer in = ints(0);
            same.neighborAlltoall(ints(me), in);
            assertArrayEquals(new int[] {left}, toInts(in));
        }
    }

    @Test
    void shouldKeepHints() {
        try (Info info = Info.of(Map.of("mpi_assert_no_any_tag", "true"));
                Info copy = info.dup();
                Communicator own = world.dup();
                Info used = own.info()) {
            assertEquals(Optional.of("true"), copy.get("mpi_assert_no_any_tag"));
            assertEquals(Optional.empty(), copy.get("none"));
            info.set("more", "1");
            assertEquals(2, info.toMap().size());
            info.delete("more");
            assertEquals(Map.of("mpi_assert_no_any_tag", "true"), info.toMap());
            var e = assertThrows(MpiException.class, () -> info.delete("more"));
            assertEquals(ErrorClass.INFO_NOKEY, e.errorClass());
            own.setInfo(info);
            assertNotNull(used.toMap());
            assertNotNull(Info.ENV.toMap());
        }
    }

    @Test
    void shouldKeepAttributes() {
        try (Keyval copied = Keyval.create(Keyval.Kind.COMMUNICATOR, true);
                Keyval alone = Keyval.create(Keyval.Kind.COMMUNICATOR, false);
                Keyval ofTypes = Keyval.create(Keyval.Kind.DATATYPE, true);
                Keyval ofWindows = Keyval.create(Keyval.Kind.WINDOW, true);
                Communicator one = world.dup()) {
            copied.set(one, 41);
            alone.set(one, 42);
            try (Communicator two = one.dup();
                    Datatype type = Datatype.contiguous(2, Datatype.INT);
                    Window window = Window.allocate(one, 8, 1, Info.NULL)) {
                assertEquals(41, copied.get(two, -1));
                assertEquals(-1, alone.get(two, -1));
                copied.delete(two);
                assertEquals(-1, copied.get(two, -1));
                ofTypes.set(type, 7);
                assertEquals(7, ofTypes.get(type, -1));
                ofTypes.delete(type);
                ofWindows.set(window, 8);
                assertEquals(8, ofWindows.get(window, -1));
                ofWindows.delete(window);
            }
            assertThrows(IllegalArgumentException.class, () -> ofTypes.set(one, 1));
        }
    }

    @Test
    void shouldTellOfTheProcess() {
        Mpi mpi = RanksMain.mpi();
        assertEquals(1, mpi.self().size());
        assertEquals(ThreadLevel.FUNNELED, mpi.threadLevel());
        assertTrue(mpi.isThreadMain());
        assertTrue(Mpi.isInitialized());
        assertFalse(Mpi.isFinalized());
        assertEquals("5.0", Mpi.version());
        assertEquals("1.0", Mpi.abiVersion());
        assertTrue(Mpi.libraryVersion().contains("MPICH"), Mpi.libraryVersion());
        assertTrue(Mpi.library().endsWith("libmpi_abi.so.1"), Mpi.library());
        assertFalse(mpi.processorName().isEmpty());
        double before = mpi.wtime();
        assertTrue(mpi.wtime() >= before && mpi.wtick() > 0);
        try (Info abi = mpi.abiInfo();
                Info hardware = mpi.hardwareInfo()) {
            assertFalse(abi.toMap().isEmpty());
            assertNotNull(hardware.toMap());
        }
        assertEquals(Optional.empty(), mpi.parent());
        assertThrows(IllegalStateException.class, Mpi::init);
    }

    @Test
    void shouldConnectProgramsByAPort() {
        Mpi mpi = RanksMain.mpi();
        try (Communicator half = world.split(me / 2, me);
                Arena arena = Arena.ofConfined()) {
            var name = arena.allocate(2048);
            String port = me == 0 ? mpi.openPort() : "";
            name.setString(0, port);
            world.bcast(Buffer.of(name, Datatype.BYTE), 0);
            Communicator inter = me < 2 ? half.accept(port, 0) : half.connect(name.getString(0), 0);
            assertTrue(inter.isInter());
            Buffer sum = ints(0);
            inter.allreduce(ints(me), sum, Operation.SUM);
            assertArrayEquals(new int[] {me < 2 ? 5 : 1}, toInts(sum));
            inter.disconnect();
            if (me == 0) {
                mpi.closePort(port);
            }
        }
    }

    /** What {@link #shouldSpawnPrograms} spawns. */
    static final class Spawned {

        private Spawned() {}

        public static void main(String[] args) {
            Mpi.run(mpi -> {
                Communicator parent = mpi.parent().orElseThrow();
                parent.send(ints(mpi.world().rank(), mpi.world().size(), args.length), 0, 5);
                parent.disconnect();
            });
        }
    }

    @Test
    void shouldSpawnPrograms() {
        try (Communicator two = world.split(me / 2, me)) {
            if (me < 2) {
                String[] command = MpiRun.java(Spawned.class, "an argument").toArray(String[]::new);
                Communicator children = two.spawn(2, Info.NULL, 0, command);
                assertTrue(children.isInter());
                assertEquals(2, children.remoteSize());
                for (int child = 0; me == 0 && child < 2; child++) {
                    Buffer told = ints(0, 0, 0);
                    children.recv(told, child, 5);
                    assertArrayEquals(new int[] {child, 2, 1}, toInts(told));
                }
                children.disconnect();
            }
        }
        world.barrier();
    }

    @Test
    void shouldSpawnSeveralPrograms() {
        try (Communicator two = world.split(me / 2, me)) {
            if (me < 2) {
                var one = new Communicator.Program(1, Info.NULL, MpiRun.java(Spawned.class));
                var others = new Communicator.Program(2, Info.NULL, MpiRun.java(Spawned.class, "an", "argument"));
                assertThrows(IllegalArgumentException.class, () -> two.spawnMultiple(0));
                Communicator children = two.spawnMultiple(0, one, others);
                assertEquals(3, children.remoteSize());
                for (int child = 0; me == 0 && child < 3; child++) {
                    Buffer told = ints(0, 0, 0);
                    children.recv(told, child, 5);
                    assertArrayEquals(new int[] {child, 3, child == 0 ? 0 : 2}, toInts(told));
                }
                children.disconnect();
            }
        }
        world.barrier();
    }

    @Test
    void shouldFindAPortByItsName() {
        Mpi mpi = RanksMain.mpi();
        String service = "isthmus-test";
        var e = assertThrows(MpiException.class, () -> mpi.lookupName(service));
        assertEquals(ErrorClass.NAME, e.errorClass());
        world.barrier();
        String port = me == 0 ? mpi.openPort() : "";
        if (me == 0) {
            mpi.publishName(service, port);
        }
        world.barrier();
        String found = mpi.lookupName(service);
        if (me == 0) {
            assertEquals(port, found);
        }
        world.barrier();
        if (me == 0) {
            mpi.unpublishName(service, port);
            mpi.closePort(port);
        }
        world.barrier();
        assertThrows(MpiException.class, () -> mpi.lookupName(service));
    }
}
