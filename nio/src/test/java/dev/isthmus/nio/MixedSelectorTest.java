// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A channel over RDMA and channels of the JDK in one selector. */
@Tag("device")
@Tag("iwarp")
@Tag("extended")
class MixedSelectorTest {

    @Test
    void shouldTellOfEachKindWhateverElseIsReady() {
        ChildJvm.Result result = new ChildJvm()
                .options("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED")
                .run(Program.class);
        assertEquals(0, result.status(), result.output());
    }

    /** In a JVM that has the option which channels of the JDK need. */
    static final class Program {

        private static final long LONG = TestDeadlines.ofSeconds(60).toMillis();
        private static final int ROUNDS = 40; // more than the turns after which it looks at all descriptors

        private Program() {}

        public static void main(String[] args) throws Exception {
            Pipe pipe = Pipe.open();
            Pipe.SinkChannel sink = pipe.sink();
            try (Selector selector = RdmaSelector.open();
                    Selector arrivals = Selector.open();
                    var rdma = Transport.RDMA.linked();
                    var tcp = Transport.TCP.linked();
                    Pipe.SourceChannel source = pipe.source();
                    DatagramChannel receiver = DatagramChannel.open();
                    DatagramChannel sender = DatagramChannel.open()) {
                receiver.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SelectionKey ofRdma = rdma.server.configureBlocking(false).register(selector, OP_READ);
                SelectionKey ofTcp = tcp.server.configureBlocking(false).register(selector, OP_READ);
                SelectionKey ofDatagrams = receiver.configureBlocking(false).register(selector, OP_READ);
                SelectionKey ofPipe = source.configureBlocking(false).register(selector, OP_READ);
                check(selector.selectNow() == 0, "nothing was sent");
                for (SelectableChannel each : List.of(tcp.server, receiver, source)) {
                    each.register(arrivals, OP_READ);
                }
                for (int round = 0; round < ROUNDS; round++) {
                    // Alone:
                    rdma.client.write(bytes());
                    expect(selector, ofRdma);
                    take(ofRdma);
                    tcp.client.write(bytes());
                    expect(selector, ofTcp);
                    take(ofTcp);
                    // Beside one over RDMA that stays ready, in the first select after it is ready, too:
                    rdma.client.write(bytes());
                    expect(selector, ofRdma);
                    tcp.client.write(bytes());
                    sender.send(bytes(), receiver.getLocalAddress());
                    sink.write(bytes());
                    arrivals.selectedKeys().clear();
                    while (arrivals.selectedKeys().size() < 3) { // loopback may take a moment
                        arrivals.select(LONG);
                    }
                    expect(selector, ofRdma, ofTcp, ofDatagrams, ofPipe);
                    take(ofTcp);
                    take(ofPipe);
                    receiver.receive(bytes());
                    expect(selector, ofRdma);
                    take(ofRdma);
                    check(selector.selectNow() == 0, "everything was read");
                }
                ofTcp.cancel();
                ofDatagrams.cancel();
                ofPipe.cancel();
                check(selector.selectNow() == 0 && selector.keys().equals(Set.of(ofRdma)), "three are cancelled");
                rdma.client.write(bytes());
                expect(selector, ofRdma);
            }
            sink.close();
        }

        private static ByteBuffer bytes() {
            return ByteBuffer.allocate(3);
        }

        private static void take(SelectionKey key) throws IOException {
            check(((ReadableByteChannel) key.channel()).read(bytes()) == 3, "as many bytes as were sent");
        }

        /** A message takes a while to arrive, but one select gives all that has arrived before it. */
        private static void expect(Selector selector, SelectionKey... keys) throws IOException {
            selector.selectedKeys().clear();
            selector.select(LONG);
            check(new HashSet<>(selector.selectedKeys()).equals(Set.of(keys)), selector.selectedKeys());
        }

        private static void check(boolean is, Object what) {
            if (!is) {
                throw new AssertionError(what);
            }
        }
    }
}
