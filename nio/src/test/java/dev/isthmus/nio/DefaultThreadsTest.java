// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The properties by which a program chooses the default group's threads, according to the JDK's documentation. */
@Tag("unit")
class DefaultThreadsTest {

    private static final String PROPERTIES = "java.nio.channels.DefaultThreadPool.";

    private static ChildJvm.Result run(String... options) throws Exception {
        return new ChildJvm()
                .options(
                        "-Djava.nio.channels.spi.AsynchronousChannelProvider="
                                + RdmaAsynchronousChannelProvider.class.getName(),
                        "--enable-native-access=ALL-UNNAMED")
                .options(options)
                .run(Program.class);
    }

    @Test
    void shouldBeOfTheFactoryThatAPropertyNames() throws Exception {
        ChildJvm.Result result =
                run("-D" + PROPERTIES + "threadFactory=" + Named.class.getName(), "-D" + PROPERTIES + "initialSize=3");
        assertEquals(0, result.status(), result.output());
        assertTrue(result.output().endsWith("handled by a thread of the program, 3 of them\n"), result.output());
    }

    @Test
    void shouldNameThePropertyThatCannotBeRead() throws Exception {
        for (String bad : new String[] {"threadFactory=Missing", "threadFactory=", "initialSize=NaN", "initialSize="}) {
            ChildJvm.Result result = run("-D" + PROPERTIES + bad);
            assertEquals(1, result.status(), result.output());
            String expected = "system property " + PROPERTIES + bad.replace("=", ": \"") + "\" is not ";
            assertTrue(result.output().contains(expected), result.output());
        }
    }

    /** The factory that the property names. */
    public static final class Named implements ThreadFactory {

        static int made;

        /** As the property has it. */
        public Named() {}

        @Override
        public Thread newThread(Runnable task) {
            made++;
            return Thread.ofPlatform().daemon().name("a thread of the program").unstarted(task);
        }
    }

    /** It uses no class of this package. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) throws Exception {
            var name = new CompletableFuture<String>();
            try (AsynchronousServerSocketChannel server = AsynchronousServerSocketChannel.open();
                    AsynchronousSocketChannel client = AsynchronousSocketChannel.open()) {
                server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                client.connect(server.getLocalAddress()).get();
                client.write(ByteBuffer.allocate(1), null, new CompletionHandler<Integer, Void>() {
                    @Override
                    public void completed(Integer count, Void attachment) {
                        name.complete(Thread.currentThread().getName());
                    }

                    @Override
                    public void failed(Throwable failure, Void attachment) {
                        name.completeExceptionally(failure);
                    }
                });
                System.out.println("handled by " + name.get() + ", " + Named.made + " of them");
            }
        }
    }
}
