/**
 * Verbs: devices, memory regions, queue pairs and completion queues, as in infiniband/verbs.h.
 *
 * <p>This connects two queue pairs of one process, and sends a message from one to the other:
 *
 * <pre>{@code
 * try (var device = Device.first().open();
 *         var pd = device.allocateProtectionDomain();
 *         var memory = pd.allocate(4096, AccessFlag.LOCAL_WRITE);
 *         var cq = device.createCompletionQueue(16);
 *         var a = pd.createQueuePair(QueuePairType.RC, cq, cq);
 *         var b = pd.createQueuePair(QueuePairType.RC, cq, cq)) {
 *     var gid = device.defaultGid(1);
 *     a.connect(gid, b.address(gid));
 *     b.connect(gid, a.address(gid));
 *     var region = memory.region();
 *     region.segment().setString(0, "hello, RDMA");
 *     var receive = ReceiveRequest.prepare(region).range(2048, 2048).wrId(1);
 *     var send = SendRequest.prepare(region).range(0, 12).wrId(2).signaled(true);
 *     b.post(receive);
 *     a.post(send);
 *     var done = WorkCompletions.allocate(2);
 *     for (int seen = 0; seen < 2; ) {
 *         int n = cq.poll(done); // allocates nothing, never blocks
 *         for (int i = 0; i < n; i++, seen++) {
 *             if (!done.isSuccess(i)) {
 *                 throw new IllegalStateException("request " + done.wrId(i) + ": " + done.status(i));
 *             }
 *         }
 *     }
 *     System.out.println(region.segment().getString(2048));
 * }
 * }</pre>
 *
 * <p>Special features have packages below this one: {@code attributes} (what devices and ports are and can do),
 * {@code cqex} (extended completion queues), {@code devicememory}, {@code exchange} (addresses of queue pairs over
 * TCP), {@code flow} (flow steering), {@code rss} (receive side scaling), {@code tags} (tag matching) and {@code xrc}.
 *
 * <p>Close objects in the reverse order of their creation; a parent that still has children refuses to close.
 * Queue pairs, queues, address handles, memory windows and requests belong to the thread that created them until they
 * are handed over. Use a {@link dev.isthmus.verbs.WorkCompletions} from one thread at a time. Any thread may use
 * everything else. Isthmus checks lengths, states, threads and closed objects before a call, so a mistake is an
 * exception. Java cannot see what the device still has to do: keep memory allocated until the queue pairs that use it
 * are closed or have completed their requests, see {@link dev.isthmus.verbs.MemoryRegion}.
 */
package dev.isthmus.verbs;
