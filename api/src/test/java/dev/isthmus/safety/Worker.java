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

/** A worker: random numbers of its own, and a thread that ends now and then and is replaced. */
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

    /** For a result that says how a call ended, which the model does not need. */
    void ignore(Object result) {}

    /** An object that must be open for the call, and this thread's if it belongs to one; or rarely null. */
    <T> T any(Class<T> type) {
        if (chance(NULLS)) {
            expected.may(Reason.NULL);
            return null;
        }
        return use(type);
    }

    /**
     * An object that must be open for the call, and this thread's if it belongs to one; mostly one of this worker's.
     */
    <T> T use(Class<T> type) {
        return used(type, pick(type), Expectation.Use.OWN);
    }

    /** Such an object, for a call that needs its sends, or its receives. */
    <T> T use(Class<T> type, Expectation.Use use) {
        return used(type, pick(type), use);
    }

    /** An object that must be open for the call, one that this worker created. */
    <T> T own(Class<T> type) {
        return type.cast(take(type).object);
    }

    /** An object that must be open for the call, whoever owns it. */
    <T> T open(Class<T> type) {
        return used(type, pick(type), Expectation.Use.OPEN);
    }

    /** An object of this worker that must be open for the call, as the model knows it. */
    Thing take(Class<?> type) {
        Thing thing = mine(type, number);
        expected.uses(thing, Expectation.Use.OWN);
        return thing;
    }

    /** An object that the call may use in any state. */
    <T> T peek(Class<T> type) {
        return type.cast(pick(type).object);
    }

    /** An object that must be open for the call, whoever owns it, with what the model knows of it. */
    Thing takeOpen(Class<?> type) {
        Thing thing = pick(type);
        expected.uses(thing, Expectation.Use.OPEN);
        return thing;
    }

    /** An object that must be open for the call and this thread's, with what the model knows of it. */
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

    /** A given object, which must be open for the call and this thread's. */
    <T> T useThis(Class<T> type, Thing thing) {
        return used(type, thing, Expectation.Use.OWN);
    }

    int countOpen(Class<?> type) {
        return world.open(type).size();
    }

    Worker colleague(int which) {
        return engine.workers.get(which);
    }

    /** The worker of this thread. */
    static Worker current() {
        return CURRENT.get();
    }

    private <T> T used(Class<T> type, Thing thing, Expectation.Use use) {
        expected.uses(thing, use);
        return type.cast(thing.object);
    }

    /** An object, open or closed, mostly one of this worker's. */
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

    /**
     * The call ends a part of an object that is this thread's, or closed; if the part has ended already,
     * nothing happens.
     */
    void ending(Thing thing) {
        expected.uses(thing, Expectation.Use.END);
    }

    /** Performs one action within another. */
    void attempt(Action action) {
        engine.attempt(this, action);
    }

    /** From now on, this thread acts for it. */
    void isThisThread(Engine by) {
        engine = by;
        thread = Thread.currentThread();
        CURRENT.set(this);
    }

    /** Closes an object that the call does not use otherwise. */
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

    /** What the step does ends an object that has to be open. */
    void replace(Thing thing, Thing.Step step) throws Exception {
        world.tryClose(thing, step);
    }

    /** Gives an object to another thread. */
    <T> void handOver(Class<T> type, Giving<T> giving) throws Exception {
        handOver(type, Expectation.Use.OWN, giving);
    }

    /** Gives an object to another thread, or only its sends, or only its receives. */
    <T> void handOver(Class<T> type, Expectation.Use what, Giving<T> giving) throws Exception {
        Thing thing = pick(type);
        expected.uses(thing, what);
        Thread next = thread();
        thing.handOver(what, next, () -> giving.give(type.cast(thing.object), next));
    }

    /** Notes an object that needs others open; by default, everything that the call has used. */
    <T> Thing made(Class<? super T> type, T object, Object... parents) {
        Thing thing = world.known(object);
        if (thing == null) {
            List<Thing> of = parents.length == 0
                    ? expected.used()
                    : Stream.of(parents)
                            .map(one -> one instanceof Thing known ? known : world.known(one))
                            .filter(Objects::nonNull)
                            .toList();
            // Memory may be freed before what is registered of it. The other things that a call used are not objects
            // of C.
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

    /** Notes a part of an object, which is open as long as that, and has the same owner. */
    void part(Class<?> type, Object object, Thing of) {
        world.made(number, type, new Thing(object, null, of, List.of()), random.nextInt());
    }

    boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    /** A number, often out of range. */
    int number() {
        return chance(10) ? random.nextInt() : NUMBERS[random.nextInt(NUMBERS.length)];
    }

    /** A small number, usually valid. */
    int small(int bound) {
        return chance(20) ? number() : random.nextInt(bound);
    }

    /** How long to wait: not long, because perhaps nothing ever comes, and sometimes a negative time. */
    Duration moment() {
        return Duration.ofMillis(random.nextInt(4) - 1);
    }

    /** A length, or an offset, often out of range. */
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

    /** Says that an action found nothing to act on. */
    @SuppressWarnings("serial")
    static final class NothingThere extends RuntimeException {
        NothingThere() {
            super(null, null, false, false);
        }
    }
}
