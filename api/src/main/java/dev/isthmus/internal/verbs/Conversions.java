// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import java.util.function.Supplier;

/** libibverbs's names of codes, and conversions of rates. No device is needed. */
public final class Conversions {

    private Conversions() {}

    /** A rate as a multiple of 2.5 Gbit/s; -1 for one that is not a multiple. */
    public static int rateToMultiple(int rate) {
        return number(() -> Libibverbs.RATE_TO_MULT, rate);
    }

    /** A rate in Mbit/s; -1 for an unknown one. */
    public static int rateToMbps(int rate) {
        return number(() -> Libibverbs.RATE_TO_MBPS, rate);
    }

    /** The rate of a multiple of 2.5 Gbit/s; IBV_RATE_MAX if there is none. */
    public static int multipleToRate(int multiple) {
        return number(() -> Libibverbs.MULT_TO_RATE, multiple);
    }

    /** The rate of a number of Mbit/s; IBV_RATE_MAX if there is none. */
    public static int mbpsToRate(int mbps) {
        return number(() -> Libibverbs.MBPS_TO_RATE, mbps);
    }

    /** The name of a node type. */
    public static String nodeType(int code) {
        return name(() -> Libibverbs.NODE_TYPE_STR, code);
    }

    /** The name of a port state. */
    public static String portState(int code) {
        return name(() -> Libibverbs.PORT_STATE_STR, code);
    }

    /** The name of an asynchronous event. */
    public static String eventType(int code) {
        return name(() -> Libibverbs.EVENT_TYPE_STR, code);
    }

    /** The name of a completion's status. */
    public static String completionStatus(int code) {
        return name(() -> Libibverbs.WC_STATUS_STR, code);
    }

    private static int number(Supplier<NativeFunction> f, int argument) {
        IbverbsLibrary.require(); // before Libibverbs, as this may be a program's first use of verbs
        try (var call = new NativeCall()) {
            return call.integer(f.get(), argument);
        }
    }

    private static String name(Supplier<NativeFunction> f, int code) {
        IbverbsLibrary.require();
        try (var call = new NativeCall()) {
            return NativeCall.string(call.pointer(f.get(), code));
        }
    }
}
