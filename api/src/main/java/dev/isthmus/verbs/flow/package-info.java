// SPDX-License-Identifier: Apache-2.0
/**
 * Flow steering: rules in the device which packets go to which queue pair, and what is done to them on the way, such as
 * counting, or encryption by IPsec's ESP. {@code ibv_create_flow} and what belongs to it. NVIDIA's devices have flows (the
 * drivers mlx4 and mlx5), those of mlx5 counters and actions, too. Soft-RoCE and SoftiWARP have nothing of it: each call says
 * EOPNOTSUPP.
 *
 * <p>A raw packet queue pair that gets the UDP packets to port 4711, and a count of them:
 *
 * <pre>{@code
 * try (var device = Device.first().open();
 *         var pd = device.allocateProtectionDomain();
 *         var cq = device.createCompletionQueue(64);
 *         var qp = pd.createQueuePair(QueuePairType.RAW_PACKET, cq, cq);
 *         var packets = Counters.create(device)) {
 *     packets.attach(Counters.Kind.PACKETS, 0);
 *     var rule = FlowRule.match(
 *             1,
 *             FlowMatch.of(FlowLayer.ETH),
 *             FlowMatch.of(FlowLayer.IPV4),
 *             FlowMatch.of(FlowLayer.UDP).with(FlowField.DST_PORT, 4711),
 *             FlowSpec.count(packets));
 *     try (var flow = Flow.create(qp, rule)) {
 *         System.out.println(flow + ": " + packets.read(1, false)[0] + " packets so far");
 *     }
 * }
 * }</pre>
 *
 * <p>Rules and matches are values. Flows, actions and counters can be used from any thread; only the making of a flow belongs
 * to its queue pair's. The process needs CAP_NET_RAW.
 */
package dev.isthmus.verbs.flow;
