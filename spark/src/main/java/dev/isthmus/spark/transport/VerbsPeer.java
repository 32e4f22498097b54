// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static dev.isthmus.spark.transport.BadMessageException.unless;

import dev.isthmus.cm.GroupMember;
import dev.isthmus.loop.Timer;
import dev.isthmus.verbs.RemoteMemory;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One connection: the calls of this process, or what it has told the peer to read. Confined to the transport's thread.
 */
final class VerbsPeer {

    /** The most calls that a peer may have begun and not released. */
    static final int MAX_CALLS = 4;

    private final VerbsContext context;
    private final VerbsTransport transport;
    private final GroupMember member;
    private final Map<Long, VerbsCall> calls = new HashMap<>(); // that are sent
    private final Deque<VerbsCall> waiting = new ArrayDeque<>(); // until others are over
    private final Map<Long, Served> served = new HashMap<>(); // by the number of the call
    private final Deque<VerbsOperation> unposted = new ArrayDeque<>();
    private int underWay; // operations that are posted
    private VerbsOperation unconfirmed; // a READ that the device says is done; null if there is none
    private MessageSeal seal; // first that of challenges, then that of the connection
    private long to; // the id of the peer
    private boolean ready; // whether there was a challenge
    private Timer challengeTimer; // null unless this side waits for it
    private long lastUse = System.nanoTime();
    private boolean gone;

    VerbsPeer(VerbsContext context, VerbsTransport transport, GroupMember member) {
        this.context = context;
        this.transport = transport;
        this.member = member;
        this.seal = context.seals().ofChallenges();
    }

    /** The peer has connected: whatever it sends must be sealed for this connection. */
    void challenge(long from) {
        to = from;
        VerbsMessage.Challenge challenge = VerbsSeals.newChallenge();
        send(challenge);
        accept(challenge);
    }

    /** This side has connected, to a peer with this id: calls wait until it has sent a challenge. */
    void awaitChallenge(long id) {
        to = id;
        challengeTimer =
                context.tasks().schedule(context.settings().connecting(), () -> fail("it has sent no challenge"));
    }

    private void accept(VerbsMessage.Challenge challenge) {
        seal = context.seals().of(challenge);
        ready = true;
    }

    boolean isGone() {
        return gone;
    }

    /** When it did something last, by {@link System#nanoTime}. */
    long lastUse() {
        return lastUse;
    }

    /** Whether neither side asks anything of the other, as far as this one knows. */
    boolean isIdle() {
        return !gone
                && ready
                && member.isConnected()
                && calls.isEmpty()
                && waiting.isEmpty()
                && served.isEmpty()
                && unposted.isEmpty();
    }

    /** Ends an idle connection, so that another one may be made; the peer can connect again. */
    void leave() {
        gone = true;
        member.disconnect();
    }

    /** Sends a call, once the peer has answered enough of the earlier ones. */
    void begin(VerbsCall call) {
        if (gone) {
            call.refuse("the connection has ended");
        } else if (!ready || calls.size() >= MAX_CALLS) {
            waiting.add(call);
        } else {
            calls.put(call.number, call);
            lastUse = System.nanoTime();
            watch(call, context.settings().patience());
            send(call.message());
        }
    }

    private void watch(VerbsCall call, Duration patience) {
        call.timer = context.tasks().schedule(patience, () -> {
            Duration left = context.settings().patience().minusNanos(call.idleNanos());
            if (left.isPositive()) {
                watch(call, left);
            } else {
                fail("it has sent nothing for " + context.settings().patience().toMillis() + " ms");
            }
        });
    }

    /** All blocks of a call have arrived, or never will. */
    void over(VerbsCall call) {
        if (calls.remove(call.number, call)) {
            call.timer.cancel();
            send(new VerbsMessage.Release(call.number));
            if (!waiting.isEmpty()) {
                begin(waiting.remove());
            }
        }
    }

    /** Handles a message; an invalid one ends the connection. */
    void handle(ByteBuffer bytes) {
        if (gone || !member.isConnected()) {
            return;
        }
        lastUse = System.nanoTime();
        try {
            VerbsMessage message = VerbsMessage.read(seal.open(bytes));
            unless(
                    ready != message instanceof VerbsMessage.Challenge,
                    "a first message that is no challenge, or a later one that is");
            switch (message) {
                case VerbsMessage.Challenge challenge -> {
                    challengeTimer.cancel();
                    accept(challenge);
                    List<VerbsCall> all = List.copyOf(waiting);
                    waiting.clear();
                    all.forEach(this::begin);
                }
                case VerbsMessage.Locate locate -> serve(locate);
                case VerbsMessage.Located located -> {
                    VerbsCall call = calls.get(located.call());
                    unless(call != null, "an answer to no call");
                    call.located(located, this);
                    if (call.isOver()) {
                        over(call);
                    }
                }
                case VerbsMessage.Release release -> {
                    Served one = served.remove(release.call());
                    unless(one != null && one.isAnswered(), "the release of a call that was not answered");
                    one.release(true);
                }
            }
        } catch (BadMessageException e) {
            fail(e.getMessage());
        }
    }

