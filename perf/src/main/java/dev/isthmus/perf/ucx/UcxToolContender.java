// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.process.Children;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/** {@code ucx_perftest}: two new processes for each run. */
final class UcxToolContender implements UcxContender {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final UcxPerftest tool;

    UcxToolContender(UcxCell.Transport transport, Children children) throws IOException {
        tool = new UcxPerftest(Map.of("UCX_TLS", transport.transports()), children);
    }

    @Override
    public double run(UcxCell cell, int iterations, int warmUp, double warmUpSeconds)
            throws IOException, InterruptedException {
        return cell.figure(tool.measure(cell.flags(iterations, warmUp), LIMIT));
    }

    @Override
    public void close() {
        // Nothing is kept between runs.
    }
}
