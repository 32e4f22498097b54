// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * What the packages of this module have of each other's objects, and users have not, since this package is not exported: the
 * C objects, and how long they live. A class says what it shows in its static initialiser:
 *
 * <pre>{@code
 * static {
 *     Natives.of(QueuePair.class).has(MemorySegment.class, QueuePair::handle).has(Lifetime.class, q -> q.lifetime);
 * }
 * }</pre>
 *
 * <p>and others ask by {@link #handle}, {@link #lifetime} and {@link #part}. What is given and asked for is of the JDK or of
 * the internal packages, which thus know no class of the API. Thread-safe. Not for the data path.
 */
public final class Natives {

    private static final Map<Class<?>, Shown<?>> SHOWN = new ConcurrentHashMap<>();

    private Natives() {}

    /**
     * What a class shows, to be said by the class itself.
     *
     * @param type the class
     * @return takes down what it shows
     */
    public static <T> Shown<T> of(Class<T> type) {
        var shown = new Shown<T>();
        SHOWN.put(type, shown);
        return shown;
    }

    /** The C object that a Java object stands for. */
    public static MemorySegment handle(Object object) {
        return part(object, MemorySegment.class);
    }

    /** The life of an object. */
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

    /** The same; null of an object that shows none, such as one of the program's. */
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

    /** Gives something to an object that takes its class, such as news of where a queue pair was brought. */
    public static void give(Object object, Object news) {
        accept(find(SHOWN.get(object.getClass()).takers, object.getClass(), news), object, news);
    }

    /**
     * Makes an object of a class from what C has, such as a struct, or from a record that has more to say.
     *
     * @param type the class, which makes it of objects of the other's class
     * @param from what it is made from
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

    @SuppressWarnings("unchecked") // a function stands under the class of what it takes
    private static Object apply(Function<?, ?> function, Object argument) {
        return ((Function<Object, ?>) function).apply(argument);
    }

    @SuppressWarnings("unchecked") // likewise
    private static void accept(BiConsumer<?, ?> consumer, Object object, Object argument) {
        ((BiConsumer<Object, Object>) consumer).accept(object, argument);
    }

    /**
     * What a class shows of its objects.
     *
     * @param <T> the class
     */
    public static final class Shown<T> {

        private final Map<Class<?>, Function<T, ?>> parts = new ConcurrentHashMap<>();
        private final Map<Class<?>, BiConsumer<T, ?>> takers = new ConcurrentHashMap<>();
        private final Map<Class<?>, Function<?, T>> makers = new ConcurrentHashMap<>();

        private Shown() {}

        /** An object has a part. */
        public <P> Shown<T> has(Class<P> part, Function<T, P> getter) {
            parts.put(part, getter);
            return this;
        }

        /** An object takes objects of a class. */
        public <P> Shown<T> takes(Class<P> given, BiConsumer<T, P> taker) {
            takers.put(given, taker);
            return this;
        }

        /** An object can be made of an object of a class. */
        public <F> Shown<T> isMadeOf(Class<F> from, Function<F, T> maker) {
            makers.put(from, maker);
            return this;
        }
    }
}
