// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;

/** The settings of an application that rule out UCX altogether, so that all blocks use Spark's own transfer. */
final class UnsupportedSettings {

    /** This module uses internal classes of Spark; of these versions, with whatever follows, it has run with one. */
    private static final List<String> VERSIONS = List.of("4.2.", "4.3.");

    private record Unsupported(String key, String why) {}

    private static final List<Unsupported> REFUSED = List.of(
            new Unsupported("spark.network.crypto.enabled", "blocks over UCX are not encrypted"),
            new Unsupported("spark.ssl.rpc.enabled", "blocks over UCX are not encrypted"),
            new Unsupported("spark.io.encryption.enabled", "blocks over UCX are not encrypted"),
            new Unsupported("spark.shuffle.service.enabled", "an external shuffle service does not use UCX"),
            new Unsupported("spark.shuffle.push.enabled", "push-based shuffle needs an external shuffle service"));

    private UnsupportedSettings() {}

    /** Why UCX is not used; empty if it is. */
    static Optional<String> of(SparkConf conf, String version) {
        return ofVersion(version)
                .or(() -> REFUSED.stream()
                        .filter(setting -> conf.getBoolean(setting.key(), false))
                        .map(setting -> setting.key() + " is true, and " + setting.why())
                        .findFirst());
    }

    /** Why UCX is not used with this version of Spark; empty if it is. */
    static Optional<String> ofVersion(String version) {
        return VERSIONS.stream().anyMatch(version::startsWith)
                ? Optional.empty()
                : Optional.of("Isthmus works with Spark "
                        + VERSIONS.stream().map(known -> known + "x").collect(Collectors.joining(" and "))
                        + ", and this is " + version);
    }
}
