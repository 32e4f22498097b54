// SPDX-License-Identifier: Apache-2.0
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
 * try (var arena = GuardedArena.ofConfined();
 *         var context = UcpContext.create();
 *         var sender = context.createWorker();
 *         var receiver = context.createWorker();
 *         var endpoint = sender.createEndpoint(receiver.address())) {
 *     var hello = arena.allocateFrom("hello, UCX");
 *     var buffer = arena.allocate(64);
 *     long receive = receiver.tagReceive(buffer, 7); // a number, 0 when done at once
 *     long send = endpoint.tagSend(hello, 7);
 *     while (!receiver.requests().isDone(receive) || !sender.requests().isDone(send)) {
 *         sender.progress(); // allocates nothing, never blocks
 *         receiver.progress();
 *     }
 *     System.out.println(receiver.requests().status(receive) + ", "
 *             + receiver.requests().length(receive) + " bytes: " + buffer.getString(0));
 *     receiver.requests().release(receive);
 *     sender.requests().release(send);
 * }
 * }
 *
 * <h2>Active messages</h2>
 *
 * <p>An active message calls a handler of the peer's, which can answer at once. Its context is made with {@link
 * dev.isthmus.ucx.UcpFeature#AM}:
 *
 * {@snippet :
 * server.activeMessages().setHandler(ADD, message -> {
 *     sum.set(JAVA_LONG, 0, message.header().getLong(0) + message.header().getLong(8));
 *     replies.add(message.reply(SUM, sum, MemorySegment.NULL, 0)); // 0 if done at once
 * });
 * client.activeMessages().setHandler(SUM, message -> System.out.println(message.header().getLong(0)));
 * long send = endpoint.amSend(ADD, numbers, MemorySegment.NULL, UcpActiveMessages.REPLY);
 * }
 *
 * <h2>More than one buffer</h2>
 *
 * <p>What is sent or received as one can be a {@link dev.isthmus.ucx.UcpPayload}: a list of buffers, data that the program
 * packs itself, or one buffer with options. A message that a probe finds is taken, and received when its length is known:
 *
 * {@snippet :
 * UcpIov message = UcpIov.allocate(sender, 2).add(header, 0, 16).add(body, 0, length);
 * long send = endpoint.tagSend(message, 7); // 0 if done at once
 *
 * try (UcpTagMessage taken = UcpTagMessage.of(receiver)) {
 *     while (!receiver.tagTake(7, UcpWorker.EXACT_TAG, taken)) {
 *         receiver.progress();
 *         sender.progress();
 *     }
 *     MemorySegment buffer = arena.allocate(taken.length());
 *     long receive = taken.receive(buffer, 0, taken.length());
 *     while (!receiver.requests().isDone(receive)) {
 *         receiver.progress();
 *         sender.progress();
 *     }
 *     receiver.requests().release(receive);
 * }
 * sender.requests().release(send);
 * }
 *
 * <h2>Streams</h2>
 *
 * <p>An endpoint of a context made with {@link dev.isthmus.ucx.UcpFeature#STREAM}, and its peer's endpoint back, are the
 * ends of two streams of bytes. They are received into a buffer, or read where UCX has them:
 *
 * {@snippet :
 * long send = here.stream().send(hello, 0, hello.byteSize()); // 0 if done at once
 * try (UcpStreamData data = UcpStreamData.of(receiver)) {
 *     while (!there.stream().receiveData(data)) {
 *         receiver.progress();
 *         sender.progress();
 *     }
 *     System.out.println(data.length() + " bytes, the first " + data.getByte(0));
 * }
 * sender.requests().release(send);
 * }
 *
 * <h2>Memory of peers</h2>
 *
 * <p>A context made with {@link dev.isthmus.ucx.UcpFeature#RMA} registers or allocates a {@link
 * dev.isthmus.ucx.UcpMemory}. Its {@link dev.isthmus.ucx.UcpPackedKey} is carried to a peer, which unpacks it on an
 * endpoint and then reads and writes the memory without a part of the program that owns it, and changes numbers in it
 * atomically:
 *
 * {@snippet :
 * try (var context = UcpContext.create(config -> config.features(EnumSet.of(UcpFeature.RMA, UcpFeature.AMO64)));
 *         var origin = context.createWorker();
 *         var target = context.createWorker();
 *         var memory = context.allocate(4096); // at the target; its key goes to the origin
 *         var endpoint = origin.createEndpoint(target.address());
 *         var remote = endpoint.unpack(memory.packKey());
 *         var arena = Arena.ofConfined()) {
 *     MemorySegment hello = arena.allocateFrom("hello");
 *     remote.putImplicit(hello, 0, hello.byteSize(), 8);
 *     long before = remote.atomics().fetch64(UcpAtomic.ADD, 0, 1);
 *     long flush = endpoint.flush(); // when it is done, so is all of it, at the target too
 *     while (!origin.requests().isDone(flush) || !origin.requests().isDone(before)) {
 *         origin.progress();
 *         target.progress(); // which transports that are not RDMA need
 *     }
 *     System.out.println(memory.segment().getString(8) + ", formerly " + origin.requests().fetched(before));
 *     origin.requests().release(flush);
 *     origin.requests().release(before);
 * }
 * }
 *
 * <h2>Who connects to whom</h2>
 *
 * <p>Two ways lead to an endpoint. Peers that can exchange bytes by other means carry a {@link
 * dev.isthmus.ucx.UcpAddress} each way, as above; UCX then chooses among all transports. A server without such means
 * opens a {@link dev.isthmus.ucx.UcpListener} at a socket address; a client makes an endpoint to that address, and the
 * server accepts or rejects the {@link dev.isthmus.ucx.UcpConnectionRequest}.
 *
 * <h2>Threads</h2>
 *
 * <p>A context is thread-safe. A worker, with its endpoints, listeners and operations, belongs to one thread at a time:
 * every call checks that, and {@link dev.isthmus.ucx.UcpWorker#handOver} gives it to another. What any thread may do is
 * {@link dev.isthmus.ucx.UcpWakeup#signal()}, which ends the sleep of the worker's thread. {@link
 * dev.isthmus.loop.EventLoop} progresses workers that belong to it, sleeps when there is nothing to do, and runs what other
 * threads give it.
 *
 * <h2>Callbacks</h2>
 *
 * <p>UCX calls back while it progresses. This library notes what it is told, and tells the program once UCX has
 * returned, still within {@link dev.isthmus.ucx.UcpWorker#progress()}: endpoint failures, connection requests and
 * futures. So these may use the worker freely, progress it, and close anything. What they throw comes out of {@code
 * progress()}, and the rest is told by the next one. Where the data is there only while UCX calls, the program runs inside
 * that call: it may then not progress the worker, nor close it, which is refused with an {@link
 * IllegalStateException}; endpoints and listeners that it closes take nothing more at once, and are destroyed when
 * UCX has returned.
 *
 * <h2>Closing</h2>
 *
 * <p>Everything is closed in the reverse order of its making, and try-with-resources does that. A close out of order
 * throws, names what is to be closed first, and leaves all as it was. Closing an endpoint lets what was sent leave, for as
 * long as {@link dev.isthmus.ucx.UcpWorkerConfig#closeTimeout} says, and goes on by force; closing a worker cancels what
 * is outstanding.
 *
 * <h2>Failures</h2>
 *
 * <p>A call that UCX refuses throws a {@link dev.isthmus.UcxException}. An operation that fails later has a status. An
 * endpoint that fails is told of once, to its {@link dev.isthmus.ucx.UcpErrorHandler}. What the loaded UCX is too old for
 * throws a {@link dev.isthmus.RdmaUnavailableException} that names the version to upgrade to; this library runs with
 * 1.12 and later.
 *
 * <p>Classes and methods name the C functions they stand for, and what those say in ucp/api/ucp.h holds here too.
 */
package dev.isthmus.ucx;
