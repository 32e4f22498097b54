// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_ah_attr;
import dev.isthmus.bindings.ibverbs.ibv_device_attr;
import dev.isthmus.bindings.ibverbs.ibv_device_attr_ex;
import dev.isthmus.bindings.ibverbs.ibv_port_attr;
import dev.isthmus.bindings.ibverbs.ibv_values_ex;
import dev.isthmus.bindings.ibverbs.timespec;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.NetworkOrder;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.verbs.attributes.DeviceAttributes;
import dev.isthmus.verbs.attributes.ExtendedDeviceAttributes;
import dev.isthmus.verbs.attributes.PortAttributes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.OptionalInt;

/** Queries of an open device and its ports, except for GIDs. Any thread may use it. */
final class DeviceQueries {

    /** {@code IBV_VALUES_MASK_RAW_CLOCK}. */
    private static final int RAW_CLOCK = 1;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final String name;
    private final MemorySegment handle;
    private final ContextOps ops;
    private final Lifetime lifetime;

    DeviceQueries(String name, MemorySegment handle, ContextOps ops, Lifetime lifetime) {
        this.name = name;
        this.handle = handle;
        this.ops = ops;
        this.lifetime = lifetime;
    }

    DeviceAttributes attributes() {
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment attributes = call.allocate(ibv_device_attr.layout());
            call.check(Libibverbs.QUERY_DEVICE, name, handle, attributes);
            return Natives.create(DeviceAttributes.class, attributes);
        }
    }

    // As in verbs.h, attributes that a driver or library without the extended query leaves out are 0.
    ExtendedDeviceAttributes extendedAttributes() {
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment attributes = call.allocate(ibv_device_attr_ex.layout());
            int errno = ops.find(ContextFunction.QUERY_DEVICE_EX)
                    .map(f -> call.integer(f, handle, MemorySegment.NULL, attributes, attributes.byteSize()))
                    .orElse(Errno.EOPNOTSUPP);
            if (errno == Errno.EOPNOTSUPP || errno == Errno.ENOSYS) {
                attributes.fill((byte) 0);
                call.check(Libibverbs.QUERY_DEVICE, name, handle, ibv_device_attr_ex.orig_attr(attributes));
            } else if (errno != 0) {
                throw call.failure(ops.require(ContextFunction.QUERY_DEVICE_EX), name, Math.abs(errno));
            }
            return Natives.create(ExtendedDeviceAttributes.class, attributes);
        }
    }

    PortAttributes port(int port) {
        checkPort(port);
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment attributes = call.allocate(ibv_port_attr.layout());
            queryPort(call, port, attributes);
            return Natives.create(PortAttributes.class, attributes);
        }
    }

    // As in verbs.h, the device's own function is preferred: the exported one fills an older, shorter struct.
    private void queryPort(VerbsCall call, int port, MemorySegment attributes) {
        String what = name + ", " + port;
        ops.find(ContextFunction.QUERY_PORT)
                .ifPresentOrElse(
                        f -> call.check(f, what, handle, (byte) port, attributes, attributes.byteSize()),
                        () -> call.check(Libibverbs.QUERY_PORT, what, handle, (byte) port, attributes));
    }

    void checkPort(int port) {
        int ports = attributes().physPortCount();
        if (port < 1 || port > ports) {
            throw new IllegalArgumentException(
                    name + " has no port " + port + ": its ports are numbered from 1 to " + ports);
        }
    }

    int pkey(int port, int index) {
        int length = port(port).pkeyTableLength();
        if (index < 0 || index >= length) {
            throw new IllegalArgumentException("no partition key at index " + index + " of " + name + " port " + port
                    + ": its table has " + length);
        }
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment pkey = call.allocate(ValueLayout.JAVA_SHORT);
            call.checkErrno(Libibverbs.QUERY_PKEY, name + ", " + port + ", " + index, handle, (byte) port, index, pkey);
            return Short.toUnsignedInt(NetworkOrder.toHost(pkey.get(ValueLayout.JAVA_SHORT, 0)));
        }
    }

    OptionalInt pkeyIndex(int port, int pkey) {
        checkPort(port);
        if (pkey < 0 || pkey > 0xffff) {
            throw new IllegalArgumentException("a partition key has 16 bits: " + pkey);
        }
        try (var call = new VerbsCall(lifetime)) {
            int index =
                    call.integer(Libibverbs.GET_PKEY_INDEX, handle, (byte) port, NetworkOrder.fromHost((short) pkey));
            return index < 0 ? OptionalInt.empty() : OptionalInt.of(index);
        }
    }

    long rawClock() {
        try (var call = new VerbsCall(lifetime)) {
            NativeFunction query = ops.require(ContextFunction.QUERY_RT_VALUES);
            MemorySegment values = call.allocate(ibv_values_ex.layout());
            ibv_values_ex.comp_mask(values, RAW_CLOCK);
            call.check(query, name + ", RAW_CLOCK", handle, values);
            if ((ibv_values_ex.comp_mask(values) & RAW_CLOCK) == 0) {
                throw call.failure(query, name + ", RAW_CLOCK", Errno.EOPNOTSUPP);
            }
            MemorySegment clock = ibv_values_ex.raw_clock(values);
            return timespec.tv_sec(clock) * NANOS_PER_SECOND + timespec.tv_nsec(clock);
        }
    }

    EthernetAddress resolve(AddressVector path) {
        if (path.dgid() == null) {
            throw new IllegalArgumentException("a path without a GID leads over no Ethernet: " + path);
        }
        checkPort(path.port());
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment attributes = call.allocate(ibv_ah_attr.layout());
            path.write(attributes);
            MemorySegment mac = call.allocate(EthernetAddress.MAC_BYTES, 1);
            MemorySegment vid = call.allocate(ValueLayout.JAVA_SHORT);
            call.explain(errno -> errno == Errno.EHOSTUNREACH
                    ? "no answer to ARP or neighbour discovery, or no route from the local GID's network device"
                    : "");
            checkNegated(call, name + ", " + path, attributes, mac, vid);
            return EthernetAddress.of(
                    mac.toArray(ValueLayout.JAVA_BYTE), Short.toUnsignedInt(vid.get(ValueLayout.JAVA_SHORT, 0)));
        }
    }

    // The function returns a negated error number of its own, or -1 from a function that it has called.
    private void checkNegated(
            VerbsCall call, String what, MemorySegment attributes, MemorySegment mac, MemorySegment vid) {
        int result = call.integer(Libibverbs.RESOLVE_ETH_L2_FROM_GID, handle, attributes, mac, vid);
        if (result != 0) {
            int errno = result == -1 && call.errno() != 0 ? call.errno() : Math.abs(result);
            throw call.failure(Libibverbs.RESOLVE_ETH_L2_FROM_GID, what, errno);
        }
    }
}
