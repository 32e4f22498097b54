// SPDX-License-Identifier: Apache-2.0
package dev.isthmus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A thread that calls every public method of an object which belongs to another. */
public final class OtherThread {

    private OtherThread() {}

    /**
     * Asserts that each method throws WrongThreadException.
     *
     * @param object belongs to the calling thread
     * @param arguments one for each type of parameter
     * @param free the methods that any thread may call, by name and number of parameters, such as {@code type/0}
     * @throws Exception if a method cannot be called
     */
    public static void assertRefused(Object object, Map<Class<?>, Object> arguments, String... free) throws Exception {
        Set<String> allowed = Set.of(free);
        Set<String> met = new TreeSet<>();
        Set<String> others = new TreeSet<>();
        for (Method method : object.getClass().getMethods()) {
            String name = method.getName() + "/" + method.getParameterCount();
            if (allowed.contains(name)) {
                met.add(name);
            } else if (isOwn(method) && !(failure(method, object, arguments) instanceof WrongThreadException)) {
                others.add(name);
            }
        }
        assertEquals(Set.of(), others, () -> "another thread may call these of " + object);
        assertEquals(new TreeSet<>(allowed), met, "there are no such methods");
    }

    private static boolean isOwn(Method method) {
        return method.getDeclaringClass() != Object.class
                && !method.getName().equals("toString")
                && !Modifier.isStatic(method.getModifiers());
    }

    private static Throwable failure(Method method, Object object, Map<Class<?>, Object> arguments) throws Exception {
        Object[] values = Arrays.stream(method.getParameterTypes())
                .map(type -> argument(type, arguments))
                .toArray();
        var failure = new CompletableFuture<Throwable>();
        Thread.ofPlatform().start(() -> {
            try {
                method.invoke(object, values);
                failure.complete(null);
            } catch (InvocationTargetException e) {
                failure.complete(e.getCause());
            } catch (ReflectiveOperationException | RuntimeException e) {
                failure.completeExceptionally(e);
            }
        });
        try {
            return failure.get();
        } catch (ExecutionException e) {
            throw new AssertionError("cannot call " + method, e.getCause());
        }
    }

    private static Object argument(Class<?> type, Map<Class<?>, Object> arguments) {
        Object value = arguments.get(type);
        if (value == null) {
            throw new AssertionError("an argument of " + type + " is missing here");
        }
        return value;
    }
}
