// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/**
 * From the codes of a C enum to the constants of a Java one and back. An unknown code, which may come from a newer
 * library or device, gives the UNKNOWN constant, never an exception.
 *
 * @param <E> the Java enum
 */
public final class Codes<E extends Enum<E>> {

    private final E[] byCode;
    private final E unknown;

    /**
     * Creates a table of all constants except {@code unknown}. The codes are small: the table is an array.
     *
     * @param constants all constants
     * @param code the C value of each
     * @param unknown the constant for every other code
     */
    public Codes(E[] constants, ToIntFunction<E> code, E unknown) {
        int max = 0;
        for (E constant : constants) {
            max = Math.max(max, code.applyAsInt(constant));
        }
        this.byCode = Arrays.copyOf(constants, max + 1); // copyOf: a generic array of the right type
        Arrays.fill(byCode, unknown);
        for (E constant : constants) {
            if (constant != unknown) {
                byCode[code.applyAsInt(constant)] = constant;
            }
        }
        this.unknown = unknown;
    }

    /** The constant of a code, or the unknown one. */
    @HotPath
    public E of(int code) {
        return code >= 0 && code < byCode.length ? byCode[code] : unknown;
    }

    /** The flags of a set, or'ed. */
    public static <F> int mask(Collection<F> flags, ToIntFunction<F> bit) {
        int mask = 0;
        for (F flag : flags) {
            mask |= bit.applyAsInt(flag);
        }
        return mask;
    }

    /** The constants whose bits are set. Unknown bits are left out; callers keep the raw value. */
    public static <F extends Enum<F>> Set<F> flags(Class<F> type, long bits, ToLongFunction<F> bit) {
        Set<F> flags = EnumSet.noneOf(type);
        for (F flag : type.getEnumConstants()) {
            if ((bits & bit.applyAsLong(flag)) != 0) {
                flags.add(flag);
            }
        }
        return Collections.unmodifiableSet(flags);
    }

    /** Whether the bit of a number is set, such as that of a queue pair's type; UNKNOWN (-1) and high numbers have none. */
    public static boolean isSet(int bits, int number) {
        return number >= 0 && number < Integer.SIZE && (bits >>> number & 1) != 0;
    }
}
