// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.bindings.ibverbs.ibv_device_attr_ex;
import dev.isthmus.bindings.ibverbs.ibv_odp_caps;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * What a device can do with on-demand paged memory: {@code struct ibv_odp_caps}.
 *
 * @param generalFlags {@code enum ibv_odp_general_caps}, or'ed: see {@link #general()}
 * @param rcFlags {@code enum ibv_odp_transport_cap_bits} of RC, or'ed: see {@link #rc()}
 * @param ucFlags those of UC: see {@link #uc()}
 * @param udFlags those of UD: see {@link #ud()}
 * @param xrcFlags those of XRC: see {@link #xrc()}
 */
public record OdpCapabilities(long generalFlags, int rcFlags, int ucFlags, int udFlags, int xrcFlags) {

    /**
     * The support in general.
     *
     * @return the known flags of {@link #generalFlags}
     */
    public Set<OdpCapability> general() {
        return OdpCapability.in(generalFlags);
    }

    /**
     * Which operations on RC may access such memory.
     *
     * @return the known flags of {@link #rcFlags}
     */
    public Set<OdpOperation> rc() {
        return OdpOperation.in(rcFlags);
    }

    /**
     * Which operations on UC may access such memory.
     *
     * @return the known flags of {@link #ucFlags}
     */
    public Set<OdpOperation> uc() {
        return OdpOperation.in(ucFlags);
    }

    /**
     * Which operations on UD may access such memory.
     *
     * @return the known flags of {@link #udFlags}
     */
    public Set<OdpOperation> ud() {
        return OdpOperation.in(udFlags);
    }

    /**
     * Which operations on XRC may access such memory.
     *
     * @return the known flags of {@link #xrcFlags}
     */
    public Set<OdpOperation> xrc() {
        return OdpOperation.in(xrcFlags);
    }

    static OdpCapabilities read(MemorySegment attributes) {
        MemorySegment caps = ibv_device_attr_ex.odp_caps(attributes);
        MemorySegment transports = ibv_odp_caps.per_transport_caps(caps);
        return new OdpCapabilities(
                ibv_odp_caps.general_caps(caps),
                ibv_odp_caps.per_transport_caps.rc_odp_caps(transports),
                ibv_odp_caps.per_transport_caps.uc_odp_caps(transports),
                ibv_odp_caps.per_transport_caps.ud_odp_caps(transports),
                ibv_device_attr_ex.xrc_odp_caps(attributes));
    }
}
