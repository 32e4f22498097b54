/**
 * Tag matching, as MPI programs need it: a shared receive queue gives a message with a tag the buffer that was posted
 * for this tag. {@code IBV_SRQT_TM} and {@code ibv_post_srq_ops}. NVIDIA's devices have it from ConnectX-5 on (the
 * driver mlx5): {@link dev.isthmus.verbs.attributes.TagMatchingCapabilities} says how many tags. Soft-RoCE and
 * SoftiWARP do not: creating such a queue fails with EOPNOTSUPP.
 *
 * <p>This queue has room for 64 tags, and a buffer for messages with the tag 0x1234:
 *
 * <pre>{@code
 * try (var device = Device.first().open();
 *         var pd = device.allocateProtectionDomain();
 *         var cq = device.createCompletionQueue(128);
 *         var memory = pd.allocate(4096, AccessFlag.LOCAL_WRITE);
 *         var queue = pd.createSharedReceiveQueue(config -> config.tagMatching(cq, 64, 16))) {
 *     var tags = TagQueue.of(queue);
 *     var operation = TagOperation.prepare().buffer(memory.region(), 0, 4096).signaled(true);
 *     boolean posted = tags.tryPost(operation.add(1, 0x1234, -1)); // all bits of the tag count
 *     System.out.println(posted ? "the device calls it " + operation.handle() : "the queue is full");
 * }
 * }</pre>
 *
 * <p>Like requests, you prepare operations once, change them in place and post them many times. Operations, and the
 * tags of a queue, belong to one thread at a time.
 */
package dev.isthmus.verbs.tags;
