// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.ucx;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.HotPath;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/**
 * The data path of libucp: one method per C function, with the same arguments. Pointers are {@code long}, which callers
 * have checked, and not {@code MemorySegment}, for the JIT: docs/instructions.md, "Lines written for the JIT".
 *
 * <p>No function that makes progress is a critical call, as each can run callbacks, even a send, which delivers at once
 * over the self transport. Only functions that read fields of a request, and do nothing else, are critical calls.
 */
public final class Ucp {

    private static final MethodHandle PROGRESS =
            UcxLibrary.link("ucp_worker_progress", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle TAG_SEND = UcxLibrary.link(
            "ucp_tag_send_nbx",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle TAG_RECV = UcxLibrary.link(
            "ucp_tag_recv_nbx",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle EP_FLUSH =
            UcxLibrary.link("ucp_ep_flush_nbx", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle WORKER_FLUSH =
            UcxLibrary.link("ucp_worker_flush_nbx", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle WORKER_FENCE =
            UcxLibrary.link("ucp_worker_fence", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG));
    private static final MethodHandle CHECK_STATUS =
            UcxLibrary.linkCritical("ucp_request_check_status", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG));
    private static final MethodHandle TAG_RECV_TEST = UcxLibrary.linkCritical(
            "ucp_tag_recv_request_test", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle CANCEL =
            UcxLibrary.link("ucp_request_cancel", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));

    private Ucp() {}

    /** {@code unsigned ucp_worker_progress(ucp_worker_h worker)}. */
    @HotPath
    public static int workerProgress(long worker) {
        try {
            return (int) PROGRESS.invokeExact(worker);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_worker_progress", t);
        }
    }

    /** {@code ucs_status_ptr_t ucp_tag_send_nbx(ep, buffer, count, tag, param)}. */
    @HotPath
    public static long tagSend(long ep, long buffer, long count, long tag, long param) {
        try {
            return (long) TAG_SEND.invokeExact(ep, buffer, count, tag, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_tag_send_nbx", t);
        }
    }

    /** {@code ucs_status_ptr_t ucp_tag_recv_nbx(worker, buffer, count, tag, tag_mask, param)}. */
    @HotPath
    public static long tagReceive(long worker, long buffer, long count, long tag, long mask, long param) {
        try {
            return (long) TAG_RECV.invokeExact(worker, buffer, count, tag, mask, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_tag_recv_nbx", t);
        }
    }

    /** {@code ucs_status_ptr_t ucp_ep_flush_nbx(ep, param)}. */
    @HotPath
    public static long endpointFlush(long ep, long param) {
        try {
            return (long) EP_FLUSH.invokeExact(ep, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_ep_flush_nbx", t);
        }
    }

    /** {@code ucs_status_ptr_t ucp_worker_flush_nbx(worker, param)}. */
    @HotPath
    public static long workerFlush(long worker, long param) {
        try {
            return (long) WORKER_FLUSH.invokeExact(worker, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_worker_flush_nbx", t);
        }
    }

    /** {@code ucs_status_t ucp_worker_fence(ucp_worker_h worker)}. */
    @HotPath
    public static int workerFence(long worker) {
        try {
            return (byte) WORKER_FENCE.invokeExact(worker);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_worker_fence", t);
        }
    }

    /** {@code ucs_status_t ucp_request_check_status(void *request)}. */
    @HotPath
    public static int requestStatus(long request) {
        try {
            return (byte) CHECK_STATUS.invokeExact(request);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_request_check_status", t);
        }
    }

    /** {@code ucs_status_t ucp_tag_recv_request_test(void *request, ucp_tag_recv_info_t *info)}. */
    @HotPath
    public static int tagReceiveTest(long request, long info) {
        try {
            return (byte) TAG_RECV_TEST.invokeExact(request, info);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_tag_recv_request_test", t);
        }
    }

    /** {@code void ucp_request_cancel(ucp_worker_h worker, void *request)}. */
    @HotPath
    public static void requestCancel(long worker, long request) {
        try {
            CANCEL.invokeExact(worker, request);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_request_cancel", t);
        }
    }
}
