// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Addresses as bytes. Nothing calls UCX here: bytes that it must not see do not get that far. */
@Tag("unit")
class UcpAddressTest {

    private static final byte[] KEY = {1, 2, 3, 4};
    private static final int ROUNDS = 20_000;

    private static byte[] raw(int length) {
        byte[] raw = new byte[length];
        for (int i = 0; i < length; i++) {
            raw[i] = (byte) (i * 7);
        }
        return raw;
    }

    @Test
    void shouldComeBackFromItsBytes() {
        UcpAddress address = UcpAddress.ofRaw(raw(100));
        assertArrayEquals(raw(100), address.toRawBytes());
        assertEquals(address, UcpAddress.of(address.toByteArray()));
        assertEquals(address, UcpAddress.of(address.toByteArray(KEY), KEY));
    }

    @Test
    void shouldSayWhatIsWrongWithBytes() {
        byte[] raw = raw(100);
        var e = assertThrows(IllegalArgumentException.class, () -> UcpAddress.of(raw));
        assertTrue(e.getMessage().contains("these 100 bytes are not a worker address"), e.getMessage());
        byte[] sealed = UcpAddress.ofRaw(raw).toByteArray(KEY);
        var other = assertThrows(IllegalArgumentException.class, () -> UcpAddress.of(sealed, new byte[] {1, 2, 3}));
        assertTrue(other.getMessage().contains("made with this key"), other.getMessage());
        assertThrows(IllegalArgumentException.class, () -> UcpAddress.of(sealed, new byte[0]));
        assertThrows(IllegalArgumentException.class, () -> UcpAddress.ofRaw(raw).toByteArray(new byte[0]));
        assertThrows(IllegalArgumentException.class, () -> UcpAddress.of(sealed));
        assertThrows(
                IllegalArgumentException.class,
                () -> UcpAddress.of(UcpAddress.ofRaw(raw).toByteArray(), KEY));
        assertThrows(IllegalArgumentException.class, () -> UcpAddress.ofRaw(new byte[8]));
        assertThrows(IllegalArgumentException.class, () -> UcpAddress.ofRaw(new byte[100_000]));
    }

    /** Whatever changes the bytes, they are refused, or are the same address. */
    @Test
    void shouldRefuseBytesThatWereChanged() {
        long seed = Long.getLong("isthmus.seed", System.nanoTime());
        var random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            UcpAddress address = UcpAddress.ofRaw(raw(9 + random.nextInt(400)));
            boolean sealed = random.nextBoolean();
            byte[] bytes = sealed ? address.toByteArray(KEY) : address.toByteArray();
            byte[] changed = change(bytes, random);
            String what = "-Disthmus.seed=" + seed + ", round " + round;
            if (Arrays.equals(bytes, changed)) {
                assertEquals(address, sealed ? UcpAddress.of(changed, KEY) : UcpAddress.of(changed), what);
            } else {
                assertThrows(IllegalArgumentException.class, () -> addressOf(changed, sealed), what);
            }
        }
    }

    private static UcpAddress addressOf(byte[] bytes, boolean sealed) {
        return sealed ? UcpAddress.of(bytes, KEY) : UcpAddress.of(bytes);
    }

    private static byte[] change(byte[] bytes, Random random) {
        byte[] changed = bytes.clone();
        int at = random.nextInt(bytes.length);
        switch (random.nextInt(6)) {
            case 0 -> changed[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> changed[at] = (byte) random.nextInt();
            case 2 -> changed = Arrays.copyOf(bytes, at);
            case 3 -> changed = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(9));
            case 4 -> {
                byte[] noise = new byte[Math.min(4, bytes.length - at)]; // a burst that CRC-32C always finds
                random.nextBytes(noise);
                System.arraycopy(noise, 0, changed, at, noise.length);
            }
            default -> changed = Arrays.copyOfRange(bytes, at, bytes.length);
        }
        return changed;
    }
}
