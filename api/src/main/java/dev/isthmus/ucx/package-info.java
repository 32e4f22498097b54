/**
 * UCX: messages over whatever connects two processes, shared memory, TCP or RDMA, chosen by UCX.
 *
 * <p>A {@link dev.isthmus.ucx.UcpContext} opens devices. A {@link dev.isthmus.ucx.UcpWorker} receives, and progresses
 * communication. A {@link dev.isthmus.ucx.UcpEndpoint} sends to one other worker. An operation is a number that you
 * look up in {@link dev.isthmus.ucx.UcpRequests}; 0 was done at once.
 *
 * <p>A message from one worker to another, here in one process:
 *
 * {@snippet :
 * try (var arena = GuardedArena.ofConfined();
 *         var context = UcpContext.create();
 *         var sender = context.createWorker();
 *         var receiver = context.createWorker();
 *         var endpoint = sender.createEndpoint(receiver.address())) {
 *     var buffer = arena.allocate(64);
 *     long receive = receiver.tagReceive(buffer, 7); // the operation's number
 *     long send = endpoint.tagSend(arena.allocateFrom("hello, UCX"), 7); // 0 if done at once
 *     while (!receiver.requests().isDone(receive) || !sender.requests().isDone(send)) {
 *         sender.progress(); // allocates nothing, never blocks
 *         receiver.progress();
 *     }
 *     System.out.println(buffer.getString(0));
 *     receiver.requests().release(receive);
 *     sender.requests().release(send);
 * }
 * }
 *
 * <h2>The classes, by purpose</h2>
 *
 * <dl>
 *   <dt>Set-up
 *   <dd>{@link dev.isthmus.ucx.UcpContext}, {@link dev.isthmus.ucx.UcpWorker}, {@link dev.isthmus.ucx.UcpEndpoint},
 *       {@link dev.isthmus.ucx.UcpMemory}: each is created with a configuration, such as
 *       {@link dev.isthmus.ucx.UcpContextConfig}, and most report their attributes, such as
 *       {@link dev.isthmus.ucx.UcpContextAttributes}. {@link dev.isthmus.ucx.UcpFeature} says what a context can do,
 *       {@link dev.isthmus.ucx.UcxVersion} which UCX is loaded
 *   <dt>Connections
 *   <dd>{@link dev.isthmus.ucx.UcpAddress}; {@link dev.isthmus.ucx.UcpListener},
 *       {@link dev.isthmus.ucx.UcpConnectionRequest}, {@link dev.isthmus.ucx.UcpConnectionHandler};
 *       {@link dev.isthmus.ucx.UcpErrorHandler}, {@link dev.isthmus.ucx.UcpErrorHandling},
 *       {@link dev.isthmus.ucx.UcpTransport}
 *   <dt>Outstanding operations
 *   <dd>{@link dev.isthmus.ucx.UcpRequests} (by number), {@link dev.isthmus.ucx.UcpCompletions} and
 *       {@link dev.isthmus.ucx.UcpCompletionHandler} (by user data), {@link dev.isthmus.ucx.UcsStatus}; methods whose
 *       name ends in Async return futures. {@link dev.isthmus.ucx.UcpWakeup} sleeps until something has happened
 *   <dt>Tagged messages
 *   <dd>methods of endpoint and worker; {@link dev.isthmus.ucx.UcpTagMessage}, {@link dev.isthmus.ucx.UcpTagReceived}
 *   <dt>Active messages
 *   <dd>{@link dev.isthmus.ucx.UcpActiveMessages}, {@link dev.isthmus.ucx.UcpActiveMessageHandler},
 *       {@link dev.isthmus.ucx.UcpActiveMessage}, {@link dev.isthmus.ucx.UcpMessageBytes},
 *       {@link dev.isthmus.ucx.UcpKeptMessage}
 *   <dt>Streams
 *   <dd>{@link dev.isthmus.ucx.UcpStream}, {@link dev.isthmus.ucx.UcpStreamData},
 *       {@link dev.isthmus.ucx.UcpReadyStreams}; {@link dev.isthmus.ucx.UcpBytes} is how data of streams and of active
 *       messages is read
 *   <dt>Memory of peers
 *   <dd>{@link dev.isthmus.ucx.UcpPackedKey}, {@link dev.isthmus.ucx.UcpRemoteMemory},
 *       {@link dev.isthmus.ucx.UcpRemoteAtomics} with {@link dev.isthmus.ucx.UcpAtomic};
 *       {@link dev.isthmus.ucx.UcpExportedMemory} for another context of the machine
 *   <dt>Payloads other than a plain buffer
 *   <dd>{@link dev.isthmus.ucx.UcpBuffer}, {@link dev.isthmus.ucx.UcpIov}, {@link dev.isthmus.ucx.UcpPackedData} with
 *       {@link dev.isthmus.ucx.UcpPacker} and {@link dev.isthmus.ucx.UcpUnpacker};
 *       {@link dev.isthmus.ucx.UcpOperationOption}
 * </dl>
 *
 * <h2>Active messages</h2>
 *
 * <p>An active message calls a handler of the peer, which can answer at once. It needs a context created with
 * {@link dev.isthmus.ucx.UcpFeature#AM}:
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
 * <p>What you send or receive as one can be a {@link dev.isthmus.ucx.UcpPayload}: a list of buffers, data that the
 * program packs itself, or one buffer with options. A probe can find a message and take it; you receive it when you
 * know its length:
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
 * <p>An endpoint of a context created with {@link dev.isthmus.ucx.UcpFeature#STREAM}, and its peer's endpoint in the
 * other direction, are the ends of two byte streams. You receive the bytes into a buffer, or read them in UCX's memory:
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
 * <p>A context created with {@link dev.isthmus.ucx.UcpFeature#RMA} registers or allocates a
 * {@link dev.isthmus.ucx.UcpMemory}. You carry its {@link dev.isthmus.ucx.UcpPackedKey} to a peer, which unpacks it on
 * an endpoint. The peer then reads and writes the memory, and changes numbers in it atomically, without any help from
 * the program that owns it:
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
 * <p>There are two ways to an endpoint. Peers that can exchange bytes by other means carry a
 * {@link dev.isthmus.ucx.UcpAddress} each way, as above; UCX then chooses among all transports. Without such means, a
 * server opens a {@link dev.isthmus.ucx.UcpListener} at a socket address. A client creates an endpoint to that address,
 * and the server accepts or rejects the {@link dev.isthmus.ucx.UcpConnectionRequest}.
 *
 * <h2>Threads</h2>
 *
 * <p>A context is thread-safe. A worker, with its endpoints, listeners and operations, belongs to one thread at a time.
 * Every call checks that, and {@link dev.isthmus.ucx.UcpWorker#handOver} gives it to another thread. Any thread may
 * call {@link dev.isthmus.ucx.UcpWakeup#signal()}, which ends the sleep of the worker's thread. A
 * {@link dev.isthmus.loop.EventLoop} progresses the workers that belong to it, sleeps when there is nothing to do, and
 * runs tasks from other threads.
 *
 * <h2>Callbacks</h2>
 *
 * <p>UCX calls back while it progresses. Isthmus records endpoint failures, connection requests and ended futures, and
 * reports them to the program once UCX has returned, still within {@link dev.isthmus.ucx.UcpWorker#progress()}. So
 * handlers may use the worker freely, progress it, and close anything. {@code progress()} throws what they throw, and
 * the next one reports the rest. If data exists only while UCX calls back, the program runs inside that call. There it
 * may neither progress the worker nor close it: both are refused with an {@link IllegalStateException}. Endpoints and
 * listeners that it closes there accept nothing more at once, and are destroyed when UCX has returned.
 *
 * <h2>Closing</h2>
 *
 * <p>Close everything in the reverse order of its creation, as try-with-resources does. A close out of order throws,
 * names what to close first, and leaves everything as it was. Closing an endpoint lets what was sent leave, for as long
 * as {@link dev.isthmus.ucx.UcpWorkerConfig#closeTimeout} says, and then goes on by force. Closing a worker cancels
 * receives, and gives other operations as long to end.
 *
 * <h2>Failures</h2>
 *
 * <p>If UCX refuses a call, it throws a {@link dev.isthmus.UcxException}. An operation that fails later has a status.
 * An endpoint's failure is reported once, to its {@link dev.isthmus.ucx.UcpErrorHandler}. If the loaded UCX is too old
 * for a call, it throws a {@link dev.isthmus.RdmaUnavailableException} that names the version to upgrade to. Isthmus
 * refuses UCX older than 1.12; the tests run with 1.13, 1.18 and 1.22.
 *
 * <p>Classes and methods name the C functions they stand for. What ucp/api/ucp.h says about those holds here, too.
 */
