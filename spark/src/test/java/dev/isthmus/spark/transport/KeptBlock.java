// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;

/** Keeps what is written. */
class KeptBlock implements BlockSink {

    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    final CountDownLatch ended = new CountDownLatch(1);
    volatile boolean complete;

    @Override
    public void write(ByteBuffer part) throws IOException {
        byte[] copy = new byte[part.remaining()];
        part.get(copy);
        bytes.writeBytes(copy);
    }

    @Override
    public void complete() throws IOException {
        complete = true;
        ended.countDown();
    }

    @Override
    public void discard() {
        ended.countDown();
    }
}
