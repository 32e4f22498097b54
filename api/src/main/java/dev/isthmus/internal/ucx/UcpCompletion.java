// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.ucx;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.Linking;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;

/**
 * The callbacks that UCX calls when an operation has ended. Their arguments are numbers, so an upcall creates
 * no segments.
 */
public final class UcpCompletion {

    // void (*)(void *request, ucs_status_t status, void *user_data)
    private static final FunctionDescriptor SENT_CALLBACK = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_BYTE, JAVA_LONG);

    // void (*)(void *request, ucs_status_t status, size_t length or const ucp_tag_recv_info_t *, void *user_data)
    private static final FunctionDescriptor RECEIVED_CALLBACK =
            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG);

    /** The Java type of a {@code ucp_send_nbx_callback_t}. */
    public static final MethodType SENT = SENT_CALLBACK.toMethodType();

    /** The Java type of the three callbacks of receives. */
    public static final MethodType RECEIVED = RECEIVED_CALLBACK.toMethodType();

    private UcpCompletion() {}

    /**
     * Creates a {@code ucp_send_nbx_callback_t}.
     *
     * @param target of type {@link #SENT}; never throws
     * @param arena lives as long as C may call
     * @return the function's address
     */
    public static long sent(MethodHandle target, Arena arena) {
        return Linking.upcall(target, SENT_CALLBACK, arena).address();
    }

    /**
     * Creates a function that serves as {@code ucp_tag_recv_nbx_callback_t}, {@code ucp_stream_recv_nbx_callback_t} and
     * {@code ucp_am_recv_data_nbx_callback_t}.
     *
     * @param target of type {@link #RECEIVED}; never throws
     * @param arena lives as long as C may call
     * @return the function's address
     */
    public static long received(MethodHandle target, Arena arena) {
        return Linking.upcall(target, RECEIVED_CALLBACK, arena).address();
    }
}
