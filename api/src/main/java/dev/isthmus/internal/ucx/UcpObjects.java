package dev.isthmus.internal.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of libucp that make, query and destroy objects. Handles of UCX objects are {@code long}, as on the
 * data path; structures and out-parameters are segments.
 */
public final class UcpObjects {

    private static final MethodHandle CONFIG_READ =
            UcxLibrary.link("ucp_config_read", FunctionDescriptor.of(JAVA_BYTE, ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle CONFIG_MODIFY =
            UcxLibrary.link("ucp_config_modify", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS));
    private static final MethodHandle CONFIG_RELEASE =
            UcxLibrary.link("ucp_config_release", FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle INIT_VERSION = UcxLibrary.link(
            "ucp_init_version", FunctionDescriptor.of(JAVA_BYTE, JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS));
    private static final MethodHandle CLEANUP = UcxLibrary.link("ucp_cleanup", FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle CONTEXT_QUERY =
            UcxLibrary.link("ucp_context_query", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, ADDRESS));
    private static final MethodHandle WORKER_CREATE =
            UcxLibrary.link("ucp_worker_create", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS));
    private static final MethodHandle WORKER_DESTROY =
            UcxLibrary.link("ucp_worker_destroy", FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle WORKER_GET_ADDRESS =
            UcxLibrary.link("ucp_worker_get_address", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS));
    private static final MethodHandle WORKER_RELEASE_ADDRESS =
            UcxLibrary.link("ucp_worker_release_address", FunctionDescriptor.ofVoid(JAVA_LONG, ADDRESS));
    private static final MethodHandle WORKER_FLUSH =
            UcxLibrary.link("ucp_worker_flush_nbx", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ADDRESS));
    private static final MethodHandle EP_CREATE =
            UcxLibrary.link("ucp_ep_create", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS));
    private static final MethodHandle EP_CLOSE =
            UcxLibrary.link("ucp_ep_close_nbx", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ADDRESS));
    private static final MethodHandle REQUEST_FREE =
            UcxLibrary.link("ucp_request_free", FunctionDescriptor.ofVoid(JAVA_LONG));

    private UcpObjects() {}

    /** {@code ucs_status_t ucp_config_read(NULL, NULL, ucp_config_t **config)}. */
    public static int configRead(MemorySegment out) {
        try {
            return (byte) CONFIG_READ.invokeExact(MemorySegment.NULL, MemorySegment.NULL, out);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_config_read", t);
        }
    }

    /** {@code ucs_status_t ucp_config_modify(config, name, value)}. */
    public static int configModify(long config, MemorySegment name, MemorySegment value) {
        try {
            return (byte) CONFIG_MODIFY.invokeExact(config, name, value);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_config_modify", t);
        }
    }

    /** {@code void ucp_config_release(config)}. */
    public static void configRelease(long config) {
        invoke(CONFIG_RELEASE, "ucp_config_release", config);
    }

    /** {@code ucp_init(params, config, context)}, which is an inline of ucp_init_version. */
    public static int init(MemorySegment params, long config, MemorySegment out) {
        try {
            return (byte) INIT_VERSION.invokeExact(UcxLibrary.MIN_MAJOR, UcxLibrary.MIN_MINOR, params, config, out);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_init_version", t);
        }
    }

    /** {@code void ucp_cleanup(context)}. */
    public static void cleanup(long context) {
        invoke(CLEANUP, "ucp_cleanup", context);
    }

    /** {@code ucs_status_t ucp_context_query(context, attr)}. */
    public static int contextQuery(long context, MemorySegment attr) {
        try {
            return (byte) CONTEXT_QUERY.invokeExact(context, attr);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_context_query", t);
        }
    }

    /** {@code ucs_status_t ucp_worker_create(context, params, worker)}. */
    public static int workerCreate(long context, MemorySegment params, MemorySegment out) {
        try {
            return (byte) WORKER_CREATE.invokeExact(context, params, out);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_worker_create", t);
        }
    }

    /** {@code void ucp_worker_destroy(worker)}. */
    public static void workerDestroy(long worker) {
        invoke(WORKER_DESTROY, "ucp_worker_destroy", worker);
    }

    /** {@code ucs_status_ptr_t ucp_worker_flush_nbx(worker, param)}. */
    public static long workerFlush(long worker, MemorySegment param) {
        try {
            return (long) WORKER_FLUSH.invokeExact(worker, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_worker_flush_nbx", t);
        }
    }

    /** {@code ucs_status_t ucp_worker_get_address(worker, address, length)}. */
    public static int workerGetAddress(long worker, MemorySegment address, MemorySegment length) {
        try {
            return (byte) WORKER_GET_ADDRESS.invokeExact(worker, address, length);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_worker_get_address", t);
        }
    }

    /** {@code void ucp_worker_release_address(worker, address)}. */
    public static void workerReleaseAddress(long worker, MemorySegment address) {
        try {
            WORKER_RELEASE_ADDRESS.invokeExact(worker, address);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_worker_release_address", t);
        }
    }

    /** {@code ucs_status_t ucp_ep_create(worker, params, ep)}. */
    public static int endpointCreate(long worker, MemorySegment params, MemorySegment out) {
        try {
            return (byte) EP_CREATE.invokeExact(worker, params, out);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_ep_create", t);
        }
    }

    /** {@code ucs_status_ptr_t ucp_ep_close_nbx(ep, param)}; the endpoint may not be used after it. */
    public static long endpointClose(long ep, MemorySegment param) {
        try {
            return (long) EP_CLOSE.invokeExact(ep, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_ep_close_nbx", t);
        }
    }

    /** {@code void ucp_request_free(request)}, of a request that UCX allocated. */
    public static void requestFree(long request) {
        invoke(REQUEST_FREE, "ucp_request_free", request);
    }

    private static void invoke(MethodHandle handle, String name, long argument) {
        try {
            handle.invokeExact(argument);
        } catch (Throwable t) {
            throw UcxLibrary.misuse(name, t);
        }
    }
}
