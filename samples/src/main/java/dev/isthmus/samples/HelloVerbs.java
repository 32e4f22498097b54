// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;

/** Sends a message from one queue pair to another in the same process, over the first RDMA device. */
public final class HelloVerbs {

    private HelloVerbs() {}

    /**
     * Needs an RDMA device: {@code ./isthmus testbed} gives one.
     *
     * @param args none
     */
    public static void main(String[] args) {
        // README: begin
        try (var device = Device.first().open();
                var pd = device.allocateProtectionDomain();
                var memory = pd.allocate(4096, AccessFlag.LOCAL_WRITE);
                var cq = device.createCompletionQueue(16);
                var a = pd.createQueuePair(QueuePairType.RC, cq, cq);
                var b = pd.createQueuePair(QueuePairType.RC, cq, cq)) {
            var gid = device.defaultGid(1);
            a.connect(gid, b.address(gid));
            b.connect(gid, a.address(gid));
            var region = memory.region();
            region.segment().setString(0, "hello, RDMA");
            var receive = ReceiveRequest.prepare(region).range(2048, 2048).wrId(1);
            var send = SendRequest.prepare(region).range(0, 12).wrId(2).signaled(true);
            b.post(receive);
            a.post(send);
            var done = WorkCompletions.allocate(2);
            for (int seen = 0; seen < 2; ) {
                int n = cq.poll(done); // allocates nothing, never blocks
                for (int i = 0; i < n; i++, seen++) {
                    if (!done.isSuccess(i)) {
                        throw new IllegalStateException("request " + done.wrId(i) + ": " + done.status(i));
                    }
                }
            }
            System.out.println(region.segment().getString(2048));
        }
        // README: end
    }
}
