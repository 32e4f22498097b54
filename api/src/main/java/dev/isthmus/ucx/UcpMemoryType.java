package dev.isthmus.ucx;

/**
 * Where memory is: {@code ucs_memory_type_t}. UCX has support for a type when it was built with it and finds its driver.
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
    /** {@code UCS_MEMORY_TYPE_RDMA}: memory of an RDMA device; UCX 1.14 and later. */
    RDMA(5),
    /** {@code UCS_MEMORY_TYPE_ZE_HOST}: main memory of Intel's Level Zero; UCX 1.18 and later. */
    ZE_HOST(6),
    /** {@code UCS_MEMORY_TYPE_ZE_DEVICE}: memory of an Intel GPU; UCX 1.18 and later. */
    ZE_DEVICE(7),
    /** {@code UCS_MEMORY_TYPE_ZE_MANAGED}: memory that Level Zero shares; UCX 1.18 and later. */
    ZE_MANAGED(8);

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
}
