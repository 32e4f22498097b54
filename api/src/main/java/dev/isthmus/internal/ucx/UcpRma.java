// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.ucx;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.HotPath;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** The data path of libucp's remote memory access: see {@link Ucp}. */
public final class UcpRma {

    private static final FunctionDescriptor TRANSFER =
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle PUT = UcxLibrary.link("ucp_put_nbx", TRANSFER);
    private static final MethodHandle GET = UcxLibrary.link("ucp_get_nbx", TRANSFER);
    private static final MethodHandle ATOMIC_OP = UcxLibrary.link(
            "ucp_atomic_op_nbx",
            FunctionDescriptor.of(
                    JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private UcpRma() {}

    /** {@code ucs_status_ptr_t ucp_put_nbx(ep, buffer, count, remote_addr, rkey, param)}. */
    @HotPath
    public static long put(long ep, long buffer, long count, long remote, long rkey, long param) {
        try {
            return (long) PUT.invokeExact(ep, buffer, count, remote, rkey, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_put_nbx", t);
        }
    }

    /** {@code ucs_status_ptr_t ucp_get_nbx(ep, buffer, count, remote_addr, rkey, param)}. */
    @HotPath
    public static long get(long ep, long buffer, long count, long remote, long rkey, long param) {
        try {
            return (long) GET.invokeExact(ep, buffer, count, remote, rkey, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_get_nbx", t);
        }
    }

    /** {@code ucs_status_ptr_t ucp_atomic_op_nbx(ep, opcode, buffer, count, remote_addr, rkey, param)}, of one number. */
    @HotPath
    public static long atomic(long ep, int opcode, long buffer, long remote, long rkey, long param) {
        try {
            return (long) ATOMIC_OP.invokeExact(ep, opcode, buffer, 1L, remote, rkey, param);
        } catch (Throwable t) {
            throw UcxLibrary.misuse("ucp_atomic_op_nbx", t);
        }
    }
}
