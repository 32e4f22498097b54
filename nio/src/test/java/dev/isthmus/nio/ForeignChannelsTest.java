// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Channels of the JDK in a selector of sockets over RDMA. They need no device. */
@Tag("unit")
class ForeignChannelsTest {

    @Test
    void shouldNameTheOptionThatTheJvmLacks() throws Exception {
        try (Selector selector = RdmaSelector.open();
                SocketChannel channel = SocketChannel.open()) {
            channel.configureBlocking(false);
            var e = assertThrows(
                    UnsupportedOperationException.class, () -> channel.register(selector, SelectionKey.OP_CONNECT));
            assertTrue(e.getMessage().contains("--add-exports java.base/sun.nio.ch=ALL-UNNAMED"), e.getMessage());
            assertFalse(channel.isRegistered());
            assertTrue(selector.keys().isEmpty());
        }
    }

    @Test
    void shouldLeaveAServerUnboundThatItCannotServe() throws Exception {
        var byTcp = new RdmaSelectorProvider(JdkProvider.get(), Rules.of("none", List.of()));
        try (Selector selector = RdmaSelector.open();
                ServerSocketChannel server = new SwitchedServerSocketChannel(byTcp, null);
                ServerSocketChannel other = ServerSocketChannel.open()) {
            InetSocketAddress address;
            try (ServerSocketChannel free = ServerSocketChannel.open()) {
                free.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                address = (InetSocketAddress) free.getLocalAddress();
            }
            SelectionKey key = server.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
            for (int i = 0; i < 2; i++) {
                assertThrows(UnsupportedOperationException.class, () -> server.bind(address));
                assertNull(server.getLocalAddress());
                assertThrows(NotYetBoundException.class, server::accept);
            }
            other.bind(address).close(); // as nobody listens there
            key.cancel();
            selector.selectNow();
            assertEquals(address, server.bind(address).getLocalAddress());
            assertNull(server.accept());
        }
    }

    @Test
    void shouldServeThemAsTheJdkDoes() throws Exception {
        runCases("false");
    }

    @Test
    void shouldServeThoseThatWereChosenByRules() throws Exception {
        runCases("true");
    }

    private static void runCases(String switched) throws Exception {
        ChildJvm.Result result = new ChildJvm()
                .options("-Dswitched=" + switched)
                .options("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED")
                .run(Program.class);
        assertEquals(0, result.status(), result.output());
        assertTrue(result.output().contains("29 passed"), result.output());
    }

    /** Runs the cases of the JDK's selector with this selector in its place. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) throws ReflectiveOperationException {
            Object cases = Proxy.newProxyInstance( // JUnit would run a class here, too, without the option
                    Cases.class.getClassLoader(), new Class<?>[] {Cases.class}, InvocationHandler::invokeDefault);
            int count = 0;
            for (Method method : Cases.class.getMethods()) {
                if (method.isAnnotationPresent(Test.class)) {
                    System.out.println(method.getName());
                    method.invoke(cases);
                    count++;
                }
            }
            System.out.println(count + " passed");
        }
    }

    /** Run by the program, which has the option. */
    interface Cases extends ReadyContract, SelectorContract {

        int REFUSALS = 1_000;
        boolean SWITCHED = Boolean.getBoolean("switched");
        RdmaSelectorProvider BY_TCP = new RdmaSelectorProvider(JdkProvider.get(), Rules.of("none", List.of()));

        @Override
        default Transport transport() {
            return new Transport() {

                @Override
                public SocketChannel open() throws IOException {
                    return SWITCHED ? new SwitchedSocketChannel(BY_TCP, null) : TCP.open();
                }

                @Override
                public ServerSocketChannel openServer() throws IOException {
                    return SWITCHED ? new SwitchedServerSocketChannel(BY_TCP, null) : TCP.openServer();
                }

                @Override
                public Selector openSelector() throws IOException {
                    return RdmaSelector.open();
                }

                @Override
                public InetAddress serverAddress() {
                    return TCP.serverAddress();
                }

                @Override
                public Silent silent() throws IOException {
                    return TCP.silent();
                }
            };
        }

        private void selects(Selector selector, SelectableChannel channel) throws IOException {
            assertEquals(1, selector.select(TestDeadlines.ofSeconds(60).toMillis()));
            assertTrue(selector.selectedKeys().remove(channel.keyFor(selector)));
        }

        @Test
        default void shouldTellOfDatagramsAndPipes() throws Exception {
            Pipe pipe = Pipe.open();
            Pipe.SinkChannel out = pipe.sink();
            try (Selector selector = RdmaSelector.open();
                    var in = pipe.source();
                    DatagramChannel receiver = DatagramChannel.open();
                    DatagramChannel sender = DatagramChannel.open()) {
                receiver.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                receiver.configureBlocking(false).register(selector, SelectionKey.OP_READ);
                in.configureBlocking(false).register(selector, SelectionKey.OP_READ);
                assertEquals(0, selector.selectNow());
                sender.send(ByteBuffer.allocate(7), receiver.getLocalAddress());
                selects(selector, receiver);
                receiver.receive(ByteBuffer.allocate(10));
                out.write(ByteBuffer.allocate(3));
                selects(selector, in);
                assertEquals(3, in.read(ByteBuffer.allocate(10)));
                out.close();
                selects(selector, in);
                assertEquals(-1, in.read(ByteBuffer.allocate(10)));
                in.keyFor(selector).cancel();
                assertEquals(0, selector.select(20));
            }
        }

        /** It may close the descriptor at once, which the selector may be about to wait for. */
        @Test
        default void shouldNotMindConnectionsThatAreRefused() throws Exception {
            try (Selector selector = RdmaSelector.open();
                    SocketChannel nobody =
                            SocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
                SocketAddress refusing = nobody.getLocalAddress();
                var done = new AtomicBoolean();
                Running<Void> selecting = Running.of(() -> {
                    while (!done.get()) {
                        selector.select(key -> {});
                    }
                    return null;
                });
                for (int i = 0; i < REFUSALS; i++) {
                    try (SocketChannel channel = transport().open()) {
                        channel.configureBlocking(false).register(selector, SelectionKey.OP_CONNECT);
                        assertThrows(ConnectException.class, () -> connect(channel, refusing));
                    }
                }
                done.set(true);
                selector.wakeup();
                selecting.get();
            }
        }

        private static void connect(SocketChannel channel, SocketAddress to) throws IOException {
            for (boolean connected = channel.connect(to); !connected; connected = channel.finishConnect()) {
                Thread.onSpinWait();
            }
        }

        /** A descriptor that stays open would keep the port. */
        @Test
        default void shouldCloseWhatWasClosedWhileItWasRegistered() throws Exception {
            try (Selector selector = RdmaSelector.open()) {
                ServerSocketChannel listener =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                var address = (InetSocketAddress) listener.getLocalAddress();
                listener.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
                Running<Integer> selecting = Running.of(selector::select).awaitBlocked();
                listener.close();
                selector.wakeup();
                assertEquals(0, selecting.get());
                try (ServerSocketChannel other = ServerSocketChannel.open()) {
                    other.bind(address);
                }
            }
        }
    }
}
