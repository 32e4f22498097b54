// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.NativeFunction;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;

/**
 * The functions of libucp that are called off the data path, through {@link dev.isthmus.internal.NativeCall}. Handles of
 * UCX objects are {@code long}, as on the data path; structures and out-parameters are segments.
 *
 * <p>What a function returns: {@code JAVA_BYTE} is a {@code ucs_status_t}, {@code JAVA_LONG} a
 * {@code ucs_status_ptr_t}. A function that only some supported versions have is declared with the version that
 * introduced it.
 */
public final class Libucp {

    public static final NativeFunction GET_VERSION_STRING = of("ucp_get_version_string", ADDRESS);
    public static final NativeFunction LIB_QUERY = of("ucp_lib_query", JAVA_BYTE, ADDRESS);

    public static final NativeFunction CONFIG_READ = of("ucp_config_read", JAVA_BYTE, ADDRESS, ADDRESS, ADDRESS);
    public static final NativeFunction CONFIG_MODIFY = of("ucp_config_modify", JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS);
    public static final NativeFunction CONFIG_PRINT = ofVoid("ucp_config_print", JAVA_LONG, ADDRESS, ADDRESS, JAVA_INT);
    public static final NativeFunction CONFIG_RELEASE = ofVoid("ucp_config_release", JAVA_LONG);

    /** {@code ucp_init} is an inline function that calls it. */
    public static final NativeFunction INIT_VERSION =
            of("ucp_init_version", JAVA_BYTE, JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS);

    public static final NativeFunction CLEANUP = ofVoid("ucp_cleanup", JAVA_LONG);
    public static final NativeFunction CONTEXT_QUERY = of("ucp_context_query", JAVA_BYTE, JAVA_LONG, ADDRESS);
    public static final NativeFunction CONTEXT_PRINT_INFO = ofVoid("ucp_context_print_info", JAVA_LONG, ADDRESS);

    public static final NativeFunction WORKER_CREATE = of("ucp_worker_create", JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS);
    public static final NativeFunction WORKER_DESTROY = ofVoid("ucp_worker_destroy", JAVA_LONG);
    public static final NativeFunction WORKER_QUERY = of("ucp_worker_query", JAVA_BYTE, JAVA_LONG, ADDRESS);
    public static final NativeFunction WORKER_PRINT_INFO = ofVoid("ucp_worker_print_info", JAVA_LONG, ADDRESS);
    public static final NativeFunction WORKER_GET_ADDRESS =
            of("ucp_worker_get_address", JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS);
    public static final NativeFunction WORKER_RELEASE_ADDRESS =
            ofVoid("ucp_worker_release_address", JAVA_LONG, ADDRESS);
    public static final NativeFunction WORKER_ADDRESS_QUERY =
            of("ucp_worker_address_query", JAVA_BYTE, ADDRESS, ADDRESS);
    public static final NativeFunction WORKER_GET_EFD = of("ucp_worker_get_efd", JAVA_BYTE, JAVA_LONG, ADDRESS);
    public static final NativeFunction WORKER_ARM = of("ucp_worker_arm", JAVA_BYTE, JAVA_LONG);
    public static final NativeFunction WORKER_SIGNAL = of("ucp_worker_signal", JAVA_BYTE, JAVA_LONG);

    public static final NativeFunction EP_CREATE = of("ucp_ep_create", JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS);
    public static final NativeFunction EP_CLOSE = of("ucp_ep_close_nbx", JAVA_LONG, JAVA_LONG, ADDRESS);
    public static final NativeFunction EP_QUERY = of("ucp_ep_query", JAVA_BYTE, JAVA_LONG, ADDRESS);
    public static final NativeFunction EP_PRINT_INFO = ofVoid("ucp_ep_print_info", JAVA_LONG, ADDRESS);
    public static final NativeFunction EP_EVALUATE_PERF =
            of("ucp_ep_evaluate_perf", JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS);

