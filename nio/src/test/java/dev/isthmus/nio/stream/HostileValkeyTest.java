// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.nio.Hosts;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients and servers that break a rule of Valkey over RDMA: their connection is reset, with a reason, everything that it
 * had is released, and others notice nothing.
 */
@Tag("device")
class HostileValkeyTest {

    private static final StreamOptions OPTIONS = StreamOptions.DEFAULT.withProtocol(StreamProtocol.VALKEY);
    private static final int BUFFER = OPTIONS.receiveBuffer() / 2;

    /** How many connections a run of random peers makes: {@code --with attacks=100000} for more. */
    private static final int ATTACKS = Integer.getInteger("isthmus.test.attacks", 40);

    private static Company company;
    private static StreamListener listener;

    @BeforeAll
    static void gather() throws Exception {
        company = new Company();
        listener =
                StreamListener.listen(new InetSocketAddress(Hosts.far(), 0), 64, false, () -> OPTIONS, anyone -> true);
    }

    @AfterAll
    static void part() {
        listener.close();
        company.close();
    }

    private static long soon() {
        return Deadlines.after(TestDeadlines.ofSeconds(60).toMillis());
    }

    private static void end(Stream stream) throws Exception {
        stream.close(true);
        stream.released().get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
    }

    /** Each breaks one rule. */
    @SuppressWarnings("ImmutableEnumChecker") // what it does keeps nothing
    enum Attack {
        DATA_OF_NO_BYTES("wrote 0 bytes", peer -> peer.say(0)),
        DATA_OF_MOST_BYTES("wrote 4294967295 bytes", peer -> peer.say(-1)),
        MORE_THAN_THE_BUFFER("had room for", peer -> peer.say(BUFFER + 1)),
        UNKNOWN_COMMAND("an unknown command, 4", peer -> peer.command(4, command -> {})),
        LAST_COMMAND("an unknown command, 65535", peer -> peer.command(0xffff, command -> {})),
        TOO_SHORT_A_COMMAND("31 bytes that are not a command", peer -> peer.send(31)),
        TOO_LONG_A_COMMAND("", peer -> peer.send(64)),
        COMMAND_WITH_A_VALUE("bytes that are not a command", peer -> peer.sendWithImmediate(32, 1)),
        BUFFER_OF_NO_BYTES("a buffer of 0 bytes", peer -> peer.announce(4096, 1, 0)),
        BUFFER_OF_NEGATIVE_LENGTH("a buffer of 4294967295 bytes", peer -> peer.announce(4096, 1, -1)),
        BUFFER_THAT_IS_TOO_LONG("a buffer of 1073741825 bytes", peer -> peer.announce(4096, 1, (1 << 30) + 1)),
        BUFFER_BEHIND_THE_LAST_ADDRESS("out of range", peer -> peer.announce(-10, 1, 20)),
        BUFFER_BEFORE_THE_LAST_IS_USED("are unused", peer -> {
            peer.announce(4096, 1, 100);
            peer.announce(4096, 1, 100);
        }),
        FEATURES_THAT_NOBODY_OFFERED(
                "chose features",
                peer -> peer.command(
                        ValkeyProtocol.SET_CLIENT_FEATURE, command -> command.putLong(ValkeyProtocol.FEATURES, 1)));

        private final String reason;
        private final Consumer<RawPeer> what;

        Attack(String reason, Consumer<RawPeer> what) {
            this.reason = reason;
            this.what = what;
        }
    }

    private static void assertReset(Stream victim, String reason) throws Exception {
        var why = assertThrows(IOException.class, () -> {
            while (true) {
                assertTrue(victim.read(ByteBuffer.allocate(100), soon()) >= 0);
            }
        });
        assertTrue(why.getMessage().contains(reason), why::toString);
        end(victim);
        company.assertWell();
    }

