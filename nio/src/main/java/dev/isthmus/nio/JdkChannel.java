// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import dev.isthmus.loop.Epoll;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;

/**
 * A channel of the JDK, such as one over TCP, a datagram channel or an end of a pipe. Only the JDK's own selectors know
 * its descriptor, so getting it needs a JVM option. If a channel is closed while it is registered, the JDK closes its
 * descriptor once the selector says that it has released it.
 */
final class JdkChannel extends Selectable {

    private static final String PACKAGE = "sun.nio.ch";

    private final SelectableChannel channel;
    private final int fd;

    /** The methods of the JDK's channels that its selectors use. */
    private static final class Methods {

        private static final MethodHandle DESCRIPTOR; // int (SelectableChannel)
        private static final MethodHandle RELEASE; // void (SelectableChannel)
        private static final ReflectiveOperationException MISSING; // null if both are there

        static {
            MethodHandle descriptor = null;
            MethodHandle letGo = null;
            ReflectiveOperationException missing = null;
            try {
                Class<?> kind = Class.forName(PACKAGE + ".SelChImpl");
                descriptor = method(kind, "getFDVal", int.class);
                letGo = method(kind, "kill", void.class);
            } catch (ReflectiveOperationException e) {
                missing = e;
            }
            DESCRIPTOR = descriptor;
            RELEASE = letGo;
            MISSING = missing;
        }

        private static MethodHandle method(Class<?> kind, String name, Class<?> result)
                throws ReflectiveOperationException {
            return MethodHandles.lookup()
                    .findVirtual(kind, name, MethodType.methodType(result))
                    .asType(MethodType.methodType(result, SelectableChannel.class));
        }
    }

    /**
     * Wraps a channel of the JDK.
     *
     * @throws IllegalSelectorException if it is another provider's
     * @throws UnsupportedOperationException if the JVM was started without the option that this needs
     */
    JdkChannel(SelectableChannel channel) {
        if (!channel.getClass().getName().startsWith(PACKAGE + ".")) {
            throw new IllegalSelectorException();
        }
        if (Methods.MISSING != null) {
            throw new UnsupportedOperationException(
                    "a selector of sockets over RDMA takes channels of the JDK only with --add-exports java.base/"
                            + PACKAGE + "=" + module() + ", which this JVM was started without",
                    Methods.MISSING);
        }
        this.channel = channel;
        try {
            fd = (int) Methods.DESCRIPTOR.invokeExact(channel);
        } catch (Throwable t) {
            throw new AssertionError("getFDVal throws nothing", t);
        }
    }

    private static String module() {
        Module own = JdkChannel.class.getModule();
        return own.isNamed() ? own.getName() : "ALL-UNNAMED";
    }

    @Override
    int fileDescriptor() {
        return fd;
    }

    @Override
    int awaited(int operations) {
        int read = (operations & (OP_READ | OP_ACCEPT)) != 0 ? Epoll.READABLE : 0;
        return (operations & (OP_WRITE | OP_CONNECT)) != 0 ? read | Epoll.WRITABLE : read;
    }

    @Override
    boolean isForeign() {
        return true;
    }

    @Override
    int ready(int operations, int found, boolean arm) {
        int possible = channel instanceof SocketChannel socket ? ofSocket(socket) : -1;
        if ((found & ~(Epoll.READABLE | Epoll.WRITABLE)) != 0) {
            return operations; // any operation will report the error
        }
        int ready = (found & Epoll.READABLE) != 0 ? OP_READ | OP_ACCEPT : 0;
        if ((found & Epoll.WRITABLE) != 0) {
            ready |= OP_WRITE | OP_CONNECT;
        }
        return ready & possible & operations;
    }

    private static int ofSocket(SocketChannel socket) {
        return socket.isConnected() ? OP_READ | OP_WRITE : socket.isConnectionPending() ? OP_CONNECT : 0;
    }

    @Override
    void deregistered() {
        if (!channel.isOpen() && !channel.isRegistered()) {
            try {
                Methods.RELEASE.invokeExact(channel);
            } catch (Throwable t) {
                throw new IllegalStateException(channel + " cannot be closed", t);
            }
        }
    }
}
