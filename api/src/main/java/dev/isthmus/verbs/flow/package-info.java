/**
 * Flow steering: rules in the device for which packets go to which queue pair, and what is done to them on the way,
 * such as counting, or encryption by IPsec's ESP. {@code ibv_create_flow} and related calls. NVIDIA's devices have
 * flows (the drivers mlx4 and mlx5); those of mlx5 have counters and actions, too. Soft-RoCE and SoftiWARP have none of
 * it: each call fails with EOPNOTSUPP.
 *
 * <p>This raw packet queue pair gets the UDP packets to port 4711, and counts them:
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
 * <p>Rules and matches are values. Any thread may use flows, actions and counters; only the queue pair's thread may
 * create a flow. The process needs CAP_NET_RAW.
 */
package dev.isthmus.verbs.flow;
