// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import dev.isthmus.verbs.MemoryRegion;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** One worker: random numbers of its own, and a thread that ends now and then and is followed by another. */
final class Worker {

    private static final int[] NUMBERS = {
        0,
        1,
        1,
        1,
        2,
        2,
        3,
        4,
        7,
        8,
        16,
        64,
        -1,
        -2,
        31,
        32,
        33,
        63,
        128,
        255,
        256,
        1000,
        4096,
        0xffff,
        0x1_0000,
        0xff_ffff,
        0x100_0000,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE
    };

    private static final long[] LENGTHS = {
        0,
        1,
        8,
        8,
        8,
        16,
        64,
        100,
        512,
        1024,
        1025,
        4096,
        8192,
        65536,
        -1,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        1L << 31,
        1L << 32,
        (1L << 32) + 8
    };

    static final int NULLS = 150;

    private static final ThreadLocal<Worker> CURRENT = new ThreadLocal<>();

    final World world;
    final int number;
    final SplittableRandom random;
    final AtomicLong done = new AtomicLong();
    final AtomicLong succeeded = new AtomicLong();
    volatile String doing = "nothing";
    volatile long since = System.nanoTime();
    Expectation expected = new Expectation();
    volatile Thread thread; // of its present life
    private Engine engine;

    Worker(World world, int number, long seed) {
        this.world = world;
        this.number = number;
        this.random = new SplittableRandom(seed * 31 + number);
    }

    /** For a result that says what became of a call, where the model does not care. */
    void ignore(Object result) {}

    /** An object that the call needs open, and this thread's if it is of one; or rarely null. */
    <T> T any(Class<T> type) {
        if (chance(NULLS)) {
            expected.may(Reason.NULL);
            return null;
        }
        return use(type);
    }

    /** An object that the call needs open, and this thread's if it is of one: most often one of this worker's. */
    <T> T use(Class<T> type) {
        return used(type, pick(type), Expectation.Use.OWN);
    }

    /** The same, whose sends the call needs, or receives. */
    <T> T use(Class<T> type, Expectation.Use use) {
        return used(type, pick(type), use);
    }

    /** The same, of those that this worker made. */
    <T> T own(Class<T> type) {
        return type.cast(take(type).object);
    }

    /** An object that the call needs open, whosever it is. */
    <T> T open(Class<T> type) {
        return used(type, pick(type), Expectation.Use.OPEN);
    }

    /** The same, with what the model knows of it. */
    Thing take(Class<?> type) {
        Thing thing = mine(type, number);
        expected.uses(thing, Expectation.Use.OWN);
        return thing;
    }

    /** An object that the call may use in any state. */
    <T> T peek(Class<T> type) {
        return type.cast(pick(type).object);
    }

    /** An object that the call needs open, whosever it is, with what the model knows of it. */
    Thing takeOpen(Class<?> type) {
        Thing thing = pick(type);
        expected.uses(thing, Expectation.Use.OPEN);
        return thing;
    }

    /** An object that the call needs open and this thread's, with what the model knows of it. */
    Thing takeAny(Class<?> type) {
        Thing thing = pick(type);
        expected.uses(thing, Expectation.Use.OWN);
        return thing;
    }

    /** An object of a list. */
    <T> T any(List<T> of) {
        List<T> copy = List.copyOf(of);
        if (copy.isEmpty()) {
            throw new NothingThere();
        }
        return copy.get(random.nextInt(copy.size()));
    }

    /** A certain object, which the call needs open and this thread's. */
    <T> T useThis(Class<T> type, Thing thing) {
        return used(type, thing, Expectation.Use.OWN);
    }

    int countOpen(Class<?> type) {
        return world.open(type).size();
    }

    Worker colleague(int which) {
        return engine.workers.get(which);
    }

    /** The one whose thread this is. */
    static Worker current() {
        return CURRENT.get();
    }

    private <T> T used(Class<T> type, Thing thing, Expectation.Use use) {
        expected.uses(thing, use);
        return type.cast(thing.object);
    }

    /** An object, open or closed, most often one of this worker's. */
    Thing pick(Class<?> type) {
        return mine(type, chance(world.foreign) ? random.nextInt(world.workers()) : number);
    }

