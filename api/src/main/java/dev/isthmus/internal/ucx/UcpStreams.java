// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.ucx;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.HotPath;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** The data path of libucp's streams: see {@link Ucp}. */
public final class UcpStreams {

    private static final MethodHandle SEND = UcxLibrary.link(
            "ucp_stream_send_nbx", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle RECEIVE = UcxLibrary.link(
            "ucp_stream_recv_nbx",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle RECEIVE_DATA =
            UcxLibrary.link("ucp_stream_recv_data_nb", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle RELEASE_DATA =
            UcxLibrary.link("ucp_stream_data_release", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle POLL = UcxLibrary.link(
            "ucp_stream_worker_poll", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle RECEIVE_TEST = UcxLibrary.linkCritical(
            "ucp_stream_recv_request_test", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, JAVA_LONG));

    private UcpStreams() {}

    /** {@code ucs_status_ptr_t ucp_stream_send_nbx(ep, buffer, count, param)}. */
    @HotPath
    public static long send(long ep, long buffer, long count, long param) {
        try {
            return (long) SEND.invokeExact(ep, buffer, count, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_stream_send_nbx", t);
        }
    }

    /** {@code ucs_status_ptr_t ucp_stream_recv_nbx(ep, buffer, count, length, param)}. */
    @HotPath
    public static long receive(long ep, long buffer, long count, long length, long param) {
        try {
            return (long) RECEIVE.invokeExact(ep, buffer, count, length, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_stream_recv_nbx", t);
        }
    }

    /** {@code ucs_status_ptr_t ucp_stream_recv_data_nb(ep, length)}. */
    @HotPath
    public static long receiveData(long ep, long length) {
        try {
            return (long) RECEIVE_DATA.invokeExact(ep, length);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_stream_recv_data_nb", t);
        }
    }

    /** {@code void ucp_stream_data_release(ep, data)}. */
    @HotPath
    public static void releaseData(long ep, long data) {
        try {
            RELEASE_DATA.invokeExact(ep, data);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_stream_data_release", t);
        }
    }

    /** {@code ssize_t ucp_stream_worker_poll(worker, poll_eps, max_eps, flags)}. */
    @HotPath
    public static long poll(long worker, long endpoints, long count, int flags) {
        try {
            return (long) POLL.invokeExact(worker, endpoints, count, flags);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_stream_worker_poll", t);
        }
    }

    /** {@code ucs_status_t ucp_stream_recv_request_test(request, length)}. */
    @HotPath
    public static int receiveTest(long request, long length) {
        try {
            return (byte) RECEIVE_TEST.invokeExact(request, length);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_stream_recv_request_test", t);
        }
    }
}
