package dev.isthmus.safety;

import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.ExtendedCompletionQueue;
import dev.isthmus.verbs.QueuePair;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** What all workers share: the objects of each, so that all can misuse them, and those that are to be closed. */
final class World {

    /** How many objects of one class a worker keeps, closed ones among them. */
    private static final int ROOM = 6;

    final List<Device> devices = Device.list();
    private final List<Map<Class<?>, List<Object>>> shelves = new ArrayList<>();
    private final Set<AutoCloseable> open = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<Thread> threads = new ArrayList<>();

    World(int workers) {
        for (int i = 0; i < workers; i++) {
            shelves.add(new HashMap<>());
        }
    }

    int workers() {
        return shelves.size();
    }

    private List<Object> shelf(int worker, Class<?> type) {
        return shelves.get(worker).computeIfAbsent(type, t -> new ArrayList<>());
    }

    /** An object of the class on a worker's shelf, closed or not; null when there is none. */
    synchronized Object pick(int worker, Class<?> type, int random) {
        List<Object> shelf = shelf(worker, type);
        return shelf.isEmpty() ? null : shelf.get(Math.floorMod(random, shelf.size()));
    }

    /** Notes an object before anybody can use it. */
    void made(int worker, Class<?> type, Object object, int random) {
        Object evicted;
        synchronized (this) {
            if (object instanceof AutoCloseable closeable) {
                open.add(closeable);
            }
            List<Object> shelf = shelf(worker, type);
            if (shelf.size() < ROOM) {
                shelf.add(object);
                return;
            }
            int index = closed(shelf);
            evicted = shelf.set(index < ROOM ? index : Math.floorMod(random, ROOM), object);
            if (!(evicted instanceof AutoCloseable closeable) || !open.contains(closeable)) {
                return;
            }
        }
        // The shelf is full of open ones: too many would use up the device.
        if (!close((AutoCloseable) evicted)) {
            synchronized (this) {
                shelf(worker, type).set(Math.floorMod(random, ROOM), evicted);
            }
            close((AutoCloseable) object);
        }
    }

    /** Where a closed object is on a shelf, or its size if there is none. */
    private int closed(List<Object> shelf) {
        int index = 0;
        while (index < shelf.size() && (!(shelf.get(index) instanceof AutoCloseable c) || open.contains(c))) {
            index++;
        }
        return index;
    }

    /** Closes an object; what that throws is the caller's to judge. */
    void tryClose(AutoCloseable object) throws Exception {
        object.close();
        synchronized (this) {
            open.remove(object);
        }
    }

    private boolean close(AutoCloseable object) {
        try {
            tryClose(object);
            return true;
        } catch (Exception e) {
            if (!Outcome.isDocumented(e, false)) {
                throw new AssertionError("close of " + object, e);
            }
            return false;
        }
    }

    synchronized int openObjects() {
        return open.size();
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

    /** Closes all, children first, as the library itself tells; returns what would not be closed, and why. */
    IdentityHashMap<AutoCloseable, Exception> closeAll() {
        IdentityHashMap<AutoCloseable, Exception> refused = new IdentityHashMap<>();
        int before;
        do {
            before = openObjects();
            refused.clear();
            List<AutoCloseable> all;
            synchronized (this) {
                all = new ArrayList<>(open);
            }
            for (AutoCloseable object : all) {
                try {
                    end(object);
                    tryClose(object);
                } catch (Exception e) {
                    refused.put(object, e);
                }
            }
        } while (openObjects() < before);
        return refused;
    }

    /** A thread may have ended amid a poll or a batch, which is then its successor's to end. */
    private static void end(AutoCloseable object) {
        try {
            switch (object) {
                case ExtendedCompletionQueue queue -> queue.endPoll();
                case QueuePair qp -> qp.sendBatch().abort();
                default -> {}
            }
        } catch (IllegalStateException e) {
            Objects.requireNonNull(e.getMessage(), "there is none, as most often");
        }
    }
}
