// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import picocli.CommandLine.Command;

/**
 * {@code ibv_uc_pingpong} in Java: two programs send each other a message in turn, over an unreliable connection. A
 * message that is lost is not sent again, and both wait for ever. Takes the same flags, prints the same lines, and has
 * this or the C program as its peer.
 */
@Command(
        name = "uc_pingpong",
        description = "Sends a message there and back over UC. Without HOST it is the server and waits for one client.",
        sortOptions = false,
        exitCodeOnInvalidInput = 1,
        mixinStandardHelpOptions = true)
public final class UcPingPong extends ConnectedPingPong {

    /** Creates the program, without its flags. */
    public UcPingPong() {
        super(QueuePairType.UC);
    }

    /**
     * Runs the program.
     *
     * @param args the flags of {@code ibv_uc_pingpong}
     */
    public static void main(String... args) {
        System.exit(PingPongOptions.commandLine(new UcPingPong()).execute(args));
    }

    @Override
    void connect(QueuePair qp, AddressVector way, PingPongAddress mine, PingPongAddress remote) {
        qp.modify(QueuePairTransition.to(QueuePairState.RTR)
                .path(way)
                .pathMtu(path.mtu)
                .destQpNum(remote.qpNum())
                .rqPsn(remote.psn()));
        qp.modify(QueuePairTransition.to(QueuePairState.RTS).sqPsn(mine.psn()));
    }
}
