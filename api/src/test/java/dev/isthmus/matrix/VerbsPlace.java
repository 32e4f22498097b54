// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.cm.ConnectionGroup;
import dev.isthmus.cm.Connector;
import dev.isthmus.cm.Listener;
import dev.isthmus.cm.PortSpace;
import dev.isthmus.loop.Polled;
import dev.isthmus.loop.Source;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.DomainAllocator;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.cqex.ExtendedCompletionQueue;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Where the program's part of a cell runs: in which kind of handler or callback. */
@SuppressWarnings({"FutureReturnValueIgnored", "ImmutableEnumChecker"}) // the cell awaits the part
enum VerbsPlace {
    NO_HANDLER((s, inside, ran) -> inside.run()),
    /** Between a poll of completions and reading them. */
    COMPLETIONS_POLLED((s, inside, ran) -> {
        s.completed();
        inside.run();
        s.lenient(() -> {
            if (s.cq.queuePair(s.done.qpNum(0)) == null && s.done.isSuccess(0)) {
                s.one.query(); // one of them is closed, or else this fails
                s.two.query();
                throw new AssertionError("the queue pair of a completion is not found");
            }
        });
    }),
    TASK((s, inside, ran) -> {
        s.loop().execute(inside);
        s.untilTurned(ran);
    }),
    TIMER((s, inside, ran) -> {
        s.loop().schedule(Duration.ZERO, inside);
        s.untilTurned(ran);
    }),
    /** A dependent of a future that the close of the loop completes. */
    TASK_AT_CLOSE((s, inside, ran) -> {
        s.closeGroups(); // they keep it open
        s.loop().submit(() -> {}).whenComplete((nothing, t) -> inside.run());
        s.lenient(s.loop()::close);
    }),
    POLL((s, inside, ran) -> polled(s, inside, () -> {}, ran)),
    ARM((s, inside, ran) -> polled(s, () -> {}, inside, ran)),
    DESCRIPTOR((s, inside, ran) -> {
        s.own(s.loop().add(s.channel.fileDescriptor(), inside));
        s.cq.requestNotify(false);
        s.exchange();
        s.untilTurned(ran);
    }),
    SOURCE((s, inside, ran) -> {
        s.own(s.loop()
                .add(
                        new Source<Void>() {
                            @Override
                            public int fileDescriptor() {
                                return s.channel.fileDescriptor();
                            }

                            @Override
                            public Void poll() {
                                inside.run();
                                return null;
                            }
                        },
                        nothing -> {}));
        s.cq.requestNotify(false);
        s.exchange();
        s.untilTurned(ran);
    }),
    CM_EVENT((s, inside, ran) -> {
        s.own(s.loop().add(s.events(), event -> {
            s.id = event.id();
            inside.run();
        }));
        s.own(s.events().createId(PortSpace.TCP)).resolveAddress(s.nobody(), VerbsScene.DEADLINE);
        s.untilTurned(ran);
    }),
    COMPLETION_EVENT((s, inside, ran) -> {
        s.own(s.loop().add(s.channel, queue -> inside.run()));
        s.cq.requestNotify(false);
        s.exchange();
        s.untilTurned(ran);
    }),
    /** The shared receive queue has fewer requests than its limit. */
    ASYNC_EVENT((s, inside, ran) -> {
        s.own(s.loop().add(s.context.asyncEvents(), event -> inside.run()));
        s.srq.limit(1);
        s.exchange();
        s.untilTurned(ran);
    }),
    DRAIN((s, inside, ran) -> {
        s.one.post(s.receive());
        s.lenient(() -> {
            var _ = s.one.drain(s.done, index -> inside.run(), VerbsScene.DEADLINE);
        });
    }),
    CONFIGURER_OF_COMPLETION_QUEUE((s, inside, ran) ->
            s.lenient(() -> s.own(s.context.createCompletionQueue(16, config -> {
                config.channel(s.channel);
                inside.run();
            })))),
    CONFIGURER_OF_EXTENDED_COMPLETION_QUEUE((s, inside, ran) ->
            s.lenient(() -> s.own(ExtendedCompletionQueue.create(s.context, 16, config -> {
                config.standardFields().channel(s.channel);
                inside.run();
            })))),
    CONFIGURER_OF_SHARED_RECEIVE_QUEUE(
            (s, inside, ran) -> s.lenient(() -> s.own(s.pd.createSharedReceiveQueue(config -> inside.run())))),
    CONFIGURER_OF_QUEUE_PAIR((s, inside, ran) ->
            s.lenient(() -> s.own(s.pd.createQueuePair(QueuePairType.RC, s.cq, s.cq, config -> {
                config.sharedReceiveQueue(s.srq);
                inside.run();
            })))),
    CONFIGURER_OF_REREGISTRATION((s, inside, ran) -> s.lenient(() -> s.own(s.region.reregister(config -> {
        config.access(AccessFlag.LOCAL_WRITE);
        inside.run();
    })))),
    CONFIGURER_OF_ID((s, inside, ran) -> {
        s.id = s.bind(s.events().createId(PortSpace.TCP)); // without a queue pair as yet
        s.lenient(() -> s.own(s.id.createQueuePair(
                s.connectedDomain(), s.connectedQueue(), s.connectedQueue(), config -> inside.run())));
    }),
    CONFIGURER_OF_CONNECT((s, inside, ran) -> s.lenient(() -> s.bound().connect(config -> inside.run()))),
    CONFIGURER_OF_LISTENER((s, inside, ran) -> s.lenient(() -> s.own(Listener.bind(s.any(), config -> inside.run())))),
    CONFIGURER_OF_CONNECTOR((s, inside, ran) ->
            s.lenient(() -> s.own(Connector.connect(s.nobody(), VerbsScene.DEADLINE, setup -> inside.run())))),
    CONFIGURER_OF_GROUP((s, inside, ran) -> s.lenient(
            () -> s.own(ConnectionGroup.open(s.loop(), s.address, VerbsScene.QUIET, config -> inside.run())))),
    CONFIGURER_OF_GROUPS_LISTENER((s, inside, ran) -> s.lenient(() -> s.group().listen(0, config -> inside.run()))),
    /** The driver's own calls within the creation of a queue pair. */
    ALLOCATOR((s, inside, ran) -> {
        var domain = s.own(s.pd.allocateParentDomain(null, new DomainAllocator() {
            @Override
            public MemorySegment allocate(long bytes, long alignment, long resourceType) {
                inside.run();
                return null;
            }

            @Override
            public void free(MemorySegment memory, long resourceType) {}
        }));
        s.lenient(() -> s.own(domain.createQueuePair(QueuePairType.RC, s.cq, s.cq)));
    }),
    PREPARE((s, inside, ran) -> s.connectInVain(connection -> inside.run())),
    OWNED((s, inside, ran) -> s.connectInVain(connection -> connection.closeWith(inside::run))),
    ADMISSION((s, inside, ran) -> {
        s.onAdmission = inside;
        accept(s, ran);
    }),
    ACCEPTED((s, inside, ran) -> {
        s.onPrepare = inside;
        accept(s, ran);
    }),
    ACCEPTED_QUEUE_PAIR((s, inside, ran) -> {
        s.onQueuePair = inside;
        accept(s, ran);
    }),
    ACCEPTED_PARAMETERS((s, inside, ran) -> {
        s.onParameters = inside;
        accept(s, ran);
    }),
    OWNED_OF_LISTENER((s, inside, ran) -> {
        s.onPrepare = () -> s.connection().closeWith(inside::run);
        accept(s, () -> s.connection != null);
        s.lenient(s.listener()::close);
    }),
    GROUP_ADMISSION((s, inside, ran) -> {
        s.onAdmission = inside;
        s.ask(s.groupsAddress());
        s.untilTurned(ran);
    }),
    GROUP_QUEUE_PAIR((s, inside, ran) -> {
        s.onQueuePair = inside;
        s.group().connect(s.otherGroup(), VerbsScene.DEADLINE);
        s.untilTurned(ran);
    }),
    GROUP_PARAMETERS((s, inside, ran) -> {
        s.onParameters = inside;
        s.group().connect(s.otherGroup(), VerbsScene.DEADLINE);
        s.untilTurned(ran);
    }),
    CONNECTED((s, inside, ran) -> {
        s.onConnected = inside;
        s.group().connect(s.otherGroup(), VerbsScene.DEADLINE);
        s.untilTurned(ran);
    }),
    COMPLETED((s, inside, ran) -> {
        s.onCompleted = inside;
        s.joined().queuePair().post(SendRequest.prepare(0).signaled(true));
        s.untilTurned(ran);
    }),
    ENDED((s, inside, ran) -> {
        s.onEnded = inside;
        s.joined().disconnect();
        s.untilTurned(ran);
    }),
    /** A dependent of a future that the group completes. */
    JOINED((s, inside, ran) -> {
        s.group().connect(s.otherGroup(), VerbsScene.DEADLINE).whenComplete((member, t) -> {
            s.member = member;
            inside.run();
        });
        s.untilTurned(ran);
    }),
    REFUSED((s, inside, ran) -> {
        s.group().connect(s.nobody(), VerbsScene.DEADLINE).whenComplete((member, t) -> inside.run());
        s.untilTurned(ran);
    }),
    CONNECTING_AT_CLOSE((s, inside, ran) -> {
        s.group().connect(s.nobody(), VerbsScene.DEADLINE).whenComplete((member, t) -> inside.run());
        s.lenient(s.group()::close);
    }),
    OWNED_OF_GROUP((s, inside, ran) -> {
        s.joined();
        s.group().closeWith(inside::run);
        s.lenient(s.group()::close);
    });

