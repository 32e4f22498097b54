// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;
import java.util.Set;

/**
 * The size of an operand of atomics over PCI: {@code enum ibv_pci_atomic_op_size}.
 */
public enum PciAtomicSize {
    /** Four bytes. {@code IBV_PCI_ATOMIC_OPERATION_4_BYTE_SIZE_SUP}. */
    BYTES_4(1),
    /** Eight bytes. {@code IBV_PCI_ATOMIC_OPERATION_8_BYTE_SIZE_SUP}. */
    BYTES_8(1 << 1),
    /** Sixteen bytes. {@code IBV_PCI_ATOMIC_OPERATION_16_BYTE_SIZE_SUP}. */
    BYTES_16(1 << 2);

    private final int code;

    PciAtomicSize(int code) {
        this.code = code;
    }

    /**
     * The value of the C constant.
     *
     * @return its bit
     */
    public int code() {
        return code;
    }

    /** The sizes in {@code flags} that this version of Isthmus knows. */
    static Set<PciAtomicSize> in(long flags) {
        return Codes.flags(PciAtomicSize.class, flags, PciAtomicSize::code);
    }
}
