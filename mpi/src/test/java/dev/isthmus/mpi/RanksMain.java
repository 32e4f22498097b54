// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;

/** What runs on each rank: rank 0 reads the names of tests from standard input, and all run them. */
final class RanksMain {

    static final String PASSED = "passed on all ranks: ";
    private static final int LONGEST = 256;

    private static Mpi mpi;

    private RanksMain() {}

    static Mpi mpi() {
        return mpi;
    }

    /** All ranks; null in JUnit's own JVM, which only makes the tests' objects. */
    static Communicator world() {
        return mpi == null ? null : mpi.world();
    }

    /** This process's rank; -1 in JUnit's own JVM. */
    static int rank() {
        return mpi == null ? -1 : mpi.world().rank();
    }

    public static void main(String[] args) throws Exception {
        Class<?> type = Class.forName(args[0]);
        try (Mpi opened = Mpi.init(ThreadLevel.valueOf(args[1]));
                Arena arena = Arena.ofConfined()) {
            mpi = opened;
            try (Communicator control = opened.world().dup()) {
                var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
                MemorySegment name = arena.allocate(LONGEST);
                Buffer buffer = Buffer.of(name, Datatype.BYTE);
                while (true) {
                    if (control.rank() == 0) {
                        String line = input.readLine();
                        name.setString(0, line == null ? "" : line);
                    }
                    control.bcast(buffer, 0);
                    String test = name.getString(0);
                    if (test.isEmpty()) {
                        break;
                    }
                    run(type, test, control);
                    control.barrier();
                    if (control.rank() == 0) {
                        System.out.println(PASSED + test);
                        System.out.flush();
                    }
                }
            }
        } catch (Throwable t) { // the others may wait for this rank
            t.printStackTrace();
            System.err.flush();
            Runtime.getRuntime().halt(1);
        }
    }

    private static void run(Class<?> type, String name, Communicator control) throws Throwable {
        Method test = method(type, name);
        test.setAccessible(true);
        var constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        try {
            test.invoke(constructor.newInstance());
        } catch (InvocationTargetException e) {
            System.err.println("rank " + control.rank() + " of " + name + " failed:");
            throw e.getCause();
        }
    }

    private static Method method(Class<?> type, String name) throws NoSuchMethodException {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Method method : each.getDeclaredMethods()) {
                if (method.getName().equals(name)) {
                    return method;
                }
            }
        }
        throw new NoSuchMethodException(type + "." + name);
    }

    /** Elements of type int in native memory that the garbage collector frees. */
    static Buffer ints(int... values) {
        return Buffer.of(Arena.ofAuto().allocateFrom(ValueLayout.JAVA_INT, values), Datatype.INT);
    }

    static int[] toInts(Buffer buffer) {
        return buffer.segment().toArray(ValueLayout.JAVA_INT);
    }
}
