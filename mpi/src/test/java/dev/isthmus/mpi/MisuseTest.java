// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every public call, found by reflection, from a thread that may not call MPI, and on an object that is closed. */
@Tag("mpi")
@Ranks(1)
class MisuseTest {

    /** What asks C nothing: fields of the object, and what may be asked at any time. */
    private static final Set<String> PLAIN = Set.of(
            "Communicator.isInter",
            "Communicator.rank",
            "Communicator.remoteSize",
            "Communicator.size",
            "Communicator.tagUpperBound",
            "Datatype.extent",
            "Datatype.lowerBound",
            "Datatype.size",
            "Datatype.trueExtent",
            "Datatype.trueLowerBound",
            "Message.create",
            "Message.isMatched",
            "Message.status",
            "Mpi.abiVersion",
            "Mpi.isFinalized",
            "Mpi.isInitialized",
            "Mpi.isThreadMain",
            "Mpi.library",
            "Mpi.libraryVersion",
            "Mpi.self",
            "Mpi.threadLevel",
            "Mpi.version",
            "Mpi.world",
            "PreparedReceive.buffer",
            "PreparedSend.buffer",
            "Request.create",
            "Request.isActive",
            "Request.isPersistent",
            "Request.status",
            "Requests.anyStatus",
            "Requests.create",
            "Requests.createIgnoringStatuses",
            "Requests.get",
            "Requests.index",
            "Requests.size",
            "Requests.someStatus",
            "Session.init",
            "Session.threadLevel",
            "Status.create",
            "Status.error",
            "Status.source",
            "Status.tag");

    /** By some because there is nothing to end or to cancel. */
    private static final List<Class<? extends RuntimeException>> REFUSED =
            List.of(WrongThreadException.class, IllegalStateException.class);

    private final Communicator world = RanksMain.world();
    private final Arena arena = Arena.ofAuto();
    private final Map<Class<?>, Object> arguments = new HashMap<>();
    private Blocks untyped;
    private Blocks typed;

    private static List<Method> calls(Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(method -> !method.getDeclaringClass().equals(Object.class) && !method.isSynthetic())
                .filter(method -> !Set.of(
                                "toString",
                                "close",
                                "disconnect",
                                "isClosed",
                                "isPredefined",
                                "equals",
                                "hashCode",
                                "values",
                                "valueOf",
                                "isBridge")
                        .contains(method.getName()))
                .toList();
    }

    private static String name(Class<?> type, Method method) {
        return type.getSimpleName() + "." + method.getName();
    }

