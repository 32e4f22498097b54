// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.util.Optional;

/**
 * Where memory is: {@code ucs_memory_type_t}. UCX supports a type if it was built with it and finds its driver.
 */
public enum UcpMemoryType {
    /** {@code UCS_MEMORY_TYPE_HOST}: the machine's main memory. */
    HOST(0),
    /** {@code UCS_MEMORY_TYPE_CUDA}: memory of an NVIDIA GPU. */
    CUDA(1),
    /** {@code UCS_MEMORY_TYPE_CUDA_MANAGED}: memory that moves between an NVIDIA GPU and main memory. */
    CUDA_MANAGED(2),
    /** {@code UCS_MEMORY_TYPE_ROCM}: memory of an AMD GPU. */
    ROCM(3),
    /** {@code UCS_MEMORY_TYPE_ROCM_MANAGED}: main memory that ROCm manages. */
    ROCM_MANAGED(4),
    /** {@code UCS_MEMORY_TYPE_RDMA}: memory of an RDMA device; UCX 1.16 and later. */
    RDMA(5),
    /** {@code UCS_MEMORY_TYPE_ZE_HOST}: main memory of Intel's Level Zero; UCX 1.17 and later. */
    ZE_HOST(6),
    /** {@code UCS_MEMORY_TYPE_ZE_DEVICE}: memory of an Intel GPU; UCX 1.17 and later. */
    ZE_DEVICE(7),
    /** {@code UCS_MEMORY_TYPE_ZE_MANAGED}: memory that Level Zero shares; UCX 1.17 and later. */
    ZE_MANAGED(8),
    /** {@code UCS_MEMORY_TYPE_GAUDI}: memory of an Intel Gaudi; UCX 1.21 and later. */
    GAUDI(9);

    // How many types a version knows. A larger number would make C read beyond its tables.
    private static final int SINCE_RDMA = 16;
    private static final int SINCE_ZE = 17;
    private static final int SINCE_GAUDI = 21;

    private final int code;

    UcpMemoryType(int code) {
        this.code = code;
    }

    /**
     * The C constant's value.
     *
     * @return the value
     */
    public int code() {
        return code;
    }

    long bit() {
        return 1L << code;
    }

    /** Whether a program may read and write it like other memory. */
    boolean isHost() {
        return switch (this) {
            case HOST, CUDA_MANAGED, ROCM_MANAGED, ZE_HOST, ZE_MANAGED -> true;
            case CUDA, ROCM, RDMA, ZE_DEVICE, GAUDI -> false;
        };
    }

    static Optional<UcpMemoryType> of(int code) {
        UcpMemoryType[] all = values();
        return code >= 0 && code < all.length ? Optional.of(all[code]) : Optional.empty();
    }

    /** How many types UCX 1.x knows, at least. */
    static int known(int minor) {
        if (minor < SINCE_RDMA) {
            return RDMA.code;
        }
        if (minor < SINCE_ZE) {
            return ZE_HOST.code;
        }
        return minor < SINCE_GAUDI ? GAUDI.code : values().length;
    }
}
