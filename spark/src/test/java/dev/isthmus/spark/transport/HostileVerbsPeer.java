// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.isthmus.CmException;
import dev.isthmus.cm.Admission;
import dev.isthmus.cm.ConnectionGroup;
import dev.isthmus.cm.GroupHandler;
import dev.isthmus.cm.GroupMember;
import dev.isthmus.cm.PrivateData;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Speaks the protocol of {@link VerbsTransport} by hand, to break it: one connection, of which it receives one message. */
final class HostileVerbsPeer implements AutoCloseable {

    static final long ID = 99;

    private static final long RECEIVE = 77;

    final CompletableFuture<String> ended = new CompletableFuture<>();
    private final byte[] secret;
    private final CompletableFuture<byte[]> received = new CompletableFuture<>();
    private final EventLoop loop = EventLoop.start();
    private final ConnectionGroup group;
    private final RegisteredMemory memory; // for a message that arrives, and behind it one to send
    private byte[] first = {}; // what it sends once it is connected
    private GroupMember member;

    /** Peer of those who know the secret, whose greeting it has from somewhere. */
    HostileVerbsPeer(InetAddress local, byte[] greeting, byte[] secret) {
        this.secret = secret;
        group = ConnectionGroup.open(
                loop,
                local,
                new Handler(),
                config -> config.receives(1).parameters(of -> of.privateData(PrivateData.of(greeting))));
        memory = loop.call(() -> {
            RegisteredMemory both = group.allocate(2L * VerbsMessage.MAX_BYTES, AccessFlag.LOCAL_WRITE);
            group.receives()
                    .post(ReceiveRequest.prepare(both.region())
                            .range(0, VerbsMessage.MAX_BYTES)
                            .wrId(RECEIVE));
            return both;
        });
    }

    private final class Handler implements GroupHandler {
        @Override
        public void connected(GroupMember one) {
            member = one;
            if (first.length > 0) {
                post(first);
            }
        }

        @Override
        public void completed(GroupMember one, WorkCompletions done, int index) {
            if (done.wrId(index) == RECEIVE && done.isSuccess(index)) {
                received.complete(
                        memory.segment().asSlice(0, done.byteLength(index)).toArray(JAVA_BYTE));
            }
        }

        @Override
        public void ended(GroupMember one, CmException how) {
            ended.complete(how.getMessage());
        }
    }

    void connect(InetSocketAddress to) throws Exception {
        loop.submitAsync(() -> group.connect(to, Duration.ofSeconds(TestDeadlines.seconds(30))))
                .get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
    }

    /** Listens, and sends whoever connects a message, unless that is empty. */
    Node listen(byte[] message) {
        return loop.call(() -> {
            first = message;
            return VerbsAddress.node(ID, group.listen(0, config -> config.admission(_ -> Admission.accept())), secret);
        });
    }

    /** The challenge of the one that it has connected to. */
    VerbsMessage.Challenge challenge() throws Exception {
        byte[] message = received.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        return (VerbsMessage.Challenge)
                VerbsMessage.read(new VerbsSeals(ID, secret).ofChallenges().open(ByteBuffer.wrap(message)));
    }

    /** A message as it is sent. */
    static byte[] bytes(VerbsMessage message) {
        ByteBuffer written = VerbsMessage.write(message, ByteBuffer.allocate(VerbsMessage.MAX_BYTES));
        byte[] bytes = new byte[written.remaining()];
        written.get(bytes);
        return bytes;
    }

    /** The same with a seal behind it. */
    static byte[] sealed(byte[] message, MessageSeal seal, long to) {
        try (var arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(VerbsMessage.MAX_BYTES);
            memory.copyFrom(MemorySegment.ofArray(message));
            return memory.asSlice(0, seal.seal(memory, message.length, to)).toArray(JAVA_BYTE);
        }
    }

    void send(byte[] message) {
        loop.call(() -> {
            post(message);
            return null;
        });
    }

    private void post(byte[] message) {
        memory.segment().asSlice(VerbsMessage.MAX_BYTES).copyFrom(MemorySegment.ofArray(message));
        member.queuePair()
                .post(SendRequest.prepare(memory.region())
                        .range(VerbsMessage.MAX_BYTES, message.length)
                        .opcode(SendOpcode.SEND)
                        .signaled(true));
    }

    @Override
    public void close() {
        group.close();
        loop.close();
    }
}
