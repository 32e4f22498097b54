/**
 * Memory on the device: {@code struct ibv_dm}. Messages that are sent from it or received into it do not cross the bus.
 * It suits, for example, counters that many peers add to by atomics. NVIDIA's devices have it from ConnectX-5 on (the
 * driver mlx5), a few hundred kilobytes: {@link dev.isthmus.verbs.attributes.ExtendedDeviceAttributes#maxDmSize} says
 * how much. Soft-RoCE and SoftiWARP have none: the allocation fails with EOPNOTSUPP.
 *
 * <pre>{@code
 * try (var device = Device.first().open();
 *         var pd = device.allocateProtectionDomain();
 *         var memory = DeviceMemory.allocate(device, 64, 8);
 *         var region = memory.register(pd, 0, 64, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC)) {
 *     memory.copyIn(0, MemorySegment.ofArray(new long[8]));
 *     System.out.println("peers may add at " + region.remoteMemory());
 *     long[] counts = new long[8];
 *     memory.copyOut(0, MemorySegment.ofArray(counts));
 * }
 * }</pre>
 *
 * <p>Any thread may use it. Close it after its regions.
 */
package dev.isthmus.verbs.devicememory;
