// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.Side;
import dev.isthmus.perf.Turns;
import dev.isthmus.perf.process.Children;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/** Who measures over UCX. */
public interface UcxContender extends Turns.Contender<UcxCell> {

    /**
     * Makes that of a side: in C two new processes of {@code ucx_perftest} for each run, in Java two JVMs that stay.
     *
     * @param warmUpSeconds how long a JVM is warmed up for each cell
     * @param children the processes that its own belong to
     * @throws IOException if they cannot be started
     */
    static UcxContender of(Side side, UcxCell.Transport transport, double warmUpSeconds, Children children)
            throws IOException {
        if (side != Side.C) {
            return new UcxAgentContender(side, transport, warmUpSeconds, children);
        }
        var tool = new UcxPerftest(Map.of("UCX_TLS", transport.transports()), children);
        return cell -> cell.figure(tool.measure(cell.flags(UcxCell.WARM_UP), limit(cell)));
    }

    /** A message takes less than a millisecond wherever this runs. */
    private static Duration limit(UcxCell cell) {
        return Duration.ofMinutes(2).plusMillis(cell.iterations());
    }
}