    private Object argument(Class<?> type) {
        if (type.equals(int.class)) {
            return 0;
        }
        if (type.equals(long.class)) {
            return 1L;
        }
        if (type.equals(boolean.class)) {
            return false;
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        Object found = arguments.get(type);
        if (found == null) {
            throw new AssertionError("MisuseTest has no argument of " + type + ": add one");
        }
        return found;
    }

    private void fill() {
        MemorySegment memory = arena.allocate(64, 8);
        arguments.put(Buffer.class, Buffer.of(memory, 1, Datatype.INT));
        untyped = Blocks.of(memory, Datatype.INT, 1);
        typed = Blocks.of(memory, new Datatype[] {Datatype.INT}, new long[] {1}, new long[] {0});
        arguments.put(MemorySegment.class, memory);
        arguments.put(MemoryLayout.class, MemoryLayout.structLayout(ValueLayout.JAVA_INT));
        arguments.put(Status.class, Status.create());
        arguments.put(Message.class, Message.create());
        arguments.put(Info.class, Info.NULL);
        arguments.put(Datatype.class, Datatype.INT);
        arguments.put(Operation.class, Operation.SUM);
        arguments.put(Operation.Function.class, (Operation.Function) (in, inOut, count) -> {});
        arguments.put(Communicator.class, world);
        arguments.put(MpiObject.class, world);
        arguments.put(
                Communicator.Neighbours.class,
                new Communicator.Neighbours(new int[0], new int[0], new int[0], new int[0]));
        arguments.put(
                Communicator.Program[].class,
                new Communicator.Program[] {new Communicator.Program(1, Info.NULL, List.of("true"))});
        arguments.put(Communicator.Graph.class, new Communicator.Graph(new int[] {0}, new int[0]));
        arguments.put(String.class, "name");
        arguments.put(Path.class, Path.of("file"));
        arguments.put(Map.class, Map.of("key", "value"));
        arguments.put(Object.class, "object");
        arguments.put(int[].class, new int[] {1});
        arguments.put(long[].class, new long[] {1});
        arguments.put(boolean[].class, new boolean[] {true});
        arguments.put(String[].class, new String[] {"true"});
        arguments.put(Datatype[].class, new Datatype[] {Datatype.INT});
        arguments.put(Group.Range[].class, new Group.Range[] {new Group.Range(0, 0, 1)});
        arguments.put(Datatype.Distribution[].class, new Datatype.Distribution[] {Datatype.Distribution.NONE});
        arguments.put(Set.class, Set.of(MpiFile.Mode.RDONLY));
        arguments.put(Mpi.Program.class, (Mpi.Program) mpi -> {});
    }

    /** Which calls of an object did not throw what was wanted, each with what they did. */
    private List<String> wrong(Class<?> type, Object target, List<Class<? extends RuntimeException>> wanted) {
        var wrong = new ArrayList<String>();
        for (Method method : calls(type)) {
            boolean isStatic = Modifier.isStatic(method.getModifiers());
            if (isStatic != (target == null) || PLAIN.contains(name(type, method))) {
                continue;
            }
            arguments.put(Blocks.class, method.getName().matches(".*toallw(Init)?") ? typed : untyped);
            Object[] values = Arrays.stream(method.getParameterTypes())
                    .map(this::argument)
                    .toArray();
            try {
                method.setAccessible(true);
                method.invoke(target, values);
                wrong.add(name(type, method) + " returned");
            } catch (InvocationTargetException e) {
                if (wanted.stream().noneMatch(each -> each.isInstance(e.getCause()))) {
                    wrong.add(name(type, method) + Arrays.toString(method.getParameterTypes()) + " threw "
                            + e.getCause());
                }
            } catch (IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }
        return wrong;
    }

    /** An object of each class, open. */
    private Map<Class<?>, Object> objects() {
        var objects = new HashMap<Class<?>, Object>();
        objects.put(Communicator.class, world.dup());
        objects.put(Window.class, Window.allocate(world, 64, 1, Info.NULL));
        objects.put(Datatype.class, Datatype.contiguous(2, Datatype.INT));
        objects.put(Operation.class, Operation.of(Datatype.INT, true, (in, inOut, count) -> {}));
        objects.put(Group.class, world.group());
        objects.put(Info.class, Info.of(Map.of("key", "value")));
        objects.put(Keyval.class, Keyval.create(Keyval.Kind.COMMUNICATOR, true));
        objects.put(MpiFile.class, openFile());
        objects.put(Request.class, Request.create());
        objects.put(Requests.class, Requests.create(2));
        objects.put(PreparedSend.class, world.prepareSend(Buffer.EMPTY, 0, 0));
        objects.put(PreparedReceive.class, world.prepareReceive(Buffer.EMPTY, 0, 0));
        return objects;
    }

    private MpiFile openFile() {
        Path path = Path.of(
                System.getProperty("java.io.tmpdir"),
                "misuse-" + ProcessHandle.current().pid());
        return MpiFile.open(
                world, path, Set.of(MpiFile.Mode.CREATE, MpiFile.Mode.RDWR, MpiFile.Mode.DELETE_ON_CLOSE), Info.NULL);
    }

    private static void close(Map<Class<?>, Object> objects) {
        for (Object each : objects.values()) {
            try {
                ((AutoCloseable) each).close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    private void put(Map<Class<?>, Object> objects) {
        arguments.put(Group.class, objects.get(Group.class));
        arguments.put(Request.class, objects.get(Request.class));
        arguments.put(Keyval.class, objects.get(Keyval.class));
    }

    @Test
    void shouldRefuseAThreadThatMayNotCall() throws InterruptedException {
        fill();
        Map<Class<?>, Object> objects = objects();
        put(objects);
        var predefined = Map.<Class<?>, Object>of(
                Communicator.class,
                world,
                Datatype.class,
                Datatype.INT,
                Operation.class,
                Operation.SUM,
                Info.class,
                Info.ENV,
                Status.class,
                Status.create(),
                Mpi.class,
                RanksMain.mpi());
        var wrong = new TreeSet<String>();
        var thrown = new ArrayList<Throwable>();
        Thread other = Thread.ofPlatform().unstarted(() -> {
            objects.forEach((type, target) -> wrong.addAll(wrong(type, target, REFUSED)));
            predefined.forEach((type, target) -> wrong.addAll(wrong(type, target, REFUSED)));
            for (Class<?> type : List.of(
                    Communicator.class,
                    Window.class,
                    Datatype.class,
                    Operation.class,
                    Info.class,
                    Keyval.class,
                    Request.class,
                    Requests.class,
                    MpiFile.class)) {
                wrong.addAll(wrong(type, null, List.of(WrongThreadException.class)));
            }
        });
        other.setUncaughtExceptionHandler((thread, t) -> thrown.add(t));
        other.start();
        other.join();
        assertEquals(List.of(), thrown);
        close(objects);
        assertEquals(Set.of(), wrong);
    }

    @Test
    void shouldRefuseWhatIsClosed() {
        fill();
        Map<Class<?>, Object> objects = objects();
        try (Group group = world.group();
                Request request = Request.create()) {
            put(objects);
            arguments.put(Group.class, group);
            arguments.put(Request.class, request);
            close(objects);
            var wrong = new TreeSet<String>();
            objects.forEach((type, target) -> wrong.addAll(wrong(type, target, List.of(IllegalStateException.class))));
            assertEquals(Set.of(), wrong);
        }
    }
}
