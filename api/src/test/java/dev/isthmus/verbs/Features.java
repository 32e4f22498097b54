package dev.isthmus.verbs;

/** What a device says that it has, for tests of what Soft-RoCE lacks. */
final class Features {

    /** {@code IBV_DEVICE_XRC} of {@code enum ibv_device_cap_flags}. */
    private static final int XRC = 1 << 20;

    /** {@code IBV_DEVICE_SRQ_RESIZE}. */
    private static final int SRQ_RESIZE = 1 << 13;

    private Features() {}

    static boolean hasXrc(DeviceContext context) {
        return has(context, XRC);
    }

    static boolean canResizeSharedReceiveQueues(DeviceContext context) {
        return has(context, SRQ_RESIZE);
    }

    private static boolean has(DeviceContext context, int flag) {
        return (context.attributes().deviceCapFlags() & flag) != 0;
    }
}
