// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;

/**
 * The configuration keys that the loaded UCX knows. {@code ucp_config_modify} answers OK to any key at all, because a
 * transport that is loaded later might know it, so a misspelt one would be without effect and without a message.
 *
 * <p>The list is what {@code ucx_info -c} prints, from the same function of libucs. It is complete once a context was
 * made: that loads the transports.
 */
public final class UcxConfigKeys {

    private static final String PREFIX = "UCX_";
    private static final int PRINT_CONFIG = 1; // UCS_CONFIG_PRINT_CONFIG, ucs/config/types.h

    private UcxConfigKeys() {}

    /**
     * Whether a key, without {@code UCX_}, has an effect. A transport's option counts in its short form too, such as
     * ERROR_HANDLING for POSIX_ERROR_HANDLING: UCX 1.13 matches that one.
     */
    public static boolean isKnown(Set<String> known, String key) {
        if (known.isEmpty() || known.contains(key)) {
            return true;
        }
        String suffix = "_" + key;
        return known.stream().anyMatch(k -> k.endsWith(suffix));
    }

    /** All keys without {@code UCX_}, or none where this UCX cannot say. */
    public static Set<String> known() {
        Set<String> keys = new HashSet<>();
        for (String line : print().split("\n", -1)) {
            int equals = line.indexOf('=');
            if (line.startsWith(PREFIX) && equals > 0) {
                keys.add(line.substring(PREFIX.length(), equals));
            }
        }
        return keys;
    }

    // Newer versions take a fifth argument, a filter; NULL means none, and an older one does not look at it.
    private static String print() {
        return UcxLibrary.ucs()
                .optionalFunction(
                        "ucs_config_parser_print_all_opts",
                        FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS))
                .map(f -> UcxText.of(stream -> print(f, stream)))
                .orElse("");
    }

    private static void print(NativeFunction f, MemorySegment stream) {
        try (var call = new NativeCall()) {
            MemorySegment options = UcxLibrary.ucs().symbol("ucs_config_global_list");
            call.nothing(f, stream, call.allocateFrom(PREFIX), PRINT_CONFIG, options, MemorySegment.NULL);
        }
    }
}
