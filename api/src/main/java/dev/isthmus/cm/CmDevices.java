// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.cm.CmCall;
import dev.isthmus.internal.cm.Librdmacm;
import dev.isthmus.internal.cm.RdmacmLibrary;
import dev.isthmus.internal.verbs.VerbsErrors;
import dev.isthmus.verbs.DeviceContext;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The devices that librdmacm opened for itself. It closes one when the device is gone and nothing of librdmacm uses it,
 * even if others do. A {@link DeviceContext} that a program holds would then refer to freed memory. So the lists that
 * {@code rdma_get_devices} returns are never freed. That keeps their devices open, each with a protection domain of
 * librdmacm's own, and removing a device from the machine waits for the end of the process.
 */
final class CmDevices {

    private static final Map<Long, DeviceContext> KNOWN = new HashMap<>(); // guarded by the class

    private CmDevices() {}

    /** All present devices: {@code rdma_get_devices}. */
    static synchronized List<DeviceContext> list() {
        RdmacmLibrary.require();
        try (var call = new CmCall()) {
            MemorySegment count = call.allocateInt();
            MemorySegment list = call.pointer(Librdmacm.GET_DEVICES, count);
            if (list.address() == 0) {
                throw VerbsErrors.noDevice("no RDMA device to connect by");
            }
            int n = count.get(JAVA_INT, 0);
            MemorySegment pointers = NativeCall.sized(list, n * ADDRESS.byteSize());
            var devices = new ArrayList<DeviceContext>();
            for (int i = 0; i < n; i++) {
                MemorySegment handle = pointers.getAtIndex(ADDRESS, i);
                devices.add(KNOWN.computeIfAbsent(
                        handle.address(), address -> Natives.create(DeviceContext.class, handle)));
            }
            return List.copyOf(devices);
        }
    }

    /** The device of a {@code struct ibv_context} that librdmacm has opened; null if it is gone by now. */
    static synchronized DeviceContext of(MemorySegment handle) {
        DeviceContext known = KNOWN.get(handle.address());
        if (known == null) {
            list();
            known = KNOWN.get(handle.address());
        }
        return known;
    }
}
