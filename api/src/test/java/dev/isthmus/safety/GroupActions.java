// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.CmException;
import dev.isthmus.cm.ConnectionGroup;
import dev.isthmus.cm.GroupHandler;
import dev.isthmus.cm.GroupMember;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Connection groups, each on a loop of its own, whose handlers misbehave: they throw, end members, and close the group.
 * Checks that a handler hears of each member in order: first that it is connected, then its completions, then its end.
 */
final class GroupActions {

    private static final int MOST = 3;
    private static final int MOST_MEMBERS = 12;
    private static final int RECEIVES = 16;
    private static final int BYTES = 64;
    private static final long LONGEST_SECONDS = TestDeadlines.seconds(30);

    private final List<Party> all = new CopyOnWriteArrayList<>();
    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();

    /** A group, its loop, and what its handler was told. All fields but the first three belong to the loop's thread. */
    private final class Party implements GroupHandler, AutoCloseable {
        final EventLoop loop = EventLoop.start(config -> config.exceptionHandler(this::thrown));
        final ConnectionGroup group;
        final InetSocketAddress address;
        private final SplittableRandom random;
        private final Set<GroupMember> here = new HashSet<>();
        private final SendRequest send;
        private final ReceiveRequest receive;
        private volatile boolean closed;
        private volatile boolean mayBeGone;

        Party(Worker w) {
            random = w.random.split();
            try {
                group = ConnectionGroup.open(
                        loop,
                        CmActions.address(w).getAddress(),
                        this,
                        config -> config.receives(RECEIVES).completions(64).queuePair(of -> of.maxSendWr(4)));
                var memory = loop.call(() -> group.allocate(RECEIVES * BYTES, AccessFlag.LOCAL_WRITE));
                send = loop.call(() -> SendRequest.prepare(memory.region()));
                receive = loop.call(() -> ReceiveRequest.prepare(memory.region()));
                address = loop.call(() -> {
                    for (int i = 0; i < RECEIVES; i++) {
                        group.receives().post(receive.range((long) i * BYTES, BYTES));
                    }
                    return group.listen(0, config -> config.maxHandshakes(1 + random.nextInt(MOST_MEMBERS)));
                });
            } catch (Throwable t) {
                loop.close();
                throw t;
            }
        }

        private void thrown(Throwable t) {
            Reason reason = Reason.of(t);
            boolean ofQueuePair = reason == Reason.CLOSED && t.getMessage().startsWith("QueuePair"); // see misbehave
            if (reason != Reason.CALLBACK && reason != Reason.DEVICE && !ofQueuePair) {
                faults.add(t);
            }
        }

        private void fault(String what) {
            throw new AssertionError(what);
        }

        @Override
        public void connected(GroupMember member) {
            if (closed || !here.add(member) || !member.isConnected()) {
                fault(member + " has come twice, or to a group that is closed");
            }
            misbehave(member);
        }

        @Override
        public void completed(GroupMember member, WorkCompletions done, int i) {
            if (closed || !here.contains(member)) {
                fault("a request has completed of " + member + ", who is not here");
            }
            done.status(i);
            again();
            misbehave(member);
        }

        @Override
        public void completedAfterEnd(WorkCompletions done, int i) {
            if (closed) {
                fault("a request has completed of a group that is closed");
            }
            done.wrId(i);
            again();
        }

        @Override
        public void ended(GroupMember member, CmException how) {
            if (closed || !here.remove(member) || member.isConnected()) {
                fault(member + " has ended twice, or never came");
            }
            misbehave(member);
        }

        private void again() {
            if (random.nextInt(4) > 0) {
                var ignored = group.receives().tryPost(receive);
            }
        }

        /** On the loop's thread, in a handler or a task. */
        void misbehave(GroupMember member) {
            switch (random.nextInt(24)) {
                case 0 -> throw new IllegalStateException("of the handler");
                case 1, 2 -> member.disconnect();
                case 3 -> {
                    if (random.nextInt(8) == 0) {
                        closeGroup();
                    }
                }
                case 4 -> member.queuePair().close(); // which is the group's to close
                case 5 ->
                    loop.execute(() -> {
                        throw new IllegalStateException("of the handler");
                    });
                case 6 -> member.attach(this);
                case 7 -> Objects.requireNonNull(member.toString());
                default -> post(member);
            }
        }

        private void post(GroupMember member) {
            // Like any program, it cannot send on a member that has left, or whose queue pair it has closed.
            if (member.isConnected() && member.queuePair().state() == QueuePairState.RTS && here.contains(member)) {
                try {
                    var ignored = member.queuePair()
                            .tryPost(send.range(0, random.nextInt(BYTES)).signaled(random.nextBoolean()));
                } catch (IllegalStateException e) {
                    if (Reason.of(e) != Reason.CLOSED && Reason.of(e) != Reason.STATE) {
                        throw e;
                    }
                }
            }
        }

