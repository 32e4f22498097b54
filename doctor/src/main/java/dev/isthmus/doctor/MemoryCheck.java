// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

/** Lockable memory, huge pages, and shared memory. */
final class MemoryCheck {

    /** With less, a few device buffers exceed the limit. */
    private static final long LITTLE = 64L << 20;

    private MemoryCheck() {}

    static void hugePages(KernelFiles machine, Findings findings) {
        String total = machine.find("proc/meminfo", "^HugePages_Total: *([0-9]+)");
        String free = machine.find("proc/meminfo", "^HugePages_Free: *([0-9]+)");
        if (total.isEmpty() || total.equals("0")) {
            findings.note("no huge pages are reserved, which PageMemory.HUGE_PAGES needs", "sysctl vm.nr_hugepages=64");
        } else {
            String size = machine.find("proc/meminfo", "^Hugepagesize: *([0-9]+)");
            findings.good(free + " of " + total + " huge pages of " + size + " KiB are free");
        }
    }

    static void sharedMemory(Findings findings, long bytes) {
        if (bytes < LITTLE) {
            findings.note(
                    "/dev/shm has only " + KernelFiles.readable(bytes) + " free: shared memory may fail",
                    "mount -o remount,size=1G /dev/shm; in a container: --shm-size=1g");
        } else {
            findings.good("/dev/shm has " + KernelFiles.readable(bytes) + " free");
        }
    }

    /** Of a process, which is a folder of /proc. */
    static void lockedMemory(KernelFiles machine, Findings findings, String process) {
        String limit = machine.find(process + "/limits", "^Max locked memory +([0-9]+|unlimited)");
        // The limit does not bind a process with this capability.
        String capabilities = machine.find(process + "/status", "^CapEff:\\s*([0-9a-f]+)");
        boolean ipcLock = !capabilities.isEmpty() && (Long.parseUnsignedLong(capabilities, 16) >> 14 & 1) == 1;
        if (ipcLock || limit.equals("unlimited")) {
            findings.good("memory can be locked without limit" + (ipcLock ? " (CAP_IPC_LOCK)" : ""));
        } else if (limit.isEmpty()) {
            findings.note("the limit of locked memory is unknown", "ulimit -l shows it");
        } else if (Long.parseUnsignedLong(limit) < LITTLE) {
            findings.note(
                    "only " + KernelFiles.readable(Long.parseUnsignedLong(limit))
                            + " of memory can be locked, and so registered",
                    "ulimit -l unlimited; a service: LimitMEMLOCK=infinity; a container: --ulimit memlock=-1");
        } else {
            findings.good(KernelFiles.readable(Long.parseUnsignedLong(limit)) + " of memory can be locked");
        }
    }
}
