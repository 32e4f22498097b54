// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static dev.isthmus.mpi.RanksMain.ints;
import static dev.isthmus.mpi.RanksMain.toInts;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.mpi.MpiFile.Mode;
import dev.isthmus.mpi.MpiFile.Whence;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("mpi")
@Ranks(2)
class MpiFileTest {

    private static final Set<Mode> NEW = EnumSet.of(Mode.CREATE, Mode.RDWR, Mode.DELETE_ON_CLOSE);

    private final Communicator world = RanksMain.world();
    private final int me = RanksMain.rank();

    private MpiFile open() {
        MemorySegment name = Arena.ofAuto().allocate(256);
        if (me == 0) {
            name.setString(
                    0,
                    System.getProperty("java.io.tmpdir") + "/isthmus-mpi-"
                            + ProcessHandle.current().pid());
        }
        world.bcast(Buffer.of(name, Datatype.BYTE), 0);
        MpiFile file = MpiFile.open(world, Path.of(name.getString(0)), NEW, Info.NULL);
        file.setView(0, Datatype.INT, Datatype.INT, "native", Info.NULL);
        return file;
    }

    private void written(MpiFile file, int... expected) {
        file.sync();
        world.barrier();
        Buffer all = ints(new int[expected.length]);
        file.readAtAll(0, all, Status.IGNORE);
        assertArrayEquals(expected, toInts(all));
        world.barrier();
    }

    @Test
    void shouldAccessAtOffsets() {
        Status status = Status.create();
        Buffer in = ints(0, 0);
        try (MpiFile file = open();
                Request request = Request.create()) {
            file.writeAt(2L * me, ints(me, me + 10), status);
            assertEquals(2, status.count(Datatype.INT));
            written(file, 0, 10, 1, 11);
            file.readAt(2, in, status);
            assertArrayEquals(new int[] {1, 11}, toInts(in));
            file.writeAtAll(2L * me, ints(me + 20, me + 30), Status.IGNORE);
            written(file, 20, 30, 21, 31);
            file.iwriteAt(2L * me, ints(1, 2), request);
            request.waitFor();
            written(file, 1, 2, 1, 2);
            file.ireadAt(1, in, request);
            request.waitFor();
            assertArrayEquals(new int[] {2, 1}, toInts(in));
            file.iwriteAtAll(2L * me, ints(5, 6 + me), request);
            request.waitFor();
            written(file, 5, 6, 5, 7);
            file.ireadAtAll(2, in, request);
            request.waitFor();
            assertArrayEquals(new int[] {5, 7}, toInts(in));
            file.writeAtAllBegin(2L * me, ints(8, 9));
            assertThrows(IllegalStateException.class, () -> file.writeAtAllBegin(0, in));
            assertThrows(IllegalStateException.class, file::close);
            file.writeAtAllEnd(status);
            written(file, 8, 9, 8, 9);
            file.readAtAllBegin(1, in);
            file.readAtAllEnd(status);
            assertArrayEquals(new int[] {9, 8}, toInts(in));
            assertThrows(IllegalArgumentException.class, () -> file.readAt(-1, in, status));
        }
    }

    @Test
    void shouldAccessAtTheFilePointer() {
        Status status = Status.create();
        Buffer in = ints(0);
        try (MpiFile file = open();
                Request request = Request.create()) {
            file.seek(3L * me, Whence.SET);
            file.write(ints(me), status);
            file.iwrite(ints(me + 1), request);
            request.waitFor();
            file.writeAll(ints(me + 2), status);
            assertEquals(3L * me + 3, file.position());
            written(file, 0, 1, 2, 1, 2, 3);
            file.seek(0, Whence.SET);
            file.read(in, status);
            assertArrayEquals(new int[] {0}, toInts(in));
            file.iread(in, request);
            request.waitFor();
            assertArrayEquals(new int[] {1}, toInts(in));
            file.readAll(in, status);
            assertArrayEquals(new int[] {2}, toInts(in));
            file.ireadAll(in, request);
            request.waitFor();
            assertArrayEquals(new int[] {1}, toInts(in));
            file.readAllBegin(in);
            file.readAllEnd(status);
            assertArrayEquals(new int[] {2}, toInts(in));
            file.seek(me, Whence.SET);
            file.iwriteAll(ints(40 + me), request);
            request.waitFor();
            file.seek(1, Whence.CUR);
            file.writeAllBegin(ints(50 + me));
            file.writeAllEnd(status);
            written(file, 40, 41, 50, 51, 2, 3);
            file.seek(0, Whence.END);
            assertEquals(6, file.position());
        }
    }

