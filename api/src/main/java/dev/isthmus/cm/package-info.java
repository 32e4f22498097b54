/**
 * Connection management: connections by IP address and port, made by librdmacm, as in rdma/rdma_cma.h. It works on
 * RoCE, InfiniBand and iWARP. On iWARP there is no other way to connect.
 *
 * <p>Most programs need only {@link dev.isthmus.cm.Listener} and {@link dev.isthmus.cm.Connector}. One side:
 *
 * <pre>{@code
 * try (var listener = Listener.bind(new InetSocketAddress(7471));
 *         var connection = listener.accept(Duration.ofMinutes(1))) {
 *     var memory = connection.allocate(4096, AccessFlag.LOCAL_WRITE);
 *     connection.queuePair().tryPost(ReceiveRequest.prepare(memory.region()));
 *     connection.await(WorkCompletions.allocate(1), Duration.ofMinutes(1));
 *     System.out.println(memory.segment().getString(0));
 * }
 * }</pre>
 *
 * <p>The other:
 *
 * <pre>{@code
 * try (var connection = Connector.connect(new InetSocketAddress("10.0.0.2", 7471), Duration.ofSeconds(5))) {
 *     var memory = connection.allocate(4096);
 *     memory.segment().setString(0, "hello");
 *     connection.queuePair().tryPost(SendRequest.prepare(memory.region()).range(0, 6).signaled(true));
 *     connection.await(WorkCompletions.allocate(1), Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * <p>Below them, and for many connections on one thread, each call on a {@link dev.isthmus.cm.ConnectionId} begins
 * something, and an event of its {@link dev.isthmus.cm.EventChannel} reports the result. An
 * {@link dev.isthmus.loop.EventLoop} hands out the events. A server listens, and answers requests:
 *
 * <pre>{@code
 * try (var channel = EventChannel.open();
 *         var listener = channel.createId(PortSpace.TCP)) {
 *     listener.bind(new InetSocketAddress(7471));
 *     listener.listen();
 *     while (running) {
 *         switch (channel.await()) {
 *             case CmEvent.ConnectRequest(var id, var from, var parameters) -> {
 *                 id.createQueuePair(pd, cq, cq, config -> config.maxRecvWr(64)); // of id.device()
 *                 id.accept(config -> config.privateData(PrivateData.of("welcome")));
 *             }
 *             case CmEvent.Disconnected(var id, int status) -> {
 *                 id.disconnect();
 *                 id.queuePair().close();
 *                 id.close();
 *             }
 *             case CmEvent other -> log(other);
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>A client resolves the address and the route, and connects:
 *
 * <pre>{@code
 * id.resolveAddress(new InetSocketAddress("10.0.0.2", 7471), Duration.ofSeconds(2)); // then AddressResolved
 * id.resolveRoute(Duration.ofSeconds(2)); // then RouteResolved
 * id.createQueuePair(pd, cq, cq, config -> {});
 * id.connect(config -> config.privateData(PrivateData.of("hello")).retryCount(6)); // then Established
 * id.queuePair().tryPost(request);
 * }</pre>
 *
 * <p>Datagrams work the same way in {@link dev.isthmus.cm.PortSpace#UDP}: what gets established there is the
 * peer's address.
 *
 * <pre>{@code
 * case CmEvent.DatagramEstablished(var id, var to) ->
 *     id.queuePair().tryPost(request.to(pd.createAddressHandle(to.path()), to.qpNum(), to.qkey()));
 * }</pre>
 *
 * <p>Any thread may use channels and connection ids. Listeners, connections and queue pairs belong to the thread that
 * created them, until they are handed over. Close a channel after its connections, and a connection after its queue
 * pair. librdmacm opens devices of its own: create what goes with a queue pair from
 * {@link dev.isthmus.cm.ConnectionId#device}, and from no other open device. Data from a peer, such as private data,
 * comes from a stranger.
 */
package dev.isthmus.cm;