    private void serve(VerbsMessage.Locate locate) {
        unless(served.size() < MAX_CALLS, "more than " + MAX_CALLS + " calls at a time");
        var one = new Served(locate);
        unless(served.putIfAbsent(locate.call(), one) == null, "a call number that is in use");
        context.tasks().read(one::find, () -> {
            one.answered = true;
            if (gone) {
                one.release(false);
            } else {
                send(new VerbsMessage.Located(locate.call(), one.places));
            }
        });
    }

    /** What the peer may read for one call. */
    private final class Served {
        private final VerbsMessage.Locate locate;
        private final List<VerbsMessage.Place> places = new ArrayList<>();
        private final List<FileRegions.Lease> leases = new ArrayList<>();
        private boolean answered;

        Served(VerbsMessage.Locate locate) {
            this.locate = locate;
        }

        boolean isAnswered() {
            return answered;
        }

        /** Looks up, maps and registers; this blocks, on another thread. */
        void find() {
            for (BlockKey block : locate.blocks()) {
                VerbsMessage.Place place;
                try {
                    place = find(block);
                } catch (Throwable e) { // Scala throws checked exceptions undeclared
                    place = VerbsMessage.Place.refused(e.toString());
                }
                places.add(place);
            }
        }

        private VerbsMessage.Place find(BlockKey block) throws IOException {
            BlockSource.Range range = context.source().find(block);
            if (range == null || range.length() > locate.most()) {
                return VerbsMessage.Place.refused(range == null ? "in no file" : "too long");
            }
            if (range.length() == 0) {
                return new VerbsMessage.Place(new RemoteMemory(0, 0, 0), "");
            }
            FileRegions.Lease lease = context.files().tryAcquire(range);
            if (lease == null) {
                return VerbsMessage.Place.refused("no room");
            }
            leases.add(lease);
            return new VerbsMessage.Place(lease.memory(), "");
        }

        void release(boolean read) {
            for (FileRegions.Lease lease : leases) {
                if (read) {
                    context.figures().bytesServed.add(lease.memory().length());
                }
                context.files().release(lease);
            }
            leases.clear();
        }
    }

    private void send(VerbsMessage message) {
        long slice = VerbsContext.tryAcquire(context.sends());
        if (slice == 0) {
            fail("there is no memory for messages");
            return;
        }
        MemorySegment memory = context.sends().segment(slice);
        int written = VerbsMessage.write(message, memory.asByteBuffer()).limit();
        int length = seal.seal(memory, written, to);
        post(new VerbsOperation(
                this,
                request -> context.sends().into(request, slice, 0, length).opcode(SendOpcode.SEND),
                _ -> context.sends().release(slice)));
    }

    /** Posts an operation, now or when there is room. */
    void post(VerbsOperation operation) {
        if (gone) {
            operation.end(false);
            return;
        }
        unposted.add(operation);
        post();
    }

    /** Posts as many as there is room for. */
    void post() {
        while (!gone && !unposted.isEmpty()) {
            SendRequest request = transport.request(unposted.peek());
            boolean posted = false;
            try {
                unposted.peek().fill(request);
                posted = member.isConnected() && member.queuePair().tryPost(request);
            } finally {
                if (!posted) {
                    transport.withdraw();
                }
            }
            if (!posted) {
                return;
            }
            underWay++;
            unposted.remove();
        }
    }

    /**
     * The device has completed an operation. A READ has ended only when a later operation has succeeded, too: when a queue
     * pair fails, Soft-RoCE completes the first READ that is under way as successful, and has not done it.
     */
    void completed(VerbsOperation operation, boolean success) {
        underWay--;
        VerbsOperation before = unconfirmed;
        unconfirmed = success && operation.isRead() ? operation : null;
        if (before != null) {
            before.end(success);
        }
        if (unconfirmed == null) {
            operation.end(success);
        } else if (underWay == 0 && unposted.isEmpty()) {
            post(unconfirmed.again());
        }
    }

    /** The queue pair is gone: nothing confirms a READ any more. */
    void endUnconfirmed() {
        if (unconfirmed != null) {
            VerbsOperation last = unconfirmed;
            unconfirmed = null;
            last.end(false);
        }
    }

    private void fail(String why) {
        context.log().log("the connection to " + member.peerAddress() + " ends: " + why);
        member.disconnect();
    }

    /** The connection is gone: the peer can read nothing any more, and nothing more comes. */
    void end(String why) {
        gone = true;
        if (challengeTimer != null) {
            challengeTimer.cancel();
        }
        var all = new ArrayList<>(calls.values());
        calls.clear();
        all.addAll(waiting);
        waiting.clear();
        all.forEach(call -> {
            if (call.timer != null) {
                call.timer.cancel();
            }
            call.refuse("the connection has ended: " + why);
        });
        while (!unposted.isEmpty()) {
            unposted.remove().end(false);
        }
        served.values().stream().filter(Served::isAnswered).forEach(one -> one.release(false));
        served.clear();
    }
}
