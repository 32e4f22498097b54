// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.time.Duration;
import java.util.List;

/**
 * What handshakes need once the ends know each other.
 *
 * @param mine our first queue pair, which every handshake carries
 * @param theirs the peer's queue pairs
 * @param patience how long the peer may be busy with a run
 */
record HandshakeData(PerftestDestination mine, List<PerftestDestination> theirs, Duration patience) {}
