package dev.isthmus.internal;

import java.util.Arrays;
import java.util.Collection;
import java.util.function.ToIntFunction;

/**
 * From the codes of a C enum to the constants of a Java one and back. A code that this library does not know gives
 * the UNKNOWN constant, never an exception: it may be of a newer library or device.
 *
 * @param <E> the Java enum
 */
public final class Codes<E extends Enum<E>> {

    private final E[] byCode;
    private final E unknown;

    /**
     * A table of all constants but {@code unknown}. The codes are small: the table is an array.
     *
     * @param constants all constants
     * @param code the C value of each
     * @param unknown stands for every other code
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
}
