// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import dev.isthmus.spark.transport.BlockSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.DownloadFileWritableChannel;
import org.apache.spark.network.util.TransportConf;

/** Writes a block that is too long for memory to a temporary file of Spark's. */
final class UcxFileSink implements BlockSink {

    private final DownloadFileManager files;
    private final TransportConf conf;
    private DownloadFile file; // null until something is written
    private DownloadFileWritableChannel channel;
    private ManagedBuffer buffer; // null until everything is written

    UcxFileSink(DownloadFileManager files, TransportConf conf) {
        this.files = files;
        this.conf = conf;
    }

    @Override
    public void write(ByteBuffer part) throws IOException {
        if (file == null) {
            file = files.createTempFile(conf);
            channel = file.openForWriting();
        }
        while (part.hasRemaining()) {
            var _ = channel.write(part);
        }
    }

    @Override
    public void complete() throws IOException {
        buffer = channel.closeAndRead();
    }

    @Override
    public void discard() {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // a block that could not be written is not wanted
            }
        }
        if (file != null) {
            var _ = file.delete();
        }
    }

    /** The block. Call this once it is complete. */
    ManagedBuffer buffer() {
        return buffer;
    }

    /** Leaves the file to Spark, which deletes it when the task ends; deletes it now if the task has ended. */
    void leaveToSpark() {
        if (!files.registerTempFileToClean(file)) {
            var _ = file.delete();
        }
    }
}
