// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The configuration keys that the loaded UCX knows. {@code ucp_config_modify} returns OK for any key, because a
 * transport that is loaded later might know it. So a misspelt key would have no effect, and cause no message.
 *
 * <p>The list is what {@code ucx_info -c} prints, from the same function of libucs. It is complete once a context was
 * created, which loads the transports.
 */
public final class UcxConfigKeys {

    private static final String PREFIX = "UCX_";
    private static final int PRINT_CONFIG = 1; // UCS_CONFIG_PRINT_CONFIG, ucs/config/types.h

    // 1.17: until then, uct_config_modify compared keys with the names in a transport's table, which lack its prefix.
    private static final int FULL_NAMES = 17;

    private final Set<String> known = known();
    private final Set<String> ofUcp;
    private final int[] version = UcxLibrary.load();

    /**
     * The keys that there are now.
     *
     * @param ofUcp those that {@code ucp_config_print} lists, which leaves out the options of transports
     */
    public UcxConfigKeys(Set<String> ofUcp) {
        this.ofUcp = ofUcp;
    }

    /** Why {@code ucp_config_modify} gives a key, without {@code UCX_}, no effect; null if it does. */
    public String refusal(String key) {
        if (known.isEmpty() || ofUcp.contains(key)) {
            return null;
        }
        Optional<String> longer =
                known.stream().filter(k -> k.endsWith("_" + key)).sorted().findFirst();
        boolean fullNames = version[1] >= FULL_NAMES;
        if (longer.isEmpty() && !known.contains(key)) {
            return "UCX knows no option " + key
                    + ": ucx_info -c lists those there are, and here they stand without UCX_";
        }
        if (fullNames && !known.contains(key)) {
            return "UCX " + versionText() + " takes " + key + " only with the name of a transport: " + longer.get();
        }
        if (!fullNames && longer.isEmpty()) {
            return "UCX " + versionText() + " takes " + key + " from the environment only, as UCX_" + key
                    + "; an option of a transport can be set here without the transport's name, for all transports that"
                    + " have one so named";
        }
        return null;
    }

    private String versionText() {
        return version[0] + "." + version[1] + "." + version[2];
    }

    /** All keys without {@code UCX_}; none if this UCX cannot list them. */
    public static Set<String> known() {
        return ofOptions(print());
    }

    /** The keys, without {@code UCX_}, of options that UCX has printed. */
    public static Set<String> ofOptions(String printed) {
        Set<String> keys = new HashSet<>();
        for (String line : printed.split("\n", -1)) {
            int equals = line.indexOf('=');
            if (line.startsWith(PREFIX) && equals > 0) {
                keys.add(line.substring(PREFIX.length(), equals));
            }
        }
        return keys;
    }

    // Newer versions take a fifth argument, a filter. NULL means none, and older versions ignore it.
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
