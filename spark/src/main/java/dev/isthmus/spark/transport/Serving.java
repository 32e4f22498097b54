// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static dev.isthmus.spark.transport.BadMessageException.unless;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;

/**
 * Serves one peer: finds the blocks that it asks for, sends short ones, several in a message, and offers long ones in
 * parts, as slices, as far as credits and memory allow. Other threads read the files; a peer that takes nothing does
 * not keep them busy. Confined to the transport's thread.
 */
final class Serving implements SharedPool.SliceWaiter {

    /** How many blocks a peer may ask for at a time; their names take some eighty megabytes. */
    static final int MAX_BLOCKS = 2_000_000;

    private final TransportContext context;
    private final Peer peer;
    private final Outbox outbox;
    private final SharedPool slices;
    private final int mostReads; // of each kind at a time
    private final Map<Long, Job> jobs = new HashMap<>(); // by the number of the call
    private final SequencedSet<Job> asked = new LinkedHashSet<>(); // whose blocks are not looked up yet
    private final Deque<Job> ready = new ArrayDeque<>(); // those that have something to send
    private final Deque<PeerMessage> failures = new ArrayDeque<>(); // to report blocks that could not be read
    private final Map<Long, Integer> tickets = new HashMap<>(); // slices that the peer may get from, and their contents
    private int filling; // slices that are being read into
    private int finding; // jobs whose blocks are being looked up
    private int batches; // that are being read
    private int blocks; // of all jobs, including cancelled ones that a reader still has
    private int requests; // counted like the blocks
    private long released;
    private boolean waits;
    private boolean over;

    Serving(TransportContext context, Peer peer, Outbox outbox) {
        this.context = context;
        this.peer = peer;
        this.outbox = outbox;
        this.slices = context.memory().slices();
        this.mostReads = 2 * context.settings().readers();
    }

    void onFetch(PeerMessage.Fetch fetch) {
        unless(blocks + fetch.blocks().size() <= MAX_BLOCKS, "more than " + MAX_BLOCKS + " blocks asked for at a time");
        var job = new Job(fetch);
        unless(jobs.putIfAbsent(fetch.call(), job) == null, "a request number that is in use");
        blocks += job.size();
        requests++;
        context.figures().mostBlocksAsked.accumulate(blocks);
        context.figures().mostRequestsAsked.accumulate(requests);
        asked.add(job);
        find();
    }

    /** Looks up the blocks of some jobs, once most blocks that were found are sent. */
    private void find() {
        while (!asked.isEmpty() && finding + ready.size() < mostReads) {
            Job job = asked.removeFirst();
            finding++;
            context.tasks().read(() -> job.find(context.source()), () -> {
                finding--;
                if (job.isCancelled()) {
                    remove(job);
                } else {
                    ready.add(job);
                    pump();
                }
                find();
            });
        }
    }

    private void remove(Job job) {
        blocks -= job.size();
        requests--;
    }

    void onCancel(PeerMessage.Cancel cancel) {
        Job job = jobs.remove(cancel.call());
        if (job != null) {
            job.cancel();
            if (ready.remove(job) || asked.remove(job)) { // otherwise a reader has it
                remove(job);
                find();
            }
        }
    }

    void onRelease(PeerMessage.Release release) {
        Integer bytes = tickets.remove(release.ticket());
        unless(bytes != null, "the release of a slice that it does not have");
        released++;
        peer.served(bytes);
        slices.release(release.ticket());
        pump();
    }

    /** How many slices the peer may get from. */
    int slicesOut() {
        return tickets.size();
    }

    /** How many slices the peer has released. */
    long released() {
        return released;
    }

    /** Sends as much as there is room for. */
    @Override
    public void pump() {
        boolean more = true;
        while (more && !over) {
            Job job = ready.peek();
            if (job != null && job.isSent()) {
                ready.remove();
                jobs.remove(job.call());
                remove(job);
                find();
            } else if (job == null && failures.isEmpty()) {
                waits = false;
                return;
            } else {
                more = step(job);
            }
        }
        if (!over && !waits) {
            waits = true;
            peer.waited();
        }
    }

    /** Begins the next message; false if there is no room for it. */
    private boolean step(Job job) {
        if (outbox.isFull()) { // the outbox calls when there is room
            return false;
        }
        if (!failures.isEmpty()) {
            peer.send(failures.remove());
            return true;
        }
        if (job.failure() != null) {
            sendFailed(job, job.isRefused(), job.failure());
            return true;
        }
        boolean begun = job.isShort(context.settings().inlineBytes()) ? sendShort(job) : sendPart(job);
        waits &= !begun;
        return begun;
    }

    /** Goes on to the next block first: a send that ends at once may call {@link #pump} before it returns. */
    private void sendFailed(Job job, boolean otherwise, String why) {
        var failed = new PeerMessage.Failed(job.call(), job.index(), otherwise, why);
        job.next();
        peer.send(failed);
    }

    private boolean sendShort(Job job) {
        if (batches == mostReads) {
            return false;
        }
        long slice = outbox.tryAcquireForBlocks();
        if (slice == 0) {
            context.memory().messages().waitFor(this);
            return false;
        }
        batches++;
        var batch = job.nextBatch(context.settings().inlineBytes());
        var buffer = outbox.buffer(slice);
        var header = peer.header();
        context.tasks().read(() -> batch.read(header, buffer), () -> {
            batches--;
            if (over) {
                outbox.release(slice);
                return;
            }
            failures.addAll(batch.failures());
            if (batch.isEmpty()) {
                outbox.release(slice);
            } else {
                peer.served(batch.bytes());
                outbox.send(slice, buffer);
            }
            pump();
        });
        return true;
    }

    private boolean sendPart(Job job) {
        int has = tickets.size() + filling;
        if (has >= context.settings().credits()) {
            return false; // until the peer has released one
        }
        long slice = slices.tryAcquire(has, 1);
        if (slice == 0 && slices.isUnused()) { // nobody will give one back
            sendFailed(job, true, "there is no memory for its parts");
            return true;
        }
        if (slice == 0) {
            slices.waitFor(this);
            return false;
        }
        filling++;
        var part = job.nextPart(context.settings().sliceBytes());
        long use = context.memory().uses().begin(slices.segment(slice));
        var to = slices.segment(slice).asSlice(0, part.length()).asByteBuffer();
        context.tasks().read(() -> part.read(to), () -> {
            filling--;
            if (over || part.failure() != null || job.isCancelled()) {
                slices.release(slice);
                part.failIfFirst(failures::add);
                pump();
                return;
            }
            tickets.put(slice, part.length());
            peer.send(part.slice(
                    slice, slices.offset(slice), use, context.memory().key(slices.memory(slice))));
        });
        return true;
    }

    /**
     * The peer is gone: nothing more is sent, and it has no slices any more. It may still read from their memory, which
     * stays registered, if it has not noticed the end: the numbers of their uses tell it what it has got.
     */
    void end() {
        over = true;
        jobs.values().forEach(Job::cancel);
        jobs.clear();
        asked.clear();
        ready.clear();
        failures.clear();
        slices.remove(this);
        context.memory().messages().remove(this);
        var all = tickets.keySet().toArray(Long[]::new);
        tickets.clear();
        for (Long slice : all) {
            slices.release(slice);
        }
    }
}
