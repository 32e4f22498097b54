// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpFeature;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A test of {@code ucx_perftest}, with its names, codes and defaults. */
enum UcxTest {
    TAG_LAT("tag match latency", Command.TAG, 10, 1),
    TAG_BW("tag match bandwidth", Command.TAG, 11, 32),
    TAG_SYNC_LAT("tag sync match latency", Command.TAG_SYNC, 12, 1),
    TAG_SYNC_BW("tag sync match bandwidth", Command.TAG_SYNC, 13, 32),
    UCP_PUT_LAT("put latency", Command.PUT, 14, 1),
    UCP_PUT_BW("put bandwidth", Command.PUT, 15, 32),
    UCP_GET("get latency / bandwidth / message rate", Command.GET, 16, 1),
    UCP_ADD("atomic add bandwidth / message rate", Command.ADD, 17, 1),
    UCP_FADD("atomic fetch-and-add latency / bandwidth / rate", Command.FADD, 18, 1),
    UCP_SWAP("atomic swap latency / bandwidth / rate", Command.SWAP, 19, 1),
    UCP_CSWAP("atomic compare-and-swap latency / bandwidth / rate", Command.CSWAP, 20, 1),
    STREAM_BW("stream bandwidth", Command.STREAM, 21, 1),
    STREAM_LAT("stream latency", Command.STREAM, 22, 1),
    UCP_AM_LAT("am latency", Command.AM, 23, 1),
    UCP_AM_BW("am bandwidth / message rate", Command.AM, 24, 32);

    /** {@code ucx_perf_cmd_t}. */
    enum Command {
        AM(0),
        PUT(1),
        GET(2),
        ADD(3),
        FADD(4),
        SWAP(5),
        CSWAP(6),
        TAG(7),
        TAG_SYNC(8),
        STREAM(9);

        private final int code;

        Command(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }

        boolean isAtomic() {
            return this == ADD || this == FADD || this == SWAP || this == CSWAP;
        }

        /** Whether the target's program has nothing to do. */
        boolean isOneSided() {
            return isAtomic() || this == PUT || this == GET;
        }
    }

    private final String description;
    private final Command command;
    private final int id;
    private final int window;

    UcxTest(String description, Command command, int id, int window) {
        this.description = description;
        this.command = command;
        this.id = id;
        this.window = window;
    }

    /** The description in the head of the output. */
    String description() {
        return description;
    }

    Command command() {
        return command;
    }

    /** Its index in the list of UCX 1.13. */
    int id() {
        return id;
    }

    /** How many operations may be outstanding by default. */
    int window() {
        return window;
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
        List<UcxTest> found = Arrays.stream(values())
                .filter(test -> test.title().equals(title))
                .toList();
        if (found.isEmpty()) {
            throw new IllegalArgumentException("there is no test " + title + " of the protocol layer, only "
                    + Arrays.stream(values()).map(UcxTest::title).collect(Collectors.joining(", ")));
        }
        return found.getFirst();
    }
}
