package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.VerbsException;
import dev.isthmus.internal.Errno;
import java.util.Optional;
import java.util.function.Supplier;

/** What a device says that it has, for tests of what Soft-RoCE lacks. */
final class Features {

    /** {@code IBV_DEVICE_XRC} of {@code enum ibv_device_cap_flags}. */
    private static final int XRC = 1 << 20;

    /** {@code IBV_DEVICE_SRQ_RESIZE}. */
    private static final int SRQ_RESIZE = 1 << 13;

    /** {@code IBV_DEVICE_MANAGED_FLOW_STEERING}. */
    private static final int FLOW_STEERING = 1 << 29;

    /** The vendor that {@code rdma_rxe} names. */
    private static final int SOFT_ROCE = 0xffffff;

    private Features() {}

    static boolean hasXrc(DeviceContext context) {
        return has(context, XRC);
    }

    static boolean canResizeSharedReceiveQueues(DeviceContext context) {
        return has(context, SRQ_RESIZE);
    }

    static boolean steersFlows(DeviceContext context) {
        return has(context, FLOW_STEERING);
    }

    /** Whether a failed queue pair on a shared receive queue is told of: Soft-RoCE does so from Linux 6.5 on. */
    static boolean tellsTheLastRequest(DeviceContext context) {
        String[] linux = System.getProperty("os.version").split("[.-]", 3);
        int version = Integer.parseInt(linux[0]) * 1000 + Integer.parseInt(linux[1]);
        return context.attributes().vendorId() != SOFT_ROCE || version >= 6005;
    }

    /**
     * Makes something that few devices have.
     *
     * @param call the C function that makes it
     * @param arguments what the exception must name when the device does not have it
     * @return nothing when the device says, in just the words it must, that it does not have it
     */
    static <T> Optional<T> make(String call, String arguments, Supplier<T> maker) {
        try {
            return Optional.of(maker.get());
        } catch (VerbsException e) {
            if (e.errno() != Errno.EOPNOTSUPP) {
                throw e;
            }
            assertUnsupported(call, arguments, e);
            return Optional.empty();
        }
    }

    static void assertUnsupported(String call, String arguments, VerbsException e) {
        assertEquals(
                call + "(" + arguments + "): EOPNOTSUPP (95): this device or its driver does not support it",
                e.getMessage());
    }

    private static boolean has(DeviceContext context, int flag) {
        return (context.attributes().deviceCapFlags() & flag) != 0;
    }
}
