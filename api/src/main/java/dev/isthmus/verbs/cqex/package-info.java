/**
 * Extended completion queues, which are read in place: {@code struct ibv_cq_ex}. The driver copies no completions,
 * and gives what {@code ibv_poll_cq} does not, such as timestamps, VLAN tags, and tags of flows and messages. Most
 * drivers have them, Soft-RoCE only with the standard fields. Creating one with a field that the device lacks fails
 * with EOPNOTSUPP.
 *
 * <pre>{@code
 * try (var device = Device.first().open();
 *         var pd = device.allocateProtectionDomain();
 *         var cq = ExtendedCompletionQueue.create(device, 64, config -> config.fields(CompletionField.BYTE_LEN));
 *         var qp = pd.createQueuePair(QueuePairType.RC, cq.queue(), cq.queue())) {
 *     if (cq.startPoll()) {
 *         do {
 *             System.out.println(cq.wrId() + ": " + cq.status());
 *         } while (cq.nextPoll());
 *         cq.endPoll();
 *     }
 * }
 * }</pre>
 *
 * <p>Create queue pairs with {@link dev.isthmus.verbs.cqex.ExtendedCompletionQueue#queue}, which is the same queue to
 * C. Both belong to one thread at a time.
 */
package dev.isthmus.verbs.cqex;
