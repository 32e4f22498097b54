// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * What the packages of this module can get of each other's objects, such as their C objects and lifetimes. Users
 * cannot, since this package is not exported. A class declares what it shows in its static initialiser:
 *
 * <pre>{@code
 * static {
 *     Natives.of(QueuePair.class).has(MemorySegment.class, QueuePair::handle).has(Lifetime.class, q -> q.lifetime);
 * }
 * }</pre>
 *
 * <p>and others get it by {@link #handle}, {@link #lifetime} and {@link #part}. The types belong to the JDK or to the
 * internal packages, which thus know no class of the API. Thread-safe. Not for the data path.
 */
public final class Natives {

    private static final Map<Class<?>, Shown<?>> SHOWN = new ConcurrentHashMap<>();

    private Natives() {}

    /**
     * Declares what a class shows. Called by the class itself.
     *
     * @param type the class
     * @return the object to declare it with
     */
    public static <T> Shown<T> of(Class<T> type) {
        var shown = new Shown<T>();
        SHOWN.put(type, shown);
        return shown;
    }

    /** The C object of a Java object. */
    public static MemorySegment handle(Object object) {
        return part(object, MemorySegment.class);
    }

    /** The lifetime of an object. */
    public static Lifetime lifetime(Object object) {
        return part(object, Lifetime.class);
    }

    /** A part of an object, such as its {@link OwnerThread}. */
    public static <P> P part(Object object, Class<P> part) {
        P shown = partOrNull(object, part);
        if (shown == null) {
            throw new AssertionError(object.getClass() + " shows no " + part);
        }
        return shown;
    }

    /** The same; null for an object that shows none, such as one of the program's. */
    public static <P> P partOrNull(Object object, Class<P> part) {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            Shown<?> shown = SHOWN.get(type);
            Function<?, ?> getter = shown == null ? null : shown.parts.get(part);
            if (getter != null) {
                return part.cast(apply(getter, object));
            }
        }
        return null;
    }

    /** Gives something to an object that takes its class, such as the new state of a queue pair. */
    public static void give(Object object, Object news) {
        accept(find(SHOWN.get(object.getClass()).takers, object.getClass(), news), object, news);
    }

    /**
     * Creates an object of a class from something of C's, such as a struct, or from a record with more information.
     *
     * @param type the class, which has declared how to create it
     * @param from what to create it from
     * @return the object
     */
    public static <T> T make(Class<T> type, Object from) {
        try {
            MethodHandles.lookup().ensureInitialized(type);
        } catch (IllegalAccessException e) {
            throw new AssertionError("a public class", e);
        }
        return type.cast(apply(find(SHOWN.get(type).makers, type, from), from));
    }

    private static <F> F find(Map<Class<?>, F> functions, Class<?> owner, Object argument) {
        for (var entry : functions.entrySet()) {
            if (entry.getKey().isInstance(argument)) {
                return entry.getValue();
            }
        }
        throw new AssertionError(owner + " takes no " + argument.getClass());
    }

    @SuppressWarnings("unchecked") // a function is stored under the class of its argument
    private static Object apply(Function<?, ?> function, Object argument) {
        return ((Function<Object, ?>) function).apply(argument);
    }

    @SuppressWarnings("unchecked") // likewise
    private static void accept(BiConsumer<?, ?> consumer, Object object, Object argument) {
        ((BiConsumer<Object, Object>) consumer).accept(object, argument);
    }

    /**
     * Declares what a class shows of its objects.
     *
     * @param <T> the class
     */
    public static final class Shown<T> {

        private final Map<Class<?>, Function<T, ?>> parts = new ConcurrentHashMap<>();
        private final Map<Class<?>, BiConsumer<T, ?>> takers = new ConcurrentHashMap<>();
        private final Map<Class<?>, Function<?, T>> makers = new ConcurrentHashMap<>();

        private Shown() {}

        /** Declares that objects have a part. */
        public <P> Shown<T> has(Class<P> part, Function<T, P> getter) {
            parts.put(part, getter);
            return this;
        }

        /** Declares that objects take objects of a class. */
        public <P> Shown<T> takes(Class<P> given, BiConsumer<T, P> taker) {
            takers.put(given, taker);
            return this;
        }

        /** Declares that an object can be created from an object of a class. */
        public <F> Shown<T> isMadeOf(Class<F> from, Function<F, T> maker) {
            makers.put(from, maker);
            return this;
        }
    }
}
