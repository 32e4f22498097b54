// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.RdmaException;
import dev.isthmus.loop.Epoll;
import dev.isthmus.loop.Registration;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Streams that one thread serves. On each device they share a completion queue and its channel, and a protection
 * domain. The thread polls for all of them at once, and waits for all of them at once.
 *
 * <p>One lock guards all of its streams. One thread calls {@link #poll}, {@link #await} and {@link #close}, any thread
 * the other methods. It owns two file descriptors until it is closed, and one more for each
 * device until its last stream has been released.
 */
@SuppressWarnings("ReferenceEquality") // of threads
public final class StreamGroup {

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");
    private static final int BATCH = 32;
    private static final int MAX_EVENTS = 8; // the channels of a few devices
    private static final Stream[] NONE = {};

    private final Service service;
    private volatile Thread owner = Thread.currentThread();
    private final ReentrantLock lock = new ReentrantLock();
    private final Epoll epoll = Epoll.open(MAX_EVENTS);
    private final WorkCompletions done = WorkCompletions.allocate(BATCH);

    // Guarded by the lock, like everything below.
    private final List<GroupDevice> devices = new ArrayList<>();
    private GroupQueue[] queues = {};
    private Stream[] touched = new Stream[16]; // with completions in the current turn
    private int touchedCount;
    private Stream[] changed = new Stream[16]; // since the last poll
    private int changedCount;
    private int streams; // and those that have left, but of whose memory something is lent
    private boolean closed;
    private final List<Registration> registrations = new ArrayList<>(); // with the service, once closed

    private StreamGroup(Service service) {
        this.service = service;
    }

    /**
     * Opens a group without streams.
     *
     * @return the group, which the caller closes
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm, the kernel's rdma_cm or a device is missing
     * @throws IOException if the process has too many open files
     */
    public static StreamGroup open() throws IOException {
        try {
            return new StreamGroup(Service.get());
        } catch (dev.isthmus.VerbsException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Whether a stream belongs to this group.
     *
     * @param stream the stream
     * @return whether it does
     */
    public boolean has(Stream stream) {
        return stream.link().group() == this;
    }

    ReentrantLock lock() {
        return lock;
    }

    /** Takes a stream in, on the service's thread; returns what it shares. */
    GroupQueue join(DeviceContext device, int requests) {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the thread of these connections has ended");
            }
            GroupQueue joined = deviceOf(device).join(requests);
            streams++;
            queues = devices.stream().flatMap(GroupDevice::queues).toArray(GroupQueue[]::new);
            return joined;
        } finally {
            lock.unlock();
        }
    }

    private GroupDevice deviceOf(DeviceContext context) {
        for (GroupDevice each : devices) {
            if (each.context() == context) {
                return each;
            }
        }
        var made = new GroupDevice(context, lock);
        devices.add(made);
        epoll.add(made.channel().fileDescriptor(), Epoll.READABLE, devices.size() - 1);
        return made;
    }

    /** A stream has been released: its queue pair is destroyed, and its memory freed. */
    void leave(GroupQueue from, int requests) {
        lock.lock();
        try {
            progress(); // what its queue pair left behind must not be taken for another's that gets the same number
            from.leave(requests);
            leave();
        } finally {
            lock.unlock();
        }
    }

    /** Memory of a stream that leaves stays registered. The caller holds the lock. */
    void keep() {
        streams++;
    }

    /** That memory is deregistered. The caller holds the lock. */
    void leave() {
        streams--;
        destroyIfUnused();
    }

    private void destroyIfUnused() {
        if (closed && streams == 0) {
            service.loop().execute(this::destroy); // later, as the loop may be in a handler of a channel
        }
    }

    private void destroy() {
        lock.lock();
        try {
            registrations.forEach(Registration::close);
            registrations.clear();
            queues = new GroupQueue[0];
            devices.forEach(GroupDevice::close);
            devices.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Handles the completions of all streams; returns whether there were any. The caller holds the lock. */
    boolean progress() {
        boolean any = false;
        for (GroupQueue each : queues) {
            any |= drain(each);
        }
        for (int i = 0; i < touchedCount; i++) {
            Stream stream = touched[i];
            touched[i] = null;
            stream.handled();
            changed(stream);
        }
        touchedCount = 0;
        return any;
    }

    private boolean drain(GroupQueue queue) {
        int count;
        boolean any = false;
        do {
            count = queue.completions().poll(done);
            for (int i = 0; i < count; i++) {
                QueuePair from = queue.completions().queuePair(done.qpNum(i));
                if (from != null && from.attachment() instanceof Stream stream) { // else it has been closed
                    if (stream.handle(done, i)) {
                        touch(stream);
                    }
                }
            }
            any |= count > 0;
        } while (count == BATCH);
        return any;
    }

    private void touch(Stream stream) {
        if (touchedCount == touched.length) {
            touched = Arrays.copyOf(touched, 2 * touchedCount);
        }
        touched[touchedCount++] = stream;
    }

    /** A stream may have become readable or writable. The caller holds the lock. */
    void changed(Stream stream) {
        if (closed || stream.isClosed() || !stream.enqueue()) {
            return;
        }
        if (changedCount == changed.length) {
            changed = Arrays.copyOf(changed, 2 * changedCount);
        }
        changed[changedCount++] = stream;
        if (Thread.currentThread() != owner) {
            epoll.wakeup();
        }
    }

    /**
     * Handles all completions that have arrived. Does not block, allocates nothing in steady state.
     *
     * @param into an array that an earlier call has returned, or an empty one; null after the last stream
     * @return the streams that may have become readable or writable, or have failed; behind the last there is null
     */
    public Stream[] poll(Stream[] into) {
        lock.lock();
        try {
            if (owner != Thread.currentThread()) {
                owner = Thread.currentThread();
            }
            progress();
            if (changedCount == 0) {
                return NONE;
            }
            Stream[] found = changed;
            if (changedCount == found.length) {
                found = Arrays.copyOf(found, 2 * changedCount);
            }
            found[changedCount] = null;
            for (int i = 0; i < changedCount; i++) {
                found[i].dequeue();
            }
            changed = into.length > 0 ? into : new Stream[found.length];
            changedCount = 0;
            return found;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until a stream may have changed, another thread calls {@link #wakeup}, or the time is over. It may return
     * before that.
     *
     * @param millis how long to wait; 0 does not wait, and a negative number waits without limit
     */
    public void await(long millis) {
        if (!arm()) {
            return;
        }
        int count = epoll.await(millis);
        for (int i = 0; i < count; i++) {
            takeEvent(epoll.number(i));
        }
    }

    /** Has each queue send an event for its next completion; returns false if something has changed already. */
    private boolean arm() {
        lock.lock();
        try {
            if (changedCount > 0) {
                return false;
            }
            boolean armed = false;
            for (GroupQueue each : queues) {
                armed |= each.arm();
            }
            if (armed) {
                progress(); // handles completions from before they were armed
            }
            return changedCount == 0;
        } finally {
            lock.unlock();
        }
    }

    private void takeEvent(int device) {
        lock.lock();
        try {
            devices.get(device).takeEvents();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the current {@link #await}, or the next one. Does not block. Does nothing once this is closed. */
    public void wakeup() {
        epoll.wakeup();
    }

    /**
     * The thread ends: the service goes on with streams that are being closed. Close all streams first. Does nothing
     * the second time.
     */
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            for (int i = 0; i < changedCount; i++) {
                changed[i].dequeue();
            }
            changedCount = 0;
            destroyIfUnused();
            for (GroupDevice each : devices) {
                registrations.add(service.loop().add(each.channel(), queue -> onEvent(each)));
            }
        } finally {
            lock.unlock();
        }
        service.loop().execute(this::pollLeft);
        epoll.close();
    }

    /** On the service's thread, which has taken one event. */
    private void onEvent(GroupDevice device) {
        lock.lock();
        try {
            device.eventTaken();
        } finally {
            lock.unlock();
        }
        pollLeft();
    }

    private void pollLeft() {
        lock.lock();
        try {
            for (GroupQueue each : queues) {
                each.arm();
            }
            progress();
        } catch (RdmaException e) {
            LOG.log(Level.WARNING, "connections whose thread has ended cannot be polled", e);
        } finally {
            lock.unlock();
        }
    }
}
