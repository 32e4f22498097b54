// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.attributes.Mtu;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Where a test runs, and how its ends find each other.
 *
 * @param device the device's name; empty for the first one
 * @param ibPort the device's port
 * @param gidIndex the index of the GID; empty for the best
 * @param mtu at most this; empty for the port's
 * @param tcpPort the TCP port of the exchange
 * @param listen the address that a server listens at; empty for all
 * @param rdmaCm whether the queue pairs are connected by RDMA CM
 * @param exchangeByCm whether the ends talk over a queue pair of RDMA CM instead of TCP
 * @param serviceLevel of the path
 * @param qpTimeout of the queue pairs, 4.096 us times two to the power of it
 * @param relaxedOrdering whether memory is registered with relaxed ordering
 * @param runLimitSeconds how long to wait for the peer's end of a run
 * @param silenceSeconds how long the peer may be silent during a run
 */
record Place(
        Optional<String> device,
        int ibPort,
        OptionalInt gidIndex,
        Optional<Mtu> mtu,
        int tcpPort,
        Optional<String> listen,
        boolean rdmaCm,
        boolean exchangeByCm,
        int serviceLevel,
        int qpTimeout,
        boolean relaxedOrdering,
        int runLimitSeconds,
        int silenceSeconds) {

    /** The address that a server waits at. RDMA CM's wildcard is that of IPv4, as in C. */
    InetSocketAddress listenAt() throws PerftestException {
        if (listen.isEmpty()) {
            return exchangeByCm ? new InetSocketAddress("0.0.0.0", tcpPort) : new InetSocketAddress(tcpPort);
        }
        var address = new InetSocketAddress(listen.get(), tcpPort);
        if (address.isUnresolved()) {
            throw new PerftestException("unknown host " + listen.get() + " (--listen)");
        }
        return address;
    }
}
