// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpFeature;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** A test of {@code ucx_perftest}, with its names and defaults, in C's order. */
enum UcxTest {
    TAG_LAT("tag match latency", Command.TAG, 1),
    TAG_BW("tag match bandwidth", Command.TAG, 32),
    TAG_SYNC_LAT("tag sync match latency", Command.TAG_SYNC, 1),
    TAG_SYNC_BW("tag sync match bandwidth", Command.TAG_SYNC, 32),
    UCP_PUT_LAT("put latency", Command.PUT, 1),
    UCP_PUT_BW("put bandwidth", Command.PUT, 32),
    UCP_GET("get latency / bandwidth / message rate", Command.GET, 1),
    UCP_ADD("atomic add bandwidth / message rate", Command.ADD, 1),
    UCP_FADD("atomic fetch-and-add latency / bandwidth / rate", Command.FADD, 1),
    UCP_SWAP("atomic swap latency / bandwidth / rate", Command.SWAP, 1),
    UCP_CSWAP("atomic compare-and-swap latency / bandwidth / rate", Command.CSWAP, 1),
    STREAM_BW("stream bandwidth", Command.STREAM, 1),
    STREAM_LAT("stream latency", Command.STREAM, 1),
    UCP_AM_LAT("am latency", Command.AM, 1),
    UCP_AM_BW("am bandwidth / message rate", Command.AM, 32);

    /** {@code ucx_perf_cmd_t}, in C's order. */
    enum Command {
        AM,
        PUT,
        GET,
        ADD,
        FADD,
        SWAP,
        CSWAP,
        TAG,
        TAG_SYNC,
        STREAM;

        boolean isAtomic() {
            return this == ADD || this == FADD || this == SWAP || this == CSWAP;
        }

        /** Whether the target's program has nothing to do. */
        boolean isOneSided() {
            return isAtomic() || this == PUT || this == GET;
        }
    }

    /** In the head of the output. */
    final String description;

    final Command command;

    /** How many operations may be outstanding by default. */
    final int window;

    UcxTest(String description, Command command, int window) {
        this.description = description;
        this.command = command;
        this.window = window;
    }

    /** Whether messages go back and forth; otherwise only from the client to the server. */
    boolean isPingPong() {
        return title().endsWith("_lat");
    }

    /** Whether each message's answer or completion is awaited before the next one, so that its time is its latency. */
    boolean isLatency() {
        return !title().endsWith("_bw") && this != UCP_ADD;
    }

    /** The word over the columns of time. */
    String timeWord() {
        return isLatency() ? "latency" : "overhead";
    }

    /** The feature that the context needs. */
    UcpFeature feature(long bytes) {
        return switch (command) {
            case AM -> UcpFeature.AM;
            case PUT, GET -> UcpFeature.RMA;
            case ADD, FADD, SWAP, CSWAP -> bytes == Integer.BYTES ? UcpFeature.AMO32 : UcpFeature.AMO64;
            case TAG, TAG_SYNC -> UcpFeature.TAG;
            case STREAM -> UcpFeature.STREAM;
        };
    }

    /** Its name for {@code -t}. */
    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The test of a name. */
    static UcxTest of(String title) {
        return Arrays.stream(values())
                .filter(test -> test.title().equals(title))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("there is no test " + title + " of the protocol layer, only "
                                + Arrays.stream(values()).map(UcxTest::title).collect(Collectors.joining(", "))));
    }
}
