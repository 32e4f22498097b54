// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code perftest_params_t} of UCX 1.13 to 1.19, which a client sends first. Its pointers mean nothing to the other
 * side, and are zero here. The sizes of the message's parts follow it. {@link UcxLayout} has the differences
 * between versions.
 */
@SuppressWarnings("EnumOrdinal") // the codes of C's enums, in its order
final class UcxParameters {

    /** {@code UCX_PERF_API_UCP}. */
    private static final int UCP = 1;

    private static final int STREAM_UNI = 2;
    private static final int ASYNC_THREAD = 1;
    private static final int LAST_WAIT_MODE = 3;
    private static final int PAGE = 4096;
    private static final int SINGLE = 0;
    private static final int SERIALIZED = 1;
    private static final int MAX_PARTS = 1 << 10;
    private static final int UCT_WINDOW = 127;

    private static final int API = 0;
    private static final int COMMAND = 4;
    private static final int TYPE = 8;
    private static final int THREAD_MODE = 12;
    private static final int THREADS = 16;
    private static final int ASYNC_MODE = 20;
    private static final int WAIT_MODE = 24;
    private static final int SEND_MEMORY = 28;
    private static final int RECEIVE_MEMORY = 32;
    private static final int FLAGS = 36;
    private static final int PARTS = 48;
    private static final int STRIDE = 56;
    private static final int ALIGNMENT = 64;
    private static final int WINDOW = 72;
    private static final int WARM_UP = 80;
    private static final int WARM_UP_SECONDS = 88;
    private static final int ITERATIONS = 96;
    private static final int REPORT_SECONDS = 112;
    private static final int PERCENTILE = 120;
    private static final int HEADER = 248;

    private UcxParameters() {}

    private static ByteBuffer ofOrder(ByteBuffer bytes) {
        return bytes.order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The struct and the sizes. */
    static byte[] encode(UcxPlan plan, UcxLayout layout) {
        ByteBuffer out = ofOrder(ByteBuffer.allocate(layout.bytes + plan.sizes().size() * Long.BYTES));
        UcxTest test = plan.test();
        out.putInt(API, UCP).putInt(COMMAND, test.command.ordinal());
        out.putInt(TYPE, test.isPingPong() ? 0 : STREAM_UNI);
        out.putInt(THREADS, 1).putInt(ASYNC_MODE, ASYNC_THREAD).putInt(WAIT_MODE, LAST_WAIT_MODE);
        out.putInt(FLAGS, plan.flags());
        out.putLong(PARTS, plan.sizes().size()).putLong(STRIDE, plan.stride());
        out.putLong(ALIGNMENT, PAGE).putInt(WINDOW, plan.window());
        out.putLong(WARM_UP, plan.warmUp()).putDouble(WARM_UP_SECONDS, plan.warmUpSeconds());
        out.putLong(ITERATIONS, plan.iterations());
        out.putDouble(REPORT_SECONDS, 1).putDouble(PERCENTILE, plan.percentile());
        out.put(layout.device, UcxLayout.NONE).put(layout.transport, UcxLayout.NONE);
        out.putInt(layout.uctWindow, UCT_WINDOW).putLong(layout.uctHeader, plan.header());
        out.putInt(layout.sendType, plan.sendIov() ? 1 : 0).putInt(layout.receiveType, plan.receiveIov() ? 1 : 0);
        out.putLong(HEADER, plan.header()).putInt(layout.test, layout.testsBefore + test.ordinal());
        for (int i = 0; i < plan.sizes().size(); i++) {
            out.putLong(layout.bytes + i * Long.BYTES, plan.sizes().get(i));
        }
        return out.array();
    }

    /** How many sizes follow the struct. */
    static int parts(byte[] struct) {
        ByteBuffer in = ofOrder(ByteBuffer.wrap(struct));
        long parts = in.getLong(PARTS);
        if (parts < 1 || parts > MAX_PARTS || in.getInt(API) != UCP) {
            throw new IllegalArgumentException(
                    "that is not a test of the protocol layer by ucx_perftest of UCX 1.13 to 1.19");
        }
        return (int) parts;
    }

    /** The test that a client asks for. */
    static UcxPlan decode(byte[] struct, byte[] sizes) {
        ByteBuffer in = ofOrder(ByteBuffer.wrap(struct));
        UcxLayout layout = UcxLayout.of(struct);
        UcxTest test = test(in.getInt(COMMAND), in.getInt(TYPE));
        boolean alone = in.getInt(THREADS) == 1;
        int mode = in.getInt(THREAD_MODE); // a worker here is always as safe as with SERIALIZED
        UcxPlan.check(alone && (mode == SINGLE || mode == SERIALIZED), "only one thread (-T, -M) is supported");
        int wait = in.getInt(WAIT_MODE);
        UcxPlan.check(wait == 0 || wait == LAST_WAIT_MODE, "only -E poll is supported");
        UcxPlan.check(
                in.getInt(SEND_MEMORY) == 0 && in.getInt(RECEIVE_MEMORY) == 0,
                "only the host's memory (-m) is supported");
        int sendType = in.getInt(layout.sendType);
        int receiveType = in.getInt(layout.receiveType);
        UcxPlan.check((sendType & ~1) == 0 && (receiveType & ~1) == 0, "the layouts (-D) are invalid");
        List<Long> parts = new ArrayList<>();
        for (ByteBuffer left = ofOrder(ByteBuffer.wrap(sizes)); left.hasRemaining(); ) {
            parts.add(left.getLong());
        }
        int window = in.getInt(WINDOW);
        return new UcxPlan(
                test,
                parts,
                in.getLong(STRIDE),
                in.getLong(ITERATIONS),
                in.getLong(WARM_UP),
                in.getDouble(WARM_UP_SECONDS),
                window == 0 ? test.window : window,
                in.getDouble(PERCENTILE),
                sendType == 1,
                receiveType == 1,
                test.command == UcxTest.Command.AM ? in.getLong(HEADER) : 0,
                in.getInt(FLAGS));
    }

    private static UcxTest test(int command, int type) {
        for (UcxTest test : UcxTest.values()) {
            if (test.command.ordinal() == command && type == (test.isPingPong() ? 0 : STREAM_UNI)) {
                return test;
            }
        }
        throw new IllegalArgumentException("there is no test with command " + command + " and type " + type);
    }
}
