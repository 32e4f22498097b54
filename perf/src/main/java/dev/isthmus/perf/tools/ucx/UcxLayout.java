// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcxVersion;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The offsets in {@code perftest_params_t} that differ between versions: {@code offsetof} with the version's header
 * {@code libperf.h}. C sends the struct as it lies in memory, without naming the version.
 */
enum UcxLayout {
    /** UCX 1.13 to 1.16. */
    V1_13(152, 236, 256, 264, 10),
    /** UCX 1.17 to 1.19: one more pointer before the names, and room for two addresses after the header's size. */
    V1_17(160, 240, 520, 528, 11);

    /** The text of an unset name. */
    static final byte[] NONE = "<none>".getBytes(StandardCharsets.US_ASCII);

    /** The number of bytes from which {@link #of} recognises a layout. */
    static final int SHORTEST = V1_13.bytes;

    final int device;
    final int transport;
    final int uctWindow;
    final int uctHeader;
    final int sendType;
    final int receiveType;
    final int test;

    /** {@code sizeof(perftest_params_t)}. */
    final int bytes;

    /** How many tests of the transport layer C lists before the others. */
    final int testsBefore;

    UcxLayout(int names, int types, int test, int bytes, int testsBefore) {
        device = names;
        transport = names + 32;
        uctWindow = names + 64;
        uctHeader = names + 72;
        sendType = types;
        receiveType = types + Integer.BYTES;
        this.test = test;
        this.bytes = bytes;
        this.testsBefore = testsBefore;
    }

    /** The layout of the loaded UCX, which {@code ucx_perftest} on this machine shares. */
    static UcxLayout loaded() {
        UcxVersion version = UcxVersion.loaded();
        return version.major() == 1 && version.minor() < 17 ? V1_13 : V1_17;
    }

    /** The layout of a struct, by its first {@link #SHORTEST} bytes: one of its names is hardly ever set. */
    static UcxLayout of(byte[] begin) {
        return isNone(begin, V1_17.device) || isNone(begin, V1_17.transport) ? V1_17 : V1_13;
    }

    private static boolean isNone(byte[] begin, int at) {
        return Arrays.equals(begin, at, at + NONE.length, NONE, 0, NONE.length);
    }
}
