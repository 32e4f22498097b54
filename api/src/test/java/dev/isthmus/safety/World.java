// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** What all workers share: the objects of each, so that all can misuse them, and the objects to close in the end. */
final class World {

    /** How many objects of one class a worker keeps, including closed ones. */
    private static final int ROOM = 6;

    /** One in this many references to objects is to one of another worker. */
    final int foreign;

    private final List<Map<Class<?>, List<Thing>>> shelves = new ArrayList<>();
    private final IdentityHashMap<Object, Thing> things = new IdentityHashMap<>(); // those that are open
    private final List<Thread> threads = new ArrayList<>();

    World(int workers, int foreign) {
        this.foreign = foreign;
        for (int i = 0; i < workers; i++) {
            shelves.add(new HashMap<>());
        }
    }

    int workers() {
        return shelves.size();
    }

    private List<Thing> shelf(int worker, Class<?> type) {
        return shelves.get(worker).computeIfAbsent(type, t -> new ArrayList<>());
    }

    /** An object of the class from a worker's shelf, closed or not; null if there is none. */
    synchronized Thing pick(int worker, Class<?> type, int random) {
        List<Thing> shelf = shelf(worker, type);
        return shelf.isEmpty() ? null : shelf.get(Math.floorMod(random, shelf.size()));
    }

    /** What the model knows of an object; null if nothing. */
    synchronized Thing known(Object object) {
        return things.get(object);
    }

    /** Notes an object before anybody can use it; it replaces the one in its place. */
    void made(int worker, Class<?> type, Thing thing, int random) {
        Thing evicted;
        synchronized (this) {
            if (thing.object instanceof AutoCloseable) {
                things.put(thing.object, thing);
            }
            List<Thing> shelf = shelf(worker, type);
            if (shelf.contains(thing)) {
                return;
            }
            if (shelf.size() < ROOM) {
                shelf.add(thing);
                return;
            }
            int index = 0;
            while (index < ROOM && shelf.get(index).isOpen()) {
                index++;
            }
            evicted = shelf.set(index < ROOM ? index : Math.floorMod(random, ROOM), thing);
        }
        // The shelf is full of open ones: too many would exhaust the device.
        if (evicted.isOpen() && evicted.object instanceof AutoCloseable && !close(evicted)) {
            synchronized (this) {
                shelf(worker, type).set(Math.floorMod(random, ROOM), evicted);
            }
            close(thing);
        }
    }

    /** Closes an object; the caller judges what that throws. */
    void tryClose(Thing thing, Thing.Step step) throws Exception {
        thing.close(step);
        synchronized (this) {
            things.remove(thing.object);
        }
    }

    private boolean close(Thing thing) {
        var expected = new Expectation();
        expected.uses(thing, Expectation.Use.CLOSE);
        expected.may(Reason.STATE, Reason.DEVICE, Reason.BUSY);
        try {
            tryClose(thing, ((AutoCloseable) thing.object)::close);
            return true;
        } catch (Exception e) {
            String wrong = expected.judgeRefusal(e);
            if (wrong != null) {
                throw new AssertionError("close of " + thing + ": " + wrong, e);
            }
            return false;
        } finally {
            expected.end();
        }
    }

    /** Leaves an object open for ever, and out of reach. */
    synchronized void forget(Thing thing) {
        if (thing == null) {
            return; // it was left before
        }
        shelves.forEach(shelf -> shelf.values().forEach(of -> of.removeIf(one -> one == thing || one.isPartOf(thing))));
        things.values().removeIf(one -> one == thing || one.isPartOf(thing));
    }

    /** The open objects of a class. */
    synchronized List<Thing> open(Class<?> type) {
        return things.values().stream()
                .filter(one -> type.isInstance(one.object))
                .toList();
    }

    synchronized int openObjects() {
        return things.size();
    }

    synchronized void add(Thread thread) {
        threads.add(thread);
        if (threads.size() > 4 * ROOM) {
            threads.removeIf(t -> t.getState() == Thread.State.TERMINATED);
        }
    }

    synchronized Thread thread(int random) {
        return threads.get(Math.floorMod(random, threads.size()));
    }

    /** Ends the threads that were given objects before they had started, and so owned them. */
    void endThreads() throws InterruptedException {
        List<Thread> all;
        synchronized (this) {
            all = List.copyOf(threads);
        }
        for (Thread thread : all) {
            if (thread.getState() == Thread.State.NEW) {
                thread.start();
            }
            thread.join();
        }
    }

    /** Closes everything, children first, as the library itself demands; returns what could not be closed, and why. */
    IdentityHashMap<Object, Exception> closeAll() {
        IdentityHashMap<Object, Exception> refused = new IdentityHashMap<>();
        int before;
        do {
            before = openObjects();
            refused.clear();
            List<Thing> all;
            synchronized (this) {
                all = new ArrayList<>(things.values());
            }
            for (Thing thing : all) {
                try {
                    tryClose(thing, ((AutoCloseable) thing.object)::close);
                } catch (Exception e) {
                    refused.put(thing.object, e);
                }
            }
        } while (openObjects() < before);
        return refused;
    }
}
