/**
 * UCX: messages over whatever connects two processes, shared memory, TCP or RDMA, chosen by UCX.
 *
 * <p>A {@link dev.isthmus.ucx.UcpContext} opens devices, a {@link dev.isthmus.ucx.UcpWorker} receives and makes things
 * advance, a {@link dev.isthmus.ucx.UcpEndpoint} sends to one other worker. An operation is a number that {@link
 * dev.isthmus.ucx.UcpRequests} answers questions about; 0 was done at once.
 *
 * <p>A message from one worker to another, here in one process:
 *
 * {@snippet :
 * try (var context = UcpContext.create();
 *         var sender = context.createWorker();
 *         var receiver = context.createWorker();
 *         var endpoint = sender.createEndpoint(receiver.address());
 *         var arena = Arena.ofConfined()) {
 *     MemorySegment hello = arena.allocateFrom("hello");
 *     MemorySegment buffer = arena.allocate(64);
 *     UcpRequests received = receiver.requests();
 *
 *     long receive = receiver.tagReceive(buffer, 7);
 *     long send = endpoint.tagSend(hello, 7); // 0 if done at once
 *     while (!received.isDone(receive) || !sender.requests().isDone(send)) {
 *         sender.progress();
 *         receiver.progress();
 *     }
 *     System.out.println(received.status(receive) + ": " + received.length(receive) + " bytes, "
 *             + buffer.getString(0));
 *     sender.requests().release(send);
 *     received.release(receive);
 * }
 * }
 *
 * <p>Classes and methods name the C functions they stand for, and what those say in ucp/api/ucp.h holds here too.
 */
package dev.isthmus.ucx;