    /** Arranges that the part runs, and waits until it has. */
    @FunctionalInterface
    interface Arrangement {
        void run(VerbsScene scene, Runnable inside, BooleanSupplier ran);
    }

    private final Arrangement arrangement;

    VerbsPlace(Arrangement arrangement) {
        this.arrangement = arrangement;
    }

    /** Whether objects are being closed there. */
    boolean closes() {
        return switch (this) {
            case TASK_AT_CLOSE, DRAIN, OWNED, OWNED_OF_LISTENER, ENDED, CONNECTING_AT_CLOSE, OWNED_OF_GROUP -> true;
            default -> false;
        };
    }

    void run(VerbsScene scene, Runnable inside, BooleanSupplier ran) {
        arrangement.run(scene, inside, ran);
    }

    private static void polled(VerbsScene s, Runnable atPoll, Runnable atArm, BooleanSupplier ran) {
        s.own(s.loop().add(new Polled() {
            @Override
            public boolean poll() {
                atPoll.run();
                return false;
            }

            @Override
            public boolean arm() {
                atArm.run();
                return true;
            }

            @Override
            public int fileDescriptor() {
                return s.channel.fileDescriptor();
            }
        }));
        s.untilTurned(ran);
    }

    /** The client does not take part, so that no connection comes of it. */
    private static void accept(VerbsScene s, BooleanSupplier ran) {
        s.ask(s.listener().localAddress());
        s.until(() -> {
            s.lenient(() -> s.own(s.listener().accept(VerbsScene.MOMENT)));
            return ran.getAsBoolean();
        });
    }
}