    @ParameterizedTest
    @EnumSource
    void shouldResetAClientThatBreaksARule(Attack attack) throws Exception {
        try (RawPeer peer = RawPeer.connectToValkey(listener.localAddress())) {
            Stream victim = listener.accept(soon());
            peer.awaitCommand(ValkeyProtocol.REGISTER_MEMORY);
            attack.what.accept(peer);
            assertReset(victim, attack.reason);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldResetAServerThatBreaksARule(Attack attack) throws Exception {
        attackAsServer(attack.what, attack.reason);
    }

    private static void attackAsServer(Consumer<RawPeer> what, String reason) throws Exception {
        try (var server = new RawPeer.Listener(new InetSocketAddress(Hosts.far(), 0))) {
            CompletableFuture<Stream> connecting =
                    Service.get().connect(null, server.address(), OPTIONS, 0, TestDeadlines.ofSeconds(60));
            try (RawPeer peer = server.acceptValkey()) {
                Stream victim = connecting.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
                peer.awaitCommand(ValkeyProtocol.REGISTER_MEMORY);
                what.accept(peer);
                assertReset(victim, reason);
            }
        }
    }

    @Test
    void shouldResetAServerThatOffersFeaturesTwice() throws Exception {
        attackAsServer(
                peer -> {
                    peer.command(ValkeyProtocol.GET_SERVER_FEATURE, command -> {});
                    peer.command(ValkeyProtocol.GET_SERVER_FEATURE, command -> {});
                },
                "and was not asked");
    }

    @Test
    void shouldResetAServerWhoseBufferIsNobodys() throws Exception {
        try (RawPeer peer = RawPeer.connectToValkey(listener.localAddress())) {
            Stream victim = listener.accept(soon());
            peer.announce(4096, 77, 100);
            assertEquals(10, victim.write(ByteBuffer.allocate(10), soon()));
            assertReset(victim, "request ended with");
        }
    }

    /** Random commands, lengths and writes, at both roles: none keeps anybody waiting, and nothing is left of any. */
    @Test
    void shouldSurviveWhateverPeersSend() throws Exception {
        long seed = System.nanoTime() % 1_000_000_000;
        System.out.println("HostileValkeyTest: seed " + seed + ", attacks " + ATTACKS);
        var random = new Random(seed);
        int[] messages = new int[2]; // of clients and of servers
        for (int i = 0; i < ATTACKS; i++) {
            if (random.nextBoolean()) {
                try (RawPeer peer = RawPeer.connectToValkey(listener.localAddress())) {
                    messages[0] += attack(random, peer, listener.accept(soon()));
                }
            } else {
                try (var server = new RawPeer.Listener(new InetSocketAddress(Hosts.far(), 0))) {
                    CompletableFuture<Stream> connecting =
                            Service.get().connect(null, server.address(), OPTIONS, 0, TestDeadlines.ofSeconds(60));
                    try (RawPeer peer = server.acceptValkey()) {
                        messages[1] +=
                                attack(random, peer, connecting.get(TestDeadlines.seconds(60), TimeUnit.SECONDS));
                    }
                }
            }
            company.exchange();
        }
        System.out.println("HostileValkeyTest: clients sent " + messages[0] + " messages, servers " + messages[1]);
        assertEquals(List.of(), company.errors());
        company.assertWell();
    }

    /** Returns how many messages it has sent. */
    private static int attack(Random random, RawPeer peer, Stream victim) throws Exception {
        ByteBuffer announcement = peer.awaitCommand(ValkeyProtocol.REGISTER_MEMORY);
        ByteBuffer buffer = ByteBuffer.allocate(5000);
        int messages = 0;
        for (int i = random.nextInt(40); i >= 0 && !peer.isOver(); i--) {
            say(random, peer, announcement);
            messages++;
            try {
                switch (random.nextInt(3)) {
                    case 0 -> victim.write(buffer.clear().limit(1 + random.nextInt(5000)), Deadlines.NEVER);
                    case 1 -> victim.read(buffer.clear(), Deadlines.NEVER);
                    default -> victim.ready(5, false);
                }
            } catch (IOException e) {
                break; // as is to be expected
            }
        }
        if (random.nextBoolean()) {
            peer.disconnect();
        }
        end(victim);
        return messages;
    }

    /** Mostly what keeps the rules, so that some connections have a past when a rule is broken. */
    private static void say(Random random, RawPeer peer, ByteBuffer announcement) {
        long at = announcement.getLong(ValkeyProtocol.ADDRESS);
        int key = announcement.getInt(ValkeyProtocol.KEY);
        int length = 1 + random.nextInt(3000);
        switch (random.nextInt(40)) {
            case 0 -> peer.command(random.nextInt(6), command -> random(random, command));
            case 1 -> peer.announce(random.nextLong(), random.nextInt(), random.nextInt());
            case 2, 3, 4 -> peer.announce(peer.spare().address(), peer.key(), length);
            case 5 -> peer.say(random.nextInt());
            case 6 -> peer.write(at + random.nextInt(2 * BUFFER), key, length, length);
            case 7 -> peer.send(random.nextInt(40));
            case 8, 9, 10, 11, 12, 13, 14, 15 -> peer.command(ValkeyProtocol.KEEPALIVE, command -> {});
            default -> peer.write(at, key, length, length);
        }
    }

    private static void random(Random random, ByteBuffer command) {
        for (int i = 2; i < ValkeyProtocol.COMMAND_BYTES; i++) {
            command.put(i, (byte) random.nextInt(3));
        }
    }
}
