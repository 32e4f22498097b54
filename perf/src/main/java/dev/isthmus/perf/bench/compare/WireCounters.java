// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the ports of both ends count of the bytes that they send. Hardware counts in {@code port_xmit_data}, only for
 * RDMA. Soft-RoCE's and SoftiWARP's own counters are of packets, so their network interfaces count, as for sockets.
 */
record WireCounters(Set<Path> files, int unit) {

    private static final int WORD = 4;

    /** The counters of what a way sends, if there are any. */
    static Optional<WireCounters> of(Way way, Venue venue) {
        return of(way, venue, Path.of("/sys/class"));
    }

    static Optional<WireCounters> of(Way way, Venue venue, Path sys) {
        boolean network = way.isTcp() || venue.client().software();
        Set<Path> files = new TreeSet<>();
        for (Venue.End end : List.of(venue.server(), venue.client())) {
            files.add(sys.resolve(
                    network
                            ? "net/" + end.netdev().orElse("none") + "/statistics/tx_bytes"
                            : "infiniband/" + end.device().orElse("none") + "/ports/1/counters/port_xmit_data"));
        }
        return venue.hasDevices() && files.stream().allMatch(Files::isReadable)
                ? Optional.of(new WireCounters(files, network ? 1 : WORD))
                : Optional.empty();
    }

    /** The bytes that both ends have sent so far. */
    long sent() throws IOException {
        long sum = 0;
        for (Path file : files) {
            try {
                sum += Long.parseLong(Files.readString(file).strip()) * unit;
            } catch (NoSuchFileException | NumberFormatException e) {
                throw new IOException("the device does not tell " + file, e);
            }
        }
        return sum;
    }

    /**
     * The bytes that each message took on the wire beyond its payload. Empty if fewer bytes than the payload were
     * counted: then the messages went elsewhere, like those of sockets between two addresses of one machine.
     */
    static OptionalDouble overhead(long sent, long messages, long bytes) {
        return messages <= 0 || sent < messages * bytes
                ? OptionalDouble.empty()
                : OptionalDouble.of((sent - messages * (double) bytes) / messages);
    }
}
