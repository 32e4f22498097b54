// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpWorker;
import java.util.Set;

/** Two workers of a context, or one worker in both roles, and an endpoint from one to the other. */
public final class UcxPair implements AutoCloseable {

    public final UcpContext context;
    public final UcpWorker sender;
    public final UcpWorker receiver;
    public final UcpEndpoint there;
    private UcpEndpoint back; // null until it is asked for

    /** Has a single worker if its only transport, {@code UCX_TLS}, is self. */
    public UcxPair(String transports, UcpFeature... features) {
        context = UcpContext.create(config -> config.features(Set.of(features)).set("TLS", transports));
        sender = context.createWorker();
        receiver = transports.equals("self") ? sender : context.createWorker();
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