        /** Any member; null if there is none. */
        GroupMember any() {
            return here.stream()
                    .skip(here.isEmpty() ? 0 : random.nextInt(here.size()))
                    .findFirst()
                    .orElse(null);
        }

        /** In a handler or a task. */
        private void closeGroup() {
            mayBeGone = true;
            group.close();
            closed = true;
            here.clear();
        }

        @Override
        public void close() {
            mayBeGone = true;
            group.close();
            closed = true; // of no handler's business any more
            loop.close();
        }
    }

    List<Action> all() {
        return List.of(
                action("group", 3, this::open, Reason.ARGUMENT, Reason.DEVICE),
                action("group connects", 10, this::connect, Reason.ARGUMENT, Reason.CLOSED, Reason.REJECTED),
                action("group listens", 1, this::listen, Reason.DEVICE, Reason.CLOSED, Reason.REJECTED),
                action("member misbehaves", 10, this::misbehave, Reason.CALLBACK, Reason.CLOSED, Reason.REJECTED),
                action("look at what was connected", 4, this::look),
                action("use group of another", 2, this::intrude, Reason.CLOSED),
                action("close loop of a group", 1, this::closeLoop, Reason.IN_USE),
                action("close group", 1, this::close));
    }

    private void open(Worker w) {
        if (w.countOpen(Party.class) >= MOST) {
            throw new Worker.NothingThere();
        }
        var party = new Party(w);
        w.made(Party.class, party);
        all.add(party);
    }

    /** The result of a future, or its exception. */
    private static <T> T get(CompletableFuture<T> future) throws Exception {
        try {
            return future.get(LONGEST_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** A requested connection. */
    private record Wanted(Thing party, CompletableFuture<GroupMember> member) {}

    private void connect(Worker w) {
        Thing thing = w.takeOpen(Party.class);
        Party party = (Party) thing.object;
        InetSocketAddress to = w.chance(8) ? CmActions.address(w) : w.peek(Party.class).address;
        Duration within = w.chance(4) ? w.moment() : Duration.ofSeconds(10);
        CompletableFuture<GroupMember> wanted = party.loop.call(() -> {
            if (party.group.size() >= MOST_MEMBERS) {
                throw new IllegalStateException("so many members: the group is closed"); // to more
            }
            return party.group.connect(to, within);
        });
        if (w.chance(6)) {
            wanted.cancel(true);
        }
        w.part(Wanted.class, new Wanted(thing, wanted), thing);
    }

    /** Checks how a connection has failed. Once its group is closed, it exists or has failed. */
    private void look(Worker w) {
        Wanted one = w.peek(Wanted.class);
        boolean closed = one.party.seen().closed();
        CompletableFuture<GroupMember> wanted = one.member;
        if (closed && !wanted.isDone()) {
            throw new AssertionError("a connection of a closed group never ends");
        }
        if (wanted.isCompletedExceptionally() && !wanted.isCancelled()) {
            Throwable failure = wanted.exceptionNow();
            Reason reason = Reason.of(failure);
            if (reason != Reason.DEVICE && reason != Reason.CALLBACK && reason != Reason.CLOSED) {
                throw new AssertionError("no connection may fail so", failure);
            }
        }
    }

    private void listen(Worker w) throws Exception {
        Party party = (Party) w.takeOpen(Party.class).object;
        int port = w.chance(2) ? 0 : party.address.getPort();
        get(party.loop.submit(() -> party.group.listen(port, config -> {})));
    }

    private void misbehave(Worker w) throws Exception {
        Party party = (Party) w.takeOpen(Party.class).object;
        get(party.loop.submit(() -> {
            GroupMember member = party.any();
            if (member != null) {
                party.misbehave(member);
            }
        }));
    }

    /** Uses what belongs to the loop's thread from another thread. */
    private void intrude(Worker w) {
        ConnectionGroup group = w.open(Party.class).group;
        w.expected.must(Reason.WRONG_THREAD);
        switch (w.random.nextInt(4)) {
            case 0 -> group.listen(0, config -> {});
            case 1 -> group.connect(CmActions.address(w), Duration.ofSeconds(1)).cancel(true);
            case 2 -> group.allocate(BYTES);
            default -> w.ignore(group.receives().tryPost(ReceiveRequest.prepare(0)));
        }
    }

    /** Refused while it has its group. */
    private void closeLoop(Worker w) {
        Party party = w.peek(Party.class);
        party.loop.close();
        if (!party.mayBeGone) {
            throw new AssertionError("a loop was closed before its group");
        }
    }

    private void close(Worker w) throws Exception {
        Thing thing = w.pick(Party.class);
        w.close(thing, ((Party) thing.object)::close);
    }

    /** Closes everything, and reports the faults that handlers and futures found. */
    void closeAll(Engine engine) {
        all.forEach(Party::close);
        faults.forEach(fault -> engine.fault("group: " + Engine.trace(fault)));
    }
}
