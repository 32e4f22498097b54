// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.bindings.ibverbs.ibv_device;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.verbs.IbverbsLibrary;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsErrors;
import dev.isthmus.verbs.attributes.NodeType;
import dev.isthmus.verbs.attributes.TransportType;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * An RDMA device that existed when the devices were listed: {@code struct ibv_device}. A value: it owns nothing, and
 * any thread may use it.
 */
public final class Device {

    private final String name;
    private final long guid;
    private final int index; // -1 if the kernel does not say
    private final NodeType nodeType;
    private final TransportType transportType;
    private final String devName;
    private final Path devPath;
    private final Path ibdevPath;

    // Reads struct ibv_device, which disappears with the list.
    Device(NativeCall call, MemorySegment handle) {
        MemorySegment device = NativeCall.sized(handle, ibv_device.sizeof());
        name = NativeCall.string(call.pointer(Libibverbs.GET_DEVICE_NAME, handle));
        // __be64: the bytes are in network order, whatever the machine's order is.
        guid = NativeCall.fromBigEndian(call.integer64(Libibverbs.GET_DEVICE_GUID, handle));
        index = call.integer(Libibverbs.GET_DEVICE_INDEX, handle);
        nodeType = NodeType.of(ibv_device.node_type(device));
        transportType = TransportType.of(ibv_device.transport_type(device));
        devName = ibv_device.dev_name(device).getString(0);
        devPath = Path.of(ibv_device.dev_path(device).getString(0));
        ibdevPath = Path.of(ibv_device.ibdev_path(device).getString(0));
    }

    /**
     * Lists the RDMA devices of this machine: {@code ibv_get_device_list}.
     *
     * @return the devices; empty when there are none
     * @throws RdmaUnavailableException if libibverbs is not installed, native access is denied, or the kernel has no
     *     verbs interface
     */
    public static List<Device> list() {
        var devices = new ArrayList<Device>();
        try (var call = new NativeCall()) {
            forEach(call, (device, ignored) -> {
                devices.add(device);
                return null;
            });
        }
        return List.copyOf(devices);
    }

    /**
     * Finds a device by its name.
     *
     * @param name the kernel's name, such as {@code mlx5_0} or {@code rxe0}
     * @return the device
     * @throws RdmaUnavailableException if there is none; the message lists the devices
     */
    public static Device named(String name) {
        List<Device> devices = list();
        for (Device device : devices) {
            if (device.name.equals(name)) {
                return device;
            }
        }
        throw noSuchDevice("named " + name, devices);
    }

    /**
     * Finds a device by the kernel's index.
     *
     * @param index the kernel's index, as {@code rdma link} prints it; not the position in {@link #list()}
     * @return the device
     * @throws RdmaUnavailableException if there is none; the message lists the devices
     */
    public static Device atIndex(int index) {
        List<Device> devices = list();
        for (Device device : devices) {
            if (device.index == index && index >= 0) {
                return device;
            }
        }
        throw noSuchDevice("with index " + index, devices);
    }

    /**
     * The first device of the list, for programs that do not choose.
     *
     * @return the device
     * @throws RdmaUnavailableException if there is none
     */
    public static Device first() {
        return list().stream().findFirst().orElseThrow(() -> VerbsErrors.noDevice("this machine has no RDMA device"));
    }

    /**
     * The kernel's name.
     *
     * @return a name such as {@code mlx5_0}
     */
    public String name() {
        return name;
    }

    /**
     * The GUID of the node: {@code ibv_get_device_guid}.
     *
     * @return the GUID as a number: its first byte is the highest
     */
    public long guid() {
        return guid;
    }

    /**
     * What kind of device it is.
     *
     * @return its node type
     */
    public NodeType nodeType() {
        return nodeType;
    }

    /**
     * The transport that it speaks.
     *
     * @return its transport
     */
    public TransportType transportType() {
        return transportType;
    }

    /**
     * The kernel's index of the device, which survives a renaming: {@code ibv_get_device_index}.
     *
     * @return the index; empty if the kernel does not report it
     */
    public OptionalInt index() {
        return index >= 0 ? OptionalInt.of(index) : OptionalInt.empty();
    }

    /**
     * The name of its node in {@code /dev/infiniband}: {@code dev_name} of {@code struct ibv_device}.
     *
     * @return a name such as {@code uverbs0}
     */
    public String devName() {
        return devName;
    }

    /**
     * Where the kernel describes that node: {@code dev_path} of {@code struct ibv_device}.
     *
     * @return a path such as {@code /sys/class/infiniband_verbs/uverbs0}
     */
    public Path devPath() {
        return devPath;
    }

    /**
     * Where the kernel describes the device: {@code ibdev_path} of {@code struct ibv_device}.
     *
     * @return a path such as {@code /sys/class/infiniband/mlx5_0}
     */
    public Path ibdevPath() {
        return ibdevPath;
    }

    /**
     * Opens the device: {@code ibv_open_device}. You can open it many times. Blocks for some system calls.
     *
     * @return the open device, which the caller closes
     * @throws RdmaUnavailableException if the device is gone since it was listed, or the process may not open it
     */
    public DeviceContext open() {
        try (var call = new NativeCall()) {
            MemorySegment context =
                    forEach(call, (device, handle) -> device.name.equals(name) ? openHandle(call, handle) : null);
            if (context == null) {
                throw noSuchDevice("named " + name, list());
            }
            return new DeviceContext(this, context);
        }
    }

    private MemorySegment openHandle(NativeCall call, MemorySegment handle) {
        MemorySegment context = call.pointer(Libibverbs.OPEN_DEVICE, handle);
        if (context.address() != 0) {
            return context;
        }
        int errno = call.errno();
        if (errno == Errno.EACCES || errno == Errno.EPERM || errno == Errno.ENOENT) {
            throw new RdmaUnavailableException("ibv_open_device(" + name + "): " + Errno.describe(errno)
                    + ": this process may not open /dev/infiniband/uverbs*, or the node is missing there");
        }
        throw VerbsErrors.failure("ibv_open_device", name, errno, "");
    }

    /** Calls {@code visit} for each device and its handle until it returns a result; the handles die with the list. */
    private static MemorySegment forEach(NativeCall call, BiFunction<Device, MemorySegment, MemorySegment> visit) {
        IbverbsLibrary.require();
        MemorySegment count = call.allocateInt();
        MemorySegment list = call.pointer(Libibverbs.GET_DEVICE_LIST, count);
        if (list.address() == 0) {
            throw VerbsErrors.noDevice("ibv_get_device_list: " + Errno.describe(call.errno()));
        }
        try {
            int n = count.get(JAVA_INT, 0);
            MemorySegment handles = NativeCall.sized(list, ADDRESS.byteSize() * n);
            for (int i = 0; i < n; i++) {
                MemorySegment handle = handles.getAtIndex(ADDRESS, i);
                MemorySegment result = visit.apply(new Device(call, handle), handle);
                if (result != null) {
                    return result;
                }
            }
            return null;
        } finally {
            call.nothing(Libibverbs.FREE_DEVICE_LIST, list);
        }
    }

    private static RdmaUnavailableException noSuchDevice(String which, List<Device> devices) {
        if (devices.isEmpty()) {
            return VerbsErrors.noDevice("no RDMA device " + which + ", nor any other");
        }
        String names = devices.stream().map(Device::name).collect(Collectors.joining(", "));
        return new RdmaUnavailableException("no RDMA device " + which + "; this machine has: " + names);
    }

    /** Whether the other object has the same name and GUID. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Device device && name.equals(device.name) && guid == device.guid;
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    /** The name. */
    @Override
    public String toString() {
        return name;
    }
}
