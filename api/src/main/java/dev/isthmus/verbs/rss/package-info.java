/**
 * Receive side scaling: the device spreads the packets of one queue pair over several receive queues, by a hash of
 * their headers, so that several threads can take them. {@code struct ibv_wq} and {@code struct ibv_rwq_ind_table}.
 * NVIDIA's devices have it (the drivers mlx4 and mlx5): {@link dev.isthmus.verbs.attributes.RssCapabilities} says what
 * they hash. Soft-RoCE and SoftiWARP do not: creating a work queue fails with EOPNOTSUPP.
 *
 * <p>These two work queues get the packets of a raw packet queue pair:
 *
 * <pre>{@code
 * try (var device = Device.first().open();
 *         var pd = device.allocateProtectionDomain();
 *         var cq = device.createCompletionQueue(128);
 *         var memory = pd.allocate(8192, AccessFlag.LOCAL_WRITE);
 *         var first = WorkQueue.create(pd, cq, config -> config.maxWr(64));
 *         var second = WorkQueue.create(pd, cq, config -> config.maxWr(64));
 *         var table = ReceiveIndirectionTable.create(device, List.of(first, second));
 *         var qp = table.createQueuePair(
 *                 pd,
 *                 QueuePairType.RAW_PACKET,
 *                 ReceiveHash.toeplitz(new byte[40], RxHashField.SRC_IPV4, RxHashField.DST_IPV4))) {
 *     first.modify(WorkQueueState.RDY);
 *     second.modify(WorkQueueState.RDY);
 *     boolean posted = first.tryPost(ReceiveRequest.prepare(memory.region()).range(0, 4096))
 *             && second.tryPost(ReceiveRequest.prepare(memory.region()).range(4096, 4096));
 *     qp.modify(QueuePairTransition.to(QueuePairState.INIT).port(1));
 *     qp.modify(QueuePairTransition.to(QueuePairState.RTR));
 * }
 * }</pre>
 *
 * <p>A work queue belongs to one thread at a time, like a queue pair; any thread may use a table. A rule of
 * {@code dev.isthmus.verbs.flow} says which packets the queue pair gets.
 */
package dev.isthmus.verbs.rss;
