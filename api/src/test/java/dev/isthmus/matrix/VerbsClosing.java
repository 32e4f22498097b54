// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.verbs.MemoryWindowType;
import java.util.function.Function;

/** What is closed before a call, or during a loan. */
@SuppressWarnings("ImmutableEnumChecker") // functions without a state
enum VerbsClosing {
    NOTHING(s -> () -> {}),
    QUEUE_PAIR(s -> s.one),
    SHARED_RECEIVE_QUEUE(s -> s.srq),
    COMPLETION_QUEUE(s -> s.cq),
    EXTENDED_COMPLETION_QUEUE(VerbsScene::extended),
    COMPLETION_CHANNEL(s -> s.channel),
    REGION(s -> s.region),
    MEMORY(VerbsScene::memory),
    WINDOW(s -> s.window(MemoryWindowType.TYPE_2)),
    ADDRESS_HANDLE(VerbsScene::handle),
    POOL(VerbsScene::pool),
    CACHE(VerbsScene::cache),
    PROTECTION_DOMAIN(s -> s.pd),
    CONTEXT(s -> s.context),
    ARENA(s -> s.arena),
    QUEUE_PAIR_OF_ID(VerbsScene::connectedPair),
    ID(VerbsScene::id),
    LISTENING_ID(VerbsScene::listening),
    REQUESTED_ID(VerbsScene::requested),
    MEMBERSHIP(VerbsScene::membership),
    EVENT_CHANNEL(VerbsScene::events),
    LISTENER(VerbsScene::listener),
    CONNECTION(VerbsScene::connection),
    QUEUE_PAIR_OF_CONNECTION(s -> s.connection().queuePair()),
    DOMAIN_OF_CONNECTION(s -> s.connection().protectionDomain()),
    GROUP(VerbsScene::group),
    QUEUE_PAIR_OF_MEMBER(s -> s.member().queuePair()),
    RECEIVES_OF_GROUP(s -> s.group().receives()),
    DOMAIN_OF_GROUP(s -> s.group().protectionDomain()),
    LOOP(VerbsScene::loop),
    /** All that can be closed, in the order of creation reversed. */
    EVERYTHING(s -> s::closeEverything);

    private final Function<VerbsScene, AutoCloseable> object;

    VerbsClosing(Function<VerbsScene, AutoCloseable> object) {
        this.object = object;
    }

    /** Creates what is to be closed. */
    void prepare(VerbsScene scene) {
        var _ = object.apply(scene);
    }

    /** Closes it, which may be refused. */
    void close(VerbsScene scene) {
        scene.lenient(() -> object.apply(scene).close());
    }
}
