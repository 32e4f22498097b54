// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.DatagramParameters;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.cm.PortSpace;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.GlobalRouteHeader;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Joins a multicast group, and sends a datagram to all its members, or waits for one. */
public final class GroupGreeting {

    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final int MAX_BYTES = 256; // bytes of a datagram, and of what the device puts before it

    private GroupGreeting() {}

    /**
     * Needs an RDMA device.
     *
     * @param args the address of the device, that of the group, and a text to send; without a text, it listens
     * @throws IOException if the group cannot be joined, or no datagram arrives
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws IOException, InterruptedException {
        String text = args.length > 2 ? args[2] : null;
        System.out.println(join(InetAddress.getByName(args[0]), InetAddress.getByName(args[1]), text));
    }

    /** Sends a text, or returns the first one that arrives if it is null. */
    static String join(InetAddress device, InetAddress group, String text) throws IOException, InterruptedException {
        try (var channel = EventChannel.open();
                var id = channel.createId(PortSpace.UDP)) {
            id.bind(new InetSocketAddress(device, 0));
            try (var pd = id.device().allocateProtectionDomain();
                    var cq = id.device().createCompletionQueue(2);
                    var memory = pd.allocate(2 * MAX_BYTES, AccessFlag.LOCAL_WRITE);
                    var qp = id.createQueuePair(pd, cq, cq, config -> {})) {
                if (text == null) { // before it joins, so that it misses nothing
                    qp.post(ReceiveRequest.prepare(memory.region()).range(0, MAX_BYTES));
                }
                id.joinMulticast(new InetSocketAddress(group, 0));
                if (!(channel.await(DEADLINE) instanceof CmEvent.MulticastJoined joined)) {
                    throw new IOException("the group cannot be joined");
                }
                DatagramParameters to = joined.parameters();
                System.out.println("joined " + group.getHostAddress());
                if (text == null) {
                    await(cq);
                    return memory.segment().getString(GlobalRouteHeader.BYTES);
                }
                memory.segment().asSlice(MAX_BYTES).setString(0, text);
                try (var way = pd.createAddressHandle(to.path())) {
                    qp.post(SendRequest.prepare(memory.region())
                            .range(MAX_BYTES, MAX_BYTES - GlobalRouteHeader.BYTES)
                            .to(way, to.qpNum(), to.qkey())
                            .signaled(true));
                    await(cq);
                    return text;
                }
            }
        }
    }

    private static void await(CompletionQueue cq) throws IOException {
        var done = WorkCompletions.allocate(1);
        for (long begin = System.nanoTime(); cq.poll(done) == 0; Thread.onSpinWait()) {
            if (System.nanoTime() - begin > DEADLINE.toNanos()) {
                throw new IOException("no datagram arrived");
            }
        }
        if (!done.isSuccess(0)) {
            throw new IOException("the datagram failed: " + done.status(0));
        }
    }
}
