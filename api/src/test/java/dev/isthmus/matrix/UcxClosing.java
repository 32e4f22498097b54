// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import java.time.Duration;

/** How an object is closed, before a call or around it. */
@SuppressWarnings({"FutureReturnValueIgnored", "ImmutableEnumChecker"}) // the cell awaits the close
enum UcxClosing {
    NOTHING(s -> {}, s -> {}),
    REMOTE(UcxScene::remote, s -> s.remote().close()),
    ENDPOINT(s -> {}, s -> s.one.close()),
    ENDPOINT_FORCIBLY(s -> {}, s -> s.one.closeForcibly()),
    ENDPOINT_ASYNC(s -> {}, s -> s.one.closeAsync()),
    ENDPOINT_AT_ONCE(s -> {}, s -> s.one.closeAsync(Duration.ZERO)),
    BOTH_ENDPOINTS(s -> {}, s -> {
        s.one.closeAsync();
        s.two.closeAsync();
    }),
    LISTENER(UcxScene::undecided, s -> s.listener().close()),
    WORKER(s -> {}, s -> {
        s.one.closeAsync();
        s.two.closeAsync();
        s.mine.close();
    }),
    WORKER_ASYNC(s -> {}, s -> {
        s.one.closeAsync();
        s.two.closeAsync();
        s.mine.closeAsync();
    }),
    WORKER_AT_ONCE(s -> {}, s -> {
        s.one.closeAsync();
        s.two.closeAsync();
        s.mine.closeAsync(Duration.ZERO);
    }),
    MEMORY(UcxScene::memory, s -> s.memory().close()),
    CONTEXT(s -> {}, s -> s.context.close()),
    KEPT(UcxScene::kept, s -> s.kept().close()),
    STREAM_DATA(UcxScene::streamData, s -> s.streamData().close()),
    TAKEN(UcxScene::taken, s -> s.taken().close()),
    POOL(UcxScene::pool, s -> s.pool().close()),
    CACHE(UcxScene::cache, s -> s.cache().close()),
    ARENA(s -> {}, s -> s.arena.close());

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

    boolean needsSockets() {
        return this == LISTENER;
    }

    /** Creates what is to be closed. */
    void prepare(UcxScene scene) {
        preparation.on(scene);
    }

    /** Closes it, which may be refused. */
    void close(UcxScene scene) {
        scene.lenient(() -> close.on(scene));
    }
}
