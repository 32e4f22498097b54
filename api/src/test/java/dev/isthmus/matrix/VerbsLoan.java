// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.cm.PortSpace;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.MemoryWindowType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WindowBinding;
import java.util.ArrayList;
import java.util.List;

/** What the program or the device has of an object, and how it is used after one of its parents was closed. */
@SuppressWarnings({"CheckReturnValue", "ImmutableEnumChecker"}) // any answer is right
enum VerbsLoan {
    REGION(s -> {}, s -> s.one.post(s.send())),
    MEMORY(
            s -> s.one.post(ReceiveRequest.prepare(s.memory().region())),
            s -> s.memory().segment().fill((byte) 1)),
    SLICE(VerbsScene::slice, s -> s.one.post(s.pool().into(ReceiveRequest.prepare(1), s.slice()))),
    POSTED_SLICE(
            s -> s.one.post(s.pool().into(ReceiveRequest.prepare(1), s.slice())),
            s -> s.pool().segment(s.slice()).fill((byte) 1)),
    LEASE(VerbsScene::lease, s -> s.one.post(s.cache().into(ReceiveRequest.prepare(1), s.lease(), 0, 8))),
    REMOTE_MEMORY(s -> {}, s -> s.two.post(s.send().opcode(SendOpcode.RDMA_READ).remote(s.region.remoteMemory(), 0))),
    COMPLETIONS(VerbsScene::completed, s -> s.cq.queuePair(s.done.qpNum(0))),
    POSTED_RECEIVES(
            s -> {
                s.one.post(s.receive());
                s.srq.post(s.receive());
            },
            s -> s.two.post(s.send())),
    /** Their receiver is not ready. */
    POSTED_SENDS(s -> s.one.post(s.send()), s -> s.srq.post(s.receive())),
    SENDS_TO_RECEIVES(VerbsScene::exchange, s -> s.cq.poll(s.done)),
    WINDOW_OF_TYPE_1(
            s -> {
                var binding = WindowBinding.of(s.region, 0, 64, AccessFlag.REMOTE_READ);
                s.window(MemoryWindowType.TYPE_1).tryBind(s.one, binding, 1, true);
                s.until(() -> s.cq.poll(s.done) > 0);
            },
            s -> s.window(MemoryWindowType.TYPE_1).close()),
    WINDOW_OF_TYPE_2(
            s -> {
                var window = s.window(MemoryWindowType.TYPE_2);
                var binding = WindowBinding.of(s.region, 0, 64, AccessFlag.REMOTE_READ);
                s.one.post(SendRequest.prepare(1).signaled(true).bind(window, window.nextRkey(), binding));
                s.until(() -> s.cq.poll(s.done) > 0);
            },
            s -> s.window(MemoryWindowType.TYPE_2).close()),
    ADDRESS_HANDLE(
            s -> s.datagrams().post(s.send().to(s.handle(), s.datagrams().qpNum(), 7)),
            s -> s.datagrams().post(s.send().to(s.handle(), s.datagrams().qpNum(), 7))),
    BATCH(
            VerbsScene::startedBatch,
            s -> s.startedBatch().next(1, true).send().sge(s.region, 0, 8).complete()),
    OPEN_POLL(VerbsScene::polling, s -> s.polling().qpNum()),
    COMPLETION_EVENT(
            s -> {
                s.cq.requestNotify(false);
                s.exchange();
            },
            s -> s.channel.poll()),
    TAKEN_COMPLETION_EVENT(
            s -> {
                s.cq.requestNotify(false);
                s.exchange();
                s.until(() -> s.channel.poll() != null);
            },
            s -> s.cq.requestNotify(false)),
    ASYNC_EVENT(
            s -> {
                s.srq.limit(1);
                s.exchange();
            },
            s -> s.context.asyncEvents().poll()),
    CM_EVENT(
            s -> s.own(s.events().createId(PortSpace.TCP)).resolveAddress(s.nobody(), VerbsScene.DEADLINE),
            s -> s.events().poll()),
    REQUEST(s -> s.ask(s.listening().localAddress()), s -> {
        var event = s.events().poll();
        if (event != null) {
            s.own(event.id());
        }
    }),
    REQUEST_OF_LISTENER(
            s -> s.ask(s.listener().localAddress()), s -> s.own(s.listener().accept(VerbsScene.MOMENT))),
    MEMBERSHIP(VerbsScene::membership, s -> s.membership().close()),
    MEMORY_OF_CONNECTION(
            s -> {
                s.established();
                s.own(s.established().protectionDomain().register(s.segment, AccessFlag.LOCAL_WRITE));
            },
            s -> s.established().allocate(64)),
    RECEIVE_OF_CONNECTION(
            s -> s.established().queuePair().post(ReceiveRequest.prepare(0)),
            s -> s.established().await(s.done, VerbsScene.MOMENT)),
    MEMORY_OF_GROUP(
            s -> s.own(s.group().protectionDomain().allocate(64)),
            s -> s.group().allocate(64)),
    RECEIVE_OF_GROUP(
            s -> {
                s.joined();
                s.group().receives().post(ReceiveRequest.prepare(0));
            },
            s -> s.joined().disconnect());

    /** A step of a cell. */
    @FunctionalInterface
    interface Step {
        void on(VerbsScene scene) throws Exception;
    }

    private final Step take;
    private final Step use;

    VerbsLoan(Step take, Step use) {
        this.take = take;
        this.use = use;
    }

    /** The matrix of the closes of everything during every loan, outside of handlers and in one. */
    static List<Cell> all() {
        List<Cell> cells = new ArrayList<>();
        for (VerbsLoan loan : values()) {
            for (VerbsClosing closing : VerbsClosing.values()) {
                cells.add(loan.during(closing, VerbsPlace.NO_HANDLER));
                cells.add(loan.during(closing, VerbsPlace.TASK));
            }
        }
        return cells;
    }

    private Cell during(VerbsClosing closing, VerbsPlace place) {
        String where = place == VerbsPlace.NO_HANDLER ? "" : " in " + place;
        return new Cell("close of " + closing + " during " + this + where, () -> {
            var scene = new VerbsScene();
            try {
                closing.prepare(scene);
                take.on(scene);
                boolean[] ran = {false};
                place.run(
                        scene,
                        () -> {
                            ran[0] = true;
                            closing.close(scene);
                            scene.lenient(() -> use.on(scene));
                            closing.close(scene);
                        },
                        () -> ran[0]);
            } catch (RuntimeException | AssertionError e) {
                scene.impossible(e);
            }
            List<String> faults = scene.finish();
            if (!faults.isEmpty()) {
                throw new AssertionError(String.join("\n", faults));
            }
        });
    }
}
