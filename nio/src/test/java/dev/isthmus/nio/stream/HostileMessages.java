// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import java.util.Random;

/** What a hostile peer says and writes, at random, but determined by the seed alone. */
final class HostileMessages {

    private final Random random;

    HostileMessages(Random random) {
        this.random = random;
    }

    /** Prefers values from the edges of the range. */
    private int value(int most) {
        return switch (random.nextInt(8)) {
            case 0 -> 0;
            case 1 -> 1;
            case 2 -> most;
            case 3 -> most / 2;
            case 4 -> most - 1;
            case 5 -> random.nextInt();
            default -> random.nextInt(most);
        };
    }

    private long address(long around) {
        return switch (random.nextInt(8)) {
            case 0 -> random.nextLong();
            case 1 -> 0;
            case 2 -> around + value(1 << 18);
            case 3 -> around - value(1 << 18);
            default -> around + random.nextInt(1 << 16);
        };
    }

    /** Changes what the peer says of itself. */
    void greet(RawPeer.Greeting greeting) {
        switch (random.nextInt(20)) {
            case 0 -> greeting.length = random.nextInt(41);
            case 1 -> greeting.version = random.nextInt(256);
            case 2 -> greeting.flags = random.nextInt(256);
            case 3 -> greeting.credits = value(1 << 16);
            case 4 -> greeting.targets = address(greeting.targets);
            case 5 -> greeting.targetsKey = value(1 << 16);
            case 6 -> greeting.targetCount = value(3);
            case 7 -> greeting.buffer = address(greeting.buffer);
            case 8 -> greeting.bufferKey = value(1 << 16);
            case 9 -> greeting.bufferBytes = value(1 << 29);
            default -> {} // as it should be
        }
    }

    /** How many to send. */
    int count() {
        return random.nextInt(120);
    }

    /**
     * Sends one. Most change memory or send data as they may, so that the others meet a connection that has been
     * in use.
     */
    void next(RawPeer peer) {
        ConnectionData theirs = peer.theirs();
        switch (random.nextInt(100)) {
            case 0 -> peer.say(random.nextInt());
            case 1 -> peer.say(random.nextInt(8), value(Message.MAX_VALUE));
            case 2 -> peer.say(Message.DATA, value(theirs.bufferBytes()));
            case 3 -> peer.say(Message.CREDITS, value(1 << 16));
            case 4 -> peer.say(Message.CONTROL, random.nextBoolean() ? Message.SHUTDOWN : value(4));
            case 5 -> grant(peer, address(theirs.buffer()), random.nextInt(), value(1 << 29), RawPeer.CREDITS);
            case 6 -> peer.send(random.nextInt(9));
            case 7 -> peer.write(address(theirs.buffer()), theirs.bufferKey(), random.nextInt(1 << 12));
            case 8 -> peer.write(theirs.buffer(), random.nextInt(), random.nextInt(100));
            case 9, 10 -> peer.say(Message.CREDITS, RawPeer.CREDITS + random.nextInt(3));
            case 11, 12 -> grant(peer, random.nextLong(), random.nextInt(), 1 + value(1 << 16), RawPeer.CREDITS);
            default -> {
                if (random.nextInt(3) == 0) {
                    peer.write(theirs.buffer(), theirs.bufferKey(), 100, Message.of(Message.DATA, 100)); // as it may
                } else {
                    spoil(peer, theirs);
                }
            }
        }
    }

    /** Writes to memory to which it may write, but the wrong thing or at the wrong time. */
    private void spoil(RawPeer peer, ConnectionData theirs) {
        byte[] bytes = new byte[random.nextInt(100)];
        random.nextBytes(bytes);
        peer.out().put(bytes);
        long to = random.nextBoolean() ? theirs.targets() : theirs.buffer() + random.nextInt(1 << 17);
        peer.write(to, theirs.bufferKey(), bytes.length);
    }

    private void grant(RawPeer peer, long address, int key, int length, int upTo) {
        peer.grant(random.nextInt(ConnectionData.TARGETS), address, key, length, upTo);
    }

    /** Leaves in one way or another. */
    void end(RawPeer peer) {
        switch (random.nextInt(4)) {
            case 0 -> peer.disconnect();
            case 1 -> peer.say(Message.CONTROL, Message.DISCONNECT);
            case 2 -> {
                peer.say(Message.CONTROL, Message.DISCONNECT);
                peer.disconnect();
            }
            default -> {} // it is closed anyway
        }
    }
}
