package dev.isthmus.safety;

import dev.isthmus.verbs.AccessFlag;
import java.time.Duration;
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

    /** One in so many references to objects is to one of another worker. */
    private static final int FOREIGN = 8;

    private static final int NULLS = 150;

    final World world;
    final int number;
    final SplittableRandom random;
    final AtomicLong done = new AtomicLong();
    final AtomicLong succeeded = new AtomicLong();
    volatile String doing = "nothing";
    volatile long since = System.nanoTime();
    boolean nullGiven;

    Worker(World world, int number, long seed) {
        this.world = world;
        this.number = number;
        this.random = new SplittableRandom(seed * 31 + number);
    }

    /** An object of the class, most often one of this worker's, open or closed, or rarely null. */
    <T> T any(Class<T> type) {
        if (chance(NULLS)) {
            nullGiven = true;
            return null;
        }
        return use(type);
    }

    /** An object of the class, most often one of this worker's, open or closed. */
    <T> T use(Class<T> type) {
        return mine(type, chance(FOREIGN) ? random.nextInt(world.workers()) : number);
    }

    /** An object of the class that this worker made. */
    <T> T own(Class<T> type) {
        return mine(type, number);
    }

    private <T> T mine(Class<T> type, int worker) {
        Object object = world.pick(worker, type, random.nextInt());
        if (object == null) {
            throw new Outcome.NothingThere();
        }
        return type.cast(object);
    }

    <T> void made(Class<T> type, T object) {
        world.made(number, type, object, random.nextInt());
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

    AccessFlag[] access() {
        if (chance(3)) {
            return Stream.generate(() -> one(AccessFlag.values()))
                    .limit(random.nextInt(4))
                    .toArray(AccessFlag[]::new);
        }
        return MemoryActions.ALL.clone();
    }

    Thread thread() {
        return chance(3) ? Thread.currentThread() : world.thread(random.nextInt());
    }
}
