// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A public call of the library, found by reflection: a method, or a constructor, of a class whose objects have a state.
 * Values have none, so there are no calls of enums, records, exceptions, or of the interfaces that a program implements.
 *
 * @param type the class, not abstract; the call may be inherited
 * @param executable what to call
 */
record Call(Class<?> type, Executable executable) {

    /** All calls of some packages, by name. */
    static List<Call> ofPackages(String... names) {
        return Stream.of(names)
                .flatMap(Call::classes)
                .filter(Call::hasState)
                .flatMap(Call::of)
                .sorted(Comparator.comparing(Call::toString))
                .toList();
    }

    private static Stream<Class<?>> classes(String name) {
        Path folder = library().resolve(name.replace('.', '/'));
        try (Stream<Path> files = Files.list(folder)) {
            List<Class<?>> found = new ArrayList<>();
            files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".class") && !file.contains("$") && !file.contains("-"))
                    .forEach(file -> found.add(load(name + "." + file.replace(".class", ""))));
            return found.stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path library() {
        try {
            return Path.of(dev.isthmus.RdmaException.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, Call.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean hasState(Class<?> type) {
        int modifiers = type.getModifiers();
        boolean isValue = type.isEnum() || type.isRecord() || Throwable.class.isAssignableFrom(type);
        return Modifier.isPublic(modifiers) && !Modifier.isAbstract(modifiers) && !isValue;
    }

    private static Stream<Call> of(Class<?> type) {
        List<Call> calls = new ArrayList<>();
        for (Constructor<?> constructor : type.getConstructors()) {
            calls.add(new Call(type, constructor));
        }
        for (Method method : type.getMethods()) {
            boolean ofEvery =
                    method.getName().equals("equals") || method.getName().equals("hashCode");
            if (!method.isBridge() && !ofEvery && method.getDeclaringClass() != Object.class) {
                calls.add(new Call(type, method));
            }
        }
        return calls.stream();
    }

    /** Whether it is made on an object. */
    boolean hasReceiver() {
        return !(executable instanceof Constructor) && !Modifier.isStatic(executable.getModifiers());
    }

    /** Whether it closes the object. */
    boolean isClose() {
        return executable.getName().startsWith("close");
    }

    @SuppressWarnings("rawtypes")
    Object invoke(Object receiver, Object... arguments) throws Throwable {
        try {
            return executable instanceof Constructor constructor
                    ? constructor.newInstance(arguments)
                    : accessible().invoke(receiver, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Inherited from a class that is not public. */
    private Method accessible() {
        executable.setAccessible(true);
        return (Method) executable;
    }

    /** Such as {@code UcpEndpoint.tagSend(MemorySegment, long)}. */
    @Override
    public String toString() {
        String parameters = Arrays.stream(executable.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", "(", ")"));
        String name = executable instanceof Constructor ? "new" : executable.getName();
        return type.getSimpleName() + "." + name + parameters;
    }
}
