// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.isthmus.CmException;
import dev.isthmus.CmException.Failure;
import dev.isthmus.testbed.CProgram;
import dev.isthmus.testbed.OtherProcessor;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A peer in a process of its own: a program in C, which starts sooner than a JVM. It goes up to the stage that its
 * arguments name, reports that, and does nothing more until it is killed.
 */
final class MortalPeer implements AutoCloseable {

    /** The stage at which it stops. */
    enum Stage {
        CLIENT_RESOLVING,
        CLIENT_RESOLVED,
        CLIENT_CONNECTING,
        CLIENT_CONNECTED,
        /** Keeps writing, and is killed meanwhile. */
        CLIENT_WRITING,
        /** Keeps sending, too, faster than the other side receives: over iWARP the connection would break. */
        CLIENT_SENDING,
        SERVER_LISTENING,
        SERVER_REQUESTED,
        SERVER_ACCEPTED,
        SERVER_CONNECTED,
        /** Keeps receiving. */
        SERVER_RECEIVING
    }

    private static final int MESSAGE = 64;

    private final Process process;

    private MortalPeer(Process process) {
        this.process = process;
    }

    /** Compiles the program of all peers, which the caller closes. */
    static CProgram compile() {
        try (InputStream source = MortalPeer.class.getResourceAsStream("mortal-peer.c")) {
            return CProgram.compile(new String(source.readAllBytes(), StandardCharsets.UTF_8), "-lrdmacm", "-libverbs");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Starts a peer.
     *
     * @param server the server's address, whichever side the peer is; one that resolves asks for an address near it
     */
    static MortalPeer start(CProgram program, Stage stage, InetSocketAddress server) throws IOException {
        byte[] address = server.getAddress().getAddress();
        if (stage == Stage.CLIENT_RESOLVING) {
            address[address.length - 1] = (byte) 0xfd; // which nobody has
        }
        return new MortalPeer(new ProcessBuilder(OtherProcessor.of(List.of(
                        program.executable().toString(),
                        stage.name(),
                        Rendezvous.near().getHostAddress(),
                        InetAddress.getByAddress(address).getHostAddress(),
                        "" + server.getPort())))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Waits until a server listens. */
    void awaitReady() throws IOException {
        awaitLine("ready");
    }

    /** Waits until it has reached its stage. */
    void awaitThere() throws IOException {
        awaitLine("there");
    }

    private void awaitLine(String line) throws IOException {
        String said = process.inputReader().readLine();
        while (!line.equals(said)) {
            if (said == null) {
                throw new AssertionError("the peer has ended, and did not say " + line);
            }
            said = process.inputReader().readLine();
        }
    }

    /** Kills it without waiting until it has gone; returns when. */
    long kill() {
        process.destroyForcibly();
        return System.nanoTime();
    }

    /** Waits until it has gone; by then its kernel has closed everything that it had. */
    void awaitEnd() throws InterruptedException {
        if (!process.waitFor(TestDeadlines.seconds(60), TimeUnit.SECONDS)) {
            throw new AssertionError("the peer is still there");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Prints what the other side has seen, and how soon. */
    static void tell(String who, Object seen, long killed) {
        System.out.println(
                "killed: " + who + "; seen: " + seen + " after " + (System.nanoTime() - killed) / 1_000_000 + " ms");
    }

    /** Asserts that a connection ends, and prints how soon. */
    static void awaitEnd(String who, Connection connection, long killed) throws InterruptedException {
        CmException end = connection.awaitEnd(TestDeadlines.ofSeconds(60));
        assertNotNull(end);
        tell(who, end.failure(), killed);
        assertEquals(Failure.DISCONNECTED, end.failure());
    }

    /** Memory that a peer may write to. */
    static MemoryRegion region(Rendezvous meeting, ConnectionId id) {
        ProtectionDomain pd = meeting.domain(id.device());
        return meeting.closed(
                pd.register(Arena.ofAuto().allocate(4096), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
    }

    static void post(QueuePair qp, ReceiveRequest receive) {
        if (!qp.tryPost(receive)) {
            throw new AssertionError("the queue is full");
        }
    }

    /** The private data that tells a peer where it may write. */
    static PrivateData grant(MemoryRegion lent) {
        return PrivateData.of(ByteBuffer.allocate(12)
                .putLong(lent.address())
                .putInt(lent.rkey())
                .array());
    }

    /** A write to the memory that the peer has granted. */
    static SendRequest write(MemoryRegion from, PrivateData granted) {
        ByteBuffer told = ByteBuffer.wrap(granted.bytes());
        return SendRequest.prepare(from)
                .opcode(SendOpcode.RDMA_WRITE)
                .remote(told.getLong(), told.getInt())
                .signaled(true);
    }

    static SendRequest send(MemoryRegion from) {
        return SendRequest.prepare(from).range(0, MESSAGE).signaled(true);
    }
}
