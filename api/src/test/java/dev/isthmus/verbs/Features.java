// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.VerbsException;
import dev.isthmus.testbed.RefusedByDevice;
import java.util.function.Supplier;
import org.junit.jupiter.api.function.Executable;

/** The features that a device reports, for tests of what Soft-RoCE lacks. */
public final class Features {

    /** {@code IBV_DEVICE_XRC} of {@code enum ibv_device_cap_flags}. */
    private static final int XRC = 1 << 20;

    /** {@code IBV_DEVICE_SRQ_RESIZE}. */
    private static final int SRQ_RESIZE = 1 << 13;

    /** {@code IBV_DEVICE_MANAGED_FLOW_STEERING}. */
    private static final int FLOW_STEERING = 1 << 29;

    /** The vendor that {@code rdma_rxe} names. */
    private static final int SOFT_ROCE = 0xffffff;

    private static final String UNSUPPORTED = "): EOPNOTSUPP (95): this device or its driver does not support it";

    private Features() {}

    /**
     * Whether a device has XRC.
     *
     * @param context the open device
     * @return true if so
     */
    public static boolean hasXrc(DeviceContext context) {
        return has(context, XRC);
    }

    /**
     * Whether a device can change the size of shared receive queues.
     *
     * @param context the open device
     * @return true if so
     */
    public static boolean canResizeSharedReceiveQueues(DeviceContext context) {
        return has(context, SRQ_RESIZE);
    }

    /**
     * Whether a device steers flows.
     *
     * @param context the open device
     * @return true if so
     */
    public static boolean steersFlows(DeviceContext context) {
        return has(context, FLOW_STEERING);
    }

    /**
     * Whether the device reports that a failed queue pair has taken its last request from a shared receive queue, by the event
     * {@code IBV_EVENT_QP_LAST_WQE_REACHED}. Soft-RoCE does so from Linux 6.5 on.
     *
     * @param context the open device
     * @return true if so
     */
    public static boolean tellsTheLastRequest(DeviceContext context) {
        String[] linux = System.getProperty("os.version").split("[.-]", 3);
        int version = Integer.parseInt(linux[0]) * 1000 + Integer.parseInt(linux[1]);
        return !isSoftRoce(context) || version >= 6005;
    }

    /**
     * Whether a device is Soft-RoCE.
     *
     * @param context the open device
     * @return true if so
     */
    static boolean isSoftRoce(DeviceContext context) {
        return context.attributes().vendorId() == SOFT_ROCE;
    }

    /**
     * Creates something that few devices have. If the device says that it lacks that, in exactly the expected words,
     * ends the test as refused by the device.
     *
     * @param <T> the type of what is created
     * @param call the C function that creates it
     * @param arguments what the exception must name if the device lacks it
     * @param maker creates it
     * @return what was created
     */
    public static <T> T make(String call, String arguments, Supplier<T> maker) {
        try {
            return maker.get();
        } catch (VerbsException e) {
            throw unsupported(call, arguments, e);
        }
    }

    /**
     * The end of a test whose device says that it does not support a call.
     *
     * @param call the C function
     * @param arguments what the exception must name
     * @param e the exception
     * @return what the test throws
     */
    public static RefusedByDevice unsupported(String call, String arguments, VerbsException e) {
        return RefusedByDevice.saying(e, call + "(" + arguments + UNSUPPORTED);
    }

    /**
     * The end of a test whose device does not support a call, whatever follows the first arguments.
     *
     * @param e the exception
     * @param call the C function
     * @param firstArguments what the exception must name first
     * @return what the test throws
     */
    public static RefusedByDevice unsupported(VerbsException e, String call, String firstArguments) {
        return RefusedByDevice.saying(e, call + "(" + firstArguments, UNSUPPORTED);
    }

    /**
     * The end of a test whose device reports a call as missing.
     *
     * @param call the C function
     * @param arguments what the exception must name
     * @param use makes the call
     * @return what the test throws
     */
    public static RefusedByDevice unsupported(String call, String arguments, Executable use) {
        return unsupported(call, arguments, assertThrows(VerbsException.class, use));
    }

    private static boolean has(DeviceContext context, int flag) {
        return (context.attributes().deviceCapFlags() & flag) != 0;
    }
}
