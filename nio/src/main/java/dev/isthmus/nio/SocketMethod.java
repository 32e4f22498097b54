// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketImpl;
import java.net.SocketOption;

/**
 * The protected methods of {@link SocketImpl}, for any implementation, and the JDK's own implementations. Both are
 * inaccessible unless their package is opened to this one. Reads and writes do not come by here: they use a socket's
 * streams.
 */
enum SocketMethod {
    CREATE("create", boolean.class),
    CONNECT("connect", SocketAddress.class, int.class),
    BIND("bind", InetAddress.class, int.class),
    LISTEN("listen", int.class),
    ACCEPT("accept", SocketImpl.class),
    INPUT_STREAM("getInputStream"),
    OUTPUT_STREAM("getOutputStream"),
    AVAILABLE("available"),
    SHUTDOWN_INPUT("shutdownInput"),
    SHUTDOWN_OUTPUT("shutdownOutput"),
    SUPPORTS_URGENT_DATA("supportsUrgentData"),
    SEND_URGENT_DATA("sendUrgentData", int.class),
    CLOSE("close"),
    ADDRESS("getInetAddress"),
    PORT("getPort"),
    LOCAL_PORT("getLocalPort"),
    SET_OPTION("setOption", SocketOption.class, Object.class),
    GET_OPTION("getOption", SocketOption.class),
    SUPPORTED_OPTIONS("supportedOptions");

    @SuppressWarnings("ImmutableEnumChecker") // it changes once, to be accessible
    private final Method method;

    SocketMethod(String name, Class<?>... parameters) {
        try {
            method = SocketImpl.class.getDeclaredMethod(name, parameters);
        } catch (NoSuchMethodException e) {
            throw new AssertionError("it is part of the JDK's API", e);
        }
    }

    /** Calls it. */
    Object on(SocketImpl socket, Object... arguments) throws IOException {
        try {
            return method.invoke(socket, arguments);
        } catch (InvocationTargetException e) {
            throw thrown(e.getCause());
        } catch (IllegalAccessException e) {
            throw new AssertionError("it was made accessible", e);
        }
    }

    private static IOException thrown(Throwable cause) throws IOException {
        switch (cause) {
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new AssertionError("the JDK declares no such exception", cause);
        }
    }

    /** What makes the JDK's own sockets. */
    private record Makers(Method platform, Constructor<? extends SocketImpl> proxied) {

        /** Null until they are accessible. */
        private static volatile Makers instance;

        static Makers get() {
            Makers found = instance;
            if (found == null) {
                found = find();
                instance = found;
            }
            return found;
        }

        private static Makers find() {
            try {
                Method platform = SocketImpl.class.getDeclaredMethod("createPlatformSocketImpl", boolean.class);
                Constructor<? extends SocketImpl> proxied = Class.forName("java.net.SocksSocketImpl")
                        .asSubclass(SocketImpl.class)
                        .getDeclaredConstructor(SocketImpl.class);
                platform.setAccessible(true);
                proxied.setAccessible(true);
                for (SocketMethod each : values()) {
                    each.method.setAccessible(true);
                }
                return new Makers(platform, proxied);
            } catch (ReflectiveOperationException | RuntimeException e) { // the latter if it is not opened
                throw new IllegalStateException(
                        "the sockets of java.net are inaccessible; add --add-opens java.base/java.net=ALL-UNNAMED (or"
                                + " dev.isthmus.nio instead of ALL-UNNAMED, if that is on the module path)",
                        e);
            }
        }
    }

    /**
     * Makes all of this accessible.
     *
     * @throws IllegalStateException if the JVM lacks an option, which the message names
     */
    static void require() {
        Makers.get();
    }

    /** A socket of the JDK that can connect, by a SOCKS proxy if the system properties name one. */
    static SocketImpl client() {
        try {
            return Makers.get().proxied.newInstance(platform(false));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the JDK makes no socket", e);
        }
    }

    /** A socket of the JDK for one that is accepted, or for a server. */
    static SocketImpl platform(boolean server) {
        try {
            return (SocketImpl) Makers.get().platform.invoke(null, server);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the JDK makes no socket", e);
        }
    }
}
