// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.RdmaException;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.verbs.Device;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;

/**
 * Sockets over RDMA for programs that open channels by {@link SocketChannel#open()} and similar methods with
 * {@code -Djava.nio.channels.spi.SelectorProvider=dev.isthmus.nio.RdmaSelectorProvider}, or that accept a provider.
 *
 * <p>A channel's address and port decide whether it uses RDMA or TCP, when it is bound or, if it never is, when it
 * connects. The system property {@code isthmus.nio.rules} names a file with rules such as
 *
 * {@snippet lang=conf :
 * connect 10.0.0.0/24 *           # to that network: by RDMA
 * bind    *           7000-7999   # who listens at these ports is reached by RDMA
 * bind    *           8080 tcp    # by RDMA, and by TCP
 * }
 *
 * Whatever no rule names uses TCP. The properties {@code isthmus.nio.bind} and {@code isthmus.nio.connect} hold rules,
 * too, without the first word and separated by commas. If a direction has no rules, a channel uses RDMA if its route
 * goes through an RDMA device. On a machine without such a device, all channels and selectors are the JDK's own, and
 * the log says so once.
 *
 * <p>Datagram channels, pipes, Unix domain sockets and the inherited channel are the JDK's. Any thread may use it.
 */
public final class RdmaSelectorProvider extends SelectorProvider {

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");

    // Not in static initializers: what failed there could not be tried again.
    private static volatile RdmaSelectorProvider shared; // null until one was wanted
    private static volatile Boolean hasDevice; // null until it is known

    private final SelectorProvider jdk;
    private final Rules rules;

    /**
     * Creates a provider. All of them behave alike.
     *
     * @throws IllegalArgumentException if a rule is malformed; the message says where it is, and what was expected
     * @throws java.io.UncheckedIOException if {@code isthmus.nio.rules} names a file that cannot be read
     */
    public RdmaSelectorProvider() {
        this(JdkProvider.get(), Rules.ofSystem());
    }

    RdmaSelectorProvider(SelectorProvider jdk, Rules rules) {
        this.jdk = jdk;
        this.rules = rules;
    }

    /** The provider of channels that were opened without one. */
    static RdmaSelectorProvider shared() {
        RdmaSelectorProvider one = shared;
        return one != null ? one : findShared();
    }

    private static synchronized RdmaSelectorProvider findShared() {
        if (shared == null) {
            shared = SelectorProvider.provider() instanceof RdmaSelectorProvider one ? one : new RdmaSelectorProvider();
        }
        return shared;
    }

    private boolean hasDevice() throws IOException {
        Boolean known = hasDevice;
        return known != null ? known : findDevice(jdk);
    }

    private static synchronized boolean findDevice(SelectorProvider jdk) throws IOException {
        if (hasDevice == null) {
            String missing = missing();
            if (missing != null) {
                jdk.openDatagramChannel().close(); // throws if there are too many open files: then nothing is known
                LOG.log(Level.WARNING, "all sockets use TCP: {0}; isthmus doctor says what is missing", missing);
            }
            hasDevice = missing == null;
        }
        return hasDevice;
    }

    /** What this machine lacks; null if nothing. */
    private static String missing() {
        try {
            EventChannel.open().close(); // throws without librdmacm, or without the kernel's part of it
            return Device.list().isEmpty() ? "there is no RDMA device" : null;
        } catch (RdmaException e) {
            return e.getMessage();
        }
    }

    /** The provider of the channels that do not use RDMA. */
    SelectorProvider jdk() {
        return jdk;
    }

    Rules rules() {
        return rules;
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return jdk.openDatagramChannel();
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        return jdk.openDatagramChannel(family);
    }

    @Override
    public Pipe openPipe() throws IOException {
        return jdk.openPipe();
    }

    @Override
    public Channel inheritedChannel() throws IOException {
        return jdk.inheritedChannel();
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        return hasDevice() ? RdmaSelector.open(this) : jdk.openSelector();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        return hasDevice() ? new SwitchedServerSocketChannel(this, null) : jdk.openServerSocketChannel();
    }

    /** A server socket over RDMA listens in both families, unless it is bound to an address. */
    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        return isOfInternet(family)
                ? new SwitchedServerSocketChannel(this, family)
                : jdk.openServerSocketChannel(family);
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        return hasDevice() ? new SwitchedSocketChannel(this, null) : jdk.openSocketChannel();
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        return isOfInternet(family) ? new SwitchedSocketChannel(this, family) : jdk.openSocketChannel(family);
    }

    /** What a socket of {@code java.net} uses that is bound to an address. */
    Rules.TransportChoice choiceAt(InetSocketAddress local) throws IOException {
        return hasDevice() ? rules.bind(local) : Rules.TransportChoice.TCP;
    }

    /** What a socket of {@code java.net} uses that connects to an address without being bound. */
    Rules.TransportChoice choiceTo(InetSocketAddress remote) throws IOException {
        return hasDevice() ? rules.connect(remote) : Rules.TransportChoice.TCP;
    }

    private boolean isOfInternet(ProtocolFamily family) throws IOException {
        return hasDevice() && (family == StandardProtocolFamily.INET || family == StandardProtocolFamily.INET6);
    }
}
