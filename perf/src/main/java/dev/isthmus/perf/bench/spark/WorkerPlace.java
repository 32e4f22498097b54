// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where a worker runs.
 *
 * @param address an address of this machine
 * @param device the UCX device that its executor uses; all if empty
 */
record WorkerPlace(String address, Optional<String> device) {

    /** Parses two places: {@code 10.0.0.1@rxe0:1,10.0.0.2@rxe1:1}. */
    static List<WorkerPlace> parse(String text) {
        List<WorkerPlace> places =
                Stream.of(text.split(",", -1)).map(WorkerPlace::one).toList();
        if (places.size() != 2) {
            throw new IllegalArgumentException(
                    "--addresses takes two addresses of this machine, such as 10.0.0.1,10.0.0.2, not " + text);
        }
        return places;
    }

    private static WorkerPlace one(String text) {
        String[] parts = text.strip().split("@", 2);
        if (parts[0].isEmpty()) {
            throw new IllegalArgumentException("--addresses: an address is missing in " + text);
        }
        return new WorkerPlace(parts[0], parts.length == 2 ? Optional.of(parts[1]) : Optional.empty());
    }

    Map<String, String> environment() {
        return device.map(name -> Map.of("UCX_NET_DEVICES", name)).orElse(Map.of());
    }
}
