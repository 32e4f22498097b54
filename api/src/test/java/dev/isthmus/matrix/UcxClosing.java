// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import java.time.Duration;

/** How an object is closed, before a call or around it. */
@SuppressWarnings("ImmutableEnumChecker")
enum UcxClosing {
    NOTHING(s -> {}, s -> {}),
    REMOTE(s -> s.memories.remote(), s -> s.memories.remote().close()),
    ENDPOINT(s -> {}, s -> s.peers.one.close()),
    ENDPOINT_FORCIBLY(s -> {}, s -> s.peers.one.closeForcibly()),
    ENDPOINT_ASYNC(s -> {}, s -> s.closes.add(s.peers.one.closeAsync())),
    ENDPOINT_AT_ONCE(s -> {}, s -> s.closes.add(s.peers.one.closeAsync(Duration.ZERO))),
    BOTH_ENDPOINTS(s -> {}, UcxClosing::closeBoth),
    ACCEPTED_FORCIBLY(
            s -> s.connections.accepted(), s -> s.connections.accepted().closeForcibly()),
    LISTENER(s -> s.connections.undecided(), s -> s.connections.listener().close()),
    WORKER(s -> {}, s -> {
        closeBoth(s);
        s.peers.mine.close();
    }),
    WORKER_ASYNC(s -> {}, s -> {
        closeBoth(s);
        s.closes.add(s.peers.mine.closeAsync());
    }),
    WORKER_AT_ONCE(s -> {}, s -> {
        closeBoth(s);
        s.closes.add(s.peers.mine.closeAsync(Duration.ZERO));
    }),
    MEMORY(s -> s.memories.registered(), s -> s.memories.registered().close()),
    CONTEXT(s -> {}, s -> s.shared.context().close()),
    KEPT(s -> s.messages.kept(), s -> s.messages.kept().close()),
    STREAM_DATA(s -> s.messages.streamData(), s -> s.messages.streamData().close()),
    TAKEN(s -> s.messages.taken(), s -> s.messages.taken().close()),
    POOL(s -> s.memories.pool(), s -> s.memories.pool().close()),
    CACHE(s -> s.memories.cache(), s -> s.memories.cache().close()),
    ARENA(s -> {}, s -> s.bytes.arena.close());

    /** A step of a cell. */
    @FunctionalInterface
    interface Step {
        void on(UcxScene scene);
    }

    private final Step preparation;
    private final Step close;

    UcxClosing(Step preparation, Step close) {
        this.preparation = preparation;
        this.close = close;
    }

    private static void closeBoth(UcxScene s) {
        s.closes.add(s.peers.one.closeAsync());
        s.closes.add(s.peers.two.closeAsync());
    }

    boolean needsSockets() {
        return this == LISTENER || this == ACCEPTED_FORCIBLY;
    }

    /** Whether it is refused while there is remote memory. */
    boolean closesEndpoints() {
        return this == ENDPOINT || this == ENDPOINT_ASYNC || this == WORKER || this == WORKER_ASYNC;
    }

    /** Whether the worker is progressed until the close is over, if it has something to wait for. */
    boolean isAsync() {
        return this == ENDPOINT_ASYNC || this == WORKER_ASYNC;
    }

    /** Creates what is to be closed. */
    void prepare(UcxScene scene) {
        preparation.on(scene);
    }

    /** Closes it, which may be refused. */
    void close(UcxScene scene) {
        scene.faults.lenient(() -> scene.closes.during(() -> close.on(scene)));
    }
}
