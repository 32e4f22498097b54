// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpWorker;
import java.util.EnumSet;

/** Two workers of a context with one feature, or one worker in both roles, and an endpoint from one to the other. */
final class UcxPair implements AutoCloseable {

    final UcpContext context;
    final UcpWorker sender;
    final UcpWorker receiver;
    final UcpEndpoint there;
    private UcpEndpoint back; // null until it is asked for

    UcxPair(UcxRow.Transport transport, UcpFeature feature) {
        context =
                UcpContext.create(config -> config.features(EnumSet.of(feature)).set("TLS", transport.transports()));
        sender = context.createWorker();
        receiver = transport == UcxRow.Transport.SELF ? sender : context.createWorker();
        there = sender.createEndpoint(receiver.address());
    }

    /** The receiver's endpoint to the sender; a single worker already has one to itself. */
    UcpEndpoint back() {
        if (back == null) {
            back = receiver.equals(sender) ? there : receiver.createEndpoint(sender.address());
        }
        return back;
    }

    @Override
    public void close() {
        there.closeForcibly();
        if (back != null) {
            back.closeForcibly();
        }
        receiver.close();
        sender.close();
        context.close();
    }
}
