// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.HotPath;
import java.nio.ByteOrder;

/** Members that C declares as {@code __be32} or {@code __be16}. */
public final class NetworkOrder {

    private static final boolean SWAPS = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private NetworkOrder() {}

    @HotPath
    public static int toHost(int value) {
        return SWAPS ? Integer.reverseBytes(value) : value;
    }

    @HotPath
    public static int fromHost(int value) {
        return toHost(value);
    }

    public static short toHost(short value) {
        return SWAPS ? Short.reverseBytes(value) : value;
    }

    public static short fromHost(short value) {
        return toHost(value);
    }
}
