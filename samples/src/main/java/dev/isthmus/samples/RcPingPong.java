// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.attributes.Mtu;
import picocli.CommandLine.Command;

/**
 * {@code ibv_rc_pingpong} in Java: two programs send each other a message in turn, over a reliable connection. Takes
 * the same flags, prints the same lines, and has this or the C program as its peer.
 */
@Command(
        name = "rc_pingpong",
        description = "Sends a message there and back over RC. Without HOST it is the server and waits for one client.",
        sortOptions = false,
        exitCodeOnInvalidInput = 1,
        mixinStandardHelpOptions = true)
public final class RcPingPong extends ConnectedPingPong {

    /** Creates the program, without its flags. */
    public RcPingPong() {
        super(QueuePairType.RC);
    }

    /**
     * Runs the program.
     *
     * @param args the flags of {@code ibv_rc_pingpong}
     */
    public static void main(String... args) {
        System.exit(PingPongOptions.commandLine(new RcPingPong()).execute(args));
    }

    @Override
    void connect(QueuePair qp, AddressVector way, PingPongAddress mine, PingPongAddress remote) {
        connect(qp, way, path.mtu, mine, remote);
    }

    /** A reliable connection, as the shared receive queue's program makes many of. */
    static void connect(QueuePair qp, AddressVector way, Mtu mtu, PingPongAddress mine, PingPongAddress remote) {
        qp.modify(QueuePairTransition.to(QueuePairState.RTR)
                .path(way)
                .pathMtu(mtu)
                .destQpNum(remote.qpNum())
                .rqPsn(remote.psn())
                .maxDestRdAtomic(1)
                .minRnrTimer(12));
        qp.modify(QueuePairTransition.to(QueuePairState.RTS)
                .sqPsn(mine.psn())
                .timeout(14)
                .retryCount(7)
                .rnrRetry(7)
                .maxRdAtomic(1));
    }
}