    private Thing mine(Class<?> type, int worker) {
        Thing thing = world.pick(worker, type, random.nextInt());
        if (thing == null) {
            throw new NothingThere();
        }
        return thing;
    }

    /** One of this worker's objects. */
    Thing mine(Class<?> type) {
        return mine(type, number);
    }

    /** The call ends something of an object, which is this thread's, or closed, and the end no news. */
    void ending(Thing thing) {
        expected.uses(thing, Expectation.Use.END);
    }

    /** Does one thing amid another. */
    void attempt(Action action) {
        engine.attempt(this, action);
    }

    /** This thread acts for it from here on. */
    void isThisThread(Engine by) {
        engine = by;
        thread = Thread.currentThread();
        CURRENT.set(this);
    }

    /** Closes an object that the call uses for nothing else. */
    void close(Class<?> type) throws Exception {
        close(pick(type));
    }

    void close(Thing thing) throws Exception {
        close(thing, ((AutoCloseable) thing.object)::close);
    }

    void close(Thing thing, Thing.Step step) throws Exception {
        expected.uses(thing, Expectation.Use.CLOSE);
        world.tryClose(thing, step);
    }

    /** Gives an object to another thread. */
    <T> void handOver(Class<T> type, Giving<T> giving) throws Exception {
        handOver(type, Expectation.Use.OWN, giving);
    }

    /** Gives an object to another thread, or its sends alone, or its receives. */
    <T> void handOver(Class<T> type, Expectation.Use what, Giving<T> giving) throws Exception {
        Thing thing = pick(type);
        expected.uses(thing, what);
        Thread next = thread();
        thing.handOver(what, next, () -> giving.give(type.cast(thing.object), next));
    }

    /** Notes an object that needs others open; without them, all that the call has used. */
    <T> Thing made(Class<? super T> type, T object, Object... parents) {
        Thing thing = world.known(object);
        if (thing == null) {
            List<Thing> of = parents.length == 0
                    ? expected.used()
                    : Stream.of(parents)
                            .map(one -> one instanceof Thing known ? known : world.known(one))
                            .filter(Objects::nonNull)
                            .toList();
            // Memory may go before what is registered of it; the rest of what a call used is no object of C.
            of = of.stream()
                    .filter(one -> one.object instanceof AutoCloseable && !(one.object instanceof Arena))
                    .toList();
            thing = Owned.isPart(object)
                    ? new Thing(object, null, of.getFirst(), of)
                    : new Thing(object, Owned.is(object) ? Thread.currentThread() : null, null, of);
        }
        for (Thing one : expected.used()) {
            if (object instanceof MemoryRegion && one.object instanceof MemoryActions.Block) {
                thing.names(one);
            }
        }
        if (!Owned.isPart(object)) {
            expected.uses(thing, Expectation.Use.OWN);
        }
        world.made(number, type, thing, random.nextInt());
        return thing;
    }

    /** Notes a part of an object, which is open as long as that, and its owner's. */
    void part(Class<?> type, Object object, Thing of) {
        world.made(number, type, new Thing(object, null, of, List.of()), random.nextInt());
    }

    boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    /** A number that is often out of range. */
    int number() {
        return chance(10) ? random.nextInt() : NUMBERS[random.nextInt(NUMBERS.length)];
    }

    /** A small number that is most often good. */
    int small(int bound) {
        return chance(20) ? number() : random.nextInt(bound);
    }

    /** How long to wait: not long, as nothing may ever come, and perhaps less than no time. */
    Duration moment() {
        return Duration.ofMillis(random.nextInt(4) - 1);
    }

    /** A length, or an offset, that is often out of range. */
    long length() {
        return chance(10) ? random.nextLong() : LENGTHS[random.nextInt(LENGTHS.length)];
    }

    /** One of some values. */
    @SafeVarargs
    final <T> T one(T... of) {
        return of[random.nextInt(of.length)];
    }

    Thread thread() {
        return chance(3) ? Thread.currentThread() : world.thread(random.nextInt());
    }

    /** How an object is given to another thread. */
    @FunctionalInterface
    interface Giving<T> {
        void give(T object, Thread next);
    }

    /** An action that found nothing to act on. */
    @SuppressWarnings("serial")
    static final class NothingThere extends RuntimeException {
        NothingThere() {
            super(null, null, false, false);
        }
    }
}
