// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.ucx.UcxVersion;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Where what differs between versions stands in {@code perftest_params_t}: {@code offsetof} with the header
 * {@code libperf.h} of the version. The struct is sent as it is in C's memory, without a word on the version.
 */
enum UcxLayout {
    /** UCX 1.13 to 1.16. */
    V1_13(152, 236, 256, 264, 0),
    /** UCX 1.17 to 1.19: a pointer more before the names, and room for two addresses behind the header's size. */
    V1_17(160, 240, 520, 528, 1);

    /** What a name says that was not given. */
    static final byte[] NONE = "<none>".getBytes(StandardCharsets.US_ASCII);

    /** The number of bytes by which {@link #of} knows a layout. */
    static final int SHORTEST = V1_13.bytes;

    private static final int DEVICE_BYTES = 32;
    private static final int UCT_WINDOW = 64;
    private static final int UCT_HEADER = 72;

    private final int names;
    private final int types;
    private final int test;
    private final int bytes;
    private final int testsBefore;

    UcxLayout(int names, int types, int test, int bytes, int testsBefore) {
        this.names = names;
        this.types = types;
        this.test = test;
        this.bytes = bytes;
        this.testsBefore = testsBefore;
    }

    /** That of the UCX that is loaded, which {@code ucx_perftest} on this machine shares. */
    static UcxLayout loaded() {
        UcxVersion version = UcxVersion.loaded();
        return version.major() == 1 && version.minor() < 17 ? V1_13 : V1_17;
    }

    /** That of a struct of which the first {@link #SHORTEST} bytes are here: one of its names is hardly ever given. */
    static UcxLayout of(byte[] begin) {
        return isNone(begin, V1_17.device()) || isNone(begin, V1_17.transport()) ? V1_17 : V1_13;
    }

    private static boolean isNone(byte[] begin, int at) {
        return Arrays.equals(begin, at, at + NONE.length, NONE, 0, NONE.length);
    }

    int device() {
        return names;
    }

    int transport() {
        return names + DEVICE_BYTES;
    }

    int uctWindow() {
        return names + UCT_WINDOW;
    }

    int uctHeader() {
        return names + UCT_HEADER;
    }

    int sendType() {
        return types;
    }

    int receiveType() {
        return types + Integer.BYTES;
    }

    int test() {
        return test;
    }

    /** The number that C has for a test. Versions have other tests before those of the protocol layer. */
    int numberOf(UcxTest one) {
        return one.id() + testsBefore;
    }

    /** {@code sizeof(perftest_params_t)}. */
    int bytes() {
        return bytes;
    }
}
