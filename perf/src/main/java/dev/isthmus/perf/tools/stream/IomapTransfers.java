// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.stream;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.isthmus.nio.Iomap;
import dev.isthmus.nio.RdmaSocketChannel;
import dev.isthmus.perf.tools.stream.StreamPlan.Transfer;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * riostream's transfers. An end sends from the memory that the other end writes to. A transfer has arrived when its
 * last byte has. The last byte of a row's last transfer counts up; the other transfers have an older value.
 */
final class IomapTransfers {

    private static final VarHandle BYTE = JAVA_BYTE.varHandle();

    /** The last byte before a transfer has arrived. */
    static final byte NONE = -1;

    private final boolean client;
    private final boolean verify;
    private RdmaSocketChannel channel;
    private Iomap map;
    private ByteBuffer buffer; // the memory that is mapped
    private byte marker;
    private byte sent; // the next byte to send and the next to expect, for verification
    private byte expected;

    IomapTransfers(StreamPlan plan) {
        this.client = plan.server != null;
        this.verify = plan.verify;
    }

    /** Maps the memory of a transfer. The other end writes only once it is told to begin. */
    void begin(RdmaSocketChannel over, int size) throws IOException {
        channel = over;
        do {
            map = over.iomap(0, size);
        } while (map == null);
        buffer = map.segment().asByteBuffer();
        buffer.put(size - 1, NONE);
        marker = 0;
    }

    /** The client sends first. */
    void exchange(Transfer transfer) throws IOException {
        for (int i = 0; i < transfer.iterations(); i++) {
            if (client) {
                send(transfer.count());
                receive();
            } else {
                receive();
                send(transfer.count());
            }
        }
    }

    void end() {
        map.close();
    }

    private void send(int count) throws IOException {
        for (int i = 0; i < count - 1; i++) {
            send();
        }
        int last = buffer.capacity() - 1;
        buffer.put(last, marker++);
        for (int i = 0; verify && i < last; i++) {
            buffer.put(i, sent++);
        }
        send();
    }

    private void send() throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            if (channel.iowrite(buffer, buffer.position()) == 0) {
                Thread.onSpinWait();
            }
        }
    }

    private void receive() throws IOException {
        long last = buffer.capacity() - 1L;
        while ((byte) BYTE.getVolatile(map.segment(), last) != marker) {
            Thread.onSpinWait();
        }
        marker++;
        for (int i = 0; verify && i < last; i++) {
            if (buffer.get(i) != expected++) {
                throw new IOException("data verification failed byte " + i);
            }
        }
    }
}