    public static final NativeFunction LISTENER_CREATE =
            of("ucp_listener_create", JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS);
    public static final NativeFunction LISTENER_DESTROY = ofVoid("ucp_listener_destroy", JAVA_LONG);
    public static final NativeFunction LISTENER_QUERY = of("ucp_listener_query", JAVA_BYTE, JAVA_LONG, ADDRESS);
    public static final NativeFunction LISTENER_REJECT = of("ucp_listener_reject", JAVA_BYTE, JAVA_LONG, JAVA_LONG);
    public static final NativeFunction CONN_REQUEST_QUERY = of("ucp_conn_request_query", JAVA_BYTE, JAVA_LONG, ADDRESS);

    public static final NativeFunction DT_CREATE_GENERIC =
            of("ucp_dt_create_generic", JAVA_BYTE, ADDRESS, ADDRESS, ADDRESS);
    public static final NativeFunction DT_DESTROY = ofVoid("ucp_dt_destroy", JAVA_LONG);
    public static final NativeFunction DT_QUERY = since(14, "ucp_dt_query", JAVA_BYTE, JAVA_LONG, ADDRESS);
    public static final NativeFunction REQUEST_QUERY = of("ucp_request_query", JAVA_BYTE, JAVA_LONG, ADDRESS);

    public static final NativeFunction REQUEST_FREE = ofVoid("ucp_request_free", JAVA_LONG);

    public static final NativeFunction MEM_MAP = of("ucp_mem_map", JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS);
    public static final NativeFunction MEM_UNMAP = of("ucp_mem_unmap", JAVA_BYTE, JAVA_LONG, JAVA_LONG);
    public static final NativeFunction MEM_QUERY = of("ucp_mem_query", JAVA_BYTE, JAVA_LONG, ADDRESS);
    public static final NativeFunction MEM_ADVISE = of("ucp_mem_advise", JAVA_BYTE, JAVA_LONG, JAVA_LONG, ADDRESS);
    public static final NativeFunction MEM_PRINT_INFO = ofVoid("ucp_mem_print_info", ADDRESS, JAVA_LONG, ADDRESS);
    public static final NativeFunction RKEY_PACK =
            of("ucp_rkey_pack", JAVA_BYTE, JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS);
    public static final NativeFunction RKEY_BUFFER_RELEASE = ofVoid("ucp_rkey_buffer_release", ADDRESS);
    public static final NativeFunction EP_RKEY_UNPACK =
            of("ucp_ep_rkey_unpack", JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS);
    public static final NativeFunction RKEY_DESTROY = ofVoid("ucp_rkey_destroy", JAVA_LONG);
    public static final NativeFunction RKEY_PTR = of("ucp_rkey_ptr", JAVA_BYTE, JAVA_LONG, JAVA_LONG, ADDRESS);
    public static final NativeFunction RKEY_COMPARE =
            since(16, "ucp_rkey_compare", JAVA_BYTE, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS);
    public static final NativeFunction MEMH_PACK =
            since(14, "ucp_memh_pack", JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS);
    public static final NativeFunction MEMH_BUFFER_RELEASE =
            UcxLibrary.function("ucp_memh_buffer_release", 14, FunctionDescriptor.ofVoid(ADDRESS, ADDRESS));

    private Libucp() {}

    private static NativeFunction since(int minor, String name, MemoryLayout result, MemoryLayout... arguments) {
        return UcxLibrary.function(name, minor, FunctionDescriptor.of(result, arguments));
    }

    private static NativeFunction of(String name, MemoryLayout result, MemoryLayout... arguments) {
        return UcxLibrary.function(name, UcxLibrary.MIN_MINOR, FunctionDescriptor.of(result, arguments));
    }

    private static NativeFunction ofVoid(String name, MemoryLayout... arguments) {
        return UcxLibrary.function(name, UcxLibrary.MIN_MINOR, FunctionDescriptor.ofVoid(arguments));
    }
}
