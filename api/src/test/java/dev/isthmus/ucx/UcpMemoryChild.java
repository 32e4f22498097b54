// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintStream;

/**
 * The other process of a test: a JVM whose memory others access, and which only progresses until its input ends. It
 * prints its address and key to its standard output.
 */
final class UcpMemoryChild implements AutoCloseable {

    static final int BYTES = 1 << 20;

    private final Process process;
    final UcpAddress address;
    final UcpPackedKey key;

    UcpMemoryChild(String tls) throws IOException {
        process = Other.start(Other.jvm(UcpMemoryChild.class, tls));
        DataInputStream in = new DataInputStream(process.getInputStream());
        address = UcpAddress.of(read(in));
        key = UcpPackedKey.of(read(in));
    }

    /** Returns when it is dead: until then its device answers. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    public static void main(String[] args) throws IOException {
        DataOutputStream out = new DataOutputStream(System.out);
        System.setOut(new PrintStream(System.err, true));
        try (var context =
                        UcpContext.create(config -> config.set("TLS", args[0]).features(RemotePair.FEATURES));
                var worker = context.createWorker();
                var memory = context.allocate(BYTES)) {
            write(out, worker.address().toByteArray());
            write(out, memory.packKey().toByteArray());
            Thread watch = new Thread(UcpMemoryChild::awaitEndOfInput);
            watch.setDaemon(true);
            watch.start();
            while (watch.isAlive()) {
                worker.progress();
            }
        }
    }

    private static void awaitEndOfInput() {
        try {
            int ignored = System.in.read();
        } catch (IOException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void write(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
        out.flush();
    }

    private static byte[] read(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }
}
