/**
 * Exchanges addresses over TCP, for programs that connect their queue pairs without rdma_cm. It stands for no C
 * function: each C program brings its own. It can connect any device except those of iWARP, which need rdma_cm.
 *
 * <p>Two ends meet over a TCP connection and send each other the {@link dev.isthmus.verbs.QueuePairAddress} of a queue
 * pair, with some bytes of the program's own if it likes. This is the end that connects. The other calls {@link
 * dev.isthmus.verbs.exchange.AddressExchange#listen listen} and {@link
 * dev.isthmus.verbs.exchange.AddressExchange.Listener#accept accept}, and then does the same:
 *
 * <pre>{@code
 * try (var device = Device.first().open();
 *         var pd = device.allocateProtectionDomain();
 *         var cq = device.createCompletionQueue(16);
 *         var qp = pd.createQueuePair(QueuePairType.RC, cq, cq);
 *         var peer = AddressExchange.connect(new InetSocketAddress("10.0.0.1", 18515), Duration.ofSeconds(10))) {
 *     var gid = device.defaultGid(1);
 *     var remote = peer.swap(qp.address(gid));
 *     qp.connect(gid, remote.address());
 *     // post receives here
 *     peer.ready(); // both ends are connected: either may send
 * }
 * }</pre>
 *
 * <p>The network is not trusted: one deadline spans the whole exchange, and everything received is checked before it is
 * used. The project's page {@code docs/connecting-without-rdma_cm.md} shows both ends.
 */
package dev.isthmus.verbs.exchange;
