// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.ucx;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.HotPath;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** The data path of libucp's tag matching beyond that in {@link Ucp}: see there. */
public final class UcpTag {

    private static final MethodHandle SEND_SYNC = UcxLibrary.link(
            "ucp_tag_send_sync_nbx",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle PROBE = UcxLibrary.link(
            "ucp_tag_probe_nb", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MESSAGE_RECEIVE = UcxLibrary.link(
            "ucp_tag_msg_recv_nbx",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private UcpTag() {}

    /** {@code ucs_status_ptr_t ucp_tag_send_sync_nbx(ep, buffer, count, tag, param)}. */
    @HotPath
    public static long sendSync(long ep, long buffer, long count, long tag, long param) {
        try {
            return (long) SEND_SYNC.invokeExact(ep, buffer, count, tag, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_tag_send_sync_nbx", t);
        }
    }

    /** {@code ucp_tag_message_h ucp_tag_probe_nb(worker, tag, tag_mask, remove, info)}. */
    @HotPath
    public static long probe(long worker, long tag, long mask, int remove, long info) {
        try {
            return (long) PROBE.invokeExact(worker, tag, mask, remove, info);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_tag_probe_nb", t);
        }
    }

    /** {@code ucs_status_ptr_t ucp_tag_msg_recv_nbx(worker, buffer, count, message, param)}. */
    @HotPath
    public static long receiveMessage(long worker, long buffer, long count, long message, long param) {
        try {
            return (long) MESSAGE_RECEIVE.invokeExact(worker, buffer, count, message, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_tag_msg_recv_nbx", t);
        }
    }
}
