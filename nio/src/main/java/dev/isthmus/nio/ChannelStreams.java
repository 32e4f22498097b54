// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.nio.stream.Deadlines;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.IllegalBlockingModeException;
import java.util.Objects;

/** The streams of a {@link ChannelSocket}. Both close the socket when they are closed. */
final class ChannelStreams {

    private ChannelStreams() {}

    private static void checkBlocks(TimedSocketChannel channel) {
        if (!channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
    }

    /** What the peer sends. As thread-safe as the channel. */
    static final class Input extends InputStream {

        private final ChannelSocket socket;
        private final TimedSocketChannel channel;

        Input(ChannelSocket socket) {
            this.socket = socket;
            this.channel = socket.getChannel();
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, into.length);
            if (length == 0) {
                return 0;
            }
            checkBlocks(channel);
            ByteBuffer buffer = ByteBuffer.wrap(into, offset, length);
            long deadline = Deadlines.after(socket.getSoTimeout());
            int count = SocketErrors.translated(() -> channel.read(buffer, deadline));
            if (count == 0) {
                throw new SocketTimeoutException("Read timed out");
            }
            return count;
        }

        @Override
        public int available() throws IOException {
            return SocketErrors.translated(channel::available);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** What the peer gets. Thread-safe: concurrent writes are not interleaved. */
    static final class Output extends OutputStream {

        private final ChannelSocket socket;
        private final TimedSocketChannel channel;

        Output(ChannelSocket socket) {
            this.socket = socket;
            this.channel = socket.getChannel();
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, from.length);
            if (length == 0) {
                return;
            }
            checkBlocks(channel);
            if (channel.isOutputShut() && channel.isOpen()) {
                throw new SocketException("Socket output is shutdown");
            }
            ByteBuffer buffer = ByteBuffer.wrap(from, offset, length);
            while (buffer.hasRemaining()) { // the JDK's channels write only a part if they are closed meanwhile
                if (SocketErrors.translated(() -> channel.write(buffer)) == 0) {
                    throw new IllegalBlockingModeException(); // it became non-blocking meanwhile
                }
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
