// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.ucx;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Linking;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The data path of libucp's active messages: see {@link Ucp}. All of these calls can run callbacks: over the self
 * transport, even the answer to a rendezvous does.
 */
public final class UcpAm {

    // ucs_status_t (*)(arg, header, header_length, data, length, param): plain numbers, so that an upcall creates
    // no segments
    private static final FunctionDescriptor CALLBACK =
            FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

    private static final MethodHandle SEND = UcxLibrary.link(
            "ucp_am_send_nbx",
            FunctionDescriptor.of(
                    JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle RECV_DATA = UcxLibrary.link(
            "ucp_am_recv_data_nbx",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle DATA_RELEASE =
            UcxLibrary.link("ucp_am_data_release", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SET_HANDLER =
            UcxLibrary.link("ucp_worker_set_am_recv_handler", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, JAVA_LONG));

    private UcpAm() {}

    /**
     * Creates a {@code ucp_am_recv_callback_t}.
     *
     * @param target six {@code long} to a {@code byte}; never throws
     * @param arena lives as long as C may call
     */
    public static MemorySegment callback(MethodHandle target, Arena arena) {
        return Linking.upcall(target, CALLBACK, arena);
    }

    /** {@code ucs_status_t ucp_worker_set_am_recv_handler(worker, param)}. */
    public static int setHandler(long worker, long param) {
        try {
            return (byte) SET_HANDLER.invokeExact(worker, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_worker_set_am_recv_handler", t);
        }
    }

    /** {@code ucs_status_ptr_t ucp_am_send_nbx(ep, id, header, header_length, buffer, count, param)}. */
    @HotPath
    public static long send(long ep, int id, long header, long headerLength, long buffer, long count, long param) {
        try {
            return (long) SEND.invokeExact(ep, id, header, headerLength, buffer, count, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_am_send_nbx", t);
        }
    }

    /** {@code ucs_status_ptr_t ucp_am_recv_data_nbx(worker, data_desc, buffer, count, param)}. */
    @HotPath
    public static long receiveData(long worker, long descriptor, long buffer, long count, long param) {
        try {
            return (long) RECV_DATA.invokeExact(worker, descriptor, buffer, count, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_am_recv_data_nbx", t);
        }
    }

    /** {@code void ucp_am_data_release(worker, data)}. */
    @HotPath
    public static void releaseData(long worker, long data) {
        try {
            DATA_RELEASE.invokeExact(worker, data);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_am_data_release", t);
        }
    }
}
