// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.bindings.ibverbs.ibv_pci_atomic_caps;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * The atomics that a device can do over PCI: {@code struct ibv_pci_atomic_caps}.
 *
 * @param fetchAddFlags {@code enum ibv_pci_atomic_op_size}, or'ed: see {@link #fetchAdd()}
 * @param swapFlags those of swap: see {@link #swap()}
 * @param compareSwapFlags those of compare and swap: see {@link #compareSwap()}
 */
public record PciAtomicCapabilities(int fetchAddFlags, int swapFlags, int compareSwapFlags) {

    /**
     * The operand sizes of fetch and add.
     *
     * @return the known flags of {@link #fetchAddFlags}
     */
    public Set<PciAtomicSize> fetchAdd() {
        return PciAtomicSize.in(fetchAddFlags);
    }

    /**
     * The operand sizes of swap.
     *
     * @return the known flags of {@link #swapFlags}
     */
    public Set<PciAtomicSize> swap() {
        return PciAtomicSize.in(swapFlags);
    }

    /**
     * The operand sizes of compare and swap.
     *
     * @return the known flags of {@link #compareSwapFlags}
     */
    public Set<PciAtomicSize> compareSwap() {
        return PciAtomicSize.in(compareSwapFlags);
    }

    static PciAtomicCapabilities read(MemorySegment caps) {
        return new PciAtomicCapabilities(
                Short.toUnsignedInt(ibv_pci_atomic_caps.fetch_add(caps)),
                Short.toUnsignedInt(ibv_pci_atomic_caps.swap(caps)),
                Short.toUnsignedInt(ibv_pci_atomic_caps.compare_swap(caps)));
    }
}