    @Test
    void shouldAccessAtTheSharedPointer() {
        Status status = Status.create();
        Buffer in = ints(0);
        try (MpiFile file = open();
                Request request = Request.create()) {
            file.writeOrdered(ints(me), status);
            written(file, 0, 1);
            file.writeOrderedBegin(ints(me + 2));
            file.writeOrderedEnd(status);
            written(file, 0, 1, 2, 3);
            world.barrier();
            file.seekShared(0, Whence.SET);
            file.readOrdered(in, status);
            assertArrayEquals(new int[] {me}, toInts(in));
            file.readOrderedBegin(in);
            file.readOrderedEnd(status);
            assertArrayEquals(new int[] {me + 2}, toInts(in));
            world.barrier();
            assertEquals(4, file.positionShared());
            world.barrier();
            if (me == 0) {
                file.writeShared(ints(70), status);
                file.iwriteShared(ints(71), request);
                request.waitFor();
            }
            written(file, 0, 1, 2, 3, 70, 71);
            file.seekShared(4, Whence.SET);
            if (me == 1) {
                file.readShared(in, status);
                assertArrayEquals(new int[] {70}, toInts(in));
                file.ireadShared(in, request);
                request.waitFor();
                assertArrayEquals(new int[] {71}, toInts(in));
            }
            world.barrier();
        }
    }

    @Test
    void shouldSeeWhatTheViewTakes() {
        try (MpiFile file = open();
                Datatype every = Datatype.resized(Datatype.INT, 0, 8)) {
            file.setView(4L * me, Datatype.INT, every, "native", Info.NULL);
            assertEquals(4L * me + " native", file.view());
            file.writeAll(ints(me, me + 10, me + 20), Status.IGNORE);
            assertEquals(4L * me + 8, file.byteOffset(1));
            file.setView(0, Datatype.INT, Datatype.INT, "native", Info.NULL);
            written(file, 0, 1, 10, 11, 20, 21);
            assertEquals(24, file.size());
            assertEquals(4, file.typeExtent(Datatype.INT));
            world.barrier();
            file.setSize(8);
            assertEquals(8, file.size());
            file.preallocate(64);
            file.setAtomic(true);
            assertTrue(file.isAtomic());
            file.setAtomic(false);
            assertFalse(file.isAtomic());
            assertEquals(NEW, file.modes());
            try (Group group = file.group();
                    Info info = file.info()) {
                assertEquals(2, group.size());
                assertNotNull(info.toMap());
                file.setInfo(info);
            }
        }
    }

    @Test
    void shouldWriteWhatJavaReads() throws Exception {
        Path path = Path.of(
                System.getProperty("java.io.tmpdir"),
                "isthmus-mpi-own-" + ProcessHandle.current().pid());
        var e = assertThrows(
                MpiException.class,
                () -> MpiFile.open(RanksMain.mpi().self(), path, EnumSet.of(Mode.RDONLY), Info.NULL));
        assertEquals(ErrorClass.NO_SUCH_FILE, e.errorClass());
        try (MpiFile file =
                MpiFile.open(RanksMain.mpi().self(), path, EnumSet.of(Mode.CREATE, Mode.WRONLY), Info.NULL)) {
            file.write(ints(1, 2), Status.IGNORE);
        }
        assertArrayEquals(ints(1, 2).segment().toArray(ValueLayout.JAVA_BYTE), Files.readAllBytes(path));
        MpiFile.delete(path);
        assertFalse(Files.exists(path));
    }
}