package dev.isthmus.ucx;

// The classes that users do not see, by purpose. All names of public classes begin with Ucp, Ucs or Ucx, those of
// others
// only if they are about all of UCX.
//
//   worker       WorkerCore: what all parts of a worker share; UcpWorker makes the parts, in the order of their layers
//                WorkerCreation, WorkerQueries, WorkerCallbacks, WorkerProgress, WakeupDescriptor, LoopedWorker
//                PendingEvents: what a progress delivers
//                WorkerClose: the stages of a close; WorkerDestruction: what it ends, in which order
//   operations   RequestMemory, RequestSlot, RequestSlots: where they are; Operations: their life
//                ImplicitRequests, PolledOperations, AsyncRequests with OperationFuture: those without a number, with
//                user data, with a future; CompletionCallbacks: how UCX reports the ends of the last two
//                PendingOperations: looks through all of them
//   kinds        TagOperations with TagMessages, StreamOperations, AmOperations with AmDispatch, RemoteOperations,
//                OrderOperations: checks and calls
//   buffers      BufferChecks, ArenaHolds (guarded arenas), LentSegment (UCX's memory), GenericDatatype
//   endpoints    EndpointTarget, EndpointCreation, EndpointOperations, Establishment, EndpointQueries
//                EndpointNumbers, EndpointTable: by the number and the handle that C has
//                EndpointFailures; EndpointCloses and EndpointClose
//   listeners    ConnectionRequests, ConnectionManagers
//   memory       MemoryMapping, MemoryPacking, AddressReservation; RemoteKeys, PackedKeyFormat
//   C            ContextCreation, UcpCall, UcxFailure; Framed: checked bytes that programs carry to each other
