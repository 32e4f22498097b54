// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucs.UcsConstants;

/** The loops with JUCX; the same as Isthmus's. */
abstract class JucxLoop extends UcxLoop {

    final JucxEnd end;
    final UcpWorker worker;
    final UcpEndpoint endpoint;
    final long outgoing;
    final long incoming;
    final long bytes;
    final JucxWindow sends;

    JucxLoop(JucxEnd end) {
        super(end);
        this.end = end;
        worker = end.worker;
        endpoint = end.endpoint;
        outgoing = end.outgoing.getAddress();
        incoming = end.incoming.getAddress();
        bytes = end.plan.bytes();
        sends = new JucxWindow(end, end.plan.window());
    }

    /** Begins an operation. */
    abstract UcpRequest post();

    @Override
    final void send() throws IOException {
        sends.room();
        sends.add(post());
    }

    @Override
    void finish() throws IOException {
        sends.drain();
    }

    /** Tagged messages. */
    static final class Tag extends JucxLoop {

        private static final long EXACT = -1;

        private final JucxWindow receives;

        Tag(JucxEnd end) {
            super(end);
            receives = new JucxWindow(end, end.plan.window());
        }

        @Override
        void run(int count) throws IOException {
            repeat(count);
        }

        @Override
        UcpRequest post() {
            return endpoint.sendTaggedNonBlocking(outgoing, bytes, TagLoop.TAG, null);
        }

        @Override
        void receive() throws IOException {
            end.finish(worker.recvTaggedNonBlocking(incoming, bytes, TagLoop.TAG, EXACT, null));
        }

        @Override
        void take(int count) throws IOException {
            for (int i = 0; i < count; i++) {
                receives.room();
                receives.add(worker.recvTaggedNonBlocking(incoming, bytes, TagLoop.TAG, EXACT, null));
            }
        }

        @Override
        void finish() throws IOException {
            receives.drain();
            super.finish();
        }
    }

    /** Streams. */
    static final class Stream extends JucxLoop {

        Stream(JucxEnd end) {
            super(end);
        }

        @Override
        void run(int count) throws IOException {
            repeat(count);
        }

        @Override
        UcpRequest post() {
            return endpoint.sendStreamNonBlocking(outgoing, bytes, null);
        }

        @Override
        void receive() throws IOException {
            long total = 0;
            while (total < bytes) {
                UcpRequest some = endpoint.recvStreamNonBlocking(incoming + total, bytes - total, 0, null);
                end.finish(some);
                total += some.getRecvSize();
            }
        }

        @Override
        void take(int count) throws IOException {
            for (int i = 0; i < count; i++) {
                receive();
            }
        }
    }

    /** Active messages. */
    static final class Am extends JucxLoop {

        private static final int ID = 1;
        private static final int MAX_FETCHES = 64;

        private final JucxWindow fetches;
        private long awaited;
        private long received;

        Am(JucxEnd end) {
            super(end);
            fetches = new JucxWindow(end, MAX_FETCHES * end.plan.window());
            worker.setAmRecvHandler(ID, (header, headerSize, data, reply) -> onMessage(data));
        }

        private int onMessage(UcpAmData data) {
            received++;
            if (data.isDataValid()) {
                return UcsConstants.STATUS.UCS_OK;
            }
            fetches.add(data.receive(incoming, null));
            return UcsConstants.STATUS.UCS_INPROGRESS;
        }

        @Override
        void run(int count) throws IOException {
            repeat(count);
        }

        @Override
        UcpRequest post() {
            return endpoint.sendAmNonBlocking(ID, 0, 0, outgoing, bytes, 0, null);
        }

        @Override
        void receive() throws IOException {
            awaited++;
            while (received < awaited) {
                end.pass();
            }
            fetches.drain();
        }

        @Override
        void take(int count) throws IOException {
            awaited += count;
            while (received < awaited) {
                if (fetches.isEmpty()) {
                    end.pass();
                } else {
                    fetches.finishOldest();
                }
            }
        }

        @Override
        void finish() throws IOException {
            fetches.drain();
            super.finish();
        }
    }

    /** Puts: see {@link PutLoop}. */
    static final class Put extends JucxLoop {

        private static final byte NONE = -1;
        private static final byte LAST = 1;

        private final UcpRemoteKey key;
        private final long remote;
        private final ByteBuffer out;
        private final ByteBuffer in;
        private final int last;
        private byte sent;
        private byte awaited;

        Put(JucxEnd end) {
            super(end);
            key = end.key;
            remote = end.remote;
            out = end.view(outgoing);
            in = end.view(incoming);
            last = Math.toIntExact(bytes - 1);
        }

        @Override
        void begin() {
            byte mark = pingPong ? NONE : 0;
            sent = 0;
            awaited = 0;
            out.put(last, mark);
            in.put(last, mark);
        }

        @Override
        void run(int count) throws IOException {
            repeat(count);
        }

        @Override
        UcpRequest post() {
            if (pingPong) {
                out.put(last, sent++);
            }
            return endpoint.putNonBlocking(outgoing, bytes, remote, key, null);
        }

        @Override
        void receive() throws IOException {
            await(awaited++);
        }

        private void await(byte mark) throws IOException {
            while (in.get(last) != mark) {
                end.pass();
            }
        }

        @Override
        void take(int count) {}

        @Override
        void finish() throws IOException {
            if (!pingPong && server) {
                await(LAST);
            } else if (!pingPong) {
                sends.drain();
                end.flush(); // JUCX has no fence
                out.put(last, LAST);
                sends.add(post());
            }
            super.finish();
        }
    }
}
