/**
 * Buffers for programs on verbs and on UCX: memory that is registered before you need it.
 *
 * <p>A {@link dev.isthmus.buffers.SlicePool} has buffers of one size, in its own memory: for receives, for messages,
 * for whatever you fill and send. A {@link dev.isthmus.buffers.RegistrationCache} is for memory that the program has
 * anyway, such as mapped files. Both exist for verbs and for UCX. Slices and leases are numbers, which fit into
 * {@code wrId}: release the number that a completion brings back.
 *
 * <p>This sends a message from one slice to another. Both are posted from the pool, and released upon completion:
 *
 * {@snippet :
 * try (var pool = RegionPool.create(pd, 4096, 1 << 20, AccessFlag.LOCAL_WRITE)) {
 *     long in = pool.acquire();
 *     b.post(pool.into(ReceiveRequest.prepare(1), in).wrId(in));
 *     long out = pool.acquire();
 *     pool.segment(out).setString(0, "hello");
 *     a.post(pool.into(SendRequest.prepare(1), out, 0, 6).wrId(out).signaled(true));
 *     for (int completed = 0; completed < 2; ) {
 *         int n = cq.poll(done);
 *         for (int i = 0; i < n; i++) {
 *             System.out.println(done.status(i) + ": " + pool.segment(done.wrId(i)).getString(0));
 *             pool.release(done.wrId(i));
 *         }
 *         completed += n;
 *     }
 * }
 * }
 */
package dev.isthmus.buffers;
