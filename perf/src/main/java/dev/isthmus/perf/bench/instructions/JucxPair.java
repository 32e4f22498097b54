// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/** {@link UcxPair} with JUCX. */
final class JucxPair implements AutoCloseable {

    final UcpContext context;
    final UcpWorker sender;
    final UcpWorker receiver;
    final UcpEndpoint there;
    private UcpEndpoint back; // null until it is asked for

    JucxPair(UcxRow.Transport transport, UcpParams features) {
        context = new UcpContext(features.setConfig("TLS", transport.transports()));
        sender = new UcpWorker(context, new UcpWorkerParams());
        receiver = transport == UcxRow.Transport.SELF ? sender : new UcpWorker(context, new UcpWorkerParams());
        there = endpoint(sender, receiver);
    }

    private static UcpEndpoint endpoint(UcpWorker from, UcpWorker to) {
        return new UcpEndpoint(from, new UcpEndpointParams().setUcpAddress(to.getAddress()));
    }

    UcpEndpoint back() {
        if (back == null) {
            back = receiver.equals(sender) ? there : endpoint(receiver, sender);
        }
        return back;
    }

    @Override
    public void close() {
        there.close();
        if (!receiver.equals(sender)) {
            if (back != null) {
                back.close();
            }
            receiver.close();
        }
        sender.close();
        context.close();
    }
}
