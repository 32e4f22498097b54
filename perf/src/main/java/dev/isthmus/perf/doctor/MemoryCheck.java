// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.doctor;

/** Memory that may be locked, huge pages, and shared memory. */
final class MemoryCheck {

    /** Below that a few buffers of a device exceed it. */
    private static final long LITTLE = 64L << 20;

    private MemoryCheck() {}

    static void look(Machine machine, Findings findings, long sharedMemoryBytes) {
        lockedMemory(machine, findings);
        String total = machine.find("proc/meminfo", "^HugePages_Total: *([0-9]+)");
        String free = machine.find("proc/meminfo", "^HugePages_Free: *([0-9]+)");
        if (total.isEmpty() || total.equals("0")) {
            findings.note(
                    Part.VERBS,
                    "no huge pages are reserved, which PageMemory.HUGE_PAGES needs",
                    "sysctl vm.nr_hugepages=64");
        } else {
            String size = machine.find("proc/meminfo", "^Hugepagesize: *([0-9]+)");
            findings.good(Part.VERBS, free + " of " + total + " huge pages of " + size + " KiB are free");
        }
        if (sharedMemoryBytes < LITTLE) {
            findings.note(
                    Part.UCX,
                    "/dev/shm has only " + Machine.readable(sharedMemoryBytes) + " free: shared memory may fail",
                    "mount -o remount,size=1G /dev/shm; in a container: --shm-size=1g");
        } else {
            findings.good(Part.UCX, "/dev/shm has " + Machine.readable(sharedMemoryBytes) + " free");
        }
    }

    private static void lockedMemory(Machine machine, Findings findings) {
        String limit = machine.find("proc/self/limits", "^Max locked memory +([0-9]+|unlimited)");
        // Who has this capability is not bound by the limit.
        String capabilities = machine.find("proc/self/status", "^CapEff:\\s*([0-9a-f]+)");
        boolean ipcLock = !capabilities.isEmpty() && (Long.parseUnsignedLong(capabilities, 16) >> 14 & 1) == 1;
        if (ipcLock || limit.equals("unlimited")) {
            findings.good(Part.VERBS, "memory may be locked without limit" + (ipcLock ? " (CAP_IPC_LOCK)" : ""));
        } else if (limit.isEmpty()) {
            findings.note(Part.VERBS, "the limit of locked memory is unknown", "ulimit -l tells it");
        } else if (Long.parseUnsignedLong(limit) < LITTLE) {
            findings.note(
                    Part.VERBS,
                    "only " + Machine.readable(Long.parseUnsignedLong(limit))
                            + " of memory may be locked, and so registered",
                    "ulimit -l unlimited; a service: LimitMEMLOCK=infinity; a container: --ulimit memlock=-1");
        } else {
            findings.good(Part.VERBS, Machine.readable(Long.parseUnsignedLong(limit)) + " of memory may be locked");
        }
    }
}
