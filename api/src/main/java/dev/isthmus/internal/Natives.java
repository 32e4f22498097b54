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
 * cannot, since this package is not exported. A class declares what it exposes in its static initialiser:
 *
 * <pre>{@code
 * static {
 *     Natives.of(QueuePair.class)
 *             .exposes(MemorySegment.class, QueuePair::handle)
 *             .exposes(Lifetime.class, q -> q.lifetime);
 * }
 * }</pre>
 *
 * <p>and others get it by {@link #handle}, {@link #lifetime} and {@link #part}. The types belong to the JDK or to the
 * internal packages, which thus know no class of the API. Thread-safe. Not for the data path.
 */
public final class Natives {

    private static final Map<Class<?>, Exposed<?>> EXPOSED = new ConcurrentHashMap<>();

    private Natives() {}

    /**
     * Declares what a class exposes. Called by the class itself.
     *
     * @param type the class
     * @return the object to declare it with
     */
    public static <T> Exposed<T> of(Class<T> type) {
        var exposed = new Exposed<T>();
        EXPOSED.put(type, exposed);
        return exposed;
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
        P exposed = partOrNull(object, part);
        if (exposed == null) {
            throw new AssertionError(object.getClass() + " shows no " + part);
        }
        return exposed;
    }

    /** A part of an object; null for an object that exposes none, such as one of the program's. */
    public static <P> P partOrNull(Object object, Class<P> part) {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            Exposed<?> exposed = EXPOSED.get(type);
            Function<?, ?> getter = exposed == null ? null : exposed.parts.get(part);
            if (getter != null) {
                return part.cast(apply(getter, object));
            }
        }
        return null;
    }

    /** Delivers a value to an object that accepts its class, such as the new state of a queue pair. */
    public static void deliver(Object object, Object value) {
        accept(find(EXPOSED.get(object.getClass()).consumers, object.getClass(), value), object, value);
    }

    /**
     * Creates an object of a class from something of C's, such as a struct, or from a record with more information.
     *
     * @param type the class, which has declared how to create it
     * @param from what to create it from
     * @return the object
     */
    public static <T> T create(Class<T> type, Object from) {
        try {
            MethodHandles.lookup().ensureInitialized(type);
        } catch (IllegalAccessException e) {
            throw new AssertionError("a public class", e);
        }
        return type.cast(apply(find(EXPOSED.get(type).factories, type, from), from));
    }

    private static <F> F find(Map<Class<?>, F> functions, Class<?> owner, Object argument) {
        for (var entry : functions.entrySet()) {
            if (entry.getKey().isInstance(argument)) {
                return entry.getValue();
            }
        }
        throw new AssertionError(owner + " accepts no " + argument.getClass());
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
     * What a class exposes of its objects.
     *
     * @param <T> the class
     */
    public static final class Exposed<T> {

        private final Map<Class<?>, Function<T, ?>> parts = new ConcurrentHashMap<>();
        private final Map<Class<?>, BiConsumer<T, ?>> consumers = new ConcurrentHashMap<>();
        private final Map<Class<?>, Function<?, T>> factories = new ConcurrentHashMap<>();

        private Exposed() {}

        /** Declares a part of the objects. */
        public <P> Exposed<T> exposes(Class<P> part, Function<T, P> getter) {
            parts.put(part, getter);
            return this;
        }

        /** Declares that the objects accept values of a class. */
        public <P> Exposed<T> accepts(Class<P> given, BiConsumer<T, P> taker) {
            consumers.put(given, taker);
            return this;
        }

        /** Declares how to create an object from an object of a class. */
        public <F> Exposed<T> isCreatedFrom(Class<F> from, Function<F, T> factory) {
            factories.put(from, factory);
            return this;
        }
    }
}
