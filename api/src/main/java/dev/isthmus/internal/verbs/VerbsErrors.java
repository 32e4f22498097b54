// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.VerbsException;
import dev.isthmus.internal.Errno;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Errors of verbs in words: what usually causes each, and what helps. */
public final class VerbsErrors {

    private static final Path KERNEL_DEVICES = Path.of("/sys/class/infiniband_verbs");
    private static final Path DEVICE_NODES = Path.of("/dev/infiniband");
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern LOCKED_MEMORY = Pattern.compile("Max locked memory +([0-9]+|unlimited)");

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Pattern CAPABILITIES = Pattern.compile("(?m)^CapEff:\\s*([0-9a-f]+)$");
    private static final long CAP_IPC_LOCK = 1 << 14; // linux/capability.h
    private static final Path USERS = Path.of("/proc/self/uid_map");
    private static final Pattern ALL_USERS = Pattern.compile("\\s*0\\s+0\\s+4294967295\\s*");

    private VerbsErrors() {}

    /**
     * The exception for a failed call.
     *
     * @param help what the caller knows about the cause; empty for the usual cause
     */
    public static VerbsException failure(String call, String arguments, int errno, String help) {
        return new VerbsException(call, arguments, errno, help.isEmpty() ? usualHelp(errno) : help);
    }

    /** Why a registration was refused. */
    public static String registrationHelp(long bytes, int errno) {
        return switch (errno) {
            case Errno.ENOMEM ->
                mayLockAll()
                        ? "the kernel has no memory for this, or takes no region of " + inKib(bytes)
                                + "; this process may lock any amount (on SoftiWARP of Linux 6.1: "
                                + lockedMemoryLimit() + ")"
                        : "this process may lock " + lockedMemoryLimit() + " in all, and needs " + inKib(bytes)
                                + " more: raise ulimit -l (LimitMEMLOCK= of a service, --ulimit memlock of a container)";
            case Errno.EFAULT -> "the memory is not mapped, or mapped read-only";
            case Errno.EINVAL -> "the device does not grant this access or this length";
            default -> "";
        };
    }

    private static String usualHelp(int errno) {
        return switch (errno) {
            case Errno.EACCES, Errno.EPERM -> "this process may not do that: see the rights of /dev/infiniband";
            case Errno.EBUSY -> "something still uses it";
            case Errno.ENODEV -> "the device has gone";
            case Errno.ENOMEM ->
                "the device or the system is out of resources; check ulimit -l, now " + lockedMemoryLimit();
            case Errno.EOPNOTSUPP, Errno.ENOSYS -> "this device or its driver does not support it";
            case Errno.EMFILE -> "too many open files: check ulimit -n";
            default -> "";
        };
    }

    /** How much memory this process may lock, in words. */
    public static String lockedMemoryLimit() {
        try {
            Matcher limit = LOCKED_MEMORY.matcher(Files.readString(LIMITS));
            if (!limit.find()) {
                return "unknown";
            }
            String soft = limit.group(1);
            return soft.equals("unlimited") ? soft : inKib(Long.parseLong(soft));
        } catch (IOException e) {
            return "unknown (" + e.getMessage() + ")";
        }
    }

    /**
     * Whether the limit does not apply: CAP_IPC_LOCK lifts it, but not within a user namespace (capabilities(7)). The
     * siw of Linux 6.1 ignores that capability (siw_umem_get of siw_mem.c).
     */
    private static boolean mayLockAll() {
        try {
            Matcher capabilities = CAPABILITIES.matcher(Files.readString(STATUS));
            return capabilities.find()
                    && (Long.parseUnsignedLong(capabilities.group(1), 16) & CAP_IPC_LOCK) != 0
                    && ALL_USERS.matcher(Files.readString(USERS)).matches();
        } catch (IOException e) {
            return false;
        }
    }

    private static String inKib(long bytes) {
        return String.format(Locale.ROOT, "%,d KiB", bytes >> 10);
    }

    /** The exception for a machine where no RDMA device can be listed or found. */
    public static RdmaUnavailableException noDevice(String what) {
        return new RdmaUnavailableException(what + ": " + whyNoDevice());
    }

    private static String whyNoDevice() {
        if (!Files.exists(KERNEL_DEVICES)) {
            return "the kernel's verbs interface is missing: modprobe ib_uverbs, and a driver (rdma_rxe needs no hardware)";
        }
        if (holds(KERNEL_DEVICES, "uverbs[0-9]*") && !holds(DEVICE_NODES, "uverbs[0-9]*")) {
            return "the kernel has devices, but their nodes are missing in " + DEVICE_NODES
                    + ": pass them into the container (--device=" + DEVICE_NODES + "), or see whether udev runs";
        }
        return "the kernel offers no usable device; for one without hardware: modprobe rdma_rxe, then"
                + " rdma link add rxe0 type rxe netdev INTERFACE";
    }

    private static boolean holds(Path folder, String pattern) {
        try (var entries = Files.newDirectoryStream(folder, pattern)) {
            return entries.iterator().hasNext();
        } catch (NotDirectoryException | NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
