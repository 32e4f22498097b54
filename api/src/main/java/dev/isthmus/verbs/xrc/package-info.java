/**
 * XRC, the extended reliable connected service: {@code struct ibv_xrcd}. A message that arrives at an XRC queue pair
 * goes to the shared receive queue of the same domain that its sender names. So a process needs one connection to each
 * other machine, rather than to each process there. NVIDIA's devices have it (the drivers mlx4 and mlx5). Soft-RoCE and
 * SoftiWARP do not: opening a domain fails with EOPNOTSUPP.
 *
 * <p>The receiving end has a queue pair, to which it posts nothing, and a shared receive queue, whose number it sends
 * to its peer:
 *
 * <pre>{@code
 * try (var device = Device.first().open();
 *         var pd = device.allocateProtectionDomain();
 *         var cq = device.createCompletionQueue(64);
 *         var memory = pd.allocate(4096, AccessFlag.LOCAL_WRITE);
 *         var domain = XrcDomain.open(device);
 *         var receives = domain.createSharedReceiveQueue(pd, cq, config -> config.maxWr(64));
 *         var qp = domain.createQueuePair()) {
 *     receives.post(ReceiveRequest.prepare(memory.region()));
 *     System.out.println("connect to queue pair " + qp.qpNum() + ", and send to queue " + receives.srqNum());
 * }
 * }</pre>
 *
 * <p>The sending end is a queue pair of type XRC_SEND, of any protection domain, whose batches name the queue: {@link
 * dev.isthmus.verbs.SendBatch#sharedReceiveQueue}. Processes share a domain that is tied to a file. Any thread may use
 * a domain.
 */
package dev.isthmus.verbs.xrc;
